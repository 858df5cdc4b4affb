#include "peers/exact_judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

namespace abut {
namespace {

const Quad pi = Quad(3.14159265358979311600e+00) + Quad(1.22464679914735317636e-16);

QuadVec wide(const Vec3& v) {
  return {{v.x, v.y, v.z}};
}
std::vector<Quad> wide(std::span<const double> v) {
  return {v.begin(), v.end()};
}
Quad squared(const Quad& x) {
  return x * x;
}
Quad squared(const QuadVec& x) {
  return dot(x, x);
}

Quad cube_root(const Quad& a) {
  if (a == 0) return 0;
  Quad x = std::cbrt(static_cast<double>(a));
  for (int i = 0; i < 2; ++i) x -= (x - a / (x * x)) / 3;
  return x;
}

/// By roots, until the series of atanh takes few terms.
Quad log(const Quad& a) {
  Quad x = a;
  int roots = 0;
  for (; x < Quad(0.999) || x > Quad(1.001); ++roots) x = sqrt(x);
  const Quad t = (x - 1) / (x + 1), square = t * t;
  Quad sum = 0, power = t;
  for (int k = 1; k < 24; k += 2, power *= square) sum += power / k;
  for (; roots > 0; --roots) sum *= 2;
  return 2 * sum;
}

/// h f(x, xdot) at x = -phi0 - h z, xdot = -z.
Quad normal_law(NormalLawKind law, Quad h, Quad k, Quad d, Quad tau, Quad gap, Quad z,
                const ForceTable* table, Quad weight, Quad thickness) {
  const Quad x = max(-gap - h * z, 0);
  switch (law) {
    case NormalLawKind::kelvin_voigt: return h * k * max(-gap - (h + tau) * z, 0);
    case NormalLawKind::hunt_crossley: return h * k * x * max(1 - d * z, 0);
    case NormalLawKind::tabulated: {
      if (table == nullptr) return h * k * x * max(1 - d * z, 0);
      const auto at = std::lower_bound(table->depth.begin() + 1, table->depth.end() - 1,
                                       static_cast<double>(x)) -
                      table->depth.begin();
      const Quad x0 = table->depth[at - 1], x1 = table->depth[at], f0 = table->force[at - 1],
                 f1 = table->force[at];
      return h * weight * ((f0 * (x1 - x) + f1 * (x - x0)) / (x1 - x0)) * max(1 - d * z, 0);
    }
    case NormalLawKind::log_barrier:
    case NormalLawKind::ipc_barrier: {
      const bool is_log = law == NormalLawKind::log_barrier;
      const Quad s = x / thickness, last = 1 - Quad(0x1p-12), at = s < last ? s : last, r = 1 - at;
      // b(s) = -s^2 ln(1 - s), the force its derivative; beyond, its second
      Quad force = is_log ? at / r : at * at / r - 2 * at * log(r);
      if (s > last) {
        force += (s - last) * (is_log ? 1 / (r * r) : at * at / (r * r) + 4 * at / r - 2 * log(r));
      }
      return h * k * thickness * force * max(1 - d * z, 0);
    }
    case NormalLawKind::hertz: break;
  }
  return h * k * x * sqrt(x) * max(1 - d * z, 0);
}

int find_root(std::vector<int>& root, int tree) {
  while (root[tree] != tree) tree = root[tree] = root[root[tree]];
  return tree;
}
void join(std::vector<int>& root, int a, int b) {
  a = find_root(root, a), b = find_root(root, b);
  root[std::max(a, b)] = std::min(a, b);
}
void join_row(std::vector<int>& root, std::span<const RowEntry> row) {
  for (const RowEntry& e : row) join(root, row.front().tree, e.tree);
}

/// Of one island.
struct Sums {
  Quad residual = 0, balance = 0, momentum = 0, change = 0, generalized = 0;  // squared, times D^2
  Quad mismatch = 0, gross = 0, lag = 0;                                      // squared, times w
  Quad lag_largest = 0, limit_largest = 0;
};

Quad step_scale(const Sums& s) {
  const Quad motion = max(max(s.generalized, min(s.momentum, s.change)), Quad(1e-16) * s.momentum);
  return sqrt(max(motion, Quad(1e-16) * min(s.gross, Quad(1))));
}

}  // namespace

ExactJudge::ExactJudge(const ContactProblem& problem) : p_(problem) {
  for (const Tree& t : p_.trees) {
    QuadSpd& a = mass_.emplace_back(t.size);
    for (int r = 0; r < t.size; ++r) {
      for (int c = 0; c < t.size; ++c) {
        if (t.kind == TreeKind::sparse) {
          a(r, c) = 0;
        } else if (t.kind == TreeKind::dense) {
          a(r, c) = p_.matrices[t.first_element + r * t.size + c];
        } else if (r >= 3 && c >= 3) {
          a(r, c) = t.inertia(r - 3, c - 3);
        } else {
          a(r, c) = r == c ? t.mass : 0;
        }
      }
    }
    QuadSpd alone = a;
    if (t.kind == TreeKind::sparse) {
      p_.sparse_matrices.for_each_block(t, [&](int row, int column, const double* block) {
        for (int k = 0; k < 9; ++k) {
          const int r = 3 * row + k / 3, c = 3 * column + k % 3;
          a(r, c) = a(c, r) = block[k];
          if (row == column) alone(r, c) = block[k];
        }
      });
    }
    alone.factor();
    moved_alone_.push_back(alone);
    a.factor();
  }
  for (const Patch& patch : p_.patches) {
    for (int i = patch.begin; i < patch.end; ++i) add_contact(patch, i);
  }
  regularize_normals();
  for (int i = 0; i < p_.scalars.size(); ++i) add_scalar(i);
}

ExactJudge::Side ExactJudge::side(int tree, int body, int contact, int sign) const {
  Side s;
  s.tree = tree;
  if (tree == world_tree) return s;
  const Tree& t = p_.trees[tree];
  s.columns.resize(t.size);
  if (t.kind != TreeKind::rigid_body) {
    const ContactBody& b = p_.bodies[body];
    const int n = b.columns;
    const double* j = p_.jacobians.data() + b.first_element;
    const QuadVec r = wide(p_.contacts.point[contact]) - wide(b.center);
    std::vector<int> dofs;
    for (int k = 0; k < b.runs; ++k) {
      const IndexRun& run = p_.body_runs[b.first_run + k];
      for (int dof = run.begin; dof < run.end; ++dof) dofs.push_back(dof);
    }
    for (int k = 0; k < n; ++k) {
      const int dof = dofs[k];
      QuadVec linear, angular;
      for (int row = 0; row < 3; ++row) {
        linear[row] = j[row * n + k];
        angular[row] = j[(3 + row) * n + k];
      }
      for (int row = 0; row < 3; ++row) {
        const int next = (row + 1) % 3, last = (row + 2) % 3;
        s.columns[dof][row] = s.columns[dof][row] + sign * (linear[row] + angular[next] * r[last] -
                                                            angular[last] * r[next]);
      }
    }
    return s;
  }
  // v + omega x r: a unit of omega along axis k moves the point by e_k x r
  const QuadVec r = wide(p_.contacts.point[contact]) - wide(t.center);
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    s.columns[k] = {}, s.columns[3 + k] = {};
    s.columns[k][k] = sign;
    s.columns[3 + k][last] = sign * r[next];
    s.columns[3 + k][next] = -sign * r[last];
  }
  return s;
}

