#include "numbers.hpp"

#include <cmath>

#include "abut/core/error.hpp"

namespace abut::python {
namespace {

using Input = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// As numpy makes it of anything.
Input convert(const ArrayLike& x, std::string_view name) {
  Input array;
  if (nb::try_cast(x.value, array, false)) return array;
  try {
    const nb::object converted =
        nb::module_::import_("numpy").attr("ascontiguousarray")(x.value, "float64");
    return nb::cast<Input>(converted);
  } catch (const nb::python_error& e) {
    if (!e.matches(PyExc_TypeError) && !e.matches(PyExc_ValueError)) throw;
    fail_input(std::string(name) + " must be numbers: " + nb::str(e.value()).c_str());
  } catch (const nb::cast_error&) {
    fail_input(std::string(name) + " must be numbers");
  }
}

}  // namespace

std::vector<double> to_numbers(const ArrayLike& x, std::string_view name) {
  const Input array = convert(x, name);
  const std::vector<double> values(array.data(), array.data() + array.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    require(
        false,
        values.size() == 1 ? std::string(name) : std::string(name) + "[" + std::to_string(i) + "]",
        values[i], "", "must be finite");
  }
  return values;
}

std::vector<double> to_numbers(const ArrayLike& x, std::string_view name, std::size_t count) {
  std::vector<double> values = to_numbers(x, name);
  if (values.size() != count) {
    fail_input(std::string(name) + " has " + std::to_string(values.size()) +
               " numbers, must have " + std::to_string(count));
  }
  return values;
}

Vec3 to_vec3(const ArrayLike& x, std::string_view name) {
  const std::vector<double> v = to_numbers(x, name, 3);
  return {v[0], v[1], v[2]};
}

Quaternion to_quaternion(const ArrayLike& x, std::string_view name) {
  const std::vector<double> v = to_numbers(x, name, 4);
  const Quaternion q{v[0], v[1], v[2], v[3]};
  const double length = norm(q);
  require(std::abs(length - 1) < 1e-3, "norm of " + std::string(name), length, "", "must be 1");
  return q;
}

Mat3 to_mat3(const ArrayLike& x, std::string_view name) {
  const std::vector<double> v = to_numbers(x, name, 9);
  return {{{v[0], v[3], v[6]}, {v[1], v[4], v[7]}, {v[2], v[5], v[8]}}};
}

Array3 to_array(const Vec3& v) {
  return to_array<Array3>(std::vector<double>{v.x, v.y, v.z}, {3});
}

Array4 to_array(const Quaternion& q) {
  return to_array<Array4>(std::vector<double>{q.w, q.x, q.y, q.z}, {4});
}

Array33 to_array(const Mat3& m) {
  std::vector<double> v;
  for (int i = 0; i < 3; ++i) v.insert(v.end(), {m(i, 0), m(i, 1), m(i, 2)});
  return to_array<Array33>(std::move(v), {3, 3});
}

nb::handle make_dtype(const char* fields) {
  const nb::object list = nb::module_::import_("ast").attr("literal_eval")(fields);
  return nb::module_::import_("numpy").attr("dtype")(list).release();
}

}  // namespace abut::python
