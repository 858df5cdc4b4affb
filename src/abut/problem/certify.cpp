// Judges a solution by the problem alone.

#include "abut/problem/certify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "abut/core/error.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/laws/barrier_force.hpp"
#include "abut/problem/certify_laws.hpp"
#include "abut/problem/certify_rigid.hpp"

namespace abut {
namespace {

/// max of numbers of which one may be NaN, which then wins.
template <class Real>
Real worst(Real a, Real b) {
  return b > a || std::isnan(b) ? b : a;
}

/// Raises `most` to the distance of x = (x_n, x_t), |x_t| given, from the friction cone
/// |x_t| <= mu x_n.
void raise_by_cone(double& most, double xn, double xt, double mu) {
  const double beyond = xt - mu * xn;
  if (xn >= 0 && beyond <= most) return;  // it is no further away than that
  if (mu * xt <= -xn) {
    most = worst(most, std::sqrt(xn * xn + xt * xt));
  } else if (!(beyond <= 0)) {
    most = worst(most, beyond / std::sqrt(1 + mu * mu));
  }
}

/// From the dual cone mu |x_t| <= x_n.
void raise_by_dual_cone(double& most, double xn, double xt, double mu) {
  const double beyond = mu * xt - xn;
  if (beyond <= most) return;
  most =
      worst(most, xt <= -mu * xn ? std::sqrt(xn * xn + xt * xt) : beyond / std::sqrt(1 + mu * mu));
}

/// A contact's normal and velocity, rounded; `slip` such that mu slip is what friction dissipates
/// per normal impulse.
struct Motion {
  Vec3 n, vt;
  double vn, slip;
};

/// |gamma_t|, of an ellipse mu times the normal impulse that it needs [N s].
double friction_size(const ContactProblem& p, int i, const Vec3& friction) {
  if (!judging::is_ellipse(p, i)) return norm(friction);
  const judging::Ellipse<double> e(p.contacts, i);
  return e.mean * e.needed(judging::Vector<double>(friction));
}

/// gamma . R (gamma - y), with R (gamma - y) = v_c - v_hat + R gamma.
double sap_slack(const ContactProblem& p, int i, const Motion& m, const Vec3& gamma,
                 const judging::ContactNumbers<double>& c) {
  const double gn = dot(m.n, gamma);
  if (judging::is_ellipse(p, i)) {
    const double size = friction_size(p, i, gamma - gn * m.n);
    return dot(gamma, m.vt) + c.rt * size * size + gn * (m.vn - c.target + c.rn * gn);
  }
  return dot(gamma, m.vt) + c.rt * squared_norm(gamma) +
         gn * (m.vn - c.target + (c.rn - c.rt) * gn);
}

/// Scaled by h; complementarity by its square.
struct NcpErrors {
  double primal = 0, dual = 0, complementarity = 0;

