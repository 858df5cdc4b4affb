#include <charconv>
#include <cstdint>

#include "abut/io/mesh/readers.hpp"
#include "abut/io/mesh/text_lines.hpp"

namespace abut::mesh {

namespace {

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& path) : lines_(text, path), path_(path) {}

  std::vector<Vec3> read() {
    for (std::string_view line; lines_.next(line);) {
      const std::string_view keyword = take_word(line);
      if (keyword == "v") {
        const auto next = [&] { return lines_.coordinate(take_word(line)); };
        vertices_.push_back({next(), next(), next()});
      } else if (keyword == "f") {
        read_face(line);
      }  // texture, normals, groups and materials do not collide
    }
    return std::move(corners_);
  }

 private:
  /// A polygon as a fan of triangles.
  void read_face(std::string_view words) {
    std::vector<Vec3>& polygon = polygon_;
    polygon.clear();
    for (std::string_view word; !(word = take_word(words)).empty();) {
      polygon.push_back(vertices_[find_vertex(word)]);
    }
    if (polygon.size() < 3) lines_.fail("a face needs three vertices");
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      corners_.insert(corners_.end(), {polygon[0], polygon[k - 1], polygon[k]});
    }
    require_few_triangles(corners_.size() / 3, path_);
  }

  /// Index of a vertex written so far, from "7", "7/1/2" or, counted from the last, "-1".
  std::size_t find_vertex(std::string_view word) const {
    const std::string_view digits = word.substr(0, word.find('/'));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      lines_.fail("vertex " + quote(word) + ", must be a whole number");
    }
    const auto count = static_cast<std::int64_t>(vertices_.size());
    const std::int64_t index = number < 0 ? count + number : number - 1;
    if (index < 0 || index >= count) {
      lines_.fail("vertex " + std::to_string(number) +
                  " does not exist; vertices so far: " + std::to_string(count));
    }
    return static_cast<std::size_t>(index);
  }

  TextLines lines_;
  const std::string& path_;
  std::vector<Vec3> vertices_, corners_, polygon_;
};

}  // namespace

std::vector<Vec3> read_obj(std::string_view bytes, const std::string& path) {
  return ObjReader(bytes, path).read();
}

}  // namespace abut::mesh