/// w, by its rows, += J A^-1 J^T
void ExactJudge::add_mobility(const Side& s, QuadVec w[3]) const {
  if (s.tree == world_tree) return;
  std::vector<Quad> x(s.columns.size());
  for (int row = 0; row < 3; ++row) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = s.columns[k][row];
    moved_alone_[s.tree].solve(x.data());
    for (std::size_t k = 0; k < x.size(); ++k) w[row] = w[row] + x[k] * s.columns[k];
  }
}

void ExactJudge::add_contact(const Patch& patch, int i) {
  const ContactPool& pool = p_.contacts;
  Contact& c = contacts_.emplace_back();
  c.a = side(patch.tree_a, patch.body_a, i, -1);
  c.b = side(patch.tree_b, patch.body_b, i, 1);
  if (patch.tree_a == patch.tree_b) {  // one tree, which moves both sides
    for (std::size_t k = 0; k < c.b.columns.size(); ++k) {
      c.b.columns[k] = c.b.columns[k] + c.a.columns[k];
    }
    c.a = {};
  }
  c.normal = wide(pool.normal[i]);
  QuadVec w[3] = {};
  add_mobility(c.a, w);
  add_mobility(c.b, w);
  c.w = max(sqrt(squared(w[0]) + squared(w[1]) + squared(w[2])) / 3,
            Quad(1e-9) / p_.trees[patch.tree_b].mass);
  c.rt = Quad(p_.friction.sigma) * c.w / pool.weight[i];
}

