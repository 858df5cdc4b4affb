#include "abut/io/mjcf/assets.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "abut/io/input_file.hpp"
#include "abut/io/mjcf/support.hpp"

namespace abut::mjcf {

namespace {

constexpr std::size_t largest_asset = std::size_t{2} << 30;  // bytes

/// One grey pixel in place of pictures.
void drop_pictures(Spec& spec) {
  for_each(spec, mjOBJ_TEXTURE, mjs_asTexture, [](mjsTexture* texture, mjsElement*) {
    texture->builtin = mjBUILTIN_FLAT;
    texture->width = texture->height = 1;
    texture->nchannel = 3;
    texture->hflip = texture->vflip = false;
  });
}

bool may_touch(const mjsGeom& geom) {
  return geom.contype != 0 || geom.conaffinity != 0;
}

/// Whether the mass of a body that moves is computed from this geom.
bool weighs(const mjsGeom& geom, mjsElement* element,
            const std::unordered_set<const mjsElement*>& moving) {
  const mjsBody* body = mjs_getParent(element);
  const mjsCompiler& compiler = *mjs_getCompiler(element);
  if (!moving.contains(body->element) || compiler.inertiafromgeom == mjINERTIAFROMGEOM_FALSE ||
      (body->explicitinertial && compiler.inertiafromgeom != mjINERTIAFROMGEOM_TRUE)) {
    return false;
  }
  const bool in_range =
      geom.group >= compiler.inertiagrouprange[0] && geom.group <= compiler.inertiagrouprange[1];
  return in_range && (std::isnan(geom.mass) ? geom.density != 0 : geom.mass != 0);
}

void drop_visual_geoms(Spec& spec) {
  const auto moving = moving_bodies(spec);
  std::vector<mjsElement*> unneeded;
  for_each(spec, mjOBJ_GEOM, mjs_asGeom, [&](mjsGeom* geom, mjsElement* element) {
    const bool seen_alone =
        !is_simulated(geom->type) || (geom->type == mjGEOM_MESH && !may_touch(*geom));
    if (seen_alone && !weighs(*geom, element, moving)) unneeded.push_back(element);
  });
  spec.remove(unneeded);
}

void drop_unused_meshes(Spec& spec) {
  std::set<std::string> used;
  for_each(spec, mjOBJ_GEOM, mjs_asGeom,
           [&](mjsGeom* geom, mjsElement*) { used.insert(mjs_getString(geom->meshname)); });
  for_each(spec, mjOBJ_SITE, mjs_asSite, [&](mjsSite* site, mjsElement*) {
    if (site->type == mjGEOM_MESH) site->type = mjGEOM_SPHERE;
    mjs_setString(site->meshname, "");
  });
  std::vector<mjsElement*> unneeded;
  for_each(spec, mjOBJ_MESH, mjs_asMesh, [&](mjsMesh*, mjsElement* element) {
    if (!used.contains(name_of(element))) unneeded.push_back(element);
  });
  for_each(spec, mjOBJ_HFIELD, mjs_asHField,
           [&](mjsHField*, mjsElement* element) { unneeded.push_back(element); });
  spec.remove(unneeded);
}

/// Where MuJoCo will look for the file of a mesh.
std::string asset_path(mjsElement* element, std::string file) {
  const auto is_absolute = [](const std::string& path) { return path.starts_with('/'); };
  const mjSpec& spec = *mjs_getOriginSpec(element);
  if (spec.strippath) file = file.substr(file.rfind('/') + 1);
  if (is_absolute(file) || file.find("://") != std::string::npos) return file;
  std::string directory = mjs_getString(mjs_getCompiler(element)->meshdir);
  if (!directory.empty() && !directory.ends_with('/')) directory += '/';
  if (is_absolute(directory)) return directory + file;
  return mjs_getString(spec.modelfiledir) + directory + file;
}

/// False for a mesh given by vertices alone.
bool has_faces(const Source& source, const mjsMesh& mesh) {
  const int line = document_line(mesh.info);
  for (const Element& written : source.elements()) {
    if (written.tag != "mesh" || written.line != line) continue;
    const auto gives = [&](const char* attribute) {
      return std::find(written.attributes.begin(), written.attributes.end(), attribute) !=
             written.attributes.end();
    };
    if (!gives("file") && !gives("face") && !gives("builtin")) return false;
  }
  return true;
}

void check_mesh(const Source& source, const mjsMesh& mesh, mjsElement* element) {
  const Origin at = origin_of(source, "mesh", element, mesh.info);
  const std::string file = mjs_getString(mesh.file);
  if (!file.empty()) require_regular_file(asset_path(element, file), largest_asset, at);
  if (mesh.inertia == mjMESH_INERTIA_CONVEX || !has_faces(source, mesh)) {
    fail_input("convex hulls are not computed: give the mesh faces, and no inertia=\"convex\"", at);
  }
}

}  // namespace

MeshContacts::MeshContacts(Spec& spec) {
  for_each(spec, mjOBJ_GEOM, mjs_asGeom, [&](mjsGeom* geom, mjsElement* element) {
    if (geom->type != mjGEOM_MESH || !may_touch(*geom)) return;
    masks_.push_back({element, geom->contype, geom->conaffinity});
    geom->contype = geom->conaffinity = 0;
  });
  if (!masks_.empty()) spec->compiler.discardvisual = false;  // they are not
}

void MeshContacts::restore(mjModel& model) const {
  for (const Masks& m : masks_) {
    const int id = mjs_getId(m.geom);
    model.geom_contype[id] = m.contype;
    model.geom_conaffinity[id] = m.conaffinity;
  }
}

void drop_unneeded_assets(const Source& source, Spec& spec) {
  drop_pictures(spec);
  drop_visual_geoms(spec);
  drop_unused_meshes(spec);
  for_each(spec, mjOBJ_MESH, mjs_asMesh,
           [&](mjsMesh* mesh, mjsElement* element) { check_mesh(source, *mesh, element); });
}

}  // namespace abut::mjcf
