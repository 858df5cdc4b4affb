#include "abut/geometry/box_face.hpp"

namespace abut {

BoxFace face_towards(const Vec3& half_extents, const Vec3& center, const Mat3& R,
                     const Vec3& toward, bool seen_from_outside) {
  const double h[3] = {half_extents.x, half_extents.y, half_extents.z};
  const double along[3] = {dot(R.col[0], toward), dot(R.col[1], toward), dot(R.col[2], toward)};
  const double n[3] = {std::abs(along[0]), std::abs(along[1]), std::abs(along[2])};
  // no branches: they are not predictable
  const bool is_first = (n[0] >= n[1]) & (n[0] >= n[2]);
  const int i = is_first ? 0 : 2 - (n[1] >= n[2]);
  const bool outward = along[i] > 0;
  // u x v is the outward normal for even (i, iu, iv) on the positive side.
  const bool even = outward == seen_from_outside;
  const int iu = even ? (i + 1) % 3 : (i + 2) % 3, iv = 3 - i - iu;

  BoxFace face;
  face.normal = (outward ? 1.0 : -1.0) * R.col[i];
  face.u = R.col[iu], face.v = R.col[iv];
  face.half_u = h[iu], face.half_v = h[iv];
  face.center = center + h[i] * face.normal;
  face.feature = box_digit(i, outward);
  for (int k = 0; k < 4; ++k) face.side_feature[k] = box_digit(k & 1 ? iv : iu, k < 2);

  const bool u_next = n[iu] >= n[iv];
  const int second = u_next ? iu : iv, third = u_next ? iv : iu;
  face.lowest_side = !u_next + 2 * !(along[second] > 0);
  face.mix = feature_mix(n[i], n[second], n[third]);
  return face;
}

}  // namespace abut
