#include <cmath>

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
double horizon(const ContactProblem& p, int i) {
  return p.time_step + (traits(p.law_of(i)).relaxes ? p.contacts.relaxation_time[i] : 0);
}

}  // namespace

bool is_active(const PreparedProblem& q, int i, const Vec3& v) {
  const ContactProblem& p = q.problem();
  return p.contacts.gap[i] + horizon(p, i) * similarity(q, i, v) < 0;
}

/// Marks the contacts that are apart and, by the velocities at hand, stay so in this step. A wrong
/// guess costs time, not accuracy: solvers wake a contact that their answer closes.
void PreparedProblem::find_dormant(ThreadPool* pool) {
  const ContactProblem& p = problem_;
  const ContactPool& c = p.contacts;
  std::vector<char>& dormant = islands_.dormant;
  make_room(dormant, c.gap.capacity());
  resize(dormant, c.size());
  const std::vector<double>& lagged = contacts_.lagged_impulse;
  const auto may_sleep = [&](int i) {  // no branches: they are not predictable
    const Vec3& last = c.previous_impulse[i];
    const bool rests = !(c.gap[i] <= 0) & (last.x == 0) & (last.y == 0) & (last.z == 0);
    return lagged.empty() ? rests : rests & !(lagged[i] > 0);
  };
  const auto look_at = [&](const Patch& patch) {
    bool any = false;
    for (int i = patch.begin; i < patch.end; ++i) {
      const bool may = may_sleep(i);
      dormant[i] = may;
      any = any | may;
    }
    for (const std::vector<double>* v : {&p.velocity, &p.free_velocity}) {
      if (!any) break;
      const PatchMotion motion(p, patch, v->data());
      for (int i = patch.begin; i < patch.end; ++i) {  // of all: which of them is not predictable
        const double nearest = c.gap[i] + horizon(p, i) * similarity(*this, i, motion.of(i));
        dormant[i] = (dormant[i] != 0) & !(nearest < p.wake_gap);
      }
    }
  };
  constexpr int least_per_range = 64;
  for_ranges(pool, static_cast<int>(p.patches.size()), least_per_range, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) look_at(p.patches[k]);
  });
}

}  // namespace abut
