#include "abut/solvers/dual/rigid_solver.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/disjoint_sets.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/solvers/dual/rigid_cones.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {
namespace {

/// Parts of the tolerance that the friction solver is asked for, which measures otherwise, and that
/// the error of each part of an island may have.
constexpr double asked = 0.5, allowed_part = 0.95;

/// Iterations before the error is measured first: where a method jams near the answer, its measure
/// may be missed and the certificate's met.
constexpr int first_iterations = 100;

/// How often the solver works on an answer, asked for a smaller error each time, as the scale of
/// the certificate depends on the answer; and the least error that it is asked for, near that of
/// rounding: in mechanisms the momentum of a small error in energy may be large.
constexpr int most_rounds = 6;
constexpr double least_asked = 1e-13;

/// Squares of |D x|, D = diag(A)^(-1/2), of the momenta by which a certificate measures, and of the
/// impulses' gross size.
struct Momenta {
  double error = 0, impulse = 0, full = 0, change = 0, gross = 0;

  /// The step error, as Certificate has it; 0 where nothing moves and nothing pushes.
  double relative_error() const {
    const double least = momentum_rounding * momentum_rounding * full, size = std::sqrt(gross);
    const double scale = std::max(std::sqrt(std::max({impulse, std::min(full, change), least})),
                                  impulse_rounding * std::min(size, most_borne));
    const double rest = std::min(at_rest * (1 + size), impulse_rounding * most_borne);
    if (std::max(full, impulse) < rest * rest && error < rest * rest) return 0;
    return error == 0 ? 0 : std::sqrt(error) / scale;
  }
};

}  // namespace

/// Solves islands one after the other; each thread has its own.
class RigidSolver::Worker {
 public:
  explicit Worker(std::string_view solver) : method_(make_friction_solver(solver)) {}

  IslandReport solve(const PreparedProblem& q, int island, const SolveOptions& options,
                     ContactSolution& x);

 private:
  double least_scale(const ContactProblem& p) const;
  double measure(const PreparedProblem& q, ContactSolution& x);
  void find_parts(const ContactProblem& p);
  void add_gross_sizes(const ContactProblem& p);
  void find_impulses_of_law(RigidModel model, const PreparedProblem& q);
  void add_tree(const ContactProblem& p, int tree, std::span<const double> v, Momenta& sums) const;

  std::unique_ptr<FrictionSolver> method_;
  FrictionAssembly assembly_;
  std::span<const std::int32_t> patches_;  ///< of the island
  std::vector<Vec3> impulse_, sigma_, off_;
  std::vector<double> generalized_, miss_, work_;  ///< of all dofs
  DisjointSets parts_;                             ///< of trees, which impulses link
  std::vector<Momenta> momenta_;                   ///< by tree, those of a part at its smallest
};

/// What gravity and loads do to the island alone: its impulses are of that size at least where
/// anything is held.
double RigidSolver::Worker::least_scale(const ContactProblem& p) const {
  Momenta sums;
  for (const int t : assembly_.trees()) add_tree(p, t, p.free_velocity, sums);
  double most = 0;  // the impulse that stops the fastest contact alone
  const FrictionProblem& f = assembly_.problem();
  for (int row = 0; row < f.contacts(); ++row) {
    most = std::max(most, -f.velocity[row].z / std::sqrt(f.mobility(row).x));
  }
  return std::max(std::sqrt(std::min(sums.full, sums.change)), most);
}

/// Adds the momentum of one tree at v.
void RigidSolver::Worker::add_tree(const ContactProblem& p, int tree, std::span<const double> v,
                                   Momenta& sums) const {
  const Tree& t = p.trees[tree];
  const double *now = v.data() + t.first_dof, *free = p.free_velocity.data() + t.first_dof,
               *before = p.velocity.data() + t.first_dof;
  const auto add = [&](double diagonal, double full, double change) {
    sums.full += full * full / diagonal;
    sums.change += change * change / diagonal;
  };
  if (t.kind == TreeKind::rigid_body) {
    for (int k = 0; k < 3; ++k) add(t.mass, t.mass * now[k], t.mass * (free[k] - before[k]));
    const Vec3 spin = t.inertia * Vec3{now[3], now[4], now[5]};
    const Vec3 change =
        t.inertia * Vec3{free[3] - before[3], free[4] - before[4], free[5] - before[5]};
    for (int k = 0; k < 3; ++k) add(t.inertia(k, k), spin[k], change[k]);
    return;
  }
  const double* a = p.matrices.data() + t.first_element;
  for (int r = 0; r < t.size; ++r) {
    double full = 0, change = 0;
    for (int c = 0; c < t.size; ++c) {
      full += a[r * t.size + c] * now[c];
      change += a[r * t.size + c] * (free[c] - before[c]);
    }
    add(a[r * t.size + r], full, change);
  }
}

