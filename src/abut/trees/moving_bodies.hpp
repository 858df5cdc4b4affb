#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "abut/linalg/rotation.hpp"

namespace abut {

/// Stands for the index of a moving body where there is none: the world and what is fixed to it.
constexpr std::int32_t fixed_body = -1;

/// On a body, world axes.
struct Load {
  Vec3 force;   ///< at the center of mass [N]
  Vec3 moment;  ///< [N m]

  bool operator==(const Load&) const = default;
};

/// Where the bodies that can move are and how fast, whatever tree they belong to: what geometry,
/// loads and recordings know of them, and what follows from a state. Free bodies come first, in the
/// order of their trees. Each vector has an entry for each body, but for orientations.
struct MovingBodies {
  std::vector<std::int32_t> tree;
  std::vector<Vec3> center;             ///< of mass, world [m]
  std::vector<Quaternion> orientation;  ///< R_WB, of free bodies; of others orientation_of()
  std::vector<Vec3> linear_velocity;    ///< of the center of mass, world axes [m/s]
  std::vector<Vec3> angular_velocity;   ///< world axes [rad/s]
  std::vector<Mat3> rotation;           ///< R_WB, the same as a matrix

  Quaternion orientation_of(int body) const {
    return body < std::ssize(orientation) ? orientation[body] : to_quaternion(rotation[body]);
  }

  int size() const { return static_cast<int>(tree.size()); }

  /// Of the point of a body, fixed_body included, that is at `point` [m/s].
  Vec3 velocity_at(int body, const Vec3& point) const {
    if (body == fixed_body) return {};
    return linear_velocity[body] + cross(angular_velocity[body], point - center[body]);
  }

  /// At rest at the origin. Returns its index.
  int add(int tree_index) {
    tree.push_back(tree_index);
    center.emplace_back();
    linear_velocity.emplace_back();
    angular_velocity.emplace_back();
    rotation.push_back(Mat3::identity());
    return size() - 1;
  }
};

}  // namespace abut