/// The near-rigid rule: R_n >= beta^2/(4 pi^2) min(w, 1/m_max) of all that is linked.
void ExactJudge::regularize_normals() {
  std::vector<int> root(p_.trees.size());
  std::iota(root.begin(), root.end(), 0);
  for (const Patch& patch : p_.patches) {
    if (patch.tree_a != world_tree) join(root, patch.tree_a, patch.tree_b);
  }
  for (int i = 0; i < p_.scalars.size(); ++i) join_row(root, p_.scalars.row(i));
  std::vector<double> heaviest(p_.trees.size());
  for (int t = 0; t < std::ssize(p_.trees); ++t) {
    double& most = heaviest[find_root(root, t)];
    most = std::max(most, p_.trees[t].mass);
  }
  const Quad h = p_.time_step, rigid = squared(Quad(p_.friction.beta) / (2 * pi));
  const ContactPool& pool = p_.contacts;
  for (const Patch& patch : p_.patches) {
    const Quad mass = heaviest[find_root(root, patch.tree_b)];
    for (int i = patch.begin; i < patch.end; ++i) {
      const Quad compliance = 1 / (h * (h + pool.relaxation_time[i]) * pool.stiffness[i]);
      contacts_[i].rn = max(rigid * min(contacts_[i].w, 1 / mass), compliance) / pool.weight[i];
    }
  }
}

void ExactJudge::add_scalar(int i) {
  const ScalarPool& pool = p_.scalars;
  std::map<int, std::vector<Quad>> row;  // by tree
  for (const RowEntry& e : pool.row(i)) {
    row[e.tree].resize(p_.trees[e.tree].size);
    row[e.tree][e.dof] += e.value;
  }
  Scalar s{};
  for (const auto& [tree, part] : row) {
    std::vector<Quad> x = part;
    moved_alone_[tree].solve(x.data());
    for (std::size_t k = 0; k < x.size(); ++k) s.w += x[k] * part[k];
  }
  s.w = max(s.w, Quad(1e-9) / p_.trees[pool.first_tree(i)].mass);
  const Quad h = p_.time_step, horizon = h + pool.relaxation_time[i];
  const Quad compliance = 1 / (h * horizon * pool.stiffness[i]);
  s.lower = h * pool.lower_force[i], s.upper = h * pool.upper_force[i];
  switch (pool.kind[i]) {
    case ScalarKind::limit:
      s.r = max(squared(Quad(p_.friction.beta) / (2 * pi)) * s.w, compliance);
      s.target = -Quad(pool.gap[i]) / horizon;
      s.lower = 0, s.upper = 1e300;
      break;
    case ScalarKind::equality:
      s.r = compliance;
      s.target = -Quad(pool.gap[i]) / horizon;
      s.lower = -1e300, s.upper = 1e300;
      break;
    case ScalarKind::dry_friction:
      s.r = Quad(p_.friction.sigma) * s.w;
      s.target = 0;
      break;
    case ScalarKind::actuator:
      s.r = 1 / (h * (h * pool.stiffness[i] + pool.damping[i]));
      s.target = s.r * h * pool.force[i];
      break;
  }
  scalars_.push_back(s);
}

/// S = 1 + delta (2 t t^T - 1 + n n^T), or what undoes it across n, as far as it can be undone.
QuadVec ExactJudge::stretch(int i, const QuadVec& x, bool undo) const {
  const ContactPool& pool = p_.contacts;
  const Quad delta = pool.anisotropy(i);
  if (delta == 0) return x;
  const QuadVec t = wide(pool.friction_axis(i)), &n = contacts_[i].normal;
  const QuadVec along = dot(t, x) * t, normal = dot(n, x) * n, rest = x - along - normal;
  if (!undo) return normal + (1 + delta) * along + (1 - delta) * rest;
  const QuadVec back = normal + 1 / (1 + delta) * along;
  return delta < 1 ? back + 1 / (1 - delta) * rest : back;
}

