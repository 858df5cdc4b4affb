#pragma once

#include "abut/solvers/primal/contact_kernels.hpp"
#include "abut/solvers/primal/island_scalars.hpp"
#include "abut/solvers/primal/newton_options.hpp"

namespace abut {

/// An island's cost along a Newton step dv from v: the quadratic part in closed form, contacts
/// and scalar constraints evaluated where the search looks. Their impulses stay those of the last
/// evaluation.
class CostAlongStep {
 public:
  struct Trial {
    double slope;
    double cost;  ///< up to the start's quadratic part
  };

  /// `potential` of contacts and constraints at v; `energy` of v - v*, for the rounding of the
  /// cost.
  CostAlongStep(const ModelKernels& model, const ContactArrays& contacts, IslandScalars& scalars,
                const StepSums& sums, double potential, double energy)
      : model_(model),
        contacts_(contacts),
        scalars_(scalars),
        sums_(sums),
        potential_(potential),
        energy_(energy) {}

  Trial evaluate(double alpha);

  /// alpha > 0 that lowers the cost, evaluated last; 0 if there is none. The slope at 0 must be
  /// negative.
  double search(LineSearch method);

  /// Whether the loose search ends at the whole step, with the slope and the cost there; `slope`,
  /// `potential` and `energy` at the start.
  static bool is_short_enough(const Trial& whole, double slope, double potential, double energy);
  /// The loose search where it does not.
  double search_nearer(double whole_slope);

  double slope() const { return sums_.slope; }
  double potential() const {
    return trial_potential_;
  }  ///< of contacts and constraints, evaluated last
  int evaluations() const { return evaluations_; }

 private:
  double search_loose();
  double search_exact();
  double search_armijo();
  double search_root(double low, double high, double guess, double accept);
  Trial trial(double alpha, const ContactSums& contacts) const;

  const ModelKernels& model_;
  const ContactArrays& contacts_;
  IslandScalars& scalars_;
  StepSums sums_;
  double potential_, energy_;
  double trial_potential_ = 0;
  int evaluations_ = 0;
};

}  // namespace abut
