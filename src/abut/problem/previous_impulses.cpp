#include "abut/problem/previous_impulses.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

void add_contacts(const ContactProblem& p, const Patch& patch, double* generalized) {
  for (int i = patch.begin; i < patch.end; ++i) {
    const Vec3& gamma = p.contacts.previous_impulse[i];
    if (!(gamma == Vec3{})) add_impulse(p, patch, i, gamma, generalized);
  }
}

void add_scalars(const ContactProblem& p, int tree, double* generalized) {
  const ScalarPool& s = p.scalars;
  double* to = generalized + p.trees[tree].velocity;
  for (const int i : s.of_tree(tree)) {
    const double gamma = std::clamp(s.previous_impulse[i], s.lower[i], s.upper[i]);
    if (gamma == 0) continue;
    for (const RowEntry& e : s.row(i)) to[e.dof] += e.value * gamma;
  }
}

}  // namespace

void add_inverse(const ContactProblem& p, int tree, const double* generalized, double* u,
                 std::span<double> work) {
  const Tree& t = p.trees[tree];
  const double* x = generalized + t.velocity;
  double* to = u + t.velocity;
  if (std::all_of(x, x + t.size, [](double g) { return g == 0; })) return;
  if (t.kind == TreeKind::dense) {
    add_inverse_times(t.size, p.inverse_factor(t), x, to, work.data());
    return;
  }
  const Vec3 turn = p.inverse_inertia[tree] * Vec3{x[3], x[4], x[5]};
  for (int k = 0; k < 3; ++k) {
    to[k] += x[k] / t.mass;
    to[3 + k] += turn[k];
  }
}

void previous_velocity(ContactProblem& p, std::vector<double>& u,
                       std::vector<double>& generalized) {
  assign(generalized, p.free_velocity.size(), 0);
  make_room(u, p.free_velocity.size());
  u = p.free_velocity;
  for (const Patch& patch : p.patches) add_contacts(p, patch, generalized.data());
  for (int t = 0; t < std::ssize(p.trees); ++t) {
    add_scalars(p, t, generalized.data());
    add_inverse(p, t, generalized.data(), u.data(), p.tree_scratch);
  }
}

void previous_velocity(const ContactProblem& p, std::span<const std::int32_t> trees,
                       std::span<const std::int32_t> patches, std::span<double> u,
                       std::span<double> generalized, std::span<double> work) {
  for (const int t : trees) {
    const Tree& tree = p.trees[t];
    std::copy_n(p.free_velocity.data() + tree.velocity, tree.size, u.data() + tree.velocity);
    std::fill_n(generalized.data() + tree.velocity, tree.size, 0.0);
  }
  for (const int k : patches) add_contacts(p, p.patches[k], generalized.data());
  for (const int t : trees) {
    add_scalars(p, t, generalized.data());
    add_inverse(p, t, generalized.data(), u.data(), work);
  }
}

}  // namespace abut
