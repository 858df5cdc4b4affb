#pragma once

#include <string>
#include <vector>

#include "abut/io/hdf5_file.hpp"

namespace abut {

struct SparseEntry {
  int row = 0, column = 0;
  double value = 0;
};
/// What comes twice is added.
struct SparseEntries {
  int rows = 0, columns = 0;
  std::vector<SparseEntry> entries;
};

/// A matrix of FCLIB: the group `name` with m, n, nz, p, i, x. nz = -1: compressed columns, -2:
/// compressed rows, else the number of entries, whose rows are p and whose columns are i; Siconos
/// writes these the other way round, which is taken if only that fits m and n.
/// @throws InputError naming file and dataset
SparseEntries read_fclib_matrix(const Hdf5Reader& file, const std::string& name);

}  // namespace abut
