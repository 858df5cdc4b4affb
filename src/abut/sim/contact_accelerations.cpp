#include "abut/sim/contact_accelerations.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "abut/core/error.hpp"
#include "abut/core/stage_clock.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

/// Mobility of a direction in which joints keep a contact from moving, of another direction's.
constexpr double immobile = 1e-12;

double rate_of(const ContactProblem& p, int scalar, std::span<const double> v) {
  double rate = 0;
  for (const RowEntry& e : p.scalars.row(scalar)) {
    rate += e.value * v[p.trees[e.tree].first_dof + e.dof];
  }
  return rate;
}

/// v_c of all contacts along their axes.
void find_velocities(const ContactProblem& p, std::span<const double> v, std::vector<Vec3>& to) {
  to.resize(p.contacts.size());
  for (const Patch& patch : p.patches) {
    const PatchMotion motion(p, patch, v.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      to[i] = transpose_times(contact_axes(p.contacts, i), motion.of(i));
    }
  }
}

/// The place of a contact among others, from `from` on, where it is most likely; -1 for none.
int find_source(std::span<const ContactSource> all, const ContactSource& c, int from) {
  const auto is_same = [&](const ContactSource& s) {
    return s.geom_a == c.geom_a && s.geom_b == c.geom_b && s.feature == c.feature;
  };
  if (from < std::ssize(all) && is_same(all[from])) return from;
  const auto found = std::find_if(all.begin(), all.end(), is_same);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

}  // namespace

void RelativeVelocities::measure(const ContactProblem& p, std::span<const ContactSource> contacts) {
  sources.assign(contacts.begin(), contacts.end());
  normal = p.contacts.normal;
  velocity.resize(contacts.size());
  for (const Patch& patch : p.patches) {
    const PatchMotion motion(p, patch, p.velocity.data());
    for (int i = patch.begin; i < patch.end; ++i) velocity[i] = motion.of(i);
  }
  names = p.scalars.name;
  rate.resize(names.size());
  for (int i = 0; i < p.scalars.size(); ++i) rate[i] = rate_of(p, i, p.velocity);
}

void VelocityTerms::find(const RelativeVelocities& before, const RelativeVelocities& now,
                         const RelativeVelocities& after, const ContactProblem& p, double time) {
  contact.assign(now.sources.size(), {});
  for (int i = 0; i < std::ssize(now.sources); ++i) {
    const int at0 = find_source(before.sources, now.sources[i], i);
    const int at1 = find_source(after.sources, now.sources[i], i);
    if (at0 < 0 && at1 < 0) continue;
    const RelativeVelocities &from = at0 < 0 ? now : before, &to = at1 < 0 ? now : after;
    const int a = at0 < 0 ? i : at0, b = at1 < 0 ? i : at1;
    const double span = at0 < 0 || at1 < 0 ? time : 2 * time;
    const Vec3 change = (1 / span) * (to.velocity[b] - from.velocity[a]);
    contact[i] = transpose_times(contact_axes(p.contacts, i), change);
    contact[i].z =
        (dot(to.normal[b], to.velocity[b]) - dot(from.normal[a], from.velocity[a])) / span;
  }
  scalar.assign(now.names.size(), 0);
  for (std::size_t i = 0; i < now.names.size(); ++i) {
    const auto at0 = std::find(before.names.begin(), before.names.end(), now.names[i]);
    const auto at1 = std::find(after.names.begin(), after.names.end(), now.names[i]);
    if (at0 == before.names.end() || at1 == after.names.end()) continue;
    scalar[i] = (after.rate[at1 - after.names.begin()] - before.rate[at0 - before.names.begin()]) /
                (2 * time);
  }
}

bool ContactAccelerations::meets(const PreparedProblem& q) const {
  const ContactProblem& p = q.problem();
  const double fastest = settings_.touch / settings_.settling;
  for (const Patch& patch : p.patches) {
    const PatchMotion motion(p, patch, p.velocity.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      if (p.contacts.gap[i] > settings_.touch) continue;
      if (dot(p.contacts.normal[i], motion.of(i)) < -fastest) return true;
    }
  }
  for (int i = 0; i < p.scalars.size(); ++i) {
    if (p.scalars.kind[i] != ScalarKind::limit || p.scalars.gap[i] > settings_.touch) continue;
    if (rate_of(p, i, p.velocity) < -fastest) return true;
  }
  return false;
}

