#include "numbers.hpp"

#include <cmath>

#include "abut/core/error.hpp"

namespace abut::python {
namespace {

using Input = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// As numpy makes it of anything that holds real numbers.
Input convert(const ArrayLike& x, std::string_view name) {
  static const nb::handle ndarray =
      nb::object(nb::module_::import_("numpy").attr("ndarray")).release();
  Input array;
  if (x.value.type().is(ndarray) && nb::try_cast(x.value, array, false)) return array;
  try {
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object any = numpy.attr("asanyarray")(x.value);
    const std::string kind = nb::cast<std::string>(any.attr("dtype").attr("kind"));
    const bool is_masked = nb::cast<bool>(numpy.attr("ma").attr("isMaskedArray")(any));
    if (std::string("biuf").find(kind) == std::string::npos || is_masked) {
      const std::string type = is_masked ? "a masked array"
                               : kind == "U"
                                   ? "text"
                                   : nb::cast<std::string>(any.attr("dtype").attr("name"));
      fail_input(std::string(name) + " must be real numbers, not " + type);
    }
    return nb::cast<Input>(numpy.attr("ascontiguousarray")(any, "float64"));
  } catch (const nb::python_error& e) {
    if (!e.matches(PyExc_TypeError) && !e.matches(PyExc_ValueError)) throw;
    fail_input(std::string(name) + " must be numbers: " + nb::str(e.value()).c_str());
  } catch (const nb::cast_error&) {
    fail_input(std::string(name) + " must be numbers");
  }
}

/// "(3, 8)"
std::string shape_of(const Input& array) {
  std::string text = "(";
  for (std::size_t k = 0; k < array.ndim(); ++k) {
    text += std::to_string(array.shape(k)) + (k + 1 < array.ndim() ? ", " : "");
  }
  return text + (array.ndim() == 1 ? ",)" : ")");
}

std::vector<double> finite_values(const Input& array, std::string_view name) {
  std::vector<double> values(array.data(), array.data() + array.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    require(
        false,
        values.size() == 1 ? std::string(name) : std::string(name) + "[" + std::to_string(i) + "]",
        values[i], "", "must be finite");
  }
  return values;
}

}  // namespace

std::vector<double> to_numbers(const ArrayLike& x, std::string_view name) {
  const Input array = convert(x, name);
  if (array.ndim() > 1) {
    fail_input(std::string(name) + " has the shape " + shape_of(array) + ", must be a list");
  }
  return finite_values(array, name);
}

std::vector<double> to_numbers(const ArrayLike& x, std::string_view name, std::size_t count) {
  std::vector<double> values = to_numbers(x, name);
  if (values.size() != count) {
    fail_input(std::string(name) + " has " + std::to_string(values.size()) +
               " numbers, must have " + std::to_string(count));
  }
  return values;
}

std::vector<double> to_table(const ArrayLike& x, std::string_view name, std::optional<int> rows,
                             std::optional<int> columns) {
  const Input array = convert(x, name);
  const auto fits = [](std::size_t count, std::optional<int> wanted) {
    return !wanted || count == static_cast<std::size_t>(*wanted);
  };
  const bool is_empty = array.size() == 0 && (!rows || rows == 0);  // [] has one dimension
  if (!is_empty &&
      (array.ndim() != 2 || !fits(array.shape(0), rows) || !fits(array.shape(1), columns))) {
    const auto text = [](std::optional<int> n) { return n ? std::to_string(*n) : "n"; };
    fail_input(std::string(name) + " has the shape " + shape_of(array) + ", must be (" +
               text(rows) + ", " + text(columns) + ")");
  }
  return finite_values(array, name);
}

std::shared_ptr<const ForceTable> to_force_table(const std::optional<ArrayLike>& x) {
  if (!x) return nullptr;
  const std::vector<double> rows = to_table(*x, "force_table", {}, 2);
  ForceTable table;
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    table.depth.push_back(rows[i]), table.force.push_back(rows[i + 1]);
  }
  table.validate();
  return std::make_shared<const ForceTable>(std::move(table));
}

nb::object to_object(const std::shared_ptr<const ForceTable>& table) {
  if (table == nullptr) return nb::none();
  std::vector<double> rows;
  for (std::size_t i = 0; i < table->depth.size(); ++i) {
    rows.insert(rows.end(), {table->depth[i], table->force[i]});
  }
  return nb::cast(to_array<Matrix>(std::move(rows), {table->depth.size(), 2}));
}

std::vector<Vec3> to_vectors(const ArrayLike& x, std::string_view name, std::optional<int> rows) {
  const std::vector<double> values = to_table(x, name, rows, 3);
  std::vector<Vec3> vectors;
  for (std::size_t i = 0; i < values.size(); i += 3) {
    vectors.push_back({values[i], values[i + 1], values[i + 2]});
  }
  return vectors;
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
  const std::vector<double> v = to_table(x, name, 3, 3);
  return {{{v[0], v[3], v[6]}, {v[1], v[4], v[7]}, {v[2], v[5], v[8]}}};
}

Mat3 to_inertia(const ArrayLike& x, std::string_view name) {
  return convert(x, name).ndim() < 2 ? Mat3::diagonal(to_vec3(x, name)) : to_mat3(x, name);
}

std::string describe(const Vec3& v) {
  return format_text("[%.6g, %.6g, %.6g]", v.x, v.y, v.z);
}
std::string describe(const Quaternion& q) {
  return format_text("[%.6g, %.6g, %.6g, %.6g]", q.w, q.x, q.y, q.z);
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
