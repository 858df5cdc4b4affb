#include "abut/linalg/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace abut {
namespace {

constexpr int most_products = 500, steady_products = 4;
constexpr double steady = 1e-9;  // relative change of the eigenvalue from product to product

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add(double factor, const std::vector<double>& from, std::vector<double>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

double normalize(std::vector<double>& x) {
  const double norm = std::sqrt(dot(x, x));
  if (norm > 0) std::ranges::for_each(x, [&](double& e) { e /= norm; });
  return norm;
}

/// Whether all eigenvalues of a tridiagonal matrix lie below `bound`: pivots of its LDL^T.
bool are_below(double bound, const std::vector<double>& diagonal, const std::vector<double>& side) {
  double pivot = 1;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    pivot = diagonal[i] - bound - (i > 0 ? side[i - 1] * side[i - 1] / pivot : 0);
    if (!(pivot < 0)) return false;
  }
  return true;
}

/// The largest eigenvalue of a tridiagonal matrix, by bisection from Gershgorin's bounds.
double largest_of_tridiagonal(const std::vector<double>& diagonal,
                              const std::vector<double>& side) {
  double low = *std::ranges::max_element(diagonal), high = low;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double radius = (i > 0 ? side[i - 1] : 0) + (i + 1 < diagonal.size() ? side[i] : 0);
    high = std::max(high, diagonal[i] + radius);
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = low + (high - low) / 2;
    (are_below(middle, diagonal, side) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double largest_eigenvalue(int n, const std::function<void(std::span<double> x)>& multiply) {
  std::mt19937 random(1);
  std::vector<double> next(n);
  // not uniform_real_distribution: its numbers depend on the standard library
  for (double& e : next) e = static_cast<double>(random()) / 4294967296.0 - 0.5;
  normalize(next);
  std::vector<std::vector<double>> basis;
  std::vector<double> diagonal, side;
  double value = 0;
  for (int k = 0, same = 0; k < std::min(n, most_products) && same < steady_products; ++k) {
    basis.push_back(next);
    multiply(next);
    diagonal.push_back(dot(basis.back(), next));
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& q : basis) add(-dot(q, next), q, next);
    }
    const double before = std::exchange(value, largest_of_tridiagonal(diagonal, side));
    const double norm = normalize(next);
    if (!(norm > 1e-14 * std::abs(value))) break;  // all of the matrix that the first vector meets
    side.push_back(norm);
    same = std::abs(value - before) <= steady * std::abs(value) ? same + 1 : 0;
  }
  return value;
}

}  // namespace abut
