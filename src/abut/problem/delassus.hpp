#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/problem/friction_problem.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {

/// The axes (t1, t2, n) of a contact, in columns. Where friction depends on the direction t1 and t2
/// are along the axes of the ellipse, times 1 + delta and 1 - delta: velocities across, axes^T v_c,
/// are scaled like that, impulses are axes gamma, and friction is mu in all directions
/// (FrictionEllipse).
Mat3 contact_axes(const ContactPool& contacts, int contact);

/// Makes friction problems of a step's contacts and scalar constraints: W = J A^-1 J^T in the
/// contacts' axes, scalar constraints with their regularization on the diagonal, and of contacts
///
///     g = J v* + b - c n,   c = -phi_0/h of pairs apart, baumgarte (-phi_0 - slop)_+/h of
///     overlaps,
///                           where e > 0, at least e (-v_n0) of pairs that meet in this step.
///
/// Stiffness, dissipation and regularization of the contacts have no part in it. Keeps its buffers.
class FrictionAssembly {
 public:
  /// Of one island, without its dormant contacts.
  /// @throws InputError if a tree is sparse, which rigid models do not have
  void build(const PreparedProblem& problem, const Islands& partition, int island);
  /// Of all trees and contacts, dormant ones too. @throws InputError likewise, or if the problem is
  /// not prepared
  void build(const PreparedProblem& problem);

  const FrictionProblem& problem() const { return result_; }
  FrictionProblem& problem() { return result_; }
  std::span<const std::int32_t> trees() const { return trees_; }
  /// By block row of a contact: its number in the step's problem.
  std::span<const std::int32_t> contacts() const { return contacts_; }
  /// Of the block rows that follow: three scalar constraints each, -1 for none.
  std::span<const std::int32_t> scalars() const { return scalars_; }

  /// What the step before ended with, by block row.
  void get_previous(std::span<Vec3> impulse) const;
  /// Adds J^T gamma to `generalized`, of all dofs of the step's problem.
  void add_impulses(std::span<const Vec3> impulse, double* generalized) const;
  /// Writes the impulses where the step's problem has them: of contacts in its frame.
  void write(std::span<const Vec3> impulse, std::span<Vec3> of_contacts,
             std::span<double> of_scalars) const;

 private:
  /// Block rows of one patch or of three scalar constraints.
  struct Group {
    std::int32_t begin, end;  ///< block rows
    std::int32_t patch;       ///< -1: scalar constraints
  };
  /// What a group has to do with a tree.
  struct Side {
    std::int32_t tree, group, body;
    double sign;
  };
  /// Groups that share a tree with a group, and where their blocks begin in its rows.
  struct Near {
    std::int32_t group, offset;
  };

  void start(const PreparedProblem& problem);
  void add_patch(int patch, std::span<const char> dormant);
  void add_scalars_of(int tree);
  void finish();
  void lay_out();
  std::span<const Side> sides_of(int tree_place) const;
  std::int64_t first_block(int row, int group_of_row, int near) const;
  void add_contacts(const Side& to, const Side& from);
  void add_scalar_rows(int group);
  void set_velocities(const Group& group);
  Vec3 arm(const Side& side, int contact) const;

  const PreparedProblem* q_ = nullptr;
  const ContactProblem* p_ = nullptr;
  FrictionProblem result_;
  std::vector<std::int32_t> trees_, contacts_, scalars_;
  std::vector<Mat3> axes_;  ///< by contact
  std::vector<Group> groups_;
  std::vector<Side> sides_;               ///< by tree
  std::vector<std::int32_t> side_start_;  ///< by place in trees_
  std::vector<std::int32_t> place_;       ///< by tree of the problem: its place in trees_
  std::vector<Near> near_;
  std::vector<std::int32_t> near_start_, group_list_;
  std::vector<double> row_, response_, work_;  ///< of all dofs; zero between uses
};

/// The friction problem of all contacts and scalar constraints of a step.
/// @throws InputError if the problem is not prepared or has sparse trees
FrictionProblem make_friction_problem(const PreparedProblem& problem);

/// The velocities of the step under impulses of that problem: v* + A^-1 J^T gamma.
std::vector<double> velocities_of(const PreparedProblem& problem, std::span<const Vec3> impulse);

}  // namespace abut
