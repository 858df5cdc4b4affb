#include "abut/solvers/dual/gauss_seidel.hpp"

#include "abut/solvers/dual/lone_contact.hpp"

namespace abut {

void sweep_contacts(const FrictionProblem& p, RigidModel model, std::span<Vec3> gamma,
                    double relaxation) {
  sweep_rows(p, model, relaxation, gamma, [&](int i, const Mat3& w, const Vec3& g) {
    return solve_lone_contact(model, w, g, p.friction[i], gamma[i]);
  });
}

}  // namespace abut