SolveReport ContactAccelerations::collide(const PreparedProblem& q, double least_bounce,
                                          ContactSolver& solver, std::vector<double>& velocity) {
  constexpr double far = 1;            // [m, rad]: does not meet in a step
  constexpr double unyielding = 1e20;  // [N/m]: nothing of an impact is left to compliance
  ContactProblem& p = impact_.edit();
  p = q.problem();
  p.wake_gap = settings_.touch;  // what is far stays out
  find_velocities(p, p.velocity, velocity_);
  double fastest = 0;
  for (int i = 0; i < p.contacts.size(); ++i) {
    if (p.contacts.gap[i] <= settings_.touch) fastest = std::max(fastest, -velocity_[i].z);
  }
  // the speeds that restitution asks for as overlaps that one step lets out
  const double bounce = fastest < least_bounce ? 0 : p.rigid.restitution;
  for (int i = 0; i < p.contacts.size(); ++i) {
    double& gap = p.contacts.gap[i];
    gap = gap > settings_.touch ? far : p.time_step * bounce * std::min(0.0, velocity_[i].z);
  }
  p.rigid = {.restitution = 0, .baumgarte = 1, .penetration_slop = 0};
  // from rest, so that errors are judged beside the momentum there is: no force acts in no time
  p.free_velocity = p.velocity;
  std::fill(p.velocity.begin(), p.velocity.end(), 0.0);
  for (int i = 0; i < p.scalars.size(); ++i) {
    double& gap = p.scalars.gap[i];
    switch (p.scalars.kind[i]) {
      case ScalarKind::limit:
        gap = gap <= settings_.touch ? 0 : far;
        p.scalars.stiffness[i] = unyielding;
        break;
      case ScalarKind::equality:
        gap = 0;
        p.scalars.stiffness[i] = unyielding;
        break;
      case ScalarKind::actuator:
      case ScalarKind::dry_friction:  // forces, which do nothing in no time
        p.scalars.lower_force[i] = p.scalars.upper_force[i] = 0;
    }
  }
  impact_.prepare();
  collision_.velocity = p.free_velocity;
  const SolveReport report = solver.solve(
      impact_, {.tolerance = settings_.tolerance, .pool = nullptr, .timed = settings_.timed},
      collision_);
  velocity = collision_.velocity;
  return report;
}

/// How fast a row's a has to be at least: gap and rate go to zero as exp(-t/T) (1 + t/T ...).
double ContactAccelerations::settle(double rate, double gap) const {
  const double T = settings_.settling;
  return 2 * rate / T + gap / (T * T);
}

void ContactAccelerations::select(const PreparedProblem& q, std::span<const double> velocity) {
  const ContactProblem& p = q.problem();
  assembly_.build(q);
  members_.clear();
  const std::span<const std::int32_t> contacts = assembly_.contacts(),
                                      scalars = assembly_.scalars();
  for (int row = 0; row < std::ssize(contacts); ++row) {
    const int i = contacts[row];
    if (p.contacts.anisotropy(i) != 0) {
      fail_input("scheme accelerations: a contact's friction depends on the direction: must not");
    }
    if (p.contacts.gap[i] > settings_.touch) continue;
    // what joints keep from moving along the normal: they bear it, with what force is open
    const BlockMatrix& W = assembly_.problem().delassus;
    const Mat3& mobility = W.block[W.find(row, row)];
    const double most = std::max({mobility.col[0].x, mobility.col[1].y, mobility.col[2].z});
    if (mobility.col[2].z > immobile * most) members_.push_back({row, -1, i});
  }
  const auto first = static_cast<std::int32_t>(contacts.size());
  for (int k = 0; k < std::ssize(scalars); ++k) {
    const int i = scalars[k];
    if (i < 0) continue;
    if (p.scalars.kind[i] == ScalarKind::limit && p.scalars.gap[i] > settings_.touch) continue;
    members_.push_back({first + k / 3, k % 3, i});
  }
  find_velocities(p, velocity, velocity_);
  find_velocities(p, p.free_velocity, free_velocity_);
}