/// Of an ellipse: the law of a circle in stretched velocities, stretched again.
QuadVec ExactJudge::contact_law(int i, const QuadVec& v, double lagged) const {
  const QuadVec anchor = stretch(i, wide(p_.contacts.anchor[i]), true);
  return stretch(i, circle_law(i, stretch(i, v, false), anchor, lagged), false);
}

QuadVec ExactJudge::circle_law(int i, const QuadVec& v, const QuadVec& anchor,
                               double lagged) const {
  const ContactPool& pool = p_.contacts;
  const Contact& c = contacts_[i];
  const Quad h = p_.time_step, mu = pool.friction[i], vn = dot(c.normal, v);
  const QuadVec vt = v - vn * c.normal;
  if (p_.model == ContactModel::sap) {
    const Quad slip = sqrt(squared(vt)), v_hat = -Quad(pool.gap[i]) / (h + pool.relaxation_time[i]);
    const Quad z = vn - mu * slip, yn = (v_hat - vn) / c.rn;
    if (z >= v_hat) return {};
    if (slip / c.rt < mu * yn) return yn * c.normal - 1 / c.rt * vt;
    const Quad gamma = (v_hat - z) / (c.rn + mu * mu * c.rt);
    return slip > 0 ? gamma * c.normal - mu * gamma / slip * vt : gamma * c.normal;
  }
  const auto normal = [&](const Quad& z) {
    return normal_law(pool.law[i].value_or(p_.law), h, Quad(pool.weight[i]) * pool.stiffness[i],
                      pool.dissipation[i], pool.relaxation_time[i], pool.gap[i], z, pool.table(i),
                      pool.weight[i], pool.thickness(i));
  };
  const Quad eps = max(p_.friction.stiction_tolerance, c.rt * mu * lagged);
  const Quad soft = sqrt(squared(vt) + eps * eps);
  if (p_.model == ContactModel::lagged) {
    return normal(vn) * c.normal - mu * lagged / soft * vt;
  }
  if (p_.model == ContactModel::anchored) {
    const Quad k = Quad(pool.weight[i]) * pool.stiffness[i], limit = mu * lagged;
    Quad kt = k;
    switch (pool.law[i].value_or(p_.law)) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::log_barrier:
      case NormalLawKind::ipc_barrier:
      case NormalLawKind::hunt_crossley: break;
      case NormalLawKind::hertz: kt = Quad(1.5) * cube_root(k * k * lagged / h); break;
      case NormalLawKind::tabulated:
        if (const ForceTable* t = pool.table(i)) {
          kt = Quad(pool.weight[i]) * t->force.back() / t->depth.back();
        }
        break;
    }
    const Quad kappa = max(h * h * kt, limit / eps);
    const QuadVec trial = h * (anchor - dot(c.normal, anchor) * c.normal) - kappa * vt;
    const Quad size = sqrt(squared(trial));
    const QuadVec friction = size > limit ? limit / size * trial : trial;
    return normal(vn) * c.normal + friction;
  }
  const Quad gamma = normal(vn - mu * squared(vt) / (soft + eps));
  return gamma * c.normal - mu * gamma / soft * vt;
}

ExactJudge::Law ExactJudge::law(const std::vector<Quad>& v, std::span<const double> lagged) const {
  Law result;
  const auto add = [&](const Side& s, QuadVec& sum) {
    if (s.tree == world_tree) return;
    const int first = p_.trees[s.tree].first_dof;
    for (std::size_t k = 0; k < s.columns.size(); ++k) sum = sum + v[first + k] * s.columns[k];
  };
  for (int i = 0; i < p_.contacts.size(); ++i) {
    QuadVec vc = wide(p_.contacts.bias[i]);
    add(contacts_[i].a, vc);
    add(contacts_[i].b, vc);
    result.impulse.push_back(contact_law(i, vc, p_.model == ContactModel::sap ? 0 : lagged[i]));
  }
  for (int i = 0; i < p_.scalars.size(); ++i) {
    Quad c = 0;
    for (const RowEntry& e : p_.scalars.row(i)) {
      c += e.value * v[p_.trees[e.tree].first_dof + e.dof];
    }
    const Scalar& s = scalars_[i];
    result.scalar.push_back(min(max((s.target - c) / s.r, s.lower), s.upper));
  }
  return result;
}

