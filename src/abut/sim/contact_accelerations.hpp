#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/disjoint_sets.hpp"
#include "abut/problem/delassus.hpp"
#include "abut/sim/contact_memory.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/direct/baraff.hpp"

namespace abut {

/// Relative velocities v_c of contacts and rates J v of scalar constraints where bodies are, at the
/// velocities that a problem begins with.
struct RelativeVelocities {
  std::vector<ContactSource> sources;
  std::vector<Vec3> normal, velocity;  ///< by contact, world axes [m/s]
  std::vector<std::int32_t> names;     ///< of the scalar constraints
  std::vector<double> rate;            ///< theirs [m/s or rad/s]

  void measure(const ContactProblem& problem, std::span<const ContactSource> contacts);
};

/// What of accelerations velocities alone make: (d/dt J) v, by central differences between where
/// the velocities lead in a short time and where they come from. The normal's turning is part of
/// it. What is at neither place counts as zero.
struct VelocityTerms {
  std::vector<Vec3> contact;   ///< along (t1, t2, n) of contact_axes() [m/s^2]
  std::vector<double> scalar;  ///< [m/s^2 or rad/s^2]

  void find(const RelativeVelocities& before, const RelativeVelocities& now,
            const RelativeVelocities& after, const ContactProblem& problem, double time);
};

/// Contact at one instant, on the level of accelerations [BARAFF]: impacts, then forces that obey
/// a = A f + b. Contacts that are no farther apart than `touch` take part.
class ContactAccelerations {
 public:
  struct Settings {
    double touch = 0;        ///< [m, rad]
    double settling = 0;     ///< T [s]: what is left of a gap and its rate fades as exp(-t/T)
    double sticking = 1e-4;  ///< [m/s]: what slips more slowly has static friction
    double tolerance = 1e-6;
    bool timed = true;  ///< SolveReport::seconds is measured, else NaN
  };
  void configure(const Settings& settings) { settings_ = settings; }
  const Settings& settings() const { return settings_; }

  /// Whether something that touches meets faster than forces let settle.
  bool meets(const PreparedProblem& problem) const;

  /// Changes velocities of the problem's start by the impulses of what meets; restitution is that
  /// of the problem, but for what meets more slowly than `least_bounce` [m/s].
  SolveReport collide(const PreparedProblem& problem, double least_bounce, ContactSolver& solver,
                      std::vector<double>& velocity);

  /// Forces, as impulses of the step: writes v and impulses to `x`. `rays` counts impulses that had
  /// to be given because there were no forces; the velocities that they make are in v, and forces
  /// are sought again at them.
  SolveReport find_forces(const PreparedProblem& problem, const VelocityTerms& terms,
                          ContactSolution& x, int& rays);

 private:
  /// A contact or a scalar constraint that takes part.
  struct Member {
    std::int32_t block = 0, part = -1;  ///< block row of W; of a scalar constraint its row there
    std::int32_t index = 0;             ///< contact or constraint of the step's problem
  };
  void select(const PreparedProblem& problem, std::span<const double> velocity);
  void link();
  ForceReport solve_group(const PreparedProblem& problem, const VelocityTerms& terms,
                          std::span<const double> velocity, std::span<const Member> group);
  double settle(double rate, double gap) const;
  void push(const PreparedProblem& problem, std::span<const Vec3> impulse,
            std::span<const double> scalar_impulse, std::vector<double>& velocity);

  Settings settings_;
  FrictionAssembly assembly_;
  BaraffSolver solver_;
  PreparedProblem impact_;
  ContactSolution collision_;
  DisjointSets sets_;
  std::vector<Member> members_;
  std::vector<std::int32_t> group_end_;
  ForceProblem forces_;
  struct Row {
    std::int32_t block, part, member;  ///< of W; member of the group
  };
  std::vector<Row> rows_;             ///< of a group
  std::vector<double> force_, slip_;  ///< of a group's rows [N], [m/s]
  std::vector<double> generalized_, work_;
  std::vector<Vec3> velocity_, free_velocity_;  ///< v_c of contacts at v and v*, along their axes
};

}  // namespace abut
