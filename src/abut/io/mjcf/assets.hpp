#pragma once

#include <vector>

#include "abut/io/mjcf/model.hpp"

namespace abut::mjcf {

/// Takes out of the description what no motion depends on, so that no picture and no mesh has to
/// be there, read and computed: pictures, meshes and height fields that do not collide and shapes
/// that are not simulated, unless they give a body its mass, and meshes and height fields that are
/// left without use.
/// @throws FileError if a file that is needed cannot be read; InputError if a height field has more
/// than 4096 rows or columns, or if the mass of a mesh would need a convex hull, which MuJoCo's
/// hull code comments on the terminal when it fails
void drop_unneeded_assets(const Source& source, Spec& spec);

/// Meshes collide as their convex hulls, which we compute: MuJoCo's hull code comments on the
/// terminal when it fails. While MuJoCo compiles, no mesh collides.
class MeshContacts {
 public:
  explicit MeshContacts(Spec& spec);
  void restore(mjModel& model) const;

 private:
  struct Masks {
    mjsElement* geom;
    int contype, conaffinity;
  };
  std::vector<Masks> masks_;
};

}  // namespace abut::mjcf
