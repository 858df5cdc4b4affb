#include "abut/solvers/dual/bisection.hpp"

#include "abut/solvers/dual/raisim_contact.hpp"

namespace abut {
namespace {

constexpr double keep = 0.99, least_share = 0.7;  // gamma, alpha_min / alpha

}  // namespace

void Bisection::prepare(const FrictionProblem& /*p*/, const FrictionOptions& options) {
  alpha_ = options.relaxation;
}

void Bisection::sweep(const FrictionProblem& p, const FrictionOptions& options,
                      std::span<Vec3> gamma) {
  sweep_rows(p, options.model, alpha_, gamma, [&](int i, const Mat3& w, const Vec3& g) {
    return solve_raisim_contact(w, g, p.friction[i], gamma[i]);
  });
  alpha_ = keep * alpha_ + (1 - keep) * least_share * options.relaxation;
}

}  // namespace abut
