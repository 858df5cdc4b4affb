#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abut/core/parallel.hpp"
#include "abut/core/stage_clock.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/sim/actuators.hpp"
#include "abut/sim/contact_accelerations.hpp"
#include "abut/sim/contact_query.hpp"
#include "abut/sim/couplings.hpp"
#include "abut/sim/error_control.hpp"
#include "abut/sim/first_guess.hpp"
#include "abut/sim/fluid.hpp"
#include "abut/sim/scene.hpp"
#include "abut/sim/state.hpp"
#include "abut/sim/step_report.hpp"
#include "abut/sim/thread_use.hpp"
#include "abut/sim/violations.hpp"
#include "abut/sim/warnings.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/trees/articulated_trees.hpp"
#include "abut/trees/free_bodies.hpp"

namespace abut {

struct WorldOptions {
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::hunt_crossley;  ///< of pairs without their own
  SteppingScheme scheme = SteppingScheme::symplectic_euler;
  FrictionParameters friction{};
  RigidRules rigid{};                 ///< of rigid models
  PairOverride pair{};                ///< replaces the materials of all pairs
  std::optional<double> time_step{};  ///< [s]; the scene's if absent
  std::optional<double> margin{};     ///< of speculative contact [m]; that of the shapes if absent
  double tolerance = 1e-6;            ///< of each island's step error [-]
  /// Error that a substep may make of the place of any body, of its radius [-]; if it is given, a
  /// step is made in as many substeps as it takes (docs/stepping.md), else in one.
  std::optional<double> accuracy{};
  int threads = 1;                ///< at most: one does what more do not make faster
  bool share_all = false;         ///< threads share all of a step, faster or not: for tests
  std::string solver{};           ///< empty: the model's own
  int contact_limit = 1'000'000;  ///< contacts of a step; each takes about a kilobyte
  /// StepReport::time and SolveReport::seconds are measured, by ten looks at the clock a step; else
  /// they are NaN.
  bool timed = false;

  /// The solver's name. @throws InputError for one that there is not, or that does not solve the
  /// model
  std::string_view solver_name() const;

  /// Throws InputError at the first value out of range.
  void validate() const;
};

/// Where one body is.
struct BodyState {
  Vec3 position;           ///< origin of the body's frame [m]
  Quaternion orientation;  ///< R_WB
  Vec3 linear_velocity;    ///< of the center of mass, world axes [m/s]
  Vec3 angular_velocity;   ///< world axes [rad/s]
};

/// Where a linked body's joints begin in the coordinates and velocities of its mechanism, which is
/// one of World::articulated_trees().
struct JointPlace {
  std::int32_t tree = -1, position = 0, velocity = 0;
};

/// Where the joints of one linked body are, as trees/joint.hpp says.
struct JointState {
  std::vector<double> positions, velocities;
};

/// A scene, its state, and what advances it step by step: a stepping scheme with one contact
/// problem per step. Not to be used by two threads at once; different worlds are independent.
class World {
 public:
  /// Attempts two steps and takes none, to make room (docs/decisions/memory.md); what they throw,
  /// the first step throws. @throws InputError if the scene or the options are wrong.
  explicit World(Scene scene, const WorldOptions& options = {});

  /// Advances by one time step, that of the options or another [s]: in substeps if the options ask
  /// for an accuracy. Inputs are the same in all of them. Never throws for slow convergence: read
  /// the report.
  /// @throws InputError for a step out of range or more contacts than contact_limit, OutOfMemory;
  /// the state is then what it was
  const StepReport& step() { return step(time_step_); }
  const StepReport& step(double dt);

  /// One step of the scheme, whatever the accuracy, without taking it: the state stays, and the
  /// next attempt() or step() begins with it again. What is said of the last step is said of this
  /// one. Throws as step() does.
  const StepReport& attempt(double dt);
  /// Takes the step of the last attempt(). @throws InputError without one, or after a change of
  /// state or inputs
  void accept();

