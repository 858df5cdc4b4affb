#include "abut/geometry/convex_hull.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "abut/geometry/hull_triangles.hpp"

namespace abut {
namespace {

constexpr double flatness = 1e-4;  ///< how far from its plane a face's vertices may be, of the size

using Edge = std::pair<std::int32_t, std::int32_t>;

Vec3 triangle_area(const std::vector<Vec3>& v, const Triangle& t) {
  return 0.5 * cross(v[t[1]] - v[t[0]], v[t[2]] - v[t[0]]);
}

Vec3 direction_of(const Vec3& v) {
  const double length = norm(v);
  return length > 0 ? v / length : Vec3{};
}

/// tan of half the angle between two unit vectors.
double half_tangent(const Vec3& a, const Vec3& b) {
  return norm(a - b) / maximum(norm(a + b), 1e-12);
}

/// The cells of a cube about the origin: 16 on each face, +x, +y, +z, -x, -y, -z.
int cell_of(const Vec3& direction) {
  const Vec3 a = abs(direction);
  const int axis = a.x >= a.y && a.x >= a.z ? 0 : a.y >= a.z ? 1 : 2;
  const double largest = a[axis];
  if (!(largest > 0)) return 0;
  const auto slot = [&](double x) { return std::min(static_cast<int>(2 * (x / largest + 1)), 3); };
  const int u = slot(direction[axis == 2 ? 0 : axis + 1]);
  const int v = slot(direction[axis == 0 ? 2 : axis - 1]);
  return 16 * (direction[axis] < 0 ? axis + 3 : axis) + 4 * u + v;
}

Vec3 middle_of(int cell) {
  const int axis = cell / 16 % 3;
  Vec3 d;
  d[axis] = cell < 48 ? 1 : -1;
  d[(axis + 1) % 3] = 0.5 * (cell / 4 % 4) - 0.75;
  d[(axis + 2) % 3] = 0.5 * (cell % 4) - 0.75;
  return d;
}

class HullBuilder {
 public:
  HullBuilder(ConvexHull& hull, std::vector<Triangle> triangles)
      : hull_(hull), triangles_(std::move(triangles)) {}

  void build() {
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const Triangle& x = triangles_[t];
      for (int k = 0; k < 3; ++k) owner_[{x[k], x[(k + 1) % 3]}] = static_cast<std::int32_t>(t);
    }
    grow_faces();
    for (std::int32_t face = 0; face < std::ssize(triangles_of_); ++face) add_face(face);
    join_faces();
    list_neighbours();
    list_faces_of_vertices();
  }

 private:
  void grow_faces();
  void grow(std::int32_t seed, std::int32_t face);
  void add_face(std::int32_t face);
  std::vector<std::int32_t> outline(std::int32_t face) const;
  void add_sides(const std::vector<std::int32_t>& loop, ConvexHull::Face& face);
  void shorten(std::vector<std::int32_t> loop, ConvexHull::Face& face) const;
  void join_faces();
  void list_neighbours();
  void list_faces_of_vertices();

  ConvexHull& hull_;
  std::vector<Triangle> triangles_;
  std::map<Edge, std::int32_t> owner_;                   ///< triangle of each directed edge
  std::vector<std::int32_t> face_of_;                    ///< of each triangle, -1: none yet
  std::vector<std::vector<std::int32_t>> triangles_of_;  ///< by face
};

/// From the largest triangle on: its face takes in all neighbours that lie in its plane.
void HullBuilder::grow_faces() {
  std::vector<std::int32_t> order(triangles_.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> area;
  area.reserve(triangles_.size());
  for (const Triangle& t : triangles_) area.push_back(norm(triangle_area(hull_.vertices, t)));
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return area[i] > area[j]; });
  face_of_.assign(triangles_.size(), -1);
  for (const std::int32_t seed : order) {
    if (face_of_[seed] >= 0) continue;
    triangles_of_.emplace_back();
    grow(seed, static_cast<std::int32_t>(triangles_of_.size()) - 1);
  }
}

