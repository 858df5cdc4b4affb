// Poses of geoms and boxes around them, a vector of three at a time, as bounding_box() has them;
// and which candidates are near, eight at a time. The same bits for every instruction set.

#include "abut/linalg/simd.hpp"
#include "abut/linalg/triples.hpp"

#include "abut/sim/placement_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

struct Axes {
  Quad x, y, z;
};
ABUT_INLINE Quad operator*(const Axes& R, Quad v) {
  return R.x * splat_lane<0>(v) + R.y * splat_lane<1>(v) + R.z * splat_lane<2>(v);
}
ABUT_INLINE double norm(Quad a) {
  const Quad squares = a * a;
  return __builtin_sqrt(squares[0] + squares[1] + squares[2]);
}

/// Half the sides of the box around a shape with these axes in the world.
ABUT_INLINE Quad half_sides(const PlacedGeom& g, const Axes& R) {
  const Quad size = load_quad(g.size);
  const Quad a = splat_lane<0>(size), b = splat_lane<1>(size), c = splat_lane<2>(size);
  switch (g.kind) {
    case ShapeKind::capsule: return b * abs(R.z) + a;
    case ShapeKind::cylinder: {
      const Quad across = 1 - R.z * R.z;
      return b * abs(R.z) + a * quad_sqrt(across > 0 ? across : Quad{});
    }
    case ShapeKind::box:
    case ShapeKind::hull: return a * abs(R.x) + b * abs(R.y) + c * abs(R.z);
    case ShapeKind::ellipsoid: {
      const Quad x = a * R.x, y = b * R.y, z = c * R.z;
      return quad_sqrt(x * x + y * y + z * z);
    }
    case ShapeKind::sphere:
    case ShapeKind::plane:
    case ShapeKind::height_field: break;  // the latter two do not move
  }
  return a;
}

/// Three numbers and three more, behind each other.
ABUT_INLINE void store_two(double* to, Quad a, Quad b) {
  store_quad(to, __builtin_shufflevector(a, b, 0, 1, 2, 4));
  to[4] = b[1], to[5] = b[2];
}

ABUT_INLINE void store_pose(Pose& to, Quad p, const Axes& R) {
  double* at = &to.p.x;
  store_quad(at, __builtin_shufflevector(p, R.x, 0, 1, 2, 4));
  store_quad(at + 4, __builtin_shufflevector(R.x, R.y, 1, 2, 4, 5));
  store_quad(at + 8, __builtin_shufflevector(R.y, R.z, 2, 4, 5, 6));
}

static_assert(sizeof(Pose) == 12 * sizeof(double) && sizeof(Aabb) == 6 * sizeof(double) &&
              sizeof(GeomMotion) == 4 * sizeof(double));

void place(const PlacementView& view, const PlacedGeom* geoms, int count) {
  for (int k = 0; k < count; ++k) {
    const PlacedGeom& g = geoms[k];
    const double* turn = &view.rotation[g.body].col[0].x;
    Axes R{load3(turn), load3(turn + 3), load3(turn + 6)};
    Quad p = load3(&view.center[g.body].x);
    if (g.has_pose) {
      p += R * load_quad(g.shift);
      R = {R * load_quad(g.turn), R * load_quad(g.turn + 4), R * load_quad(g.turn + 8)};
    }
    store_pose(view.poses[g.geom], p, R);

    const Quad velocity = load3(&view.linear_velocity[g.body].x);
    const double spin = g.radius * norm(load3(&view.angular_velocity[g.body].x));
    const double speed = norm(velocity) + spin;
    store_quad(&view.motions[g.geom].velocity.x, Quad{velocity[0], velocity[1], velocity[2], spin});
    const double ahead = view.dt * speed + view.fall;
    const double room = g.margin + (g.radius < ahead ? g.radius : ahead);
    view.rooms[g.geom] = room;
    view.skins[g.geom] = 0.02 * g.radius + 4 * view.dt * speed;

    const Quad middle = g.kind == ShapeKind::hull ? R * load_quad(g.middle) + p : p;
    const Quad half = half_sides(g, R), out = splat_quad(room);
    store_two(&view.boxes[g.geom].lower.x, middle - half - out, middle + half + out);
    store_quad(view.bounds[g.geom].center, middle);
    store_quad(view.bounds[g.geom].half, half);
  }
}

/// Appends the lanes with these bits, numbered from `first` on.
ABUT_INLINE int append(int first, unsigned bits, const Pack& way, std::int32_t* near,
                       double* ways) {
#if defined(__AVX512F__)
  const auto mask = static_cast<__mmask8>(bits);
  const __m256i number =
      _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  storeu_vec(ways, _mm512_maskz_compress_pd(mask, way.part[0]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(near), _mm256_maskz_compress_epi32(mask, number));
  return __builtin_popcount(bits);
#else
  double lanes[8];
  storeu(lanes, way);
  int count = 0;
  for (int i = 0; i < 8; ++i) {
    near[count] = first + i, ways[count] = lanes[i];
    count += bits >> i & 1;
  }
  return count;
#endif
}

static_assert(sizeof(CandidatePair) == 64 && sizeof(GeomBounds) == 64 &&
              __builtin_offsetof(CandidatePair, layer) ==
                  __builtin_offsetof(CandidatePair, margin) + 3 * sizeof(double));

int find_near(const NearView& view, int begin, int end, std::int32_t* near, double* ways) {
  const Pack dt(view.dt), fall(view.fall);
  int count = 0;
  for (int first = begin; first < end; first += 8) {
    Quad motion[8], apart[8], look[8];
    for (int i = 0; i < 8; ++i) {
      const CandidatePair& c = view.candidates[first + i < end ? first + i : first];
      const GeomBounds &box_a = view.bounds[c.geom_a], &box_b = view.bounds[c.geom_b];
      const Quad a = load_quad(&view.motions[c.geom_a].velocity.x),
                 b = load_quad(&view.motions[c.geom_b].velocity.x);
      motion[i] = __builtin_shufflevector(b - a, a + b, 0, 1, 2, 7);
      apart[i] = abs(load_quad(box_b.center) - load_quad(box_a.center)) -
                 (load_quad(box_a.half) + load_quad(box_b.half));
      look[i] = load_quad(&c.margin);
    }
    const auto [vx, vy, vz, spins] = split_fours(motion);
    const auto [x, y, z, none] = split_fours(apart);
    const auto [margin, most_ahead, falls, layer] = split_fours(look);
    const Pack way = dt * (sqrt(vx * vx + vy * vy + vz * vz) + spins);
    const Pack reach = margin + min(most_ahead, way + falls * fall);
    const unsigned are_there = end - first < 8 ? (1u << (end - first)) - 1 : 0xff;
    const unsigned are_near = bits(max(max(x, y), z) <= reach) & are_there;
    count += append(first, are_near, way, near + count, ways + count);
  }
  return count;
}

}  // namespace

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const PlacementKernels placement_table = {place, find_near};

}  // namespace abut::ABUT_ISA
