#include "abut/linalg/twist_mobility.hpp"

#include "abut/linalg/kernels.hpp"

namespace abut {

void TwistMobility::be_matrix(const Vec3& at, const double m[36]) {
  center = at;
  linear = {{{m[0], m[6], m[12]}, {m[6], m[7], m[13]}, {m[12], m[13], m[14]}}};
  coupling = {{{m[18], m[19], m[20]}, {m[24], m[25], m[26]}, {m[30], m[31], m[32]}}};
  angular = {{{m[21], m[27], m[33]}, {m[27], m[28], m[34]}, {m[33], m[34], m[35]}}};
  is_coupled = true;
}

void be_rigid_bodies(int count, const double* first, std::ptrdiff_t stride,
                     TwistMobility* mobilities) {
  linalg_kernels().be_rigid_bodies(count, first, stride, mobilities);
}

void point_mobilities(int count, const Vec3* points, const Vec3* normals,
                      std::span<const TwistMobility* const> sides, const PointMobilities& result) {
  linalg_kernels().point_mobilities(count, points, normals, sides.data(),
                                    static_cast<int>(sides.size()), result);
}

void point_mobilities(int count, const Vec3* points, const Vec3* normals,
                      const TwistMobility* bodies, const BodyPair* pairs,
                      const PointMobilities& result) {
  linalg_kernels().pair_mobilities(count, points, normals, bodies, pairs, result);
}

}  // namespace abut
