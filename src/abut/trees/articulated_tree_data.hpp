#pragma once

// For the sources of ArticulatedTree alone, which are those that include Pinocchio. Arguments of
// its algorithms have exactly the types for which the library holds compiled code: others would
// compile it again, for half a minute.

#include <Eigen/LU>
#include <memory>
#include <pinocchio/multibody.hpp>
#include <vector>

#include "abut/trees/articulated_tree.hpp"
#include "abut/trees/tree_dynamics.hpp"

namespace abut {

struct ArticulatedTree::Data {
  using VectorXd = Eigen::VectorXd;

  /// Where a joint's coordinates are, here and in the files' order.
  struct Place {
    JointKind kind;
    int position, velocity;
    double reference;
  };
  /// What schemes with an implicit equation for v* need to solve it.
  struct Newton {
    pinocchio::Data derivatives;
    Eigen::MatrixXd slope;
    Eigen::PartialPivLU<Eigen::MatrixXd> factor;
    VectorXd residual, scale, acceleration, joint_forces;

    explicit Newton(const pinocchio::Model& model)
        : derivatives(model),
          slope(model.nv, model.nv),
          factor(model.nv),
          residual(model.nv),
          scale(model.nv),
          acceleration(model.nv),
          joint_forces(model.nv) {}
  };

  SteppingScheme scheme = SteppingScheme::symplectic_euler;
  std::vector<Link> links;
  pinocchio::Model model;
  TreeDynamics dynamics;
  TreeMotion here, ahead;          ///< at q, v; along the free motion
  std::unique_ptr<Newton> newton;  ///< of implicit schemes
  std::vector<Place> places;       ///< by joint
  /// A joint with dry friction or limits, of `links`.
  struct Resistance {
    const Joint* joint;
    Place place;
    int dry;  ///< velocities with dry friction
    bool limited;
    double lower, upper;
    double near;  ///< the gap from which on a limit is near
  };
  std::vector<Resistance> resistances;
  std::vector<int> node;                       ///< by link: of the last joint that leads to it
  std::vector<Vec3> anchor;                    ///< by link: of that joint, in B
  std::vector<std::vector<IndexRun>> support;  ///< by link: velocities that move it, ascending
  VectorXd free_q, free_v;  ///< where the free motion ends, if it was done in parts
  VectorXd middle_v;
  bool in_parts = false;
  VectorXd q, next, v, step, stiffness, damping, spring_reference, forces;
  std::vector<int> springs;  ///< velocities with a spring; their coordinate
  std::vector<int> spring_position;
  std::vector<double> inertia;  ///< A of a part of the free motion
  std::vector<double> work;
  int limits = 0;
  double heaviest_mass = 0;  ///< of one link [kg]
  Vec3 gravity;
  bool is_known = false;       ///< `here` is at q, v and gravity
  bool is_depth_first = true;  ///< each link's parent is the one before it or above that

  void add_link(std::size_t index);
  void add_load(const TreeMotion& at, int link, const Vec3& point, const Load& load,
                double* generalized_forces) const;
  void add_loads(const TreeMotion& at, std::span<const Load> loads);
  double fastest_turn() const;
  void compute(const VectorXd& position, const VectorXd& velocity, TreeMotion& at);
  void write_matrix(double dt, const TreeMotion& at, double* matrix) const;
  void find_push(double dt, const TreeMotion& at, const VectorXd& velocity);
  void accelerate(double dt, const TreeMotion& at, const double* inverse_factor,
                  VectorXd& velocity);
  void accelerate(double dt, const TreeMotion& at, VectorXd& velocity);
  bool is_slack(double dt, const double* inverse_factor) const;
  void advance_by_midpoint(double dt, bool at_state, const double* inverse_factor);
  void shift_start(double dt, double parts, const double* inverse_factor);
  void advance_robustly(double dt, const double* inverse_factor);
  double find_residual(double dt, std::span<const Load> loads);
  void find_slope(double dt);
  FreeMotion solve_free_motion(double dt, std::span<const Load> loads);
};

}  // namespace abut
