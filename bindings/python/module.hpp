#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace abut::python {

// One function per subject; each defines classes and functions of the module abut._core.
void bind_scene_parts(nb::module_& m);
void bind_scene(nb::module_& m);
void bind_scene_build(nb::module_& m);
void bind_laws(nb::module_& m);
void bind_problem(nb::module_& m);
void bind_solutions(nb::module_& m);
void bind_forces(nb::module_& m);
void bind_friction(nb::module_& m);
void bind_snapshot(nb::module_& m);
void bind_reports(nb::module_& m);
void bind_world(nb::module_& m);
void bind_recording(nb::module_& m);

}  // namespace abut::python