/// The difference between the impulses that the model's law gives at the answer's velocities, by
/// fixed points as the certificate has them, and the impulses: into off_.
void RigidSolver::Worker::find_impulses_of_law(RigidModel model, const PreparedProblem& q) {
  const FrictionProblem& f = assembly_.problem();
  f.delassus.multiply(impulse_, sigma_);
  for (int row = 0; row < f.rows(); ++row) {
    Vec3 c = sigma_[row] + f.velocity[row];
    if (row < f.contacts()) {
      // the certificate's units
      const double w = q.contacts().mobility[assembly_.contacts()[row]], mu = f.friction[row];
      const Mat3& own = f.delassus.block[f.delassus.find(row, row)];
      off_[row] = natural_impulse(model, mu, tilt_of(own, mu), impulse_[row], c / w).impulse;
    } else {
      for (int r = 0; r < 3; ++r) {
        const int i = assembly_.scalars()[3 * (row - f.contacts()) + r];
        c[r] = i < 0 ? 0 : c[r] / q.scalars().regularization[i];
      }
      off_[row] = clamp(impulse_[row] - c, f.bounds[row - f.contacts()]);
    }
    off_[row] -= impulse_[row];
  }
}

/// Trees that impulses of the law link are judged together, as the certifier does.
void RigidSolver::Worker::find_parts(const ContactProblem& p) {
  if (std::ssize(momenta_) != std::ssize(p.trees)) {
    parts_.reset(static_cast<int>(p.trees.size()));
    momenta_.resize(p.trees.size());
  }
  parts_.reset(assembly_.trees());
  const auto contacts = assembly_.contacts(), scalars = assembly_.scalars();
  const auto of_law = [&](std::size_t row) { return impulse_[row] + off_[row]; };
  for (const int k : patches_) {
    const Patch& patch = p.patches[k];
    if (!patch.joins_trees()) continue;
    const auto first = std::lower_bound(contacts.begin(), contacts.end(), patch.begin);
    for (auto at = first; at != contacts.end() && *at < patch.end; ++at) {
      if (of_law(at - contacts.begin()) == Vec3{}) continue;
      parts_.join(patch.tree_a, patch.tree_b);
      break;
    }
  }
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    if (scalars[k] < 0 || of_law(contacts.size() + k / 3)[static_cast<int>(k % 3)] == 0) continue;
    const std::span<const RowEntry> row = p.scalars.row(scalars[k]);
    for (const RowEntry& e : row) parts_.join(row.front().tree, e.tree);
  }
}

/// Writes the velocities, and measures the error of the impulses by what it does to momenta: the
/// worst part's.
double RigidSolver::Worker::measure(const PreparedProblem& q, ContactSolution& x) {
  const ContactProblem& p = q.problem();
  const auto clear = [&](int tree) {
    const Tree& t = p.trees[tree];
    for (auto* v : {&generalized_, &miss_}) std::fill_n(v->data() + t.first_dof, t.size, 0.0);
  };
  for (const int t : assembly_.trees()) clear(t);
  assembly_.add_impulses(impulse_, generalized_.data());
  assembly_.add_impulses(off_, miss_.data());
  find_parts(p);
  for (const int tree : assembly_.trees()) momenta_[tree] = {};
  for (const int tree : assembly_.trees()) {
    const Tree& t = p.trees[tree];
    Momenta& sums = momenta_[parts_.smallest(tree)];
    const double* free = p.free_velocity.data() + t.first_dof;
    std::copy_n(free, t.size, x.velocity.data() + t.first_dof);
    q.masses().add(p, tree, generalized_.data(), x.velocity.data(), work_);
    add_tree(p, tree, x.velocity, sums);
    for (int k = 0; k < t.size; ++k) {
      const double diagonal = t.kind != TreeKind::rigid_body
                                  ? p.matrices[t.first_element + k * (t.size + 1)]
                              : k < 3 ? t.mass
                                      : t.inertia(k - 3, k - 3);
      const double j = generalized_[t.first_dof + k], r = miss_[t.first_dof + k];
      sums.impulse += j * j / diagonal;
      sums.error += r * r / diagonal;
    }
  }
  add_gross_sizes(p);
  double worst = 0;
  for (const int tree : assembly_.trees()) {
    const double error = momenta_[tree].relative_error();
    if (error > worst || std::isnan(error)) worst = error;
  }
  return worst;
}

