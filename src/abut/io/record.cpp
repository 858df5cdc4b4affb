#include "abut/io/record.hpp"

#include <map>
#include <span>

#include "abut/core/version.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/friction_ellipse.hpp"

namespace abut {
namespace {

TriangleMesh surface_of(const ConvexHull& hull) {
  TriangleMesh mesh{.vertices = hull.vertices, .triangles = {}};
  for (const ConvexHull::Face& face : hull.faces) {  // flat and convex: a fan
    for (std::int32_t k = face.begin + 2; k < face.end; ++k) {
      mesh.triangles.push_back(
          {hull.sides[face.begin].vertex, hull.sides[k - 1].vertex, hull.sides[k].vertex});
    }
  }
  return mesh;
}

TriangleMesh surface_of(const HeightField& field) {
  TriangleMesh mesh;
  for (int j = 0; j < field.rows; ++j) {
    for (int i = 0; i < field.columns; ++i) mesh.vertices.push_back(field.vertex(i, j));
  }
  for (int j = 0; j + 1 < field.rows; ++j) {
    for (int i = 0; i + 1 < field.columns; ++i) {  // they meet in the diagonal towards +x and +y
      const std::int32_t corner = field.index(i, j), opposite = field.index(i + 1, j + 1);
      mesh.triangles.push_back({corner, field.index(i + 1, j), opposite});
      mesh.triangles.push_back({corner, opposite, field.index(i, j + 1)});
    }
  }
  return mesh;
}

const TriangleMesh& surface_of(const TriangleMesh& mesh) {
  return mesh;
}

/// Meshes that several geoms share are recorded once.
class GeomRecorder {
 public:
  explicit GeomRecorder(RecordedScene& to) : to_(to) {}

  void add(const SceneGeom& g) {
    to_.geoms.push_back({.name = g.name,
                         .body = g.body,
                         .shape = g.shape.kind,
                         .size = g.shape.size,
                         .mesh = mesh_of(g.shape),
                         .visual = false,
                         .pose = g.pose,
                         .surface_velocity = g.surface_velocity,
                         .surface_angular_velocity = g.surface_angular_velocity,
                         .color = g.color});
  }
  void add(const SceneVisual& v) {
    to_.geoms.push_back({.name = "",
                         .body = v.body,
                         .shape = v.mesh != nullptr ? ShapeKind::hull : v.shape.kind,
                         .size = v.shape.size,
                         .mesh = v.mesh != nullptr ? place(*v.mesh) : mesh_of(v.shape),
                         .visual = true,
                         .pose = v.pose,
                         .surface_velocity = {},
                         .surface_angular_velocity = {},
                         .color = v.color});
  }

 private:
  std::int32_t mesh_of(const Shape& shape) {
    if (shape.kind == ShapeKind::hull) return place(*shape.hull);
    if (shape.kind == ShapeKind::height_field) return place(*shape.field);
    return -1;
  }
  template <class Surface>
  std::int32_t place(const Surface& surface) {
    const auto [entry, is_new] = places_.try_emplace(&surface, to_.meshes.size());
    if (is_new) to_.meshes.push_back(surface_of(surface));
    return entry->second;
  }

  RecordedScene& to_;
  std::map<const void*, std::int32_t> places_;
};

bool has_one_coordinate(const SceneJoint& joint) {
  return position_count(joint.kind) == 1;
}

void record_joints(const Scene& scene, RecordedScene& to) {
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    const std::vector<SceneJoint>& joints = scene.bodies[b].joints;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (!has_one_coordinate(joints[k])) continue;
      const std::string number = display_name(scene, b) + "." + std::to_string(k);
      to.joints.push_back({joints[k].name.empty() ? number : joints[k].name, b, joints[k].kind});
    }
  }
  for (std::size_t k = 0; k < scene.actuators.size(); ++k) {
    const std::string& name = scene.actuators[k].name;
    to.actuators.push_back(name.empty() ? "actuator" + std::to_string(k) : name);
  }
}

}  // namespace

