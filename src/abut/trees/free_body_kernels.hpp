#pragma once

// What follows from the state of free bodies, and where their velocities lead; compiled once per
// instruction set. Vectors are three numbers, quaternions four (w, x, y, z), matrices three
// columns.

#include <cstdint>

namespace abut {

/// A FreeBodyState in numbers: center, orientation, linear and angular velocity.
constexpr std::int32_t free_body_numbers = 13;

/// What the kernel reads and writes, body after body.
struct FreeBodyView {
  const double* states;
  const double* inertia_B;
  const char* is_isotropic;  ///< whether that is a multiple of 1
  double *center, *orientation, *linear_velocity, *angular_velocity;
  double *rotation, *inertia_W;
};

struct FreeBodyKernels {
  /// The kinematics of bodies [begin, end). The same bits for every instruction set.
  void (*update_kinematics)(const FreeBodyView&, std::int32_t begin, std::int32_t end);
  /// Their states after h of their new velocities, six numbers each, with which they move and turn.
  /// Likewise.
  void (*integrate)(double dt, const double* velocity, const double* from, double* to,
                    std::int32_t begin, std::int32_t end);
};

/// The table for active_isa().
const FreeBodyKernels& free_body_kernels();

namespace isa_baseline {
extern const FreeBodyKernels free_body_table;
}
namespace isa_avx2 {
extern const FreeBodyKernels free_body_table;
}
namespace isa_avx512 {
extern const FreeBodyKernels free_body_table;
}

}  // namespace abut
