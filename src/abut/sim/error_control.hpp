#pragma once

#include <cstdint>
#include <vector>

#include "abut/sim/scene.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// Estimates what a step of the scheme errs by, from where one step of h and two of h/2 lead, and
/// chooses the size of the next one. Places are compared, not velocities: those jump in impacts,
/// whatever the step.
class ErrorControl {
 public:
  /// `moving` gives the moving body of each body of the scene, fixed_body for fixed ones.
  ErrorControl(const Scene& scene, const std::vector<std::int32_t>& moving);

  /// How far apart two places of a body are, relative to its size.
  struct Error {
    double size = 0;  ///< max over bodies of |c' - c| / radius + angle of R^T R' [-]
    int body = -1;    ///< moving body that has it; -1 where there is none
  };

  /// Where one step leads.
  void set_whole(const MovingBodies& bodies);
  /// Of the bodies where two halves lead, from where one step led. NaN counts as infinite.
  Error compare(const MovingBodies& bodies) const;

  /// About its center of mass, by moving body: of the sphere that holds all its geoms, or, without
  /// any, of gyration [m].
  const std::vector<double>& radius() const { return radius_; }

 private:
  std::vector<double> radius_;
  std::vector<Vec3> center_;             ///< by moving body, where one step leads
  std::vector<Quaternion> orientation_;  ///< likewise
};

/// The size of the substep after one of size h with this error. Where it is below the accuracy, so
/// that a scheme of first order, whose error in a step grows with h^2, meets it; at most five times
/// h. Else smaller, so that an impact, whose error grows with h, meets it: at least a tenth.
double next_substep(double h, double error, double accuracy);

}  // namespace abut