/// Sorts the members into groups that blocks of W link.
void ContactAccelerations::link() {
  const BlockMatrix& W = assembly_.problem().delassus;
  sets_.reset(W.rows());
  std::vector<char> takes_part(W.rows(), 0);
  for (const Member& m : members_) takes_part[m.block] = 1;
  for (const Member& m : members_) {
    for (auto k = W.start[m.block]; k < W.start[m.block + 1]; ++k) {
      if (takes_part[W.column[k]]) sets_.join(m.block, W.column[k]);
    }
  }
  std::stable_sort(members_.begin(), members_.end(), [&](const Member& a, const Member& b) {
    return sets_.smallest(a.block) < sets_.smallest(b.block);
  });
  group_end_.clear();
  for (int k = 1; k <= std::ssize(members_); ++k) {
    if (k == std::ssize(members_) ||
        sets_.smallest(members_[k].block) != sets_.smallest(members_[k - 1].block)) {
      group_end_.push_back(k);
    }
  }
}

ForceReport ContactAccelerations::solve_group(const PreparedProblem& q, const VelocityTerms& terms,
                                              std::span<const double> velocity,
                                              std::span<const Member> group) {
  const ContactProblem& p = q.problem();
  const BlockMatrix& W = assembly_.problem().delassus;
  const double h = p.time_step;
  forces_ = {};
  slip_.clear();
  rows_.clear();
  std::vector<double> compliance;
  int member = 0;
  const auto add = [&](int block, int part, double bias, double speed, double soft = 0) {
    rows_.push_back({block, part, member});
    forces_.bias.push_back(bias);
    slip_.push_back(speed);
    compliance.push_back(soft);
    return static_cast<int>(rows_.size()) - 1;
  };
  for (const Member& m : group) {
    const int i = m.index;
    member = static_cast<int>(&m - group.data());
    if (m.part < 0) {
      const Vec3 v = velocity_[i], &turn = terms.contact[i];
      const Vec3 a = (1 / h) * (free_velocity_[i] - v) + turn;
      ForceContact c;
      c.friction = p.contacts.friction[i];
      c.normal = add(m.block, 2, a.z + settle(v.z, p.contacts.gap[i]), v.z);
      if (c.friction > 0) {
        const bool slips = std::hypot(v.x, v.y) > settings_.sticking;
        if (slips) c.slip = {v.x, v.y};
        const double brake = slips ? 0 : 1 / settings_.settling;
        const Mat3& mobility = W.block[W.find(m.block, m.block)];
        std::array<double, 2> slip{};
        for (int t = 0, k = 0; t < 2; ++t) {
          if (mobility.col[t][t] <= immobile * mobility.col[2].z) continue;
          slip[k] = c.slip[t];
          c.tangents[k++] = add(m.block, t, a[t] + brake * v[t], v[t]);
        }
        c.slip = slip;
      }
      forces_.contacts.push_back(c);
      continue;
    }
    const double rate = rate_of(p, i, velocity), free_rate = rate_of(p, i, p.free_velocity);
    const double a = (free_rate - rate) / h + terms.scalar[i];
    const ScalarTerms& s = q.scalars();
    switch (p.scalars.kind[i]) {
      case ScalarKind::limit: {
        ForceContact c;
        c.normal =
            add(m.block, m.part, a + settle(rate, p.scalars.gap[i]), rate, -s.regularization[i]);
        forces_.contacts.push_back(c);
        break;
      }
      case ScalarKind::equality:
        forces_.bilaterals.push_back(
            {.row = add(m.block, m.part, a + settle(rate, p.scalars.gap[i]), rate,
                        -s.regularization[i])});
        break;
      case ScalarKind::actuator:
      case ScalarKind::dry_friction:
        if (s.lower[i] >= s.upper[i]) break;
        forces_.bilaterals.push_back(
            {.row = add(m.block, m.part, (free_rate - s.target[i]) / h, rate),
             .lower = s.lower[i] <= -unlimited_force * h ? -HUGE_VAL : s.lower[i] / h,
             .upper = s.upper[i] >= unlimited_force * h ? HUGE_VAL : s.upper[i] / h});
    }
  }
  const auto n = rows_.size();
  forces_.matrix.assign(n * n, 0);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      const auto k = W.find(rows_[r].block, rows_[c].block);
      if (k >= 0) forces_.matrix[r * n + c] = W.block[k].col[rows_[c].part][rows_[r].part];
    }
    forces_.matrix[r * (n + 1)] += compliance[r];
  }
  return solver_.solve(forces_, force_, settings_.tolerance);
}

