// Collada: the triangles of the geometries that the scene's nodes place.

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "abut/core/text.hpp"
#include "abut/io/decimal.hpp"
#include "abut/io/mesh/readers.hpp"
#include "abut/io/xml_document.hpp"
#include "abut/linalg/rotation.hpp"

namespace abut::mesh {

namespace {

/// x -> A x + t
struct AffineMap {
  Mat3 A = Mat3::identity();
  Vec3 t;
  Vec3 operator*(const Vec3& x) const { return A * x + t; }
  AffineMap operator*(const AffineMap& b) const { return {A * b.A, *this * b.t}; }
};

std::vector<double> read_numbers(const XmlElement& e, std::size_t expected = 0) {
  std::vector<double> numbers;
  const std::string content = e.content();
  std::string_view rest = content;
  for (std::string_view word; !(word = take_word(rest)).empty();) {
    const Decimal number = read_decimal(word);
    if (number.broken_rule != nullptr) {
      e.fail(bracketed(e.tag()) + ": " + quote(word) + ", " + number.broken_rule);
    }
    numbers.push_back(number.value);
  }
  if (expected > 0 && numbers.size() != expected) {
    e.fail(bracketed(e.tag()) + " has " + std::to_string(numbers.size()) + " numbers, must have " +
           std::to_string(expected));
  }
  return numbers;
}

/// A number that counts or points at something: whole, from 0 to 2^31.
std::size_t to_index(const XmlElement& e, double number) {
  if (!(number >= 0 && number < 0x1p31 && number == std::floor(number))) {
    e.fail(bracketed(e.tag()) + ": " + std::to_string(number) +
           ", must be a whole number that is not negative");
  }
  return static_cast<std::size_t>(number);
}

/// The id that "#id" points at.
std::string target_of(const XmlElement& e, const char* attribute) {
  const std::string url = e.text(attribute);
  if (url.front() != '#')
    e.fail(std::string(attribute) + " = " + quote(url) + ": other files are not read");
  return url.substr(1);
}

AffineMap read_transform(const XmlElement& e) {
  const std::string_view tag = e.tag();
  AffineMap map;
  if (tag == "matrix") {
    const std::vector<double> m = read_numbers(e, 16);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) map.A(r, c) = m[4 * r + c];
      map.t[r] = m[4 * r + 3];
    }
  } else if (tag == "translate") {
    const std::vector<double> v = read_numbers(e, 3);
    map.t = {v[0], v[1], v[2]};
  } else if (tag == "scale") {
    const std::vector<double> v = read_numbers(e, 3);
    map.A = Mat3::diagonal({v[0], v[1], v[2]});
  } else if (tag == "rotate") {  // axis, angle in degrees
    const std::vector<double> v = read_numbers(e, 4);
    const Vec3 axis{v[0], v[1], v[2]};
    const double length = norm(axis);
    if (length > 0) {
      constexpr double pi = 3.14159265358979323846;
      map.A = to_matrix(exp_rotation((v[3] * pi / 180 / length) * axis));
    }
  } else if (tag == "lookat" || tag == "skew") {
    e.fail(bracketed(tag) + " is not read");
  }
  return map;
}

class ColladaReader {
 public:
  ColladaReader(const XmlElement& root, const std::string& path) : root_(root), path_(path) {
    index(root_);
  }

  std::vector<Vec3> read() {
    AffineMap unit;
    if (const auto asset = root_.child("asset")) {
      if (const auto e = asset->child("unit")) {
        const double meter = e->number("meter", 1);
        if (!(meter > 0)) e->fail("meter must be positive");
        unit.A = meter * Mat3::identity();
      }
    }
    bool has_scene = false;
    if (const auto scene = root_.child("scene")) {
      if (const auto instance = scene->child("instance_visual_scene")) {
        has_scene = true;
        add_children(find(*instance, "url"), unit, 0);
      }
    }
    if (!has_scene) {  // what there is, where it is
      for (const auto& [id, e] : by_id_) {
        if (e.tag() == "geometry") add_geometry(e, unit);
      }
    }
    return std::move(corners_);
  }

 private:
  void index(const XmlElement& e) {
    if (e.has("id")) by_id_.try_emplace(e.text("id"), e);
    e.for_each_child([&](const XmlElement& child) { index(child); });
  }

  const XmlElement& find(const XmlElement& e, const char* attribute) const {
    const auto found = by_id_.find(target_of(e, attribute));
    if (found == by_id_.end()) {
      e.fail(std::string(attribute) + " = " + quote(e.text(attribute)) + " does not exist");
    }
    return found->second;
  }

  /// All that hangs on a node or a scene.
  void add_children(const XmlElement& parent, AffineMap map, int depth) {
    constexpr int deepest = 64, most = 100'000;
    if (depth > deepest || ++nodes_ > most) {
      parent.fail(
          "nodes that are in each other, or too many: 64 levels and 100 000 nodes are read");
    }
    parent.for_each_child([&](const XmlElement& e) {
      if (e.tag() == "node") {
        add_children(e, map, depth + 1);
      } else if (e.tag() == "instance_node") {
        add_children(find(e, "url"), map, depth + 1);
      } else if (e.tag() == "instance_geometry") {
        add_geometry(find(e, "url"), map);
      } else if (parent.tag() == "node") {
        map = map * read_transform(e);  // they come before what they move
      }
    });
  }

