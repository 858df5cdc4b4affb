#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// Where the numbers of a contact go among (t1, t2, n), in the order in which a file has them.
using ContactAxes = std::array<int, 3>;
inline constexpr ContactAxes normal_first = {2, 0, 1}, normal_last = {0, 1, 2};

/// Takes entries of W one by one, as files have them, and lays them out in blocks.
class FrictionBlocks {
 public:
  explicit FrictionBlocks(std::size_t contacts = 0, const ContactAxes& axes = normal_first);

  /// Entries may come twice: they are added. Both must be below 3 times the contacts.
  void add(std::size_t row, std::size_t column, double value);

  BlockMatrix matrix() const;
  std::vector<Vec3> vectors(std::span<const double> numbers) const;

 private:
  ContactAxes axes_;
  std::vector<std::map<std::int32_t, Mat3>> rows_;
};

}  // namespace abut
