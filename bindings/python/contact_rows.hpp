#pragma once

#include <cstdint>

#include "abut/io/recording_format.hpp"

namespace abut::python {

/// A contact as numpy sees it: contact_fields in this order.
struct ContactRow {
  std::int32_t body_a = 0, body_b = 0;
  std::uint64_t id = 0;
  Vec3 point, normal;
  double gap = 0, allowance = 0, normal_force = 0;
  Vec3 friction_force, velocity;
  double friction = 0;
};
static_assert(sizeof(ContactRow) == 144);

inline constexpr char contact_fields[] =
    "('body_a', '<i4'), ('body_b', '<i4'), ('id', '<u8'), ('point', '<f8', 3), "
    "('normal', '<f8', 3), ('gap', '<f8'), ('allowance', '<f8'), ('normal_force', '<f8'), "
    "('friction_force', '<f8', 3), ('velocity', '<f8', 3), ('friction', '<f8')";

/// Normal and friction force apart: lambda_n = n . gamma / h, the rest is friction.
inline ContactRow to_row(const RecordedContact& c, double time_step) {
  const Vec3 force = c.impulse / time_step;
  const double normal = dot(c.normal, force);
  return {.body_a = c.body_a,
          .body_b = c.body_b,
          .id = c.id,
          .point = c.point,
          .normal = c.normal,
          .gap = c.gap,
          .allowance = c.allowance,
          .normal_force = normal,
          .friction_force = force - normal * c.normal,
          .velocity = c.velocity,
          .friction = c.friction};
}

}  // namespace abut::python
