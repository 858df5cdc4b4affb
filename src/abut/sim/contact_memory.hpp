#pragma once

#include <cstdint>
#include <vector>

#include "abut/core/id.hpp"
#include "abut/geometry/manifold.hpp"
#include "abut/linalg/vec3.hpp"
#include "abut/sim/contact_budget.hpp"

namespace abut {

struct ContactTag;
/// Names a contact point for as long as it exists, step after step.
using ContactId = Id<ContactTag>;

/// Whose contact it is: indices into Scene::geoms, geom_a's tree before geom_b's, and the
/// manifold's name for the point.
struct ContactSource {
  std::int32_t geom_a = 0, geom_b = 0;
  std::uint32_t feature = 0;
  ContactId id;
};

/// A pair of shapes that collide() found something of.
struct ContactPair {
  std::int32_t geom_a = 0, geom_b = 0;
  PairMemory memory;
  ContactBudget budget;
};

/// What the contacts of one step hand to the next.
struct ContactMemory {
  std::vector<ContactSource> sources;  ///< in the problem's order
  std::vector<ContactPair> pairs;      ///< in the same order of geoms, without fresh ones
  std::vector<Vec3> impulses;          ///< by source, world axes [N s]
  /// By source, empty where the model does not hold: the held force [N], where, and whether it
  /// slid.
  std::vector<Vec3> anchors, points;
  std::vector<std::uint8_t> slid;
  IdPool<ContactTag> ids;

  friend void swap(ContactMemory& a, ContactMemory& b) noexcept {
    std::swap(a.sources, b.sources);
    std::swap(a.pairs, b.pairs);
    std::swap(a.impulses, b.impulses);
    std::swap(a.anchors, b.anchors);
    std::swap(a.points, b.points);
    std::swap(a.slid, b.slid);
    swap(a.ids, b.ids);
  }
};

/// `to` becomes the same, with the same room for more.
void copy(const ContactMemory& from, ContactMemory& to);

}  // namespace abut
