#pragma once

#include <cstddef>
#include <vector>

namespace abut {

/// Of 113 bits.
using Quad = __float128;
struct QuadVec {
  Quad e[3];
  Quad& operator[](int i) { return e[i]; }
  const Quad& operator[](int i) const { return e[i]; }
};

inline Quad sqrt(const Quad& x) {
  if (!(x > 0)) return 0;
  Quad root = __builtin_sqrtl(static_cast<long double>(x));  // the range of a Quad, 64 bits
  root = (root + x / root) / 2;                              // by Newton's method 128
  return root;
}
inline Quad abs(const Quad& x) {
  return x < 0 ? -x : x;
}
inline Quad max(const Quad& a, const Quad& b) {
  return a > b ? a : b;
}
inline Quad min(const Quad& a, const Quad& b) {
  return a < b ? a : b;
}

inline QuadVec operator+(const QuadVec& a, const QuadVec& b) {
  return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
}
inline QuadVec operator-(const QuadVec& a, const QuadVec& b) {
  return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}
inline QuadVec operator*(const Quad& s, const QuadVec& a) {
  return {{s * a[0], s * a[1], s * a[2]}};
}
inline Quad dot(const QuadVec& a, const QuadVec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// A symmetric positive definite matrix and what solves with it.
class QuadSpd {
 public:
  explicit QuadSpd(int n) : n_(n), a_(std::size_t(n) * n) {}
  int size() const { return n_; }
  Quad& operator()(int r, int c) { return a_[std::size_t(r) * n_ + c]; }
  const Quad& operator()(int r, int c) const { return a_[std::size_t(r) * n_ + c]; }

  /// A = L L^T, after which solve() may be called.
  void factor() {
    l_ = a_;
    for (int c = 0; c < n_; ++c) {
      for (int r = c; r < n_; ++r) {
        Quad sum = l(r, c);
        for (int k = 0; k < c; ++k) sum -= l(r, k) * l(c, k);
        l(r, c) = r == c ? sqrt(sum) : sum / l(c, c);
      }
    }
  }
  /// x becomes A^-1 x.
  void solve(Quad* x) const {
    for (int r = 0; r < n_; ++r) {
      for (int k = 0; k < r; ++k) x[r] -= l(r, k) * x[k];
      x[r] /= l(r, r);
    }
    for (int r = n_ - 1; r >= 0; --r) {
      for (int k = r + 1; k < n_; ++k) x[r] -= l(k, r) * x[k];
      x[r] /= l(r, r);
    }
  }

 private:
  Quad& l(int r, int c) { return l_[std::size_t(r) * n_ + c]; }
  const Quad& l(int r, int c) const { return l_[std::size_t(r) * n_ + c]; }

  int n_;
  std::vector<Quad> a_, l_;
};

}  // namespace abut
