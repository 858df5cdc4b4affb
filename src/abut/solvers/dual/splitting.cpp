#include "abut/solvers/dual/splitting.hpp"

namespace abut {

void Splitting::set(const BlockMatrix& matrix) {
  matrix_ = &matrix;
  shifted_ = matrix;
  lu_.analyze(matrix);
  const int n = matrix.rows();
  diagonal_.resize(n);
  for (int i = 0; i < n; ++i) diagonal_[i] = matrix.find(i, i);
  for (auto* v : {&v_, &y_, &z_, &f_, &plain_}) v->resize(n);
  if (!is_fixed_) rho_ = first_rho;
  changes_ = 0;
  is_factored_ = false;
}

void Splitting::fix_rho(double rho) {
  is_fixed_ = rho > 0;
  rho_ = rho > 0 ? rho : first_rho;
  is_factored_ = false;
}

bool Splitting::factor() {
  for (const std::int64_t k : diagonal_) {
    shifted_.block[k] = matrix_->block[k];
    for (int r = 0; r < 3; ++r) shifted_.block[k](r, r) += rho_;
  }
  return is_factored_ = lu_.factor(shifted_);
}

}  // namespace abut
