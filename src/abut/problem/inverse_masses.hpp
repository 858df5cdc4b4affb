#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/twist_mobility.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/problem/sparse_mass.hpp"

namespace abut {

class ThreadPool;

/// A^-1 of each tree of a problem.
class InverseMasses {
 public:
  void find(const ContactProblem& problem, ThreadPool* pool = nullptr);

  /// Of a tree that is a rigid body, or the world; the second its inverse inertia.
  const TwistMobility& rigid_body(int tree) const { return rigid_bodies_[1 + tree]; }
  const Mat3& inertia(int tree) const { return rigid_body(tree).angular; }

  /// By tree, the world before them: as the two functions read them.
  const TwistMobility* bodies() const { return rigid_bodies_.data(); }

  const SparseMass& sparse(int tree) const { return sparse_[begin_[tree]]; }  ///< of a sparse tree

  /// Of a dense tree's A (linalg/dense_spd.hpp).
  const double* factor(const ContactProblem& problem, int tree) const {
    const bool given = problem.trees[tree].brings_factor;
    return (given ? problem.inverse_factors.data() : factors_.data()) + begin_[tree];
  }

  /// Room that work with any of the trees needs: three padded velocities of the largest dense one.
  std::size_t work_size() const { return work_size_; }

  /// u += A^-1 x of one tree, with the part of both vectors that is its. `work` has work_size().
  /// Not of the same sparse tree by two threads at once.
  void add(const ContactProblem& problem, int tree, const double* x, double* u,
           std::span<double> work) const {
    const std::int32_t first = problem.trees[tree].first_dof;
    add_part(problem, tree, x + first, u + first, work);
  }
  /// The same of the tree's own part of the vectors.
  void add_part(const ContactProblem& problem, int tree, const double* x, double* u,
                std::span<double> work) const;

 private:
  std::vector<TwistMobility> rigid_bodies_;  ///< the world, then by tree; of others of no use
  AlignedBuffer<double> factors_;            ///< of the dense trees that brought none
  mutable std::vector<SparseMass> sparse_;
  std::vector<std::int64_t> begin_;  ///< by tree: its first element there, or in those it brought;
                                     ///< of a sparse one the index in sparse_
  std::size_t work_size_ = 0;
};

}  // namespace abut
