#pragma once

#include <vector>

#include "abut/io/fclib_matrix.hpp"

namespace abut {

/// W r + q.
struct LocalForm {
  SparseEntries w;
  std::vector<double> q;
};

/// M v = H r + G l + f, 0 = G^T v + b, u = H^T v + w.
struct GlobalForm {
  SparseEntries m, h, g;  ///< without bilateral constraints g has no columns
  std::vector<double> f, w, b;
};

/// u = W r + V l + q, 0 = V^T r + R l + s.
struct MixedForm {
  SparseEntries w, v, r;
  std::vector<double> q, s;
};

/// W = H^T (M^-1 - M^-1 G S^+ G^T M^-1) H with S = G^T M^-1 G, q likewise: dofs that M and G link
/// are eliminated together. M may have one triangle only, and G redundant columns.
/// @throws std::invalid_argument saying of which matrix what is wrong
LocalForm eliminate_velocities(const GlobalForm& problem);

/// W - V R^-1 V^T and q - V R^-1 s. @throws std::invalid_argument if R is singular
LocalForm eliminate_multipliers(const MixedForm& problem);

}  // namespace abut
