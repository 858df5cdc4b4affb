#include "abut/problem/certify.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "abut/core/error.hpp"
#include "abut/problem/certify_judge.hpp"

namespace abut {
namespace {

/// NaN is the largest.
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
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

/// Marks all that is linked to what is marked, by impulses or by what may become one.
void mark_linked(const ContactProblem& p, std::vector<char>& marks, DisjointSets& linked) {
  linked.reset(static_cast<int>(p.trees.size()));
  for (const Patch& patch : p.patches) {
    if (patch.joins_trees()) linked.join(patch.tree_a, patch.tree_b);
  }
  for (int i = 0; i < p.scalars.size(); ++i) {
    for (const RowEntry& e : p.scalars.row(i)) linked.join(p.scalars.first_tree(i), e.tree);
  }
  const std::span<const std::int32_t> set = linked.all_smallest();
  const int trees = static_cast<int>(p.trees.size());
  for (int t = 0; t < trees; ++t) {
    if (marks[t]) marks[set[t]] = true;
  }
  for (int t = 0; t < trees; ++t) marks[t] = marks[set[t]];
}

}  // namespace

struct Certifier::Buffers {
  judging::Judge<double, judging::PreparedNumbers> plain;
  judging::Judge<long double, judging::OwnNumbers<long double>> extended;
  std::vector<char> rounded;  ///< marks of trees
  DisjointSets linked;        ///< trees
  std::int64_t calls = 0;

  /// For contacts, and rounding that decides, in later problems of a series. In long double nothing
  /// is judged.
  void make_room(const PreparedProblem& problem, const Answer& answer, ThreadPool* pool) {
    const std::size_t trees = problem.problem().trees.size();
    assign(rounded, trees, false);
    linked.reset(static_cast<int>(trees));
    plain.make_room(problem.problem(), pool == nullptr ? 1 : pool->threads());
    plain.weigh(problem, answer, {}, pool);
    extended.make_room(problem.problem(), 1);
    extended.weigh(problem, answer, rounded, nullptr);
  }
};

Certifier::Certifier() : buffers_(std::make_unique<Buffers>()) {}
Certifier::~Certifier() = default;
Certifier::Certifier(Certifier&&) noexcept = default;
Certifier& Certifier::operator=(Certifier&&) noexcept = default;

Certificate Certifier::certify(const PreparedProblem& problem, const Answer& given, double accuracy,
                               ThreadPool* pool) {
  check_sizes(problem, given);
  auto& [plain, extended, rounded, linked, calls] = *buffers_;
  if (++calls == 2) buffers_->make_room(problem, given, pool);
  if (moves_freely(problem.problem(), given)) return {};
  Answer answer = given;
  if (answer.lagged_impulse.empty()) answer.lagged_impulse = problem.contacts().lagged_impulse;
  const ContactProblem& p = problem.problem();
  plain.weigh(problem, answer, {}, pool);
  const Certificate all = plain.sum_up(p, {});
  if (all.rounding <= accuracy) return all;
  assign(rounded, p.trees.size(), false);
  plain.mark_rounded(accuracy, rounded);
  mark_linked(p, rounded, linked);
  extended.weigh(problem, answer, rounded, nullptr);
  const Certificate precise = extended.sum_up(p, {}), rest = plain.sum_up(p, rounded);
  Certificate result = worse(rest, precise);
  result.lagging_islands = rest.lagging_islands + precise.lagging_islands;
  return result;
}

Certificate certify(const PreparedProblem& problem, const Answer& answer) {
  Certifier certifier;
  return certifier.certify(problem, answer, 0);
}

Certificate worse(const Certificate& a, const Certificate& b) {
  Certificate worst = b;
  worst.step_error = larger(a.step_error, b.step_error);
  if (std::isnan(a.step_error) || a.step_error > b.step_error) worst.worst_tree = a.worst_tree;
  worst.momentum_error = larger(a.momentum_error, b.momentum_error);
  worst.impulse_error = larger(a.impulse_error, b.impulse_error);
  worst.lag_error = larger(a.lag_error, b.lag_error);
  worst.rounding = larger(a.rounding, b.rounding);
  worst.lagging_islands = std::max(a.lagging_islands, b.lagging_islands);
  worst.complementarity_error = larger(a.complementarity_error, b.complementarity_error);
  worst.ncp_primal = larger(a.ncp_primal, b.ncp_primal);
  worst.ncp_dual = larger(a.ncp_dual, b.ncp_dual);
  worst.ncp_complementarity = larger(a.ncp_complementarity, b.ncp_complementarity);
  return worst;
}

bool Certificate::is_finite() const {
  return std::isfinite(step_error + momentum_error + impulse_error + lag_error +
                       complementarity_error + ncp_primal + ncp_dual + ncp_complementarity);
}

}  // namespace abut