void ContactAccelerations::push(const PreparedProblem& q, std::span<const Vec3> impulse,
                                std::span<const double> scalar_impulse,
                                std::vector<double>& velocity) {
  const ContactProblem& p = q.problem();
  generalized_.assign(p.velocity.size(), 0);
  work_.resize(q.masses().work_size());
  for (const Patch& patch : p.patches) {
    add_impulses(
        p, patch, [&](int i) -> const Vec3& { return impulse[i]; }, generalized_.data());
  }
  for (int i = 0; i < p.scalars.size(); ++i) {
    for (const RowEntry& e : p.scalars.row(i)) {
      generalized_[p.trees[e.tree].first_dof + e.dof] += e.value * scalar_impulse[i];
    }
  }
  for (int t = 0; t < std::ssize(p.trees); ++t) {
    q.masses().add(p, t, generalized_.data(), velocity.data(), work_);
  }
}

SolveReport ContactAccelerations::find_forces(const PreparedProblem& q, const VelocityTerms& terms,
                                              ContactSolution& x, int& rays) {
  constexpr int most_rays = 10;
  StageClock clock(settings_.timed);
  clock.start();
  const ContactProblem& p = q.problem();
  SolveReport report;
  report.status = SolveStatus::converged;
  x.partition.copy(q.islands());
  x.islands.assign(x.partition.size(), {.status = SolveStatus::converged});
  x.anchor.clear(), x.slid.clear(), x.lagged_impulse.clear();
  std::vector<double> velocity = p.velocity;  // with what rays have changed
  std::vector<Vec3> thrown(p.contacts.size());
  std::vector<double> thrown_scalars(p.scalars.size(), 0);
  const auto write = [&](std::span<const Member> group, double scale, std::span<const double> rows,
                         std::vector<Vec3>& impulse, std::vector<double>& scalar_impulse) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Member& m = group[rows_[k].member];
      if (m.part >= 0) {
        scalar_impulse[m.index] += scale * rows[k];
      } else {
        impulse[m.index] += scale * rows[k] * contact_axes(p.contacts, m.index).col[rows_[k].part];
      }
    }
  };
  for (int round = 0;; ++round) {
    x.impulse = thrown;
    x.scalar_impulse = thrown_scalars;
    select(q, velocity);
    link();
    bool again = false;
    double worst = 0;
    SolveStatus status = SolveStatus::converged;
    std::int32_t start = 0;
    for (const std::int32_t end : group_end_) {
      const std::span<const Member> group(members_.data() + start, end - start);
      start = end;
      const ForceReport found = solve_group(q, terms, velocity, group);
      report.iterations = std::max(report.iterations, found.counts.pivots);
      report.factorizations += found.counts.refreshes;
      if (found.status == ForceStatus::unbounded_ray && round < most_rays) {
        const double length = impulse_along_ray(forces_, slip_, found.ray);
        if (length > 0 && std::isfinite(length)) {
          write(group, length, found.ray, thrown, thrown_scalars);
          ++rays;
          again = true;
          continue;
        }
      }
      worst = std::max(worst, found.certificate.error);
      if (found.status != ForceStatus::solved) {
        status = worse(status, found.status == ForceStatus::gave_up ? SolveStatus::iteration_limit
                                                                    : SolveStatus::stalled);
      }
      write(group, p.time_step, force_, x.impulse, x.scalar_impulse);
    }
    if (again) {
      velocity = p.velocity;
      push(q, thrown, thrown_scalars, velocity);
      continue;
    }
    report.status = status;
    Certificate& c = report.certificate;
    c.step_error = worst;
    c.momentum_error = c.impulse_error = NAN;  // of impulses that obey a model at the step's end
    c.ncp_primal = c.ncp_dual = c.ncp_complementarity = NAN;
    break;
  }
  report.weighted_iterations = report.iterations;
  x.velocity = p.free_velocity;
  push(q, x.impulse, x.scalar_impulse, x.velocity);
  report.seconds = clock.lap();
  return report;
}

}  // namespace abut
