// Contact problems: building, saving.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "abut/core/text.hpp"
#include "abut/io/problem_file.hpp"
#include "abut/problem/contact_problem.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "python_world.hpp"
#include "scene_parts.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;
using ProblemClass = nb::class_<ContactProblem>;
using OptionalArray = std::optional<ArrayLike>;

int add_rigid_body(ContactProblem& p, double mass, const ArrayLike& center,
                   const ArrayLike& inertia, const ArrayLike& velocity,
                   const ArrayLike& free_velocity) {
  const std::vector<double> v = to_numbers(velocity, "velocity", 6),
                            f = to_numbers(free_velocity, "free_velocity", 6);
  return p.add_rigid_body(mass, to_vec3(center, "center"), to_mat3(inertia, "inertia"),
                          std::span<const double, 6>(v), std::span<const double, 6>(f));
}

int add_contact(ContactProblem& p, int tree_a, int tree_b, const ArrayLike& point,
                const ArrayLike& normal, double gap, double weight, double stiffness,
                double dissipation, double relaxation_time, double friction, const ArrayLike& bias,
                const ArrayLike& previous_impulse, const ArrayLike& anchor,
                const OptionalArray& friction_axis, double anisotropy,
                const OptionalArray& jacobian_a, const OptionalArray& jacobian_b,
                std::optional<int> body_a, std::optional<int> body_b,
                const std::optional<std::string>& law, const OptionalArray& force_table,
                double thickness) {
  const auto rows = [](const OptionalArray& x, const char* name) {
    return x ? to_table(*x, name, 3) : std::vector<double>{};
  };
  const ContactPoint c{
      .point = to_vec3(point, "point"),
      .normal = to_vec3(normal, "normal"),
      .gap = gap,
      .weight = weight,
      .stiffness = stiffness,
      .dissipation = dissipation,
      .relaxation_time = relaxation_time,
      .friction = friction,
      .bias = to_vec3(bias, "bias"),
      .previous_impulse = to_vec3(previous_impulse, "previous_impulse"),
      .anchor = to_vec3(anchor, "anchor"),
      .law = law ? std::optional(parse_law(*law)) : std::nullopt,
      .anisotropy = anisotropy,
      .friction_axis = friction_axis ? to_vec3(*friction_axis, "friction_axis") : Vec3{},
      .table = to_force_table(force_table),
      .thickness = thickness};
  if (body_a || body_b) {
    if (jacobian_a || jacobian_b) fail_input("add_contact: give bodies or Jacobians, not both");
    return p.add_contact(tree_a, tree_b, c, body_a.value_or(-1), body_b.value_or(-1));
  }
  return p.add_contact(tree_a, tree_b, c, rows(jacobian_a, "jacobian_a"),
                       rows(jacobian_b, "jacobian_b"));
}

