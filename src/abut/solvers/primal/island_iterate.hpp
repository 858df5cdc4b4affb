#pragma once

#include <cstddef>
#include <span>

#include "abut/core/aligned_buffer.hpp"
#include "abut/solvers/primal/island_system.hpp"

namespace abut {

/// Velocities of one island with all that follows from them, judged by the stopping test, and the
/// best ones so far. Vectors are in the layout of the system, whose contacts and scalar constraints
/// have the impulses at v.
class IslandIterate {
 public:
  explicit IslandIterate(IslandSystem& system) : system_(system) {}
  IslandIterate(const IslandIterate&) = delete;  // a copy would refer to the first owner's system

  void reserve(std::size_t size);

  /// Of the island that the system was built for, at these velocities of the problem, not judged.
  void start(const PreparedProblem& problem, const ModelKernels& model, double tolerance,
             std::span<const double> velocity);

  /// To these velocities, with all that follows from them.
  void go_to(const double* velocity);
  void update();  ///< evaluate() and judge()
  /// Contact velocities and impulses at v, and their potential.
  void evaluate();
  /// The step error of v and the impulses at hand.
  void judge();

  /// The stopping test; also part by part, so that none hides behind the momentum of others that it
  /// does not touch.
  bool converged();

  /// The error below which the rounding of v in the contacts' impulses decides: about
  /// eps_machine h^2 k w (docs/solvers/newton.md), with the stiffness at the velocities at hand.
  double round_off_level() const;

  void forget_best();
  void keep_best();
  /// To the best ones, v* if none was kept, with the impulses there: a search that failed leaves
  /// those of its last trial.
  void take_best();

  AlignedBuffer<double> v, momentum, gradient, impulse, best;
  double potential = 0;   ///< of contacts and scalar constraints
  double energy = 0;      ///< of v - v*
  double error = 0;       ///< the step error, relative to its scale
  double scale = 0;       ///< of the step error
  double residual = 0;    ///< |D gradient|
  double best_error = 0;  ///< of `best`

 private:
  double rest_level(double most) const;
  double gross_impulse() const;

  IslandSystem& system_;
  const PreparedProblem* prepared_ = nullptr;
  const ModelKernels* model_ = nullptr;
  double tolerance_ = 0;
  double momentum_size_ = 0;  ///< |D A v|
  bool at_rest_ = false;      ///< nothing moves and nothing pushes
};

}  // namespace abut
