#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "abut/core/error.hpp"
#include "abut/laws/normal_law.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {
namespace {

Origin element(const char* kind, std::size_t index) {
  return {.file = {}, .line = 0, .element = std::string(kind) + " " + std::to_string(index)};
}

void check_tree(const ContactProblem& p, std::size_t index) {
  const Tree& t = p.trees[index];
  const Origin at = element("tree", index);
  require(t.mass > 0 && std::isfinite(t.mass), "mass", t.mass, "kg", "must be positive and finite",
          at);
  if (t.kind == TreeKind::rigid_body) {
    if (!is_finite(t.center)) fail_input("center is not finite", at);
    const double m[9] = {t.inertia(0, 0), t.inertia(0, 1), t.inertia(0, 2),
                         t.inertia(1, 0), t.inertia(1, 1), t.inertia(1, 2),
                         t.inertia(2, 0), t.inertia(2, 1), t.inertia(2, 2)};
    double inverse[9];
    if (!invert_spd(3, m, inverse)) fail_input("inertia is not positive definite", at);
  } else {
    std::vector<double> inverse(static_cast<std::size_t>(t.size) * t.size);
    if (!invert_spd(t.size, p.matrices.data() + t.matrix, inverse.data())) {
      fail_input("A is not positive definite", at);
    }
  }
  for (int k = t.velocity; k < t.velocity + t.size; ++k) {
    require(std::isfinite(p.velocity[k]), "velocity", p.velocity[k], "", "must be finite", at);
    require(std::isfinite(p.free_velocity[k]), "free_velocity", p.free_velocity[k], "",
            "must be finite", at);
  }
}

void check_contact(const ContactProblem& p, int i) {
  const ContactPool& c = p.contacts;
  const Origin at = element("contact", i);
  if (!is_finite(c.point[i]) || !is_finite(c.bias[i]) || !is_finite(c.previous_impulse[i])) {
    fail_input("point, bias or previous impulse is not finite", at);
  }
  const double length = norm(c.normal[i]);
  require(std::abs(length - 1) < 1e-6, "norm of normal", length, "", "must be 1", at);
  require(std::isfinite(c.gap[i]), "gap", c.gap[i], "m", "must be finite", at);
  require(c.weight[i] > 0 && std::isfinite(c.weight[i]), "weight", c.weight[i], "",
          "must be positive", at);
  PointMaterial{c.stiffness[i], c.dissipation[i], c.relaxation_time[i]}.validate(at);
  require(c.friction[i] >= 0 && std::isfinite(c.friction[i]), "friction", c.friction[i], "",
          "must not be negative", at);
}

void check_patches(const ContactProblem& p) {
  std::set<std::pair<int, int>> seen;
  int next = 0;
  for (std::size_t k = 0; k < p.patches.size(); ++k) {
    const Patch& patch = p.patches[k];
    const Origin at = element("patch", k);
    const auto tree_count = static_cast<int>(p.trees.size());
    if (patch.begin != next || patch.end <= patch.begin || patch.end > p.contacts.size()) {
      fail_input("its range of contacts does not follow the one before", at);
    }
    if (!(patch.tree_a >= world_tree && patch.tree_a < patch.tree_b &&
          patch.tree_b < tree_count)) {
      fail_input("trees must be -1 (the world) <= a < b < " + std::to_string(tree_count), at);
    }
    if (!seen.insert({patch.tree_a, patch.tree_b}).second) {
      fail_input("trees " + std::to_string(patch.tree_a) + " and " +
                     std::to_string(patch.tree_b) + " have a patch already: contacts of one "
                     "pair must follow each other", at);
    }
    next = patch.end;
  }
  if (next != p.contacts.size()) fail_input("contacts behind the last patch");
}

}  // namespace

void FrictionParameters::validate() const {
  require(stiction_tolerance > 0 && std::isfinite(stiction_tolerance), "stiction_tolerance",
          stiction_tolerance, "m/s", "must be positive");
  require(sigma > 0 && std::isfinite(sigma), "sigma", sigma, "", "must be positive");
  require(beta >= 0 && std::isfinite(beta), "beta", beta, "", "must not be negative");
}

void validate(const ContactProblem& p) {
  require(p.time_step > 0 && std::isfinite(p.time_step), "time_step", p.time_step, "s",
          "must be positive and finite");
  p.friction.validate();
  for (std::size_t t = 0; t < p.trees.size(); ++t) check_tree(p, t);
  check_patches(p);
  for (int i = 0; i < p.contacts.size(); ++i) check_contact(p, i);
  for (const double j : p.jacobians) {
    require(std::isfinite(j), "Jacobian entry", j, "", "must be finite");
  }
}

}  // namespace abut