  void raise_to(const NcpErrors& other) {
    primal = worst(primal, other.primal);
    dual = worst(dual, other.dual);
    complementarity = worst(complementarity, other.complementarity);
  }
};

/// `least` is what its normal velocity is to be at least [m/s].
void judge_as_ncp(const ContactProblem& p, int i, const Motion& m, double least, const Vec3& gamma,
                  NcpErrors& errors) {
  const double open = m.vn - least;
  if (open >= 0 && gamma == Vec3{}) return;
  const double mu = p.contacts.friction[i], gn = dot(m.n, gamma), sigma = open + mu * m.slip;
  const Vec3 gt = gamma - gn * m.n;
  raise_by_cone(errors.primal, gn, friction_size(p, i, gt), mu);
  raise_by_dual_cone(errors.dual, sigma, m.slip, mu);
  errors.complementarity = worst(errors.complementarity, std::abs(gn * sigma + dot(gt, m.vt)));
}

/// Raises `most` to how much of a change of velocity a contact's impulse answers with, times w [-]:
/// along the normal, friction following, or across, where friction sticks or creeps.
void raise_by_stiffness(double& most, const ContactProblem& p, int i, const Motion& m,
                        const Vec3& gamma, double lagged,
                        const judging::ContactNumbers<double>& numbers) {
  if (traits(p.model).is_rigid) {  // P_K(gamma - c/w)
    most = std::max(most, 1.0);
    return;
  }
  const ContactPool& c = p.contacts;
  const double h = p.time_step, mu = c.friction[i], w = numbers.w * (1 + mu);
  const double stretch = 1 + c.anisotropy(i), tangential = numbers.w * stretch * stretch;
  if (traits(p.model).is_anchored) {
    const double eps = std::max(p.friction.stiction_tolerance, numbers.rt * mu * lagged);
    most = std::max(most, tangential * judging::anchored_slope(p, i, lagged, eps));
  } else {
    const double across = -tangential * dot(gamma, m.vt), squared_slip = m.slip * m.slip;
    if (across > most * squared_slip) most = across / squared_slip;
  }
  if (p.model == ContactModel::sap) {
    if (w > most * numbers.rn) most = w / numbers.rn;
    return;
  }
  const double closing = (p.model == ContactModel::similar ? mu * m.slip : 0) - m.vn;
  const double x = std::max(0.0, h * closing - c.gap[i]), d = c.dissipation[i];
  const auto damped = [&] { return h * std::max(0.0, 1 + d * closing) + d * x; };
  double slope = 0, scale = c.weight[i] * c.stiffness[i];  // of the force over the scale
  switch (p.law_of(i)) {
    case NormalLawKind::kelvin_voigt: slope = h + c.relaxation_time[i]; break;
    case NormalLawKind::hunt_crossley: slope = damped(); break;
    case NormalLawKind::hertz: slope = 1.5 * std::sqrt(x) * damped(); break;
    case NormalLawKind::tabulated:
      slope = damped();
      if (c.table(i) == nullptr) break;
      scale = c.weight[i];
      slope = h * c.table(i)->slope_at(x) * std::max(0.0, 1 + d * closing) +
              d * c.table(i)->force_at(x);
      break;
    case NormalLawKind::log_barrier:
    case NormalLawKind::ipc_barrier: {
      const BarrierForce force(p.law_of(i));
      const double s = x / c.thickness(i);
      slope =
          h * force.slope(s) * std::max(0.0, 1 + d * closing) + d * c.thickness(i) * force.at(s);
      break;
    }
  }
  most = std::max(most, w * h * scale * slope);
}

/// The residual and its scales, computed in type Real with mobilities and regularizations from
/// Numbers.
template <class Real, class Numbers>
class Judge {
 public:
  /// With threads only of Numbers that they may share.
  Certificate judge(const PreparedProblem& problem, const Answer& answer, ThreadPool* pool);

 private:
  struct Sums {
    Real slack = 0, mismatch = 0;
    Real gross = 0;              ///< sum of w |gamma|^2
    Real lag = 0, friction = 0;  ///< max mu |gamma_n - gamma_n0|, max mu of the larger
    double stiffest = 0;
    Real lag_squares = 0;  ///< sum of w (mu (gamma_n - gamma_n0))^2
    Real residual = 0, momentum = 0, impulse = 0, change = 0;  ///< squared, scaled by D
    void add(const Sums& part);
  };
  /// What the impulses of a patch come to, to be added in the order of patches.
  struct PatchVerdict {
    Sums sums;
    judging::Screw<Real> load_a, load_b;
    NcpErrors ncp;
    bool is_linked = false;
  };
  int root(int tree);
  void join(int tree_a, int tree_b);
  void judge_patches(const ContactProblem& p, const Answer& answer, ThreadPool* pool,
                     NcpErrors& ncp);
  void judge_patch(const ContactProblem& p, const Patch& patch, const Answer& answer,
                   PatchVerdict& verdict);
  static Real least_velocity(const ContactProblem& p, const Patch& patch, int contact);
  void judge_lag(const ContactProblem& p, int contact, Real gamma_n, double lagged, Real w,
                 Sums& sums);
  void judge_scalars(const ContactProblem& p, const Answer& answer);
  /// Of each worker.
  struct Momenta {
    std::vector<Real> parts, diagonal;
  };
  void add_tree(const ContactProblem& p, int tree, std::span<const double> velocity,
                Momenta& momenta, Sums& sums);
  void add_island(const Sums& sums, int tree, double lag_tolerance, Certificate& result);

