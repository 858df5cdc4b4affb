#include "abut/io/mjcf/assets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <set>

#include "abut/geometry/height_field.hpp"
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
    const bool is_asset = geom->type == mjGEOM_MESH || geom->type == mjGEOM_HFIELD;
    const bool seen_alone = !is_simulated(geom->type) || (is_asset && !may_touch(*geom));
    if (seen_alone && !weighs(*geom, element, moving)) unneeded.push_back(element);
  });
  spec.remove(unneeded);
}

void drop_unused_assets(Spec& spec) {
  std::set<std::string> used, used_fields;
  for_each(spec, mjOBJ_GEOM, mjs_asGeom, [&](mjsGeom* geom, mjsElement*) {
    used.insert(mjs_getString(geom->meshname));
    used_fields.insert(mjs_getString(geom->hfieldname));
  });
  for_each(spec, mjOBJ_SITE, mjs_asSite, [&](mjsSite* site, mjsElement*) {
    if (site->type == mjGEOM_MESH) site->type = mjGEOM_SPHERE;
    mjs_setString(site->meshname, "");
  });
  std::vector<mjsElement*> unneeded;
  for_each(spec, mjOBJ_MESH, mjs_asMesh, [&](mjsMesh*, mjsElement* element) {
    if (!used.contains(name_of(element))) unneeded.push_back(element);
  });
  for_each(spec, mjOBJ_HFIELD, mjs_asHField, [&](mjsHField*, mjsElement* element) {
    if (!used_fields.contains(name_of(element))) unneeded.push_back(element);
  });
  spec.remove(unneeded);
}

/// Where MuJoCo will look for the file of a mesh or a height field.
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

/// Rows and columns in the first bytes of a file, before MuJoCo makes room for all of them: those
/// of a picture, or the two numbers with which MuJoCo's own format begins.
void check_field_file(const std::string& path, const Origin& at) {
  require_regular_file(path, largest_asset, at);
  std::array<unsigned char, 24> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.data()), head.size());
  constexpr std::array<unsigned char, 4> png = {0x89, 'P', 'N', 'G'};
  const bool is_picture = std::equal(png.begin(), png.end(), head.begin());
  const auto count = [&](std::size_t i) {
    std::int64_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      value |= std::int64_t{head[is_picture ? i + 3 - k : i + k]} << (8 * k);
    }
    return static_cast<double>(value);
  };
  const double columns = count(is_picture ? 16 : 4), rows = count(is_picture ? 20 : 0);
  constexpr double most = HeightField::largest_count;
  require(rows >= 2 && rows <= most, "rows of the file", rows, "", "must be from 2 to 4096", at);
  require(columns >= 2 && columns <= most, "columns of the file", columns, "",
          "must be from 2 to 4096", at);
}

void check_field(const Source& source, const mjsHField& field, mjsElement* element) {
  const Origin at = origin_of(source, "hfield", element, field.info);
  const std::string file = mjs_getString(field.file);
  if (!file.empty()) check_field_file(asset_path(element, file), at);
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
  drop_unused_assets(spec);
  for_each(spec, mjOBJ_MESH, mjs_asMesh,
           [&](mjsMesh* mesh, mjsElement* element) { check_mesh(source, *mesh, element); });
  for_each(spec, mjOBJ_HFIELD, mjs_asHField,
           [&](mjsHField* field, mjsElement* element) { check_field(source, *field, element); });
}

}  // namespace abut::mjcf