std::vector<Quad> ExactJudge::generalized(const Law& gamma) const {
  std::vector<Quad> j(p_.velocity.size());
  const auto add = [&](const Side& s, const QuadVec& impulse) {
    if (s.tree == world_tree) return;
    const int first = p_.trees[s.tree].first_dof;
    for (std::size_t k = 0; k < s.columns.size(); ++k) j[first + k] += dot(s.columns[k], impulse);
  };
  for (std::size_t i = 0; i < gamma.impulse.size(); ++i) {
    add(contacts_[i].a, gamma.impulse[i]);
    add(contacts_[i].b, gamma.impulse[i]);
  }
  for (int i = 0; i < p_.scalars.size(); ++i) {
    for (const RowEntry& e : p_.scalars.row(i)) {
      j[p_.trees[e.tree].first_dof + e.dof] += e.value * gamma.scalar[i];
    }
  }
  return j;
}

std::vector<Quad> ExactJudge::times_mass(const std::vector<Quad>& v) const {
  std::vector<Quad> result(v.size());
  for (std::size_t t = 0; t < mass_.size(); ++t) {
    const int first = p_.trees[t].first_dof, n = mass_[t].size();
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) result[first + r] += mass_[t](r, c) * v[first + c];
    }
  }
  return result;
}

std::vector<int> ExactJudge::islands(const Law& gamma) const {
  std::vector<int> root(p_.trees.size());
  std::iota(root.begin(), root.end(), 0);
  for (const Patch& patch : p_.patches) {
    if (patch.tree_a == world_tree) continue;
    bool linked = false;
    for (int i = patch.begin; i < patch.end; ++i) linked |= squared(gamma.impulse[i]) > 0;
    if (linked) join(root, patch.tree_a, patch.tree_b);
  }
  for (int i = 0; i < p_.scalars.size(); ++i) {
    if (gamma.scalar[i] != 0) join_row(root, p_.scalars.row(i));
  }
  for (int t = 0; t < std::ssize(root); ++t) root[t] = find_root(root, t);
  return root;
}