void bind_building(ProblemClass& c) {
  c.def(
      "add_rigid_body", &add_rigid_body, "mass"_a, "center"_a, "inertia"_a, "velocity"_a,
      "free_velocity"_a,
      "A free rigid body: mass [kg], center of mass [m], inertia about it (3, 3) [kg m^2], "
      "velocity and free velocity (6,): linear [m/s], angular [rad/s]; all in world axes. Returns "
      "its tree.");
  c.def(
      "add_tree",
      [](ContactProblem& p, const ArrayLike& matrix, const ArrayLike& velocity,
         const ArrayLike& free_velocity, double mass) {
        return p.add_tree(to_table(matrix, "matrix"), to_numbers(velocity, "velocity"),
                          to_numbers(free_velocity, "free_velocity"), mass);
      },
      "matrix"_a, "velocity"_a, "free_velocity"_a, "heaviest_mass"_a,
      "A mechanism: its matrix A (n, n), velocities (n,) and the mass of its heaviest body [kg]. "
      "Returns its tree.");
  c.def(
      "add_sparse_tree",
      [](ContactProblem& p, const std::vector<std::int64_t>& row_end,
         const std::vector<std::int32_t>& columns, const ArrayLike& blocks,
         const ArrayLike& velocity, const ArrayLike& free_velocity, double mass) {
        const nb::object flat = nb::module_::import_("numpy").attr("reshape")(blocks.value, -1);
        return p.add_sparse_tree(row_end, columns, to_numbers({flat}, "blocks"),
                                 to_numbers(velocity, "velocity"),
                                 to_numbers(free_velocity, "free_velocity"), mass);
      },
      "row_end"_a, "columns"_a, "blocks"_a, "velocity"_a, "free_velocity"_a, "heaviest_mass"_a,
      "A tree of n nodes with three velocities each, such as a deformable body, by the 3 x 3 "
      "blocks "
      "of the lower triangle of its A: row_end (n,), where the blocks of each row end; columns "
      "(m,), ascending to the diagonal in each row; blocks (m, 3, 3). Velocities (3 n,). Of a "
      "scipy.sparse BSR matrix of the lower triangle: indptr[1:], indices, data. Returns its "
      "tree.");
  c.def(
      "add_point",
      [](ContactProblem& p, int tree, const ArrayLike& center,
         const std::vector<std::int32_t>& nodes, const ArrayLike& weights) {
        return p.add_point(tree, to_vec3(center, "center"), nodes, to_numbers(weights, "weights"));
      },
      "tree"_a, "center"_a, "nodes"_a, "weights"_a,
      "A point of a tree of add_sparse_tree(), for a contact at `center` [m]: it moves with the "
      "weighted mean of its nodes. Returns its index among the bodies.");
  c.def(
      "add_body",
      [](ContactProblem& p, int tree, const ArrayLike& center, const ArrayLike& jacobian) {
        return p.add_body(tree, to_vec3(center, "center"), to_table(jacobian, "jacobian", 6));
      },
      "tree"_a, "center"_a, "jacobian"_a,
      "A body of a tree of add_tree(), for its contacts: the Jacobian (6, n) of the velocity of "
      "its "
      "point `center` [m] and of its angular velocity. Returns its index.");
  c.def(
      "add_contact", &add_contact, "tree_a"_a, "tree_b"_a, nb::kw_only(), "point"_a, "normal"_a,
      "gap"_a, "weight"_a = 1.0, "stiffness"_a = 1e7, "dissipation"_a = 10.0,
      "relaxation_time"_a = 1e-4, "friction"_a = 0.5, "bias"_a = nb::make_tuple(0, 0, 0),
      "previous_impulse"_a = nb::make_tuple(0, 0, 0), "anchor"_a = nb::make_tuple(0, 0, 0),
      "friction_axis"_a = nb::none(), "anisotropy"_a = 0.0, "jacobian_a"_a = nb::none(),
      "jacobian_b"_a = nb::none(), "body_a"_a = nb::none(), "body_b"_a = nb::none(),
      "law"_a = nb::none(), "force_table"_a = nb::none(), "thickness"_a = 1e-3,
      "A contact between trees a <= b (-1: the world): point [m], unit normal from a into b, gap "
      "[m], stiffness [N/m], dissipation [s/m], relaxation_time [s], friction; with an anisotropy "
      "friction (1 + anisotropy) along the friction_axis (3,), unit and across the normal, and "
      "friction (1 - anisotropy) across it. A barrier has a layer of this thickness [m]: its gap "
      "is "
      "that of the layer, and the surfaces touch at -thickness. Contacts of a pair "
      "of trees follow each other. For a tree of add_sparse_tree() give a point of add_point(); "
      "for "
      "one of add_tree() a body of add_body(), or a "
      "Jacobian "
      "(3, n) with the sign with which it enters the contact velocity; two bodies of one tree may "
      "touch each other. bias [m/s] is added to the velocity. A contact that was there in the last "
      "step brings its impulse on b as previous_impulse (3,) [N s] and, anchored, its row of "
      "Solution.anchor (3,) [N]. law: its normal law, None that of "
      "the problem. force_table (n, 2): depths [m] and forces [N] of tabulated, from (0, 0) on. "
      "Returns its index.");
}

