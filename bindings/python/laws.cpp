#include <nanobind/stl/optional.h>

#include "abut/core/text.hpp"
#include "abut/laws/law_list.hpp"
#include "abut/sim/implied_contact.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "scene_parts.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;

NormalStep<double> discretize(NormalLawKind law, const PointMaterial& m, double h, double gap) {
  return dispatch_law(law, [&]<class Law>() { return Law::discretize(m, h, gap); });
}

NormalEval<double> evaluate(NormalLawKind law, const NormalStep<double>& step, double vn) {
  return dispatch_law(law, [&]<class Law>() { return Law::evaluate(step, vn); });
}

nb::tuple evaluate_law(const std::string& name, const ArrayLike& velocity, const ArrayLike& gap,
                       double h, double stiffness, double dissipation, double relaxation_time,
                       const std::optional<ArrayLike>& force_table, double thickness) {
  const NormalLawKind law = parse_law(name);
  const std::shared_ptr<const ForceTable> table = to_force_table(force_table);
  const PointMaterial material{stiffness, dissipation, relaxation_time, thickness, 1, table.get()};
  material.validate();
  require(h > 0 && h <= 1, "time_step", h, "s", "must be positive and at most 1");
  const std::vector<double> v = to_numbers(velocity, "velocity"), phi = to_numbers(gap, "gap");
  if (v.size() != phi.size() && phi.size() != 1 && v.size() != 1) {
    fail_input("velocity has " + std::to_string(v.size()) + " numbers and gap " +
               std::to_string(phi.size()) + ": must be as many, or one");
  }
  const std::size_t count = v.empty() || phi.empty() ? 0 : std::max(v.size(), phi.size());
  std::vector<double> potential(count), impulse(count), slope(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto step = discretize(law, material, h, phi[phi.size() == 1 ? 0 : i]);
    const auto e = evaluate(law, step, v[v.size() == 1 ? 0 : i]);
    potential[i] = e.potential, impulse[i] = e.impulse, slope[i] = e.slope;
  }
  return nb::make_tuple(to_array<>(std::move(potential)), to_array<>(std::move(impulse)),
                        to_array<>(std::move(slope)));
}

}  // namespace

void bind_laws(nb::module_& m) {
  m.def("evaluate_normal_law", &evaluate_law, "law"_a, "velocity"_a, "gap"_a, "time_step"_a,
        nb::kw_only(), "stiffness"_a = 1e7, "dissipation"_a = 10.0, "relaxation_time"_a = 1e-4,
        "force_table"_a = nb::none(), "thickness"_a = 1e-3,
        nb::sig("def evaluate_normal_law(law: str, velocity: numpy.typing.ArrayLike, gap: "
                "numpy.typing.ArrayLike, time_step: float, *, stiffness: float = 1e7, dissipation: "
                "float = 10.0, relaxation_time: float = 1e-4, force_table: "
                "numpy.typing.ArrayLike | None = None, thickness: float = 1e-3) -> "
                "tuple[numpy.typing.NDArray["
                "numpy.float64], numpy.typing.NDArray[numpy.float64], "
                "numpy.typing.NDArray[numpy.float64]]"),
        ("A normal law (" + list_names(normal_laws) +
         ") over one step, for each of the normal "
         "velocities [m/s] and gaps [m] (either may be one number): potential l [J], impulse n = "
         "-dl/dv [N s] and slope dn/dv [kg] <= 0, each (n,). stiffness [N/m; Hertz N/m^(3/2)], "
         "dissipation [s/m], relaxation_time [s], force_table (n, 2): depths [m] and forces [N] of "
         "tabulated, from (0, 0) on, thickness [m] of a barrier's layer, in which the gap is -x.")
            .c_str());

  nb::class_<ImpliedContact>(m, "ImpliedContact", "What the numbers of a contact imply: docs/laws.")
      .def_ro("depth", &ImpliedContact::depth,
              "Of the heaviest body at rest [m]; of barriers negative: a gap.")
      .def_ro("period", &ImpliedContact::period, "Of small oscillations of the lightest [s].")
      .def_ro("creep", &ImpliedContact::creep, "Of the heaviest, at half the friction limit [m/s].")
      .def_ro("glide", &ImpliedContact::glide, "Height above the ground per sliding speed [s].")
      .def_ro("rigid_step", &ImpliedContact::rigid_step,
              "SAP: at larger steps more stiffness does nothing for the lightest [s].")
      .def("__repr__", [](const ImpliedContact& c) {
        return format_text(
            "ImpliedContact(depth=%.3g, period=%.3g, creep=%.3g, glide=%.3g, "
            "rigid_step=%.3g)",
            c.depth, c.period, c.creep, c.glide, c.rigid_step);
      });
  m.def(
      "implied_contact",
      [](double lightest, std::optional<double> heaviest, const std::string& model,
         const std::string& law, double time_step, double gravity, double stiffness,
         double dissipation, double relaxation_time, double friction,
         const std::optional<ArrayLike>& force_table, double thickness) {
        const double most = heaviest.value_or(lightest);
        require(lightest > 0 && std::isfinite(lightest), "lightest", lightest, "kg",
                "must be positive");
        require(most >= lightest && std::isfinite(most), "heaviest", most, "kg",
                "must not be less than the lightest");
        require(time_step > 0 && time_step <= 1, "time_step", time_step, "s",
                "must be positive and at most 1");
        require(gravity >= 0 && std::isfinite(gravity), "gravity", gravity, "m/s^2",
                "must not be negative");
        PairOverride{stiffness, dissipation, relaxation_time, friction, thickness}.validate();
        const ContactSettings settings{.model = parse_model(model),
                                       .law = parse_law(law),
                                       .friction = {},
                                       .time_step = time_step,
                                       .gravity = gravity};
        return implied_contact({.stiffness = stiffness,
                                .dissipation = dissipation,
                                .relaxation_time = relaxation_time,
                                .friction = friction,
                                .thickness = thickness,
                                .table = to_force_table(force_table)},
                               settings, lightest, most);
      },
      "lightest"_a, "heaviest"_a = nb::none(), nb::kw_only(), "model"_a = "sap",
      "law"_a = "hunt-crossley", "time_step"_a = 2e-3, "gravity"_a = 9.81, "stiffness"_a = 1e7,
      "dissipation"_a = 10.0, "relaxation_time"_a = 1e-4, "friction"_a = 0.5,
      "force_table"_a = nb::none(), "thickness"_a = 1e-3,
      "What a contact's parameters imply for bodies of these masses [kg], at rest or sliding.");
}

}  // namespace abut::python
