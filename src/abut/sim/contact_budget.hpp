#pragma once

#include <cstdint>

#include "abut/problem/prepared_problem.hpp"

namespace abut {

/// What a pair of shapes may give back: the work that the bodies did on its contacts, and how much
/// of its overlap no motion made (docs/decisions/overlap.md). Its contacts see their gaps larger by
/// `allowed`, as much as keeps the energy of their springs within `energy`.
struct ContactBudget {
  /// The pair was not there in the step before; it moved into its overlap; or it overlapped where
  /// it was seen first, and is to return.
  enum class Origin : std::int64_t { none, motion, start };

  double energy = 0;   ///< [J]
  double allowed = 0;  ///< [m]
  Origin origin = Origin::none;

  bool operator==(const ContactBudget&) const = default;
};

/// What is slow, much and far for a pair of bodies.
struct BudgetScale {
  double speed = 0;   ///< at which overlaps return [m/s]
  double energy = 0;  ///< that lifts the lighter body by half its size [J]
  double way = 0;     ///< most that the pair closed by in the step before [m]
};

/// What a pair begins a step with.
struct SpentBudget {
  ContactBudget budget;
  double stored = 0;  ///< in the springs of its contacts [J]
  double depth = 0;   ///< of the deepest of these, less what is allowed [m]
};

/// Spends the budgets of a problem's pairs. The problem is to be weighed and not complete.
class BudgetSpender {
 public:
  explicit BudgetSpender(PreparedProblem& problem)
      : problem_(problem), has_own_law_(traits(problem.problem().model).has_own_law) {}

  /// Whether spend() reads the scale.
  static bool needs_scale(const ContactBudget& budget) {
    return budget.origin == ContactBudget::Origin::none || budget.allowed > 0;
  }
  /// Enlarges the gaps of the contacts [begin, end), those of one pair.
  SpentBudget spend(ContactBudget budget, const BudgetScale& scale, int begin, int end);

 private:
  class Springs;

  PreparedProblem& problem_;
  bool has_own_law_;  ///< the model's springs are lines
};

}  // namespace abut