  double time() const { return state_.time.now(); }
  double time_step() const { return time_step_; }
  std::uint64_t steps() const { return state_.steps; }
  const Scene& scene() const { return *scene_; }
  const WorldOptions& options() const { return options_; }
  int moving_bodies() const { return bodies_.size(); }
  int dofs() const { return free_.dofs() + articulated_.dofs(); }

  /// Bodies by their index in the scene; fixed ones never move. What is put elsewhere forgets the
  /// sides of its contacts and their last impulses, and what holds it lets go slowly where that is
  /// not met (docs/decisions/overlap.md); a change of velocity alone does neither.
  /// @throws InputError for an index out of range, a body that cannot move, numbers that are not
  /// finite
  BodyState body_state(int body) const;
  void set_body_state(int body, const BodyState& state);
  /// Of a linked body. @throws InputError for other bodies, wrong sizes, numbers that are not
  /// finite, quaternions that are not of unit length
  JointState joint_state(int body) const;
  void set_joint_state(int body, const JointState& state);
  /// @throws InputError for a body that is not linked
  const JointPlace& joint_place(int body) const;
  /// Coordinate of a hinge or slide [rad or m], and its rate, by the joint's index in its body.
  /// @throws InputError for other joints, or an index out of range
  double joint_position(int body, int joint) const;
  double joint_velocity(int body, int joint) const;
  /// Controls of the scene's actuators, in its order, from the next step on, until changed; 0 at
  /// first. @throws InputError for an index out of range, a control that is not finite
  void set_control(int actuator, double u);
  const std::vector<double>& controls() const { return inputs_.controls; }
  /// Of the last step; zero before the first. @throws InputError for an index out of range
  const ActuatorState& actuator_state(int actuator) const;
  int actuators() const { return actuators_.size(); }
  /// A load on a body from the next step on, until changed: force [N] at its center of mass and
  /// moment [N m], world axes.
  void set_load(int body, const Vec3& force, const Vec3& moment);
  /// Puts all bodies where a keyframe of the scene has them, at its time. Contacts start anew.
  /// @throws InputError for an index out of range
  void set_keyframe(int keyframe);

  double kinetic_energy() const {
    return free_.kinetic_energy(bodies_) + articulated_.kinetic_energy();
  }
  double potential_energy() const {
    return free_.potential_energy(scene_->gravity, bodies_) +
           articulated_.potential_energy(scene_->gravity) +
           couplings_.potential_energy({bodies_, articulated_});
  }

  /// Joint coordinates, mass matrices and bias forces of the mechanisms; linked bodies belong to
  /// them in the order of the scene.
  const ArticulatedTrees& articulated_trees() const { return articulated_; }

  /// Of the last step: its problem, solution and contacts (all in the same order), of the last
  /// substep where there are several. Empty before the first, after one that threw, and after
  /// restore() and set_keyframe().
  const StepReport& report() const { return report_; }
  const ContactProblem& problem() const { return prepared_.problem(); }
  const PreparedProblem& prepared() const { return prepared_; }  ///< with what follows from it
  const ContactSolution& solution() const { return solution_; }
  std::span<const ContactSource> contact_sources() const;
  /// Of all equality constraints and limits, at the start of the last step.
  std::span<const Violation> violations() const { return violations_.list(); }

  /// What a user should know of the scene and of the steps so far: the first of each kind
  /// (docs/warnings.md).
  std::span<const Warning> warnings() const { return watch_.warnings(); }
  /// Pairs of shapes that began in each other, all that were met so far.
  std::span<const Watch::Overlap> overlaps() const { return watch_.overlaps(); }

  const State& state() const { return state_; }
  const Inputs& inputs() const { return inputs_; }
  Snapshot snapshot() const { return {state_, inputs_}; }
  /// @throws InputError if it is of another scene: other numbers of bodies or geoms
  void restore(const Snapshot& snapshot);
  /// An independent world in the same state. Takes as long as to make one.
  std::unique_ptr<World> clone() const;
  /// Of positions and velocities; equal for equal bits.
  std::uint64_t state_hash() const;

