#include "abut/problem/previous_impulses.hpp"

#include <algorithm>

#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

void add_contacts(const ContactProblem& p, const Patch& patch, double* generalized) {
  const std::vector<Vec3>& gamma = p.contacts.previous_impulse;
  add_impulses(
      p, patch, [&](int i) -> const Vec3& { return gamma[i]; }, generalized);
}

/// Of those constraints whose first tree this is.
void add_scalars(const PreparedProblem& q, int tree, double* generalized) {
  const ContactProblem& p = q.problem();
  const ScalarPool& s = p.scalars;
  const ScalarTerms& terms = q.scalars();
  for (const int i : terms.of_tree(tree)) {
    const double gamma = std::clamp(s.previous_impulse[i], terms.lower[i], terms.upper[i]);
    if (gamma == 0) continue;
    for (const RowEntry& e : s.row(i)) {
      generalized[p.trees[e.tree].first_dof + e.dof] += e.value * gamma;
    }
  }
}

}  // namespace

void previous_velocity(const PreparedProblem& q, std::span<double> u, std::span<double> generalized,
                       std::span<double> work) {
  const ContactProblem& p = q.problem();
  std::fill(generalized.begin(), generalized.end(), 0.0);
  std::copy(p.free_velocity.begin(), p.free_velocity.end(), u.begin());
  for (const Patch& patch : p.patches) add_contacts(p, patch, generalized.data());
  for (int t = 0; t < std::ssize(p.trees); ++t) add_scalars(q, t, generalized.data());
  for (int t = 0; t < std::ssize(p.trees); ++t) {
    q.masses().add(p, t, generalized.data(), u.data(), work);
  }
}

void previous_velocity(const PreparedProblem& q, std::span<const std::int32_t> trees,
                       std::span<const std::int32_t> patches, std::span<double> u,
                       std::span<double> generalized, std::span<double> work) {
  const ContactProblem& p = q.problem();
  for (const int t : trees) {
    const Tree& tree = p.trees[t];
    std::copy_n(p.free_velocity.data() + tree.first_dof, tree.size, u.data() + tree.first_dof);
    std::fill_n(generalized.data() + tree.first_dof, tree.size, 0.0);
  }
  for (const int k : patches) add_contacts(p, p.patches[k], generalized.data());
  for (const int t : trees) add_scalars(q, t, generalized.data());
  for (const int t : trees) q.masses().add(p, t, generalized.data(), u.data(), work);
}

}  // namespace abut