void bind_arrays(ProblemClass& c) {
  using P = ContactProblem;
  c.def_prop_ro("dofs", &P::dofs);
  c.def_prop_ro("trees", [](const P& p) { return static_cast<int>(p.trees.size()); });
  c.def_prop_ro("contacts", [](const P& p) { return p.contacts.size(); });
  c.def_prop_ro(
      "scalars", [](const P& p) { return p.scalars.size(); }, "Number of scalar constraints.");
  c.def_prop_ro(
      "velocity", [](const P& p) { return to_array<>(p.velocity); },
      "(dofs,): at the step's start.");
  c.def_prop_ro(
      "free_velocity", [](const P& p) { return to_array<>(p.free_velocity); },
      "(dofs,): what the step gives without contact.");
  c.def_prop_ro(
      "first_guess", [](const P& p) { return to_array<>(p.first_guess); },
      "(dofs,), or (0,) for none: where solvers begin that go on from a guess, in place of v0.");
  c.def_prop_ro(
      "contact_trees",
      [](const P& p) {
        std::vector<std::int32_t> trees(2 * p.contacts.gap.size());
        for (const Patch& patch : p.patches) {
          for (int i = patch.begin; i < patch.end; ++i) {
            trees[2 * i] = patch.tree_a, trees[2 * i + 1] = patch.tree_b;
          }
        }
        using Pairs = Owned<std::int32_t, nb::shape<-1, 2>>;
        return to_array<Pairs>(std::move(trees), {p.contacts.gap.size(), 2});
      },
      "(contacts, 2): trees a and b, -1 the world.");
  c.def_prop_ro(
      "points", [](const P& p) { return to_rows(p.contacts.point); }, "(contacts, 3) [m]");
  c.def_prop_ro(
      "normals", [](const P& p) { return to_rows(p.contacts.normal); },
      "(contacts, 3), from a into b.");
  const auto numbers = [&](const char* name, std::vector<double> ContactPool::*member,
                           const char* doc) {
    c.def_prop_ro(
        name, [member](const P& p) { return to_array<>(p.contacts.*member); }, doc);
  };
  numbers("gaps", &ContactPool::gap,
          "(contacts,) [m]; in a World's problem with what of overlaps was let be: gap + allowance "
          "of World.contacts, of barriers less their thickness.");
  numbers("stiffness", &ContactPool::stiffness, "(contacts,) [N/m]");
  numbers("dissipation", &ContactPool::dissipation, "(contacts,) [s/m]");
  numbers("relaxation_time", &ContactPool::relaxation_time, "(contacts,) [s]");
  numbers("friction", &ContactPool::friction, "(contacts,) [-]");
  numbers("weight", &ContactPool::weight, "(contacts,): multiplies the stiffness.");
  const auto extras = [&](const char* name, double ContactExtras::*member, const char* doc) {
    const auto get = [member](const P& p) {
      std::vector<double> found(p.contacts.gap.size());
      for (int i = 0; i < p.contacts.size(); ++i) found[i] = p.contacts.extras_of(i).*member;
      return to_array<>(std::move(found));
    };
    c.def_prop_ro(name, get, doc);
  };
  extras("thickness", &ContactExtras::thickness, "(contacts,): of the layer of a barrier [m].");
  extras("anisotropy", &ContactExtras::anisotropy,
         "(contacts,): friction is (1 + anisotropy) times as much along its axis, and "
         "(1 - anisotropy) times across it [-].");
  c.def_prop_ro(
      "laws",
      [](const P& p) {
        std::vector<std::string> names;
        for (int i = 0; i < p.contacts.size(); ++i) {
          names.emplace_back(abut::to_string(p.law_of(i)));
        }
        return names;
      },
      "The normal law of each contact.");
}

void bind_problem_class(nb::module_& m) {
  ProblemClass c(
      m, "ContactProblem",
      "One step's convex contact problem: minimize 1/2 |v - v*|_A^2 + sum_i l_i(J_i v + "
      "b_i) over velocities v. Build it by the add methods, load one, or take a world's.");
  c.def(
      "__init__",
      [](ContactProblem* self, double time_step, const std::string& model, const std::string& law) {
        const ContactModel kind = parse_model(model);
        const NormalLawKind normal = parse_law(law);
        new (self) ContactProblem;
        self->time_step = time_step;
        self->model = kind;
        self->law = normal;
      },
      "time_step"_a, "model"_a = "sap", "law"_a = "hunt-crossley", "time_step [s]");
  c.def_rw("time_step", &ContactProblem::time_step, "[s]");
  c.def_prop_rw(
      "model", [](const ContactProblem& p) { return std::string(abut::to_string(p.model)); },
      [](ContactProblem& p, const std::string& name) { p.model = parse_model(name); },
      (list_names(contact_models) + ".").c_str());
  c.def_prop_rw(
      "law", [](const ContactProblem& p) { return std::string(abut::to_string(p.law)); },
      [](ContactProblem& p, const std::string& name) { p.law = parse_law(name); },
      ("Of contacts without their own, in models without their own: " + list_names(normal_laws) +
       ".")
          .c_str());
  c.def("__repr__", [](const ContactProblem& p) {
    return "ContactProblem(" + std::string(abut::to_string(p.model)) +
           format_text(", time_step=%g, %d trees of %d dofs, %d contacts, %d scalar constraints)",
                       p.time_step, static_cast<int>(p.trees.size()), p.dofs(), p.contacts.size(),
                       p.scalars.size());
  });
  bind_building(c);
  bind_arrays(c);
}

}  // namespace

void bind_problem(nb::module_& m) {
  bind_problem_class(m);
  m.def(
      "load_problem", [](const std::filesystem::path& path) { return load_problem(path.string()); },
      "path"_a,
      "A problem saved by save_problem() or `abut run --save-problem`. Raises FileError, "
      "InputError.");
  m.def(
      "save_problem",
      [](const std::filesystem::path& path, const ContactProblem& problem) {
        save_problem(path.string(), problem);
      },
      "path"_a, "problem"_a,
      "Writes all that a caller gives of a problem to an .npz file, atomically.");
}

void bind_world_problem(nb::class_<PythonWorld>& c) {
  c.def_prop_ro(
      "problem", [](const PythonWorld& w) { return ContactProblem(w.get().problem()); },
      "A copy of the last step's contact problem.");
}

}  // namespace abut::python