  Numbers numbers_;
  std::vector<Momenta> momenta_;
  std::vector<Real> generalized_;
  std::vector<PatchVerdict> verdicts_;  ///< of a block of patches
  std::vector<Sums> patch_sums_;
  std::vector<Sums> tree_sums_;     ///< of scalar constraints, by their first tree
  std::vector<Sums> island_sums_;   ///< by their smallest tree
  std::vector<std::int32_t> root_;  ///< by tree
};

template <class Real, class Numbers>
void Judge<Real, Numbers>::Sums::add(const Sums& part) {
  slack += part.slack;
  mismatch += part.mismatch;
  gross += part.gross;
  lag = worst(lag, part.lag);
  friction = worst(friction, part.friction);
  lag_squares += part.lag_squares;
  stiffest = std::max(stiffest, part.stiffest);
  residual += part.residual;
  momentum += part.momentum;
  impulse += part.impulse;
  change += part.change;
}

template <class Real, class Numbers>
int Judge<Real, Numbers>::root(int tree) {
  while (root_[tree] != tree) tree = root_[tree] = root_[root_[tree]];
  return tree;
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::join(int tree_a, int tree_b) {
  const int a = root(tree_a), b = root(tree_b);
  root_[std::max(a, b)] = std::min(a, b);
}

/// The impulses of all patches: adds their momentum and joins the trees that they link.
template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_patches(const ContactProblem& p, const Answer& answer,
                                         ThreadPool* pool, NcpErrors& ncp) {
  constexpr int least_per_range = 16;
  const int count = static_cast<int>(p.patches.size());
  const int block =
      pool == nullptr ? 1 : std::min(256 * pool->threads(), 2048);  // stays in the cache
  patch_sums_.clear();
  make_room(patch_sums_, p.patches.capacity());
  verdicts_.resize(block);
  for (int first = 0; first < count; first += block) {
    const int size = std::min(block, count - first);
    for_ranges(pool, size, least_per_range, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) {
        judge_patch(p, p.patches[first + k], answer, verdicts_[k]);
      }
    });
    for (int k = 0; k < size; ++k) {
      const Patch& patch = p.patches[first + k];
      const PatchVerdict& verdict = verdicts_[k];
      ncp.raise_to(verdict.ncp);
      judging::add_load(p, patch.tree_a, patch.body_a, verdict.load_a, generalized_.data());
      judging::add_load(p, patch.tree_b, patch.body_b, verdict.load_b, generalized_.data());
      if (patch.joins_trees() && verdict.is_linked) join(patch.tree_a, patch.tree_b);
      patch_sums_.push_back(verdict.sums);
    }
  }
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_patch(const ContactProblem& p, const Patch& patch,
                                       const Answer& answer, PatchVerdict& verdict) {
  const ContactPool& c = p.contacts;
  const bool is_rigid = traits(p.model).is_rigid;
  verdict = {};
  auto& [sums, load_a, load_b, ncp, linked] = verdict;
  const auto side_a =
      judging::side_velocity<Real>(p, patch, patch.tree_a, patch.body_a, answer.velocity);
  const auto side_b =
      judging::side_velocity<Real>(p, patch, patch.tree_b, patch.body_b, answer.velocity);
  load_a.center = side_a.center;
  load_b.center = side_b.center;
  for (int i = patch.begin; i < patch.end; ++i) {
    const judging::Vector<Real> v = judging::velocity_at(side_b, c.point[i]) -
                                    judging::velocity_at(side_a, c.point[i]) +
                                    judging::Vector<Real>(c.bias[i]);
    const double lagged = answer.lagged_impulse.empty() ? 0 : answer.lagged_impulse[i];
    const judging::Motion<Real> motion(judging::Vector<Real>(c.normal[i]), v);
    const Motion rounded{
        c.normal[i], motion.vt.rounded(), static_cast<double>(motion.vn),
        judging::is_ellipse(p, i) && c.friction[i] > 0
            ? static_cast<double>(judging::friction_rate(p, i, motion)) / c.friction[i]
            : static_cast<double>(motion.slip)};
    // a pair that is still apart may approach by its gap
    const Real least = is_rigid ? least_velocity(p, patch, i)
                                : std::min(Real(0), -Real(c.gap[i]) / Real(p.time_step));
    judge_as_ncp(p, i, rounded, static_cast<double>(least), answer.impulse[i], ncp);
    if (answer.impulse[i] == Vec3{} && judging::is_apart(p, i, motion, lagged)) continue;
    const judging::ContactNumbers<Real> numbers = numbers_.of_contact(p, patch, i);
    const judging::Vector<Real> gamma =
        is_rigid ? judging::rigid_impulse(p, i, motion, least,
                                          judging::Vector<Real>(answer.impulse[i]), numbers)
                 : judging::law_impulse(p, i, motion, lagged, numbers);
    if (traits(p.model).lags_friction) {
      judge_lag(p, i, dot(motion.n, gamma), lagged, numbers.w, sums);
    }
    if (gamma.is_zero() && answer.impulse[i] == Vec3{}) continue;
    const judging::Vector<Real> off = gamma - judging::Vector<Real>(answer.impulse[i]);
    sums.mismatch += numbers.w * dot(off, off);
    sums.gross += numbers.w * dot(gamma, gamma);
    linked = linked || !gamma.is_zero();
    const judging::ContactNumbers<double> in_double = numbers.rounded();
    raise_by_stiffness(sums.stiffest, p, i, rounded, answer.impulse[i], lagged, in_double);
    if (p.model == ContactModel::sap) {
      sums.slack += std::abs(sap_slack(p, i, rounded, answer.impulse[i], in_double));
    }
    judging::add_force(load_a, c.point[i], Real(-1) * gamma);
    judging::add_force(load_b, c.point[i], gamma);
  }
}

/// What the normal velocity of a rigid model's contact is to be at least.
template <class Real, class Numbers>
Real Judge<Real, Numbers>::least_velocity(const ContactProblem& p, const Patch& patch, int i) {
  if (p.rigid.restitution == 0) return judging::least_normal_velocity<Real>(p, i, 0);
  const auto velocity = [&](int tree, int body) {
    return judging::velocity_at(judging::side_velocity<Real>(p, patch, tree, body, p.velocity),
                                p.contacts.point[i]);
  };
  const judging::Vector<Real> before = velocity(patch.tree_b, patch.body_b) -
                                       velocity(patch.tree_a, patch.body_a) +
                                       judging::Vector<Real>(p.contacts.bias[i]);
  const judging::Vector<Real> normal(p.contacts.normal[i]);
  return judging::least_normal_velocity(p, i, dot(normal, before));
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_lag(const ContactProblem& p, int i, Real gamma_n, double lagged,
                                     Real w, Sums& sums) {
  const Real mu = p.contacts.friction[i], lag = mu * std::abs(gamma_n - Real(lagged));
  sums.lag = worst(sums.lag, lag);
  sums.friction = worst(sums.friction, mu * std::max(gamma_n, Real(lagged)));
  sums.lag_squares += w * lag * lag;
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_scalars(const ContactProblem& p, const Answer& answer) {
  const ScalarPool& s = p.scalars;
  assign(tree_sums_, p.trees.size(), {});
  for (int i = 0; i < s.size(); ++i) {
    const std::span<const RowEntry> row = s.row(i);
    Real c = 0;
    for (const RowEntry& e : row) {
      c += Real(e.value) * Real(answer.velocity[p.trees[e.tree].first_dof + e.dof]);
    }
    const auto [w, regularization] = numbers_.of_scalar(p, i);
    const Real gamma = judging::scalar_impulse(p, i, c, regularization);
    int last = row.front().tree;
    for (const RowEntry& e : row) {
      generalized_[p.trees[e.tree].first_dof + e.dof] += Real(e.value) * gamma;
      if (e.tree != last && gamma != 0) join(last, e.tree);
      last = e.tree;
    }
    const Real off = gamma - Real(answer.scalar_impulse[i]);
    Sums& sums = tree_sums_[row.front().tree];
    sums.mismatch += w * off * off;
    sums.gross += w * gamma * gamma;
    sums.stiffest = std::max(sums.stiffest, static_cast<double>(w / regularization));
  }
}

/// The momentum of one tree: A v, A (v - v*) and A (v* - v0).
template <class Real, class Numbers>
void Judge<Real, Numbers>::add_tree(const ContactProblem& p, int tree,
                                    std::span<const double> velocity, Momenta& momenta,
                                    Sums& sums) {
  const Tree& t = p.trees[tree];
  const double *v = velocity.data() + t.first_dof, *free = p.free_velocity.data() + t.first_dof,
               *before = p.velocity.data() + t.first_dof;
  const auto add = [&](int k, Real d2, Real full, Real excess, Real change) {
    const Real j = generalized_[t.first_dof + k], r = excess - j;
    sums.residual += d2 * r * r;
    sums.momentum += d2 * full * full;
    sums.impulse += d2 * j * j;
    sums.change += d2 * change * change;
  };
  const auto excess = [&](int k) { return Real(v[k]) - Real(free[k]); };
  const auto change = [&](int k) { return Real(free[k]) - Real(before[k]); };
  if (t.kind == TreeKind::rigid_body) {
    const Real m = t.mass, d2 = 1 / m;
    for (int k = 0; k < 3; ++k) add(k, d2, m * Real(v[k]), m * excess(k), m * change(k));
    for (int r = 0; r < 3; ++r) {
      Real full = 0, over = 0, by = 0;
      for (int k = 0; k < 3; ++k) {
        const Real a = t.inertia(r, k);
        full += a * Real(v[3 + k]), over += a * excess(3 + k), by += a * change(3 + k);
      }
      add(3 + r, 1 / Real(t.inertia(r, r)), full, over, by);
    }
    return;
  }
  const std::size_t n = t.size;
  assign(momenta.parts, 3 * n, 0);
  Real *full = momenta.parts.data(), *over = full + n, *by = over + n;
  if (t.kind == TreeKind::sparse) {
    std::vector<Real>& diagonal = momenta.diagonal;
    assign(diagonal, n, 0);
    p.sparse_matrices.for_each_block(t, [&](int row, int column, const double* block) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const Real a = block[3 * i + j];
          const int r = 3 * row + i, c = 3 * column + j;
          full[r] += a * Real(v[c]), over[r] += a * excess(c), by[r] += a * change(c);
          if (r == c) diagonal[r] = a;
          if (row == column) continue;  // below and above the diagonal
          full[c] += a * Real(v[r]), over[c] += a * excess(r), by[c] += a * change(r);
        }
      }
    });
    for (int k = 0; k < t.size; ++k) add(k, 1 / diagonal[k], full[k], over[k], by[k]);
    return;
  }
  // of the lower triangle what is not zero: runs of each row, where a tree has branches
  const double* a = p.matrices.data() + t.first_element;
  for (int c = 0; c < t.size; ++c, a += n) {
    const Real x = v[c], y = excess(c), z = change(c);
    Real whole = a[c] * x, part = a[c] * y, last = a[c] * z;
    for (int r = 0; r < c;) {
      for (; r < c && a[r] == 0; ++r) continue;
      for (; r < c && a[r] != 0; ++r) {
        const Real m = a[r];
        full[r] += m * x, over[r] += m * y, by[r] += m * z;
        whole += m * Real(v[r]), part += m * excess(r), last += m * change(r);
      }
    }
    full[c] += whole, over[c] += part, by[c] += last;
  }
  for (int k = 0; k < t.size; ++k) {
    add(k, 1 / Real(p.matrices[t.first_element + k * (t.size + 1)]), full[k], over[k], by[k]);
  }
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::add_island(const Sums& s, int tree, double lag_tolerance,
                                      Certificate& result) {
  const auto raise = [](double& to, Real x) { to = worst(to, static_cast<double>(x)); };
  const Real gross = std::sqrt(s.gross);
  const Real rest = std::min(at_rest * (1 + gross), Real(impulse_rounding * most_borne));
  const Real momentum = std::sqrt(std::max(s.momentum, s.impulse));
  const Real least = Real(momentum_rounding * momentum_rounding) * s.momentum;
  const Real scale =
      std::max(std::sqrt(std::max({s.impulse, std::min(s.momentum, s.change), least})),
               Real(impulse_rounding) * std::min(gross, Real(most_borne)));
  const bool rests = momentum < rest && s.residual < rest * rest;
  if (rests && s.mismatch < rest * rest) return;
  raise(result.impulse_error, std::sqrt(s.mismatch) / std::max(scale, gross));
  if (rests) return;
  if (!(std::sqrt(s.lag_squares) <= negligible_lag * scale)) {
    raise(result.lag_error, s.lag / s.friction);
    result.lagging_islands += !(s.lag <= lag_tolerance * s.friction);
  }
  const Real r = std::sqrt(s.residual);
  const auto error = r == 0 ? 0 : static_cast<double>(r / scale);
  if (!(error <= result.step_error) && !std::isnan(result.step_error)) {
    result.step_error = error;
    result.worst_tree = tree;
  }
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  raise(result.rounding, 50 * epsilon * std::max(1.0, s.stiffest) * momentum / scale);
  raise(result.momentum_error, r / momentum);
  raise(result.complementarity_error, s.slack / (momentum * momentum));
}

template <class Real, class Numbers>
Certificate Judge<Real, Numbers>::judge(const PreparedProblem& problem, const Answer& answer,
                                        ThreadPool* pool) {
  const ContactProblem& p = problem.problem();
  Certificate result;
  numbers_.start(problem);
  assign(generalized_, p.velocity.size(), 0);
  root_.resize(p.trees.size());
  std::iota(root_.begin(), root_.end(), 0);
  NcpErrors ncp;
  judge_patches(p, answer, pool, ncp);
  const double h = p.time_step;
  result.ncp_primal = ncp.primal / h, result.ncp_dual = ncp.dual / h;
  result.ncp_complementarity = ncp.complementarity / (h * h);
  judge_scalars(p, answer);
  constexpr int least_per_range = 64;
  const int trees = static_cast<int>(p.trees.size());
  momenta_.resize(pool == nullptr ? 1 : pool->threads());
  for_ranges(pool, trees, least_per_range, [&](int begin, int end, int worker) {
    for (int t = begin; t < end; ++t) {
      add_tree(p, t, answer.velocity, momenta_[worker], tree_sums_[t]);
    }
  });
  assign(island_sums_, p.trees.size(), {});
  for (int t = 0; t < trees; ++t) island_sums_[root(t)].add(tree_sums_[t]);
  for (std::size_t k = 0; k < p.patches.size(); ++k) {
    island_sums_[root(p.patches[k].tree_b)].add(patch_sums_[k]);
  }
  for (int tree = 0; tree < trees; ++tree) {
    if (root_[tree] == tree) add_island(island_sums_[tree], tree, p.friction.lag_tolerance, result);
  }
  return result;
}

/// Whether there is nothing that could push, and v is v*.
bool moves_freely(const ContactProblem& p, const Answer& answer) {
  return p.contacts.size() == 0 && p.scalars.size() == 0 &&
         std::equal(answer.velocity.begin(), answer.velocity.end(), p.free_velocity.begin());
}

void check_sizes(const PreparedProblem& problem, const Answer& answer) {
  const ContactProblem& p = problem.problem();
  const auto check = [](std::size_t got, std::size_t needed, const char* what) {
    if (got == needed) return;
    fail_input("certify: got " + std::to_string(got) + " " + what + ", the problem has " +
               std::to_string(needed));
  };
  if (!problem.is_prepared()) fail_input("certify: the problem is not prepared");
  check(answer.velocity.size(), p.velocity.size(), "velocities");
  check(answer.impulse.size(), p.contacts.gap.size(), "impulses");
  check(answer.scalar_impulse.size(), p.scalars.kind.size(), "impulses of scalar constraints");
  if (!answer.lagged_impulse.empty()) {
    check(answer.lagged_impulse.size(), p.contacts.gap.size(), "lagged impulses");
  }
}

}  // namespace

struct Certifier::Buffers {
  Judge<double, judging::PreparedNumbers> plain;
  Judge<long double, judging::OwnNumbers<long double>> extended;
};

Certifier::Certifier() : buffers_(std::make_unique<Buffers>()) {}
Certifier::~Certifier() = default;
Certifier::Certifier(Certifier&&) noexcept = default;
Certifier& Certifier::operator=(Certifier&&) noexcept = default;

Certificate Certifier::certify(const PreparedProblem& problem, const Answer& given, double accuracy,
                               ThreadPool* pool) {
  check_sizes(problem, given);
  if (moves_freely(problem.problem(), given)) return {};
  Answer answer = given;
  if (answer.lagged_impulse.empty()) answer.lagged_impulse = problem.contacts().lagged_impulse;
  const Certificate plain = buffers_->plain.judge(problem, answer, pool);
  return plain.rounding <= accuracy ? plain : buffers_->extended.judge(problem, answer, nullptr);
}

Certificate certify(const PreparedProblem& problem, const Answer& answer) {
  Certifier certifier;
  return certifier.certify(problem, answer, 0);
}

bool Certificate::is_finite() const {
  return std::isfinite(step_error + momentum_error + impulse_error + lag_error +
                       complementarity_error + ncp_primal + ncp_dual + ncp_complementarity);
}

}  // namespace abut
