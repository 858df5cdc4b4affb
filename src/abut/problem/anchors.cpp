#include "abut/problem/anchors.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/friction_ellipse.hpp"

namespace abut {
namespace {

/// The angular velocity of one side of a patch, which its motion lacks where a lone contact at a
/// body's center needs none.
Vec3 spin_of(const ContactProblem& p, int tree, int body, const double* v) {
  if (tree == world_tree) return {};
  if (body >= 0) return linked_velocity(p, body, false, v).angular;
  const double* u = v + p.trees[tree].first_dof;
  return {u[3], u[4], u[5]};
}

}  // namespace

void hold_anchors(const PreparedProblem& prepared, std::span<const double> velocity,
                  std::span<const Vec3> impulse, std::span<const double> lagged_impulse,
                  std::vector<Vec3>& anchor, std::vector<std::uint8_t>& slid) {
  constexpr double rounding = 1e-12;
  const ContactProblem& p = prepared.problem();
  const ContactPool& c = p.contacts;
  const double h = p.time_step;
  const auto across = [](const Vec3& n, const Vec3& v) { return v - dot(n, v) * n; };
  make_room(anchor, c.gap.capacity());
  assign(anchor, c.size(), {});
  make_room(slid, c.gap.capacity());
  assign(slid, c.size(), 1);  // without friction nothing is held
  for (const Patch& patch : p.patches) {
    const PatchMotion motion(p, patch, velocity.data());
    const Vec3 spins = spin_of(p, patch.tree_a, patch.body_a, velocity.data()) +
                       spin_of(p, patch.tree_b, patch.body_b, velocity.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      const double limit = c.friction[i] * lagged_impulse[i];
      if (!(limit > 0)) continue;
      const Vec3& n = c.normal[i];
      const FrictionEllipse ellipse(c, i);
      const Vec3 held = ellipse.unscaled(h * across(n, c.anchor[i])),
                 vt = ellipse.scaled(across(n, motion.of(i)));
      const double kt = h * h * tangential_stiffness(p, i, lagged_impulse[i]);
      const double eps = slip_tolerance(prepared, i, lagged_impulse[i]);
      const bool slides = norm(held - std::max(kt, limit / eps) * vt) >= limit;
      const Vec3 after = slides ? ellipse.unscaled(across(n, impulse[i])) : held - kt * vt;
      const Vec3 held_on = std::min(1 / h, limit / (h * norm(after))) * after;
      slid[i] = h * norm(held_on) >= (1 - rounding) * limit;
      const Vec3 force = ellipse.scaled(held_on);
      const double turn = 0.5 * h * dot(n, spins);
      anchor[i] = std::cos(turn) * force + std::sin(turn) * cross(n, force);
    }
  }
}

}  // namespace abut