void HullBuilder::grow(std::int32_t seed, std::int32_t face) {
  const Triangle& first = triangles_[seed];
  const Vec3 normal = direction_of(triangle_area(hull_.vertices, first));
  const double level = dot(normal, hull_.vertices[first[0]]);
  std::vector<std::int32_t> open = {seed};
  face_of_[seed] = face;
  while (!open.empty()) {
    triangles_of_[face].push_back(open.back());
    const Triangle t = triangles_[open.back()];
    open.pop_back();
    for (int k = 0; k < 3; ++k) {
      const auto next = owner_.find({t[(k + 1) % 3], t[k]});
      if (next == owner_.end() || face_of_[next->second] >= 0) continue;
      const Triangle& x = triangles_[next->second];
      const bool flat = std::all_of(x.begin(), x.end(), [&](std::int32_t v) {
        return std::abs(dot(normal, hull_.vertices[v]) - level) <= flatness * hull_.size;
      });
      const Vec3 area = triangle_area(hull_.vertices, x);
      if (!flat || dot(area, normal) < 0.9 * norm(area)) continue;
      face_of_[next->second] = face;
      open.push_back(next->second);
    }
  }
}

/// The boundary of a face's triangles; empty if it is not one loop.
std::vector<std::int32_t> HullBuilder::outline(std::int32_t face) const {
  std::map<std::int32_t, std::int32_t> next;
  std::size_t edges = 0;
  for (const std::int32_t t : triangles_of_[face]) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t from = triangles_[t][k], to = triangles_[t][(k + 1) % 3];
      const auto other = owner_.find({to, from});
      if (other != owner_.end() && face_of_[other->second] == face) continue;
      next[from] = to;
      ++edges;
    }
  }
  std::vector<std::int32_t> loop;
  if (next.empty()) return loop;
  std::int32_t at = next.begin()->first;
  do {
    loop.push_back(at);
    at = next[at];
  } while (at != loop.front() && loop.size() <= edges);
  if (loop.size() != edges) loop.clear();
  return loop;
}

void HullBuilder::add_face(std::int32_t index) {
  ConvexHull::Face face;
  Vec3 area;
  for (const std::int32_t t : triangles_of_[index]) {
    area += triangle_area(hull_.vertices, triangles_[t]);
  }
  face.normal = direction_of(area);
  face.extent = std::sqrt(norm(area));
  std::vector<std::int32_t> loop = outline(index);
  add_sides(loop, face);
  shorten(std::move(loop), face);
  hull_.faces.push_back(face);
}

void HullBuilder::add_sides(const std::vector<std::int32_t>& loop, ConvexHull::Face& face) {
  const std::vector<Vec3>& v = hull_.vertices;
  const std::size_t n = loop.size();
  face.begin = static_cast<std::int32_t>(hull_.sides.size());
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 last = direction_of(v[loop[k]] - v[loop[(k + n - 1) % n]]);
    const Vec3 along = direction_of(v[loop[(k + 1) % n]] - v[loop[k]]);
    ConvexHull::Side side;
    side.vertex = loop[k];
    side.outward = direction_of(cross(along, face.normal));
    side.turn = half_tangent(last, along);
    const auto other = owner_.find({loop[(k + 1) % n], loop[k]});
    side.next_face = other != owner_.end() ? face_of_[other->second] : -1;
    hull_.sides.push_back(side);
  }
  face.end = static_cast<std::int32_t>(hull_.sides.size());
}

/// Takes corners away, always the one that cuts off least.
void HullBuilder::shorten(std::vector<std::int32_t> loop, ConvexHull::Face& face) const {
  const auto cut = [&](std::size_t k) {
    const std::size_t n = loop.size();
    return norm(triangle_area(hull_.vertices, {loop[(k + n - 1) % n], loop[k], loop[(k + 1) % n]}));
  };
  while (loop.size() > face.outline.size()) {
    std::size_t least = 0;
    for (std::size_t k = 1; k < loop.size(); ++k) {
      if (cut(k) < cut(least)) least = k;
    }
    loop.erase(loop.begin() + static_cast<std::ptrdiff_t>(least));
  }
  face.corners = static_cast<int>(loop.size());
  std::copy(loop.begin(), loop.end(), face.outline.begin());
}

