// Recordings: writing one, and reading one into arrays.

#include "abut/io/recording.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "abut/io/recording_csv.hpp"
#include "abut/view/page.hpp"
#include "abut/view/replay.hpp"
#include "contact_rows.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "python_recording.hpp"
#include "python_world.hpp"
#include "scene_parts.hpp"
#include "unlocked.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;

/// A step, as numpy sees it.
struct StepRow {
  std::uint64_t step = 0;
  double time = 0;
  std::int32_t status = 0, at_round_off = 0, iterations = 0, factorizations = 0, rounds = 0,
               contacts = 0, lagging_islands = 0, worst_tree = -1;
  double step_error = 0, momentum_error = 0, impulse_error = 0, lag_error = 0,
         complementarity_error = 0, ncp_primal = 0, ncp_dual = 0, ncp_complementarity = 0,
         penetration = 0, kinetic_energy = 0, potential_energy = 0;
};
static_assert(sizeof(StepRow) == 136);

constexpr char step_fields[] =
    "[('step', '<u8'), ('time', '<f8'), ('status', '<i4'), ('at_round_off', '<i4'), "
    "('iterations', '<i4'), ('factorizations', '<i4'), ('rounds', '<i4'), ('contacts', '<i4'), "
    "('lagging_islands', '<i4'), ('worst_tree', '<i4'), ('step_error', '<f8'), "
    "('momentum_error', '<f8'), ('impulse_error', '<f8'), ('lag_error', '<f8'), "
    "('complementarity_error', '<f8'), "
    "('ncp_primal', '<f8'), ('ncp_dual', '<f8'), ('ncp_complementarity', '<f8'), "
    "('penetration', '<f8'), ('kinetic_energy', '<f8'), ('potential_energy', '<f8')]";

nb::object read_steps(const Recording& r) {
  std::vector<StepRow> rows;
  rows.reserve(r.steps());
  for (std::size_t i = 0; i < r.steps(); ++i) {
    const RecordedStep& s = r.step(i);
    const Certificate& c = s.certificate;
    rows.push_back({s.step,          s.time,           static_cast<std::int32_t>(s.status),
                    s.at_round_off,  s.iterations,     s.factorizations,
                    s.rounds,        s.contacts,       s.lagging_islands,
                    c.worst_tree,    c.step_error,     c.momentum_error,
                    c.impulse_error, c.lag_error,      c.complementarity_error,
                    c.ncp_primal,    c.ncp_dual,       c.ncp_complementarity,
                    s.penetration,   s.kinetic_energy, s.potential_energy});
  }
  static const nb::handle dtype = make_dtype(step_fields);
  return to_records(std::move(rows), dtype);
}

struct FrameContact {
  std::int64_t frame = 0;
  ContactRow contact;
};
static_assert(sizeof(FrameContact) == sizeof(ContactRow) + 8);

/// All states as arrays by name: frames first.
nb::dict read_states(const Recording& r) {
  const std::size_t frames = r.states();
  const RecordedScene& scene = r.scene();
  std::vector<std::uint64_t> step, hash;
  std::vector<double> time, positions, orientations, linear, angular, joints, joint_rates, controls,
      forces;
  std::vector<FrameContact> contacts;
  std::size_t bodies = 0;
  for (const RecordedBody& b : scene.bodies) bodies += b.kind == BodyKind::fixed ? 0 : 1;
  {
    const Unlocked unlocked;
    RecordedState s;
    for (std::size_t f = 0; f < frames; ++f) {
      r.read_state(f, s);
      step.push_back(s.step), time.push_back(s.time), hash.push_back(s.state_hash);
      for (const BodyState& b : s.bodies) {
        const auto add = [](std::vector<double>& to, const Vec3& x) {
          to.insert(to.end(), {x.x, x.y, x.z});
        };
        const Quaternion& q = b.orientation;
        add(positions, b.position), add(linear, b.linear_velocity),
            add(angular, b.angular_velocity);
        orientations.insert(orientations.end(), {q.w, q.x, q.y, q.z});
      }
      for (const RecordedCoordinate& j : s.joints) {
        joints.push_back(j.position), joint_rates.push_back(j.velocity);
      }
      for (const RecordedActuation& a : s.actuations) {
        controls.push_back(a.control), forces.push_back(a.force);
      }
      for (const RecordedContact& c : s.contacts) {
        contacts.push_back({static_cast<std::int64_t>(f), to_row(c, scene.time_step)});
      }
    }
  }
  using Cube = Owned<double, nb::ndim<3>>;
  using Integers = Owned<std::uint64_t, nb::ndim<1>>;
  nb::dict d;
  d["step"] = to_array<Integers>(std::move(step), {frames});
  d["state_hash"] = to_array<Integers>(std::move(hash), {frames});
  d["time"] = to_array<>(std::move(time));
  d["positions"] = to_array<Cube>(std::move(positions), {frames, bodies, 3});
  d["orientations"] = to_array<Cube>(std::move(orientations), {frames, bodies, 4});
  d["linear_velocities"] = to_array<Cube>(std::move(linear), {frames, bodies, 3});
  d["angular_velocities"] = to_array<Cube>(std::move(angular), {frames, bodies, 3});
  const std::size_t joint_count = scene.joints.size(), actuator_count = scene.actuators.size();
  d["joint_positions"] = to_array<Matrix>(std::move(joints), {frames, joint_count});
  d["joint_velocities"] = to_array<Matrix>(std::move(joint_rates), {frames, joint_count});
  d["controls"] = to_array<Matrix>(std::move(controls), {frames, actuator_count});
  d["actuator_forces"] = to_array<Matrix>(std::move(forces), {frames, actuator_count});
  static const nb::handle dtype =
      make_dtype((std::string("[('frame', '<i8'), ") + contact_fields + "]").c_str());
  d["contacts"] = to_records(std::move(contacts), dtype);
  return d;
}

