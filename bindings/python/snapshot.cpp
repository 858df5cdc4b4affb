#include "abut/io/snapshot_bytes.hpp"
#include "module.hpp"

#include <nanobind/stl/string.h>

namespace abut::python {

void bind_snapshot(nb::module_& m) {
  nb::class_<Snapshot>(m, "Snapshot",
                       "Everything that decides how a world goes on: World.restore(). It can be "
                       "pickled, for the same version of abut.")
      .def_prop_ro("steps", [](const Snapshot& s) { return s.state.steps; })
      .def("__getstate__",
           [](const Snapshot& s) {
             const std::string bytes = encode(s);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__",
           [](Snapshot& s, const nb::bytes& bytes) {
             new (&s) Snapshot(decode_snapshot({bytes.c_str(), bytes.size()}));
           })
      .def(
          "__eq__", [](const Snapshot& a, const Snapshot& b) { return encode(a) == encode(b); },
          nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__repr__", [](const Snapshot& s) {
        return "Snapshot(steps=" + std::to_string(s.state.steps) + ")";
      });
}

}  // namespace abut::python
