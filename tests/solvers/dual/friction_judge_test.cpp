// The judge of `make check-friction` and the certificate: two codes for one definition.

#include "peers/friction_judge.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "abut/problem/certify_friction.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

TEST(FrictionJudge, AgreesWithTheCertificate) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const FrictionProblem p =
        make_friction_problem(random, {.most_bodies = 4,
                                       .most_contacts = 12,
                                       .mass_spread = static_cast<double>(k % 4),
                                       .most_scalars = 4});
    std::vector<Vec3> impulse(p.rows());
    for (Vec3& x : impulse) x = {normal(random), normal(random), normal(random) + 1};
    for (const RigidModel model : rigid_models) {
      SCOPED_TRACE(to_string(model));
      const double expected = certify(p, model, impulse).natural_error;
      EXPECT_NEAR(exact_natural_error(p, model, impulse), expected, 1e-12 * expected);
    }
  }
}

}  // namespace
}  // namespace abut
