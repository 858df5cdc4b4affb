#include "abut/geometry/hull_triangles.hpp"

#include <cstdio>
#include <memory>
#include <utility>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace abut {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Qhull with all that it allocated.
class Qhull {
 public:
  Qhull() : silence_(std::fopen("/dev/null", "w")) { qh_zero(&qh_, silence_.get()); }
  ~Qhull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int count = 0, bytes = 0;
    qh_memfreeshort(&qh_, &count, &bytes);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  /// False if it finds no hull: it says why on a stream of its own, which is closed to it here.
  bool run(std::vector<double>& coordinates) {
    char command[] = "qhull Qt Pp";  // triangles, and no advice
    const int count = static_cast<int>(coordinates.size() / 3);
    return silence_ != nullptr && qh_new_qhull(&qh_, 3, count, coordinates.data(), False, command,
                                               nullptr, silence_.get()) == 0;
  }
  qhT* get() { return &qh_; }

 private:
  std::unique_ptr<std::FILE, CloseFile> silence_;
  qhT qh_;
};

}  // namespace

std::vector<Triangle> hull_triangles(std::span<const Vec3> points) {
  std::vector<Triangle> triangles;
  if (points.size() < 4) return triangles;
  std::vector<double> coordinates;
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x, p.y, p.z});
  Qhull qhull;
  if (!qhull.run(coordinates)) return triangles;
  qhT* qh = qhull.get();
  for (const facetT* facet = qh->facet_list; facet != nullptr && facet->next != nullptr;
       facet = facet->next) {
    Triangle t{};
    int size = 0;
    for (void** at = &facet->vertices->e[0].p; *at != nullptr; ++at) {
      const auto* vertex = static_cast<const vertexT*>(*at);
      if (size < 3) t[size] = qh_pointid(qh, vertex->point);
      ++size;
    }
    if (size != 3) continue;
    const Vec3 normal = cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]);
    if (dot(normal, {facet->normal[0], facet->normal[1], facet->normal[2]}) < 0) {
      std::swap(t[1], t[2]);
    }
    triangles.push_back(t);
  }
  return triangles;
}

}  // namespace abut
