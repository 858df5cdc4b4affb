#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abut/laws/force_table.hpp"
#include "abut/linalg/rotation.hpp"

// Between Python's numbers and ours. What comes in is anything that numpy.asarray() takes; a wrong
// size or a number that is not finite is an InputError that names the argument. What goes out are
// arrays of their own; those that can be set as a whole are read-only, so that a write to a copy is
// an error and not lost.

namespace nb = nanobind;

namespace abut::python {

/// Of printf's format.
template <class... Values>
std::string format_text(const char* format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

/// An argument that numpy.asarray() makes numbers of.
struct ArrayLike {
  nb::object value;
};

/// An array that goes out and owns its numbers. nanobind would let a property's result borrow those
/// of its object, which such an array refuses.
template <class T, class... Shape>
struct Owned {
  using Array = nb::ndarray<nb::numpy, T, Shape...>;
  Array array;
};

using Numbers = Owned<double, nb::ndim<1>>;
using Matrix = Owned<double, nb::ndim<2>>;
using Rows3 = Owned<double, nb::shape<-1, 3>>;
using FixedNumbers = Owned<const double, nb::ndim<1>>;
using FixedRows3 = Owned<const double, nb::shape<-1, 3>>;
using FixedRows4 = Owned<const double, nb::shape<-1, 4>>;
using Array3 = Owned<const double, nb::shape<3>>;
using Array4 = Owned<const double, nb::shape<4>>;
using Array33 = Owned<const double, nb::shape<3, 3>>;

/// One number or a list of them. @throws InputError unless they are finite, as all of these
std::vector<double> to_numbers(const ArrayLike& x, std::string_view name);
/// The same, of a known count. @throws InputError for another
std::vector<double> to_numbers(const ArrayLike& x, std::string_view name, std::size_t count);
/// An array of two dimensions, row after row. @throws InputError for another shape
std::vector<double> to_table(const ArrayLike& x, std::string_view name,
                             std::optional<int> rows = {}, std::optional<int> columns = {});
/// Of n x 3 numbers.
std::vector<Vec3> to_vectors(const ArrayLike& x, std::string_view name,
                             std::optional<int> rows = {});
Vec3 to_vec3(const ArrayLike& x, std::string_view name);
/// w, x, y, z. @throws InputError unless its norm is 1 within 1e-3
Quaternion to_quaternion(const ArrayLike& x, std::string_view name);
/// Of 3 x 3 numbers.
Mat3 to_mat3(const ArrayLike& x, std::string_view name);
/// The same, or its diagonal.
Mat3 to_inertia(const ArrayLike& x, std::string_view name);

/// Rows (depth [m], force [N]). @throws InputError unless they are a table
std::shared_ptr<const ForceTable> to_force_table(const std::optional<ArrayLike>& x);
/// (n, 2), or None.
nb::object to_object(const std::shared_ptr<const ForceTable>& table);

/// An array that owns its numbers.
template <class Result, class T>
Result to_array(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {typename Result::Array(kept->data(), shape, owner)};
}

template <class Result = Numbers>
Result to_array(std::vector<double> values) {
  const std::size_t count = values.size();
  return to_array<Result>(std::move(values), {count});
}

/// "[1, 0, -2.5]"
std::string describe(const Vec3& v);
std::string describe(const Quaternion& q);

Array3 to_array(const Vec3& v);
Array4 to_array(const Quaternion& q);
Array33 to_array(const Mat3& m);

/// n x 3.
inline Rows3 to_rows(const std::vector<Vec3>& rows) {
  std::vector<double> values;
  values.reserve(3 * rows.size());
  for (const Vec3& r : rows) values.insert(values.end(), {r.x, r.y, r.z});
  return to_array<Rows3>(std::move(values), {rows.size(), 3});
}

/// A structured array of plain records, whose fields `dtype` lists as numpy.dtype() takes them.
template <class Record>
nb::object to_records(std::vector<Record>&& records, nb::handle dtype) {
  auto* kept = new std::vector<Record>(std::move(records));
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::vector<Record>*>(p); });
  const nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> bytes(
      kept->data(), {kept->size() * sizeof(Record)}, owner);
  return nb::cast(bytes).attr("view")(dtype);
}

/// numpy.dtype() of a list of fields in Python's notation. Never freed.
nb::handle make_dtype(const char* fields);

}  // namespace abut::python

template <class T, class... Shape>
struct nanobind::detail::type_caster<abut::python::Owned<T, Shape...>> {
  using Array = typename abut::python::Owned<T, Shape...>::Array;
  static constexpr auto Name = make_caster<Array>::Name;
  static handle from_cpp(const abut::python::Owned<T, Shape...>& x, rv_policy,
                         cleanup_list* cleanup) noexcept {
    return make_caster<Array>::from_cpp(x.array, rv_policy::automatic, cleanup);
  }
};

template <>
struct nanobind::detail::type_caster<abut::python::ArrayLike> {
  NB_TYPE_CASTER(abut::python::ArrayLike, const_name("numpy.typing.ArrayLike"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    value.value = borrow(source);
    return true;
  }
  static handle from_cpp(const abut::python::ArrayLike& x, rv_policy, cleanup_list*) noexcept {
    return x.value.inc_ref();
  }
};