/// The bend at each side, which needs the other face's normal.
void HullBuilder::join_faces() {
  for (ConvexHull::Face& face : hull_.faces) {
    face.least_bend = HUGE_VAL;
    for (std::int32_t k = face.begin; k < face.end; ++k) {
      ConvexHull::Side& side = hull_.sides[k];
      if (side.next_face >= 0) {
        side.bend = half_tangent(face.normal, hull_.faces[side.next_face].normal);
      }
      face.least_bend = minimum(face.least_bend, side.bend);
    }
  }
}

/// By the triangles, not the faces: uphill from any vertex then leads to the top.
void HullBuilder::list_neighbours() {
  const std::size_t n = hull_.vertices.size();
  std::vector<std::set<std::int32_t>> next(n);
  for (const Triangle& t : triangles_) {
    for (int k = 0; k < 3; ++k) {
      next[t[k]].insert(t[(k + 1) % 3]);
      next[t[(k + 1) % 3]].insert(t[k]);
    }
  }
  hull_.neighbours_begin.push_back(0);
  for (const auto& list : next) {
    hull_.neighbours.insert(hull_.neighbours.end(), list.begin(), list.end());
    hull_.neighbours_begin.push_back(static_cast<std::int32_t>(hull_.neighbours.size()));
  }
  hull_.farthest_near.fill(0);
  for (int cell = 0; cell < std::ssize(hull_.farthest_near); ++cell) {
    const int vertex = hull_.farthest(middle_of(cell));
    hull_.farthest_near[cell] = vertex;
  }
}

void HullBuilder::list_faces_of_vertices() {
  const std::size_t n = hull_.vertices.size();
  std::vector<std::vector<std::int32_t>> at(n);
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (const std::int32_t v : triangles_[t]) {
      auto& list = at[v];
      if (std::find(list.begin(), list.end(), face_of_[t]) == list.end()) {
        list.push_back(face_of_[t]);
      }
    }
  }
  hull_.faces_begin.push_back(0);
  for (const auto& list : at) {
    hull_.faces_at.insert(hull_.faces_at.end(), list.begin(), list.end());
    hull_.faces_begin.push_back(static_cast<std::int32_t>(hull_.faces_at.size()));
  }
}

}  // namespace

int ConvexHull::farthest(const Vec3& direction, int start) const {
  int best = farthest_near[cell_of(direction)];
  double most = dot(direction, vertices[best]);
  if (start >= 0) {
    const double height = dot(direction, vertices[start]);
    if (height >= most) most = height, best = start;
  }
  for (bool higher = true; higher;) {
    higher = false;
    const int from = best;
    for (int k = neighbours_begin[from]; k < neighbours_begin[from + 1]; ++k) {
      const double height = dot(direction, vertices[neighbours[k]]);
      if (height > most) most = height, best = neighbours[k], higher = true;
    }
  }
  return best;
}

std::shared_ptr<const ConvexHull> make_convex_hull(std::span<const Vec3> points, const Origin& at) {
  require_mesh_bounds(points, at);
  std::vector<Triangle> triangles = hull_triangles(points);
  if (triangles.empty()) {
    fail_input("a mesh that collides needs four vertices that do not lie in one plane", at);
  }
  auto hull = std::make_shared<ConvexHull>();
  std::map<std::int32_t, std::int32_t> index;
  for (Triangle& t : triangles) {
    for (std::int32_t& v : t) {
      const auto [entry, added] =
          index.try_emplace(v, static_cast<std::int32_t>(hull->vertices.size()));
      if (added) hull->vertices.push_back(points[v]);
      v = entry->second;
    }
  }
  hull->lower = hull->upper = hull->vertices.front();
  for (const Vec3& v : hull->vertices) {
    hull->bounding_radius = std::max(hull->bounding_radius, norm(v));
    for (int k = 0; k < 3; ++k) {
      hull->lower[k] = std::min(hull->lower[k], v[k]);
      hull->upper[k] = std::max(hull->upper[k], v[k]);
    }
  }
  hull->size = norm(hull->upper - hull->lower);
  HullBuilder(*hull, std::move(triangles)).build();
  return hull;
}

}  // namespace abut
