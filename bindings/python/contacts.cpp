// World: contacts of the last step, and the force between two bodies.

#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdio>

#include "abut/io/record.hpp"
#include "contact_rows.hpp"
#include "numbers.hpp"
#include "python_world.hpp"
#include "scene_parts.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;

struct WorldContact : ContactRow {
  std::int32_t geom_a = 0, geom_b = 0;
};
static_assert(sizeof(WorldContact) == sizeof(ContactRow) + 8);

std::vector<WorldContact> contacts_of(const PythonWorld& w) {
  std::vector<WorldContact> rows;
  const World& world = w.get();
  if (!w.has_step()) return rows;
  std::vector<RecordedContact> contacts;
  record_contacts(world, contacts);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactSource& s = world.contact_sources()[i];
    rows.push_back({to_row(contacts[i], world.time_step()), s.geom_a, s.geom_b});
  }
  return rows;
}

nb::handle world_contact_dtype() {
  static const nb::handle dtype = make_dtype(
      (std::string("[") + contact_fields + ", ('geom_a', '<i4'), ('geom_b', '<i4')]").c_str());
  return dtype;
}

/// What two bodies, or geoms, do to each other in a step.
struct PairForce {
  Vec3 normal_force, friction_force;  ///< on the second [N]
  int contacts = 0;
};

/// One side of a pair: all geoms of a body, or one geom.
struct Side {
  bool is_body = true;
  int index = 0;
  bool holds(int body, int geom) const { return index == (is_body ? body : geom); }
};

Side find_side(const PythonWorld& w, const std::string& name) {
  if (name == "world") return {true, world_body};
  const auto index = [&](const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  };
  if (const int body = index(w.bodies()); body >= 0) return {true, body};
  if (const int geom = index(w.geoms()); geom >= 0) return {false, geom};
  std::vector<std::string> all = w.bodies();
  all.insert(all.end(), w.geoms().begin(), w.geoms().end());
  find_part(name, all, "body or geom");  // throws
  return {};
}

PairForce pair_force(const PythonWorld& w, const std::string& a, const std::string& b) {
  const Side first = find_side(w, a), second = find_side(w, b);
  PairForce sum;
  for (const WorldContact& c : contacts_of(w)) {
    double sign = 0;
    if (first.holds(c.body_a, c.geom_a) && second.holds(c.body_b, c.geom_b)) sign = 1;
    if (first.holds(c.body_b, c.geom_b) && second.holds(c.body_a, c.geom_a)) sign -= 1;
    if (sign == 0) continue;
    sum.normal_force += sign * c.normal_force * c.normal;
    sum.friction_force += sign * c.friction_force;
    ++sum.contacts;
  }
  return sum;
}

}  // namespace

void bind_contacts(nb::module_& m, nb::class_<PythonWorld>& c) {
  nb::class_<PairForce>(m, "PairForce", "What two bodies do to each other; see World.pair_force.")
      .def_prop_ro(
          "normal_force", [](const PairForce& f) { return to_array(f.normal_force); },
          "(3,), sum over their contacts [N].")
      .def_prop_ro(
          "friction_force", [](const PairForce& f) { return to_array(f.friction_force); },
          "(3,), likewise [N].")
      .def_prop_ro(
          "force", [](const PairForce& f) { return to_array(f.normal_force + f.friction_force); },
          "(3,), their sum [N].")
      .def_ro("contacts", &PairForce::contacts, "Number of contacts between them.")
      .def("__repr__", [](const PairForce& f) {
        const Vec3 sum = f.normal_force + f.friction_force;
        char text[128];
        std::snprintf(text, sizeof text, "PairForce(force=[%.4g, %.4g, %.4g] N, contacts=%d)",
                      sum.x, sum.y, sum.z, f.contacts);
        return std::string(text);
      });
  c.def(
      "pair_force", &pair_force, "a"_a, "b"_a,
      "Force on b by a in the last step, world axes, normal and friction apart. a and b are names "
      "of bodies, of geoms, or \"world\"; a name of both means the body. Zero where they do not "
      "touch, and before the first step.");
  c.def_prop_ro(
      "contacts",
      [](const PythonWorld& w) { return to_records(contacts_of(w), world_contact_dtype()); },
      nb::sig("def contacts(self) -> numpy.typing.NDArray[numpy.void]"),
      "Contacts of the last step, a structured array; empty before the first and after restore() "
      "and set_keyframe(). Fields: body_a, body_b (indices, -1 the world), id (the same as long as "
      "the contact "
      "persists), point [m], normal (from a into b), gap [m] at the step's start (negative in "
      "overlap), allowance [m] (what of an overlap is let go of slowly: the solver saw gap + "
      "allowance, of barriers less the thickness), "
      "normal_force [N], friction_force (3) on b [N], velocity (3) of b's point relative to a's at "
      "the step's end [m/s], friction (mu), geom_a, geom_b.");
  m.attr("contact_dtype") = world_contact_dtype();
}

}  // namespace abut::python
