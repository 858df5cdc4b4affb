#include "abut/solvers/primal/mechanism_rows.hpp"

#include <algorithm>

namespace abut {
namespace {

/// to += sign times the rows of a point of a body: J_linear + J_angular x r.
void add_side(const ContactProblem& p, int body, const Vec3& point, double sign, int padded,
              double* to) {
  const ContactBody& b = p.bodies[body];
  const int n = b.columns;
  const Vec3 r = sign * (point - b.center);
  p.for_each_run(b, [&](int dof, int column, int count) {
    const double* __restrict x = p.jacobians.data() + b.first_element + column;
    const double *y = x + n, *z = y + n, *wx = z + n, *wy = wx + n, *wz = wy + n;
    double* __restrict tx = to + dof;
    double *ty = tx + padded, *tz = ty + padded;
    if (point == b.center) {
      for (int k = 0; k < count; ++k) {
        tx[k] += sign * x[k], ty[k] += sign * y[k], tz[k] += sign * z[k];
      }
      return;
    }
    for (int k = 0; k < count; ++k) {
      tx[k] += sign * x[k] + (wy[k] * r.z - wz[k] * r.y);
      ty[k] += sign * y[k] + (wz[k] * r.x - wx[k] * r.z);
      tz[k] += sign * z[k] + (wx[k] * r.y - wy[k] * r.x);
    }
  });
}

}  // namespace

bool MechanismRows::suits(const ContactProblem& p, std::span<const std::int32_t> trees,
                          std::span<const IslandPatch> patches) {
  constexpr int largest = 40, most_by_patch = 3;
  if (trees.size() != 1 || patches.empty()) return false;
  const Tree& t = p.trees[trees.front()];
  return t.kind == TreeKind::dense && t.size <= largest &&
         patches.back().end <= most_by_patch * std::ssize(patches);
}

void MechanismRows::make_room(const ContactProblem& p) {
  int widest = 0;
  for (const Tree& t : p.trees) {
    if (t.kind == TreeKind::dense) widest = std::max(widest, round_up_8(t.size));
  }
  jacobian_.reserve(3 * static_cast<std::size_t>(widest) * p.contacts.gap.capacity());
  work_.reserve(3 * static_cast<std::size_t>(widest));
}

void MechanismRows::build(const ContactProblem& p, std::span<const IslandPatch> patches,
                          std::span<const std::int32_t> contacts) {
  const int tree = p.patches[patches.front().patch].tree_b, n = p.trees[tree].size;
  const int padded = round_up_8(n);
  jacobian_.resize(3 * static_cast<std::size_t>(padded) * contacts.size());
  jacobian_.fill_zero();
  work_.resize(3 * static_cast<std::size_t>(padded));
  for (const IslandPatch& at : patches) {
    const Patch& patch = p.patches[at.patch];
    for (int i = at.begin; i < at.end; ++i) {
      double* to = jacobian_.data() + std::ptrdiff_t{3} * i * padded;
      const Vec3& point = p.contacts.point[contacts[i]];
      add_side(p, patch.body_b, point, 1, padded, to);
      if (patch.body_a >= 0) add_side(p, patch.body_a, point, -1, padded, to);
    }
  }
  rows_ = {jacobian_.data(), static_cast<std::int32_t>(contacts.size()), n, padded};
}

void MechanismRows::velocities(const double* x, double* fields, std::int64_t stride) const {
  contact_kernels().row_velocities(rows_, x, fields, stride);
}

void MechanismRows::add_loads(const double* gamma, std::int64_t stride, double* y) const {
  contact_kernels().row_loads(rows_, gamma, stride, y);
}

void MechanismRows::add_hessian(const double* k, std::int64_t stride, double* to,
                                std::int64_t leading) {
  contact_kernels().row_hessian(rows_, k, stride, work_.data(), to, leading);
}

}  // namespace abut