RecordedScene record_scene(const World& world, double frame_rate) {
  const Scene& scene = world.scene();
  const WorldOptions& o = world.options();
  RecordedScene s{.abut_version = version(),
                  .file = scene.file,
                  .time_step = world.time_step(),
                  .frame_rate = frame_rate,
                  .tolerance = o.tolerance,
                  .accuracy = o.accuracy,
                  .gravity = scene.gravity,
                  .solver = std::string(o.solver_name()),
                  .model = o.model,
                  .law = effective_law(o.model, o.law),
                  .scheme = o.scheme,
                  .pair = o.pair,
                  .friction = o.friction,
                  .bodies = {},
                  .meshes = {},
                  .geoms = {},
                  .joints = {},
                  .actuators = {}};
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    const SceneBody& body = scene.bodies[b];
    s.bodies.push_back({display_name(scene, b), body.kind, body.mass, world.body_state(b)});
  }
  GeomRecorder geoms(s);
  for (const SceneGeom& g : scene.geoms) geoms.add(g);
  for (const SceneVisual& v : scene.visuals) geoms.add(v);
  record_joints(scene, s);
  return s;
}

RecordedStep record_step(const World& world) {
  const StepReport& r = world.report();
  return {.step = world.steps(),
          .time = world.time(),
          .status = r.solve.status,
          .at_round_off = r.solve.at_round_off,
          .iterations = r.solve.iterations,
          .factorizations = r.solve.factorizations,
          .rounds = r.solve.rounds,
          .contacts = r.contacts,
          .lagging_islands = r.solve.lagging_islands,
          .certificate = r.solve.certificate,
          .penetration = r.penetration,
          .kinetic_energy = world.kinetic_energy(),
          .potential_energy = world.potential_energy()};
}

void record_contacts(const World& world, std::vector<RecordedContact>& contacts) {
  const ContactProblem& problem = world.problem();
  const ContactPool& pool = problem.contacts;
  const ContactTerms& terms = world.prepared().contacts();
  const std::span<const ContactSource> sources = world.contact_sources();
  const double* velocity = world.solution().velocity.data();
  const std::vector<Vec3>& impulse = world.solution().impulse;
  const double substeps = world.time_step() / problem.time_step;
  contacts.resize(pool.gap.size());
  for (const Patch& patch : problem.patches) {
    const PatchMotion motion(problem, patch, velocity);
    for (int i = patch.begin; i < patch.end; ++i) {
      const ContactSource& s = sources[i];
      contacts[i] = {.body_a = world.scene().geoms[s.geom_a].body,
                     .body_b = world.scene().geoms[s.geom_b].body,
                     .id = std::uint64_t{s.id.generation} << 32 | s.id.index,
                     .point = pool.point[i],
                     .normal = pool.normal[i],
                     .gap = terms.given_gap[i] + layer_of(problem, i),
                     .allowance = terms.allowance[i],
                     .impulse = substeps * impulse[i],
                     .velocity = motion.of(i),
                     .friction = FrictionEllipse(pool, i).coefficient(impulse[i])};
    }
  }
}

StateRecorder::StateRecorder(const World& world) {
  const std::vector<SceneBody>& bodies = world.scene().bodies;
  for (int b = 0; b < std::ssize(bodies); ++b) {
    if (bodies[b].kind != BodyKind::fixed) moving_bodies_.push_back(b);
    for (int k = 0; k < std::ssize(bodies[b].joints); ++k) {
      if (has_one_coordinate(bodies[b].joints[k])) joints_.push_back({b, k, 1});
    }
  }
}

void StateRecorder::record(const World& world, bool after_step, RecordedState& state) const {
  state.step = world.steps();
  state.time = world.time();
  state.state_hash = world.state_hash();
  state.bodies.clear();
  for (const std::int32_t b : moving_bodies_) state.bodies.push_back(world.body_state(b));
  state.contacts.clear();
  if (after_step) record_contacts(world, state.contacts);
  state.joints.clear();
  for (const ScenePart& j : joints_) {
    state.joints.push_back(
        {world.joint_position(j.body, j.joint), world.joint_velocity(j.body, j.joint)});
  }
  state.actuations.clear();
  for (int k = 0; k < world.actuators(); ++k) {
    const ActuatorState a = after_step ? world.actuator_state(k) : ActuatorState{};
    state.actuations.push_back({world.controls()[k], a.force, a.length, a.velocity});
  }
}

}  // namespace abut
