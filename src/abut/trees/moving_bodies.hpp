#pragma once

#include <cstdint>
#include <vector>

#include "abut/linalg/rotation.hpp"

namespace abut {

/// Stands for the index of a moving body where there is none: the world and what is fixed to it.
constexpr std::int32_t fixed_body = -1;

/// Where the bodies that can move are and how fast, whatever tree they belong to: what geometry,
/// loads and recordings know of them. Free bodies come first, in the order of their trees. Each
/// vector has an entry for each body.
struct MovingBodies {
  std::vector<std::int32_t> tree;
  std::vector<Vec3> center;             ///< of mass, world [m]
  std::vector<Quaternion> orientation;  ///< R_WB
  std::vector<Vec3> linear_velocity;    ///< of the center of mass, world axes [m/s]
  std::vector<Vec3> angular_velocity;   ///< world axes [rad/s]
  std::vector<Mat3> rotation;           ///< R_WB, the same as a matrix

  // Loads from outside, kept until changed.
  std::vector<Vec3> force;   ///< at the center of mass, world axes [N]
  std::vector<Vec3> moment;  ///< world axes [N m]

  // Drag of the surroundings in this step, likewise.
  std::vector<Vec3> drag_force, drag_moment;

  int size() const { return static_cast<int>(tree.size()); }

  void turn(int body, const Quaternion& q) {
    orientation[body] = q;
    rotation[body] = to_matrix(q);
  }

  /// At rest at the origin. Returns its index.
  int add(int tree_index) {
    tree.push_back(tree_index);
    center.emplace_back();
    orientation.emplace_back();
    linear_velocity.emplace_back();
    angular_velocity.emplace_back();
    rotation.push_back(Mat3::identity());
    force.emplace_back();
    moment.emplace_back();
    drag_force.emplace_back();
    drag_moment.emplace_back();
    return size() - 1;
  }
};

}  // namespace abut