ExactErrors ExactJudge::judge(const Answer& answer) const {
  const std::vector<Quad> v = wide(answer.velocity), free = wide(p_.free_velocity);
  const Law exact = law(v, answer.lagged_impulse);
  Law given;
  for (const Vec3& gamma : answer.impulse) given.impulse.push_back(wide(gamma));
  given.scalar = wide(answer.scalar_impulse);
  const std::vector<int> root = islands(exact);
  std::vector<Sums> sums(p_.trees.size());

  std::vector<Quad> loss(v.size()), change(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) {
    loss[k] = v[k] - free[k];
    change[k] = free[k] - p_.velocity[k];
  }
  const std::vector<Quad> momentum = times_mass(v), lost = times_mass(loss);
  const std::vector<Quad> gained = times_mass(change);
  const std::vector<Quad> by_law = generalized(exact), by_answer = generalized(given);
  for (std::size_t t = 0; t < p_.trees.size(); ++t) {
    Sums& s = sums[root[t]];
    for (int k = 0; k < mass_[t].size(); ++k) {
      const int at = p_.trees[t].first_dof + k;
      const Quad d2 = 1 / mass_[t](k, k);
      s.residual += d2 * squared(lost[at] - by_law[at]);
      s.balance += d2 * squared(lost[at] - by_answer[at]);
      s.momentum += d2 * squared(momentum[at]);
      s.change += d2 * squared(gained[at]);
      s.generalized += d2 * squared(by_law[at]);
    }
  }
  for (const Patch& patch : p_.patches) {
    Sums& s = sums[root[patch.tree_b]];
    for (int i = patch.begin; i < patch.end; ++i) {
      s.mismatch += contacts_[i].w * squared(exact.impulse[i] - given.impulse[i]);
      s.gross += contacts_[i].w * squared(exact.impulse[i]);
      if (!traits(p_.model).lags_friction) continue;
      const Quad mu = p_.contacts.friction[i], before = answer.lagged_impulse[i];
      const Quad after = dot(contacts_[i].normal, exact.impulse[i]);
      s.lag += contacts_[i].w * squared(mu * (after - before));
      s.lag_largest = max(s.lag_largest, mu * abs(after - before));
      s.limit_largest = max(s.limit_largest, mu * max(after, before));
    }
  }
  for (int i = 0; i < p_.scalars.size(); ++i) {
    Sums& s = sums[root[p_.scalars.first_tree(i)]];
    s.mismatch += scalars_[i].w * squared(exact.scalar[i] - given.scalar[i]);
    s.gross += scalars_[i].w * squared(exact.scalar[i]);
  }

  ExactErrors worst;
  const auto raise = [](double& figure, const Quad& value) {
    const auto x = static_cast<double>(value);
    if (!(x <= figure)) figure = x;  // not a number: the worst
  };
  for (const Sums& s : sums) {
    const Quad impulse = sqrt(s.generalized), rest = min(1e-14 * (1 + sqrt(s.gross)), 1e-8);
    const Quad scale = max(sqrt(s.momentum), impulse);
    if (scale < rest && sqrt(s.residual) < rest && sqrt(s.mismatch) < rest) continue;
    if (!(scale > 0)) continue;
    const Quad step = step_scale(s);
    raise(worst.momentum, sqrt(s.residual) / scale);
    raise(worst.step, sqrt(s.residual) / step);
    raise(worst.balance, sqrt(s.balance) / scale);
    raise(worst.impulse, sqrt(s.mismatch) / max(step, sqrt(s.gross)));
    raise(worst.lag_momentum, sqrt(s.lag) / step);
    if (s.limit_largest > 0) raise(worst.lag, s.lag_largest / s.limit_largest);
  }
  return worst;
}

double ExactJudge::rounding_floor(const Answer& x) const {
  constexpr int samples = 5;
  const std::vector<Quad> v = wide(x.velocity);
  const auto residual = [&](const std::vector<Quad>& u) {
    std::vector<Quad> r = times_mass(u);
    const std::vector<Quad> j = generalized(law(u, x.lagged_impulse));
    for (std::size_t k = 0; k < r.size(); ++k) r[k] -= j[k];
    return r;
  };
  const std::vector<Quad> at = residual(v), momentum = times_mass(v), free = wide(p_.free_velocity);
  std::vector<Quad> change = free;
  for (std::size_t k = 0; k < v.size(); ++k) change[k] -= p_.velocity[k];
  const std::vector<Quad> gained = times_mass(change);
  const Law gamma = law(v, x.lagged_impulse);
  const std::vector<Quad> impulse = generalized(gamma);
  const std::vector<int> root = islands(gamma);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> half_bit(-0x1p-53, 0x1p-53);
  std::vector<double> floors;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<Quad> moved = v;
    for (Quad& u : moved) u += u * half_bit(random);
    const std::vector<Quad> there = residual(moved);
    std::vector<Sums> sums(p_.trees.size());
    for (std::size_t t = 0; t < p_.trees.size(); ++t) {
      Sums& s = sums[root[t]];
      for (int k = 0; k < mass_[t].size(); ++k) {
        const int i = p_.trees[t].first_dof + k;
        s.residual += squared(there[i] - at[i]) / mass_[t](k, k);
        s.momentum += squared(momentum[i]) / mass_[t](k, k);
        s.change += squared(gained[i]) / mass_[t](k, k);
        s.generalized += squared(impulse[i]) / mass_[t](k, k);
      }
    }
    double worst = 0;
    for (const Sums& s : sums) {
      const Quad scale = step_scale(s);
      if (scale > 0) worst = std::max(worst, static_cast<double>(sqrt(s.residual) / scale));
    }
    floors.push_back(worst);
  }
  std::nth_element(floors.begin(), floors.begin() + samples / 2, floors.end());
  return floors[samples / 2];
}

}  // namespace abut
