#include "abut/problem/dormant.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/friction_ellipse.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {
namespace {

/// The similarity variable of contact i at velocity v: what its normal impulse depends on. In line,
/// as a call costs as much.
[[gnu::always_inline]] inline double similarity(const PreparedProblem& q, int i, const Vec3& v) {
  const ContactProblem& p = q.problem();
  const ContactPool& c = p.contacts;
  const double vn = dot(c.normal[i], v);
  const auto slip = [&] {
    const Vec3 vt = v - vn * c.normal[i];
    return norm(c.anisotropy(i) == 0 ? vt : FrictionEllipse(c, i).scaled(vt));
  };
  switch (p.model) {
    case ContactModel::lagged:
    case ContactModel::ncp:
    case ContactModel::lcp:
    case ContactModel::raisim:
    case ContactModel::anchored: break;
    case ContactModel::ccp:
    case ContactModel::sap: return vn - c.friction[i] * slip();
    case ContactModel::similar: {
      const double x = slip(), eps = q.contacts().slip_tolerance[i];
      return vn - c.friction[i] * (std::sqrt(x * x + eps * eps) - eps);
    }
  }
  return vn;
}

/// The time over which a gap must close for the contact to be active.
class Horizon {
 public:
  explicit Horizon(const ContactProblem& p) : problem_(p), is_common_(!takes_law(p.model)) {
    if (is_common_) relaxes_ = traits(p.law_of(0)).relaxes;
  }
  double of(int i) const {
    const bool relaxes = is_common_ ? relaxes_ : traits(problem_.law_of(i)).relaxes;
    return problem_.time_step + (relaxes ? problem_.contacts.relaxation_time[i] : 0);
  }

 private:
  const ContactProblem& problem_;
  bool is_common_;  ///< all contacts have the same law
  bool relaxes_ = false;
};

/// Times the wake gap: a reach that wakes little more than that does. It is as much as two slow
/// bodies close.
constexpr double negligible_reach = 2;

/// Of rigid bodies, or one and the world: |v* - v0| of the one relative to the other [m/s], which
/// is zero where both fall. Without that of their spins, which is next to nothing.
std::optional<double> relative_change(const ContactProblem& p, const Patch& patch) {
  Vec3 change{};
  const auto add = [&](int tree, double sign) {
    if (tree == world_tree) return true;
    const Tree& t = p.trees[tree];
    if (t.kind != TreeKind::rigid_body) return false;
    const double *free = p.free_velocity.data() + t.first_dof, *v = p.velocity.data() + t.first_dof;
    change += sign * Vec3{free[0] - v[0], free[1] - v[1], free[2] - v[2]};
    return true;
  };
  if (!add(patch.tree_a, -1) || !add(patch.tree_b, 1)) return {};
  return norm(change);
}

}  // namespace

bool is_active(const PreparedProblem& q, int i, const Vec3& v) {
  const ContactProblem& p = q.problem();
  return p.contacts.gap[i] + Horizon(p).of(i) * similarity(q, i, v) < 0;
}

void DormancySearch::run(const PreparedProblem& q, std::vector<char>& dormant, ThreadPool* pool) {
  const ContactProblem& p = q.problem();
  make_room(dormant, p.contacts.gap.capacity());
  resize(dormant, p.contacts.size());
  make_room(rooms_, p.contacts.gap.capacity());
  resize(rooms_, p.contacts.size());
  make_room(patches_, p.patches.capacity());
  resize(patches_, p.patches.size());
  make_room(links_, p.patches.capacity());
  for (auto* v : {&reach_, &nearer_}) resize(*v, p.trees.size());
  find_slow(p, pool);
  q.shares().for_each(pool, [&](const PatchShares::Range& r) {
    find_resting(q, p.patches[r.begin].begin, p.patches[r.end - 1].end, dormant);
    for (int k = r.begin; k < r.end; ++k) measure(q, p.patches[k], dormant, patches_[k]);
  });
  double deepest = 0;
  for (const PatchRoom& room : patches_) deepest = std::max(deepest, room.depth);
  if (!(deepest > negligible_reach * p.wake_gap)) return;
  find_reach(p);
  q.shares().for_each(pool, [&](const PatchShares::Range& r) {
    for (int k = r.begin; k < r.end; ++k) wake(p, k, dormant);
  });
}

void DormancySearch::find_slow(const ContactProblem& p, ThreadPool* pool) {
  resize(slow_, p.trees.size() + 1);
  slow_[0] = true;  // the world
  const double most = 0.5 * negligible_reach * p.wake_gap / p.time_step;
  const auto is_slow = [&](const Tree& tree) {
    if (tree.kind != TreeKind::rigid_body) return false;
    const double* v = p.velocity.data() + tree.first_dof;
    const Vec3 linear{v[0], v[1], v[2]}, angular{v[3], v[4], v[5]};
    const double trace = tree.inertia(0, 0) + tree.inertia(1, 1) + tree.inertia(2, 2);
    return tree.mass * squared_norm(linear) + trace * squared_norm(angular) <
           tree.mass * most * most;
  };
  constexpr int least_per_range = 64;
  for_ranges(pool, static_cast<int>(p.trees.size()), least_per_range, [&](int begin, int end) {
    for (int t = begin; t < end; ++t) slow_[t + 1] = is_slow(p.trees[t]);
  });
}

