#pragma once

#include "abut/constraints/contact_pool.hpp"

namespace abut {

/// Contact i as it was added.
inline ContactPoint contact_of(const ContactPool& c, int i) {
  return {.point = c.point[i],
          .normal = c.normal[i],
          .gap = c.gap[i],
          .weight = c.weight[i],
          .stiffness = c.stiffness[i],
          .dissipation = c.dissipation[i],
          .relaxation_time = c.relaxation_time[i],
          .friction = c.friction[i],
          .bias = c.bias[i],
          .previous_impulse = c.previous_impulse[i],
          .anchor = c.anchor[i],
          .law = c.law[i],
          .anisotropy = c.anisotropy(i),
          .friction_axis = c.friction_axis(i),
          .table = c.extras_of(i).table,
          .thickness = c.thickness(i)};
}

}  // namespace abut
