#pragma once

#include "abut/io/mjcf/model.hpp"

namespace abut::mjcf {

/// Takes out of the description what no motion depends on, so that no picture and no mesh has to
/// be there, read and computed: pictures, visual geoms of shapes that are not simulated unless
/// they give a body its mass, meshes and height fields that are left without use.
/// @throws FileError if a mesh file that is needed cannot be read; InputError if its mass would
/// need a convex hull, which MuJoCo's hull code comments on the terminal when it fails
void drop_unneeded_assets(const Source& source, Spec& spec);

}  // namespace abut::mjcf
