#include "abut/problem/delassus.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "abut/core/error.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

/// One side of a patch on a tree.
struct Side {
  std::int32_t patch, body;
  double sign;  ///< with which it enters v_c
};

void require_rigid(const PreparedProblem& q, const RigidRules& rules) {
  if (!q.is_prepared()) fail_input("make_friction_problem: the problem is not prepared");
  const ContactProblem& p = q.problem();
  require(rules.restitution >= 0 && rules.restitution <= 1, "restitution", rules.restitution, "",
          "must lie in 0 to 1");
  require(rules.baumgarte >= 0 && rules.baumgarte * p.time_step <= 1, "baumgarte", rules.baumgarte,
          "1/s", "must lie in 0 to 1/h");
  if (p.scalars.size() > 0) {
    fail_input("has " + std::to_string(p.scalars.size()) +
               " scalar constraints, which rigid models do not have");
  }
  for (const Tree& t : p.trees) {
    if (t.kind == TreeKind::sparse) fail_input("has a sparse tree, which rigid models do not have");
  }
  for (int i = 0; i < p.contacts.size(); ++i) {
    if (p.contacts.anisotropy(i) == 0) continue;
    fail_input("contact " + std::to_string(i) +
               " has friction that depends on the direction, which rigid models do not have");
  }
}

/// Fills W, patch by patch.
class Assembly {
 public:
  explicit Assembly(const PreparedProblem& q) : q_(q), p_(q.problem()), sides_(p_.trees.size()) {
    for (int k = 0; k < std::ssize(p_.patches); ++k) {
      const Patch& patch = p_.patches[k];
      if (patch.tree_a != world_tree) sides_[patch.tree_a].push_back({k, patch.body_a, -1});
      sides_[patch.tree_b].push_back({k, patch.body_b, 1});
    }
    axes_.reserve(p_.contacts.gap.size());
    for (const Vec3& n : p_.contacts.normal) axes_.push_back(contact_axes(n));
  }

  BlockMatrix run() {
    lay_out();
    for (int t = 0; t < std::ssize(sides_); ++t) {
      for (const Side& to : sides_[t]) {
        for (const Side& from : sides_[t]) add(t, to, from);
      }
    }
    return std::move(w_);
  }

  const std::vector<Mat3>& axes() const { return axes_; }

 private:
  /// Rows of a patch have the contacts of all patches that share a tree with it.
  void lay_out() {
    std::vector<std::int32_t> near;
    for (const Patch& patch : p_.patches) {
      near.clear();
      for (const int t : {patch.tree_a, patch.tree_b}) {
        if (t == world_tree) continue;
        for (const Side& s : sides_[t]) near.push_back(s.patch);
      }
      std::sort(near.begin(), near.end());
      near.erase(std::unique(near.begin(), near.end()), near.end());
      for (int i = patch.begin; i < patch.end; ++i) {
        for (const std::int32_t k : near) {
          const std::size_t at = w_.column.size();
          w_.column.resize(at + p_.patches[k].end - p_.patches[k].begin);
          std::iota(w_.column.begin() + static_cast<std::ptrdiff_t>(at), w_.column.end(),
                    p_.patches[k].begin);
        }
        w_.start.push_back(std::ssize(w_.column));
      }
    }
    w_.block.resize(w_.column.size());
  }

  /// What loads on one side give to the other, of the same tree.
  void add(int tree, const Side& to, const Side& from) {
    const Tree& t = p_.trees[tree];
    const double sign = to.sign * from.sign;
    const Patch &row = p_.patches[to.patch], &column = p_.patches[from.patch];
    double coupling[36] = {};
    if (t.kind == TreeKind::rigid_body) {
      const Mat3& inverse = q_.masses().inertia(tree);
      for (int r = 0; r < 3; ++r) {
        coupling[7 * r] = 1 / t.mass;
        for (int c = 0; c < 3; ++c) coupling[6 * (3 + r) + 3 + c] = inverse(r, c);
      }
    } else {
      q_.bodies().find_coupling(p_, q_.masses(), to.body, from.body, coupling);
    }
    const auto arm = [&](int body, int contact) {
      return p_.contacts.point[contact] - (body < 0 ? t.center : p_.bodies[body].center);
    };
    for (int j = column.begin; j < column.end; ++j) {
      Vec3 linear[3], angular[3];
      for (int k = 0; k < 3; ++k) {
        const Vec3 f = sign * axes_[j].col[k], m = cross(arm(from.body, j), f);
        const double load[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 6; ++c) {
            linear[k][r] += coupling[6 * r + c] * load[c];
            angular[k][r] += coupling[6 * (3 + r) + c] * load[c];
          }
        }
      }
      for (int i = row.begin; i < row.end; ++i) {
        const Vec3 r = arm(to.body, i);
        Mat3& block = w_.block[w_.find(i, j)];
        for (int k = 0; k < 3; ++k) {
          block.col[k] += transpose_times(axes_[i], linear[k] + cross(angular[k], r));
        }
      }
    }
  }

  const PreparedProblem& q_;
  const ContactProblem& p_;
  std::vector<std::vector<Side>> sides_;  ///< by tree
  std::vector<Mat3> axes_;
  BlockMatrix w_;
};

}  // namespace

Mat3 contact_axes(const Vec3& normal) {
  const Vec3 t = any_perpendicular(normal);
  return {{t, cross(normal, t), normal}};
}

FrictionProblem make_friction_problem(const PreparedProblem& q, const RigidRules& rules) {
  require_rigid(q, rules);
  const ContactProblem& p = q.problem();
  const double h = p.time_step;
  Assembly assembly(q);
  FrictionProblem result;
  result.time_step = h;
  result.friction = p.contacts.friction;
  result.delassus = assembly.run();
  result.velocity.resize(p.contacts.gap.size());
  for (const Patch& patch : p.patches) {
    const PatchMotion free(p, patch, p.free_velocity.data()), before(p, patch, p.velocity.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      Vec3& g = result.velocity[i];
      g = transpose_times(assembly.axes()[i], free.of(i));
      const double gap = p.contacts.gap[i], meets = -dot(p.contacts.normal[i], before.of(i));
      double least = gap > 0 ? -gap / h : -rules.baumgarte * gap;  // of the normal velocity
      const bool bounces = rules.restitution > 0 && meets > 0 && gap <= h * meets;
      if (bounces) least = std::max(least, rules.restitution * meets);
      g.z -= least;
    }
  }
  return result;
}

std::vector<double> velocities_of(const PreparedProblem& q, std::span<const Vec3> impulse) {
  const ContactProblem& p = q.problem();
  std::vector<double> generalized(p.velocity.size(), 0), v = p.free_velocity;
  std::vector<double> work(q.masses().work_size());
  for (const Patch& patch : p.patches) {
    add_impulses(
        p, patch, [&](int i) { return contact_axes(p.contacts.normal[i]) * impulse[i]; },
        generalized.data());
  }
  for (int t = 0; t < std::ssize(p.trees); ++t) {
    q.masses().add(p, t, generalized.data(), v.data(), work);
  }
  return v;
}

}  // namespace abut
