#include "abut/geometry/epa.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace abut {
namespace {

struct Face {
  int vertex[3];  ///< counterclockwise seen from outside
  int next[3];    ///< beyond the side from vertex k to vertex k + 1
  Vec3 normal;
  double level = 0;  ///< distance of the plane from the origin [m]
  bool gone = false;
};

/// A side of what a new point sees of the polyhedron: the face beyond it and that face's side.
struct Rim {
  int from, to, face, side;
};

struct Candidate {
  double level;
  int face;
  friend bool operator<(const Candidate& x, const Candidate& y) { return x.level > y.level; }
};

class Polyhedron {
 public:
  /// False if the points are in a plane.
  bool start(const Simplex& s);
  /// False when none is left.
  bool nearest(int& face);
  const Face& face(int k) const { return faces_[k]; }
  /// False if rounding makes what the point sees ragged; the polyhedron is then of no more use.
  bool add(const Vec3& point, int seen_from);

 private:
  bool add_face(int a, int b, int c);
  bool collect_rim(int face, const Vec3& point);

  std::vector<Vec3> points_;
  std::vector<Face> faces_;
  std::vector<Candidate> heap_;
  std::vector<Rim> rim_;
  std::vector<int> open_, starting_;
};

bool Polyhedron::add_face(int a, int b, int c) {
  Face f;
  f.vertex[0] = a, f.vertex[1] = b, f.vertex[2] = c;
  const Vec3 n = cross(points_[b] - points_[a], points_[c] - points_[a]);
  const double length = norm(n);
  if (!(length > 0)) return false;
  f.normal = n / length;
  f.level = dot(f.normal, points_[a]);
  heap_.push_back({f.level, static_cast<int>(faces_.size())});
  std::push_heap(heap_.begin(), heap_.end());
  faces_.push_back(f);
  return true;
}

bool Polyhedron::start(const Simplex& s) {
  points_.clear(), faces_.clear(), heap_.clear();
  for (int k = 0; k < 4; ++k) points_.push_back(s.at[k].w);
  const Vec3 n = cross(points_[1] - points_[0], points_[2] - points_[0]);
  if (dot(n, points_[3] - points_[0]) > 0) std::swap(points_[1], points_[2]);
  for (const auto& [a, b, c] : {std::array{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}) {
    if (!add_face(a, b, c)) return false;
  }
  constexpr int next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < static_cast<int>(faces_.size()); ++f) {
    std::copy(next[f], next[f] + 3, faces_[f].next);
  }
  return true;
}

bool Polyhedron::nearest(int& face) {
  while (!heap_.empty()) {
    face = heap_.front().face;
    if (!faces_[face].gone) return true;
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
  return false;
}

/// Removes what the point sees, from `face` on, and lists its border.
bool Polyhedron::collect_rim(int face, const Vec3& point) {
  rim_.clear(), open_.clear();
  open_.push_back(face);
  faces_[face].gone = true;
  while (!open_.empty()) {
    const int at = open_.back();
    open_.pop_back();
    for (int k = 0; k < 3; ++k) {
      const int beyond = faces_[at].next[k];
      Face& f = faces_[beyond];
      if (f.gone) continue;
      if (dot(f.normal, point) > f.level) {
        f.gone = true;
        open_.push_back(beyond);
        continue;
      }
      const int from = faces_[at].vertex[k], to = faces_[at].vertex[(k + 1) % 3];
      int side = 0;
      while (side < 3 && f.vertex[side] != to) ++side;
      if (side == 3) return false;
      rim_.push_back({from, to, beyond, side});
    }
  }
  std::erase_if(rim_, [&](const Rim& r) { return faces_[r.face].gone; });
  return rim_.size() >= 3;
}

bool Polyhedron::add(const Vec3& point, int seen_from) {
  if (!collect_rim(seen_from, point)) return false;
  const int tip = static_cast<int>(points_.size()), first = static_cast<int>(faces_.size());
  points_.push_back(point);
  starting_.assign(points_.size(), -1);
  for (const Rim& r : rim_) {
    const int index = static_cast<int>(faces_.size());
    if (starting_[r.from] >= 0 || !add_face(r.from, r.to, tip)) return false;
    starting_[r.from] = index;
    faces_[index].next[0] = r.face;
    faces_[r.face].next[r.side] = index;
  }
  for (int k = first; k < static_cast<int>(faces_.size()); ++k) {
    const int after = starting_[faces_[k].vertex[1]];
    if (after < 0) return false;
    faces_[k].next[1] = after;
    faces_[after].next[2] = k;
  }
  return true;
}

}  // namespace

Vec3 shortest_way_out(CoreDifference& c, const Simplex& inner) {
  constexpr int most = 1000;
  const double close = 1e-10 * c.size;
  thread_local Polyhedron polyhedron;
  if (!polyhedron.start(inner)) return {};
  Vec3 best;
  double depth = HUGE_VAL;
  for (int k = 0, nearest = 0; k < most && polyhedron.nearest(nearest); ++k) {
    const Face face = polyhedron.face(nearest);
    const Vec3 w = c.support(face.normal).w;
    const double along = dot(face.normal, w);
    if (along < depth) depth = along, best = face.normal;
    if (depth - face.level <= close || along - face.level <= 1e-15 * c.size) break;
    if (!polyhedron.add(w, nearest)) break;
  }
  return best;
}

}  // namespace abut