  void add_geometry(const XmlElement& geometry, const AffineMap& map) {
    const auto mesh = geometry.child("mesh");
    if (!mesh) return;  // splines
    mesh->for_each_child([&](const XmlElement& e) {
      const std::string_view tag = e.tag();
      if (tag == "triangles" || tag == "polylist" || tag == "polygons" || tag == "trifans" ||
          tag == "tristrips") {
        add_polygons(e, map);
      }
    });
  }

  /// Positions by index, where an <input> of a primitive leads to.
  const std::vector<Vec3>& positions(const XmlElement& input) {
    const XmlElement& vertices = find(input, "source");
    std::optional<XmlElement> position;
    vertices.for_each_child([&](const XmlElement& e) {
      if (e.tag() == "input" && e.text("semantic") == "POSITION") position = e;
    });
    if (!position) vertices.fail("<vertices> has no input POSITION");
    const XmlElement& source = find(*position, "source");
    const auto [entry, is_new] = positions_.try_emplace(source.text("id"));
    if (is_new) entry->second = read_positions(source);
    return entry->second;
  }

  std::vector<Vec3> read_positions(const XmlElement& source) const {
    const XmlElement accessor =
        source.required_child("technique_common").required_child("accessor");
    const std::vector<double> numbers = read_numbers(find(accessor, "source"));
    const std::size_t stride = to_index(accessor, accessor.number("stride", 1)),
                      first = to_index(accessor, accessor.number("offset", 0)),
                      count = to_index(accessor, accessor.number("count"));
    if (stride < 3) accessor.fail("stride must be at least 3");
    if (count > 0 && first + (count - 1) * stride + 3 > numbers.size()) {
      accessor.fail("<accessor> reaches beyond the " + std::to_string(numbers.size()) + " numbers");
    }
    std::vector<Vec3> points(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double* at = numbers.data() + first + i * stride;
      points[i] = {at[0], at[1], at[2]};
    }
    return points;
  }

  void add_polygons(const XmlElement& e, const AffineMap& map) {
    std::size_t stride = 1, offset = 0;
    const std::vector<Vec3>* points = nullptr;
    e.for_each_child([&](const XmlElement& input) {
      if (input.tag() != "input") return;
      const std::size_t at = to_index(input, input.number("offset"));
      if (at > 1000) input.fail("offset must be at most 1000");
      stride = std::max(stride, at + 1);
      if (input.text("semantic") == "VERTEX") points = &positions(input), offset = at;
    });
    if (points == nullptr) e.fail(bracketed(e.tag()) + " has no input VERTEX");
    std::vector<double> sizes;
    if (const auto counts = e.child("vcount")) sizes = read_numbers(*counts);
    e.for_each_child([&](const XmlElement& p) {
      if (p.tag() == "ph") p.fail("polygons with holes are not read");
      if (p.tag() != "p") return;
      polygon_.clear();
      const std::vector<double> indices = read_numbers(p);
      for (std::size_t i = offset; i < indices.size(); i += stride) {
        const std::size_t index = to_index(p, indices[i]);
        if (index >= points->size()) {
          p.fail("vertex " + std::to_string(index) + ", must be below " +
                 std::to_string(points->size()) + ", the number of vertices");
        }
        polygon_.push_back(map * (*points)[index]);
      }
      split(e, p, sizes);
    });
  }

  /// The polygon's corners, by the kind of primitive.
  void split(const XmlElement& primitive, const XmlElement& p, const std::vector<double>& sizes) {
    const std::string_view tag = primitive.tag();
    if (tag == "triangles") return add_runs(p, 3);
    if (tag == "tristrips") {
      for (std::size_t k = 0; k + 2 < polygon_.size(); ++k) add_fan(k, 3);
    } else if (tag == "polylist") {
      std::size_t at = 0;
      for (const double size : sizes) {
        const std::size_t count = to_index(p, size);
        if (count > polygon_.size() - at) p.fail("<vcount> asks for more vertices than <p> has");
        add_fan(at, count);
        at += count;
      }
      if (at != polygon_.size()) p.fail("<p> has more vertices than <vcount> says");
    } else {
      add_fan(0, polygon_.size());
    }
  }

  void add_runs(const XmlElement& p, std::size_t size) {
    if (polygon_.size() % size != 0) p.fail("<p> ends within a triangle");
    for (std::size_t at = 0; at < polygon_.size(); at += size) add_fan(at, size);
  }

  void add_fan(std::size_t at, std::size_t count) {
    looked_at_ += count;
    if (looked_at_ > 10 * most_triangles) {
      fail_input("it places more than 50 million corners", {path_, 0, {}});
    }
    for (std::size_t k = 2; k < count; ++k) {
      corners_.insert(corners_.end(), {polygon_[at], polygon_[at + k - 1], polygon_[at + k]});
    }
    require_few_triangles(corners_.size() / 3, path_);
  }

  XmlElement root_;
  const std::string& path_;
  std::map<std::string, XmlElement> by_id_;
  std::map<std::string, std::vector<Vec3>> positions_;  ///< by source
  std::vector<Vec3> polygon_, corners_;
  int nodes_ = 0;
  std::size_t looked_at_ = 0;  ///< corners
};

}  // namespace

std::vector<Vec3> read_collada(std::string_view bytes, const std::string& path) {
  const XmlDocument document(std::string(bytes), path);
  return ColladaReader(document.root("COLLADA"), path).read();
}

}  // namespace abut::mesh