 private:
  /// What the last step's numbers are of: nothing, a step that was taken or one that was not and
  /// may be taken, or may no more.
  enum class LastStep : std::uint8_t { none, taken, attempted, dropped };

  /// What a substep that is not taken leaves as it was.
  struct Mark {
    State state;
    Violations violations;
    Watch watch;
    double energy = 0;
    bool energy_is_known = false;
  };

  void set_mark(Mark& mark) const;
  void go_back(const Mark& mark);
  void rehearse();
  const StepReport& step_in_substeps(double dt);
  StepReport take_two_substeps(double h);
  const StepReport& step_by_events(double dt);
  void configure_accelerations(double dt);
  double event_in(double h);
  bool collide(SolveReport& report);
  void find_aside(double dt);
  void look_along(double dt, double time, RelativeVelocities& found);
  void build_problem_with_velocity_terms(double dt);
  void take();
  void build_problem(double dt);
  void finish_thread_use();
  bool guesses() const;
  void build_next_state(double dt);
  void forget_last_step();
  void drop_attempt();
  void forget_couplings(int tree);
  void update_kinematics();
  std::vector<std::int32_t> add_bodies();
  void require_mass(int tree, const std::vector<int>& bodies) const;
  JointTerm joint_term(const ScenePart& part) const;
  JointTerm checked_term(int body, int joint) const;
  void add_actuators();
  void move_to_center(const SceneEquality& weld, Pose& to_a, Pose& to_b) const;
  void add_couplings(const std::vector<std::int32_t>& moving);
  std::vector<double> joined_weights() const;
  void add_joint_limits(const std::vector<double>& weights);
  bool is_angle(const ScenePart& part) const;
  bool is_angle(const SceneTendon& tendon) const;
  std::span<const Load> add_drag(std::span<const Load> loads);
  int add_mechanisms(double dt, ContactProblem& problem);
  void recall_scalar_impulses(int names, ScalarPool& scalars);
  void remember_scalar_impulses();
  void look_at_step(double dt);
  bool gives_way() const;
  std::int32_t moving_body(int body) const;
  void check_actuator(int actuator) const;
  void write_joint_state(int body, const JointState& state);

  std::unique_ptr<Scene> scene_;  ///< keeps its address when the world moves
  WorldOptions options_;
  std::unique_ptr<ThreadPool> pool_;  ///< null for one thread
  ThreadUse thread_use_;
  double time_step_;
  State state_;
  State next_;     ///< where the last attempt() leads, but for courses
  Inputs inputs_;  ///< until changed

  // Of the state, always up to date:
  MovingBodies bodies_;
  FreeBodies free_;
  ArticulatedTrees articulated_;

  Actuators actuators_;
  Couplings couplings_;
  FirstGuess first_guess_;
  Violations violations_;
  std::vector<double> joint_forces_;      ///< of all articulated trees
  std::vector<Load> drag_, loads_;        ///< by moving body; loads with drag
  std::vector<JointPlace> joint_places_;  ///< by body of the scene
  std::vector<std::int32_t> moving_;      ///< by body of the scene: index in bodies_, -1 if fixed
  Fluid fluid_;
  ContactQuery query_;
  std::unique_ptr<ContactSolver> solver_;
  LastStep last_step_ = LastStep::none;
  PreparedProblem prepared_;  ///< the last step's
  ContactSolution solution_;
  StepReport report_;
  StageClock clock_;  ///< of a timed world
  Watch watch_;
  double energy_ = 0;             ///< of the state [J]
  bool energy_is_known_ = false;  ///< nothing was changed since the last step

  // Of the scheme `accelerations`:
  ContactAccelerations accelerations_;
  VelocityTerms velocity_terms_;
  RelativeVelocities before_, now_, after_;
  ContactProblem aside_;  ///< of places near the state's
  ContactMemory seen_;    ///< there

  Mark start_, mark_;  ///< at the beginning of the step, of the two substeps at hand
  ErrorControl error_control_;
};

}  // namespace abut