/// What holds for the whole recording, by name.
nb::dict describe_scene(const Recording& r) {
  const RecordedScene& s = r.scene();
  nb::dict d;
  d["abut_version"] = s.abut_version;
  d["file"] = s.file;
  d["time_step"] = s.time_step;
  d["frame_rate"] = s.frame_rate;
  d["tolerance"] = s.tolerance;
  d["gravity"] = to_array(s.gravity);
  d["solver"] = s.solver;
  d["model"] = std::string(abut::to_string(s.model));
  d["law"] = std::string(abut::to_string(s.law));
  d["scheme"] = std::string(abut::to_string(s.scheme));
  nb::list bodies, moving, masses, joints, actuators, geoms;
  for (std::size_t b = 0; b < s.bodies.size(); ++b) {
    bodies.append(s.bodies[b].name);
    masses.append(s.bodies[b].mass);
    if (s.bodies[b].kind != BodyKind::fixed) moving.append(b);
  }
  for (const RecordedJoint& j : s.joints) joints.append(j.name);
  for (const std::string& a : s.actuators) actuators.append(a);
  for (const RecordedGeom& g : s.geoms) geoms.append(g.name);
  d["bodies"] = bodies;
  d["moving"] = moving;
  d["masses"] = masses;
  d["joints"] = joints;
  d["actuators"] = actuators;
  d["geoms"] = geoms;
  return d;
}

using Path = std::filesystem::path;

void bind_writer(nb::module_& m) {
  nb::class_<PythonRecording>(m, "RecordingWriter",
                              "Records a world as it goes: each step's report, and at the frame "
                              "rate the states of the bodies "
                              "and the contacts. A context manager: leaving it closes the "
                              "recording. What is on the disk is "
                              "readable at any time.")
      .def(
          "__init__",
          [](PythonRecording* self, const Path& path, const PythonWorld& world, double frame_rate) {
            new (self) PythonRecording(path.string(), world, frame_rate);
          },
          "path"_a, "world"_a, "frame_rate"_a = 60.0,
          "frame_rate: recorded states per simulated second; 0: every step.\n\nRaises InputError, "
          "FileError.")
      .def(
          "record",
          [](PythonRecording& w, const PythonWorld& world) {
            w.require_use(&world);
            w.writer.record(world.get());
          },
          "world"_a, "After each step; world.step(n, recording=writer) does it.")
      .def(
          "record_state",
          [](PythonRecording& w, const PythonWorld& world) {
            w.require_use(&world);
            w.writer.record_state(world.get());
          },
          "world"_a, "The state after the last step, unless it is recorded already.")
      .def(
          "close",
          [](PythonRecording& w) {
            w.require_rest();
            w.writer.close();
          },
          "Ends the recording and brings it to the disk.");
}

}  // namespace

void bind_recording(nb::module_& m) {
  m.def("page_available", &page_available,
        "Whether this build can write replays: it was built where node is.");
  bind_writer(m);
  nb::class_<Recording>(m, "RecordingFile", "A recording on the disk; see abut.Recording.")
      .def_static(
          "open", [](const Path& path) { return Recording::open(path.string()); }, "path"_a,
          nb::call_guard<Unlocked>())
      .def("read_steps", &read_steps,
           nb::sig("def read_steps(self) -> numpy.typing.NDArray[numpy.void]"))
      .def("read_states", &read_states, nb::sig("def read_states(self) -> dict[str, typing.Any]"))
      .def("describe_scene", &describe_scene,
           nb::sig("def describe_scene(self) -> dict[str, typing.Any]"))
      .def("export_csv",
           [](const Recording& r, const Path& directory) { export_csv(r, directory.string()); })
      .def(
          "write_replay",
          [](const Recording& r, const Path& path, bool contacts) {
            const Unlocked unlocked;
            write_replay(r, path.string(), {.contacts = contacts});
          },
          "path"_a, "contacts"_a = true)
      .def_prop_ro("end", [](const Recording& r) { return std::string(to_string(r.end())); })
      .def_prop_ro("closed", [](const Recording& r) { return r.end() == RecordingEnd::closed; })
      .def_prop_ro("lost_bytes", &Recording::lost_bytes)
      .def_prop_ro("frames", &Recording::states)
      .def_prop_ro("steps", &Recording::steps);
}

}  // namespace abut::python