/// sum of w |gamma|^2, by parts.
void RigidSolver::Worker::add_gross_sizes(const ContactProblem& p) {
  const FrictionProblem& f = assembly_.problem();
  const auto contacts = assembly_.contacts(), scalars = assembly_.scalars();
  std::size_t row = 0;
  for (const int k : patches_) {
    const Patch& patch = p.patches[k];
    for (; row < contacts.size() && contacts[row] < patch.end; ++row) {
      momenta_[parts_.smallest(patch.tree_b)].gross +=
          f.mobility(static_cast<int>(row)).x * squared_norm(impulse_[row]);
    }
  }
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    if (scalars[k] < 0) continue;
    const auto at = static_cast<int>(contacts.size() + k / 3), r = static_cast<int>(k % 3);
    momenta_[parts_.smallest(p.scalars.first_tree(scalars[k]))].gross +=
        f.mobility(at)[r] * impulse_[at][r] * impulse_[at][r];
  }
}

IslandReport RigidSolver::Worker::solve(const PreparedProblem& q, int island,
                                        const SolveOptions& options, ContactSolution& x) {
  const ContactProblem& p = q.problem();
  for (auto* v : {&generalized_, &miss_}) v->resize(std::max(v->size(), p.velocity.size()));
  work_.resize(std::max(work_.size(), q.masses().work_size()));
  assembly_.build(q, x.partition, island);
  patches_ = x.partition.patches_of(island);
  const FrictionProblem& f = assembly_.problem();
  for (auto* v : {&impulse_, &sigma_, &off_}) {
    make_room(*v, f.velocity.size());
    v->resize(f.velocity.size());
  }
  assembly_.get_previous(impulse_);
  const auto is_none = [](const Vec3& g) { return g == Vec3{}; };
  FrictionOptions ask{.model = *rigid_model(p.model),
                      .tolerance = asked * options.tolerance,
                      .scale = least_scale(p),
                      .iteration_limit = first_iterations,
                      .is_warm = !std::all_of(impulse_.begin(), impulse_.end(), is_none)};
  IslandReport report{.contacts = static_cast<std::int32_t>(assembly_.contacts().size())};
  int rounds = 0;  // in which it did something
  for (;;) {
    const FrictionReport r = method_->solve_island(f, ask, impulse_);
    report.iterations += r.iterations;
    report.factorizations += r.factorizations;
    report.status = r.status;
    const bool is_first = rounds == 0;
    if (is_first || r.iterations + r.factorizations > 0) ++rounds;
    find_impulses_of_law(ask.model, q);
    const double error = measure(q, x), allowed = allowed_part * options.tolerance;
    if (error <= allowed) {
      report.status = SolveStatus::converged;
    } else if (is_first && report.status != SolveStatus::converged) {
      ask.iteration_limit = 0;
      ask.is_warm = true;
      continue;
    } else if (report.status == SolveStatus::converged) {
      const double next = ask.tolerance * std::min(0.5, 0.3 * allowed / error);
      if (rounds < most_rounds && ask.tolerance > least_asked && std::isfinite(error)) {
        ask.tolerance = std::max(next, least_asked);
        ask.iteration_limit = 0;
        ask.is_warm = true;
        continue;
      }
      report.status = SolveStatus::stalled;
    }
    if (!std::isfinite(error)) report.status = SolveStatus::numerical_failure;
    break;
  }
  assembly_.write(impulse_, x.impulse, x.scalar_impulse);
  return report;
}

RigidSolver::RigidSolver(std::string_view name) : method_(make_friction_solver(name)) {}
RigidSolver::~RigidSolver() = default;

bool RigidSolver::supports(ContactModel model) const noexcept {
  return traits(model).is_rigid && method_->supports(*rigid_model(model));
}

void RigidSolver::iterate(const PreparedProblem& problem, std::span<const std::int32_t> islands,
                          const SolveOptions& options, ContactSolution& x) {
  const int threads = options.pool != nullptr ? options.pool->threads() : 1;
  while (static_cast<int>(workers_.size()) < threads) {
    workers_.push_back(std::make_unique<Worker>(method_->name()));
  }
  const auto count = static_cast<int>(islands.size());
  const auto solve = [&](int k, int worker) {
    IslandReport& report = x.islands[islands[k]];
    report = follow(report, workers_[worker]->solve(problem, islands[k], options, x));
  };
  if (threads == 1) {
    for (int k = 0; k < count; ++k) solve(k, 0);
  } else {
    options.pool->for_each(count, solve);
  }
}

}  // namespace abut
