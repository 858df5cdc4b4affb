#include "abut/problem/check_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/sparse_mass.hpp"

namespace abut {
namespace {

/// Of a matrix whose lower triangle is positive definite, row-major.
void require_symmetric(int n, const double* a, const Origin& at) {
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < r; ++c) {
      const double size = std::sqrt(a[r * n + r]) * std::sqrt(a[c * n + c]);
      if (!(std::abs(a[r * n + c] - a[c * n + r]) <= 1e-9 * size)) {
        fail_input("A is not symmetric", at);
      }
    }
  }
}

}  // namespace

void check_matrix(const ContactProblem& p, int tree, std::size_t& brought, const Origin& at) {
  const Tree& t = p.trees[tree];
  if (t.kind == TreeKind::sparse) {
    if (!SparseMass().factor(p, tree)) fail_input("A is not positive definite", at);
    p.sparse_matrices.for_each_block(t, [&](int row, int column, const double* block) {
      if (row == column) require_symmetric(3, block, at);
    });
    return;
  }
  const double* a = p.matrices.data() + t.first_element;
  std::vector<double> factor(static_cast<std::size_t>(t.size) * round_up_8(t.size), 0.0);
  if (!invert_factor(t.size, a, factor.data())) fail_input("A is not positive definite", at);
  require_symmetric(t.size, a, at);
  if (!t.brings_factor) return;
  double largest = 0;
  for (const double y : factor) largest = std::max(largest, std::abs(y));
  for (const double y : factor) {
    if (!(std::abs(p.inverse_factors[brought++] - y) <= 1e-6 * largest)) {
      fail_input("its inverse factor is not that of A", at);
    }
  }
}

}  // namespace abut