/// Marks the contacts [begin, end) that are apart and gave no impulse.
void DormancySearch::find_resting(const PreparedProblem& q, int begin, int end,
                                  std::vector<char>& dormant) {
  const ContactPool& c = q.problem().contacts;
  const double *gap = c.gap.data(), *lagged = q.contacts().lagged_impulse.data();
  const bool lags = !q.contacts().lagged_impulse.empty();
  const Vec3* last = c.previous_impulse.data();
  char* to = dormant.data();
  for (int i = begin; i < end; ++i) {  // no branches: they are not predictable
    const bool rests = !(gap[i] <= 0) & (last[i].x == 0) & (last[i].y == 0) & (last[i].z == 0);
    to[i] = static_cast<char>(lags ? rests & !(lagged[i] > 0) : rests);
  }
}

/// Which of the contacts of a patch that find_resting() has marked may sleep, as far as its own
/// room goes.
void DormancySearch::measure(const PreparedProblem& q, const Patch& patch,
                             std::vector<char>& dormant, PatchRoom& room) {
  const ContactProblem& p = q.problem();
  const ContactPool& c = p.contacts;
  room = {};
  bool any = false;
  for (int i = patch.begin; i < patch.end; ++i) any = any | (dormant[i] != 0);
  const bool slow = slow_[patch.tree_a + 1] != 0 && slow_[patch.tree_b + 1] != 0;
  if (!any && slow) return;
  const Horizon horizon(p);
  const PatchMotion free(p, patch, p.free_velocity.data());
  const auto change = relative_change(p, patch);
  double depth = 0;
  for (int i = patch.begin; i < patch.end; ++i) {  // of all: which of them is not predictable
    const double h = horizon.of(i), gap = c.gap[i];
    const double way = h * similarity(q, i, free.of(i));
    depth = std::max(depth, -(std::max(gap, 0.0) + way));
    rooms_[i] = gap + way - h * change.value_or(0);
  }
  if (!slow) room.depth = depth;
  if (!any) return;
  if (!change) {
    const PatchMotion before(p, patch, p.velocity.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      const double way = horizon.of(i) * similarity(q, i, before.of(i));
      rooms_[i] = std::min(rooms_[i], c.gap[i] + way);
    }
  }
  double nearest = HUGE_VAL, least = HUGE_VAL;
  for (int i = patch.begin; i < patch.end; ++i) {
    const bool sleeps = (dormant[i] != 0) & !(rooms_[i] < p.wake_gap);
    dormant[i] = static_cast<char>(sleeps);
    nearest = std::min(nearest, sleeps ? rooms_[i] : 0.0);
    least = std::min(least, sleeps ? rooms_[i] : HUGE_VAL);
  }
  room.nearest = nearest;
  room.least = least;
}

void DormancySearch::find_reach(const ContactProblem& p) {
  constexpr int hops = 3;
  constexpr double share = 0.7;  // of its reach that a tree hands on
  assign(reach_, p.trees.size(), 0.0);
  resize(links_, p.patches.size());
  std::size_t links = 0;
  for (std::size_t k = 0; k < p.patches.size(); ++k) {
    const Patch& patch = p.patches[k];
    const PatchRoom& room = patches_[k];
    reach_[patch.tree_b] = std::max(reach_[patch.tree_b], room.depth);
    if (!patch.joins_trees()) continue;
    reach_[patch.tree_a] = std::max(reach_[patch.tree_a], room.depth);
    links_[links++] = {patch.tree_a, patch.tree_b, room.nearest - p.wake_gap};
  }
  for (int hop = 0; hop < hops; ++hop) {
    assign(nearer_, reach_);
    for (const Link& link : std::span(links_).first(links)) {  // no branches: not predictable
      const double of_a = nearer_[link.a], of_b = nearer_[link.b];
      reach_[link.a] = std::max(reach_[link.a], of_b > link.gap ? share * of_b : 0);
      reach_[link.b] = std::max(reach_[link.b], of_a > link.gap ? share * of_a : 0);
    }
  }
}

/// Those of a patch that are within reach of a meeting.
void DormancySearch::wake(const ContactProblem& p, int patch_index, std::vector<char>& dormant) {
  const Patch& patch = p.patches[patch_index];
  const double of_a = patch.joins_trees() ? reach_[patch.tree_a] : 0;
  const double least = p.wake_gap + std::max(of_a, reach_[patch.tree_b]);
  if (!(patches_[patch_index].least < least)) return;
  for (int i = patch.begin; i < patch.end; ++i) {
    dormant[i] = (dormant[i] != 0) & !(rooms_[i] < least);
  }
}

}  // namespace abut
