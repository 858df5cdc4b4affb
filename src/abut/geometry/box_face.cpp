#include "abut/geometry/box_face.hpp"

namespace abut {

BoxFace face_towards(const Vec3& half_extents, const Vec3& center, const Mat3& R,
                     const Vec3& toward, bool seen_from_outside) {
  const double h[3] = {half_extents.x, half_extents.y, half_extents.z};
  const double along[3] = {dot(R.col[0], toward), dot(R.col[1], toward), dot(R.col[2], toward)};
  const double n[3] = {std::abs(along[0]), std::abs(along[1]), std::abs(along[2])};
  // arithmetic instead of branches, which are not predictable
  constexpr int axis_after[5] = {0, 1, 2, 0, 1};
  constexpr double sign[2] = {-1, 1};
  const int i = (1 - ((n[0] >= n[1]) & (n[0] >= n[2]))) * (2 - (n[1] >= n[2]));
  const bool outward = along[i] > 0;
  // u x v is the outward normal for even (i, iu, iv) on the positive side.
  const int odd = outward ^ seen_from_outside;
  const int iu = axis_after[i + 1 + odd], iv = 3 - i - iu;

  BoxFace face;
  face.normal = sign[outward] * R.col[i];
  face.u = R.col[iu], face.v = R.col[iv];
  face.half_u = h[iu], face.half_v = h[iv];
  face.center = center + h[i] * face.normal;
  face.feature = box_digit(i, outward);
  for (int k = 0; k < 4; ++k) face.side_feature[k] = box_digit(k & 1 ? iv : iu, k < 2);

  const int v_next = !(n[iu] >= n[iv]);
  const int second = iu + v_next * (iv - iu), third = iv - v_next * (iv - iu);
  face.lowest_side = v_next + 2 * !(along[second] > 0);
  face.mix = feature_mix(n[i], n[second], n[third]);
  return face;
}

}  // namespace abut
