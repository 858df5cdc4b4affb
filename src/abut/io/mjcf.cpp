#include "abut/io/mjcf.hpp"

#include "abut/io/mjcf/actuators.hpp"
#include "abut/io/mjcf/assets.hpp"
#include "abut/io/mjcf/bodies.hpp"
#include "abut/io/mjcf/contact.hpp"
#include "abut/io/mjcf/couplings.hpp"
#include "abut/io/mjcf/geoms.hpp"
#include "abut/io/mjcf/model.hpp"
#include "abut/io/mjcf/pairs.hpp"
#include "abut/io/mjcf/source.hpp"
#include "abut/io/mjcf/state.hpp"
#include "abut/io/mjcf/support.hpp"
#include "abut/io/notice_list.hpp"

namespace abut {

namespace {

void read_settings(const mjcf::Source& source, const mjcf::Spec& spec, Scene& scene) {
  const mjtNum* g = spec->option.gravity;
  scene.gravity = mjcf::is_disabled(spec, mjDSBL_GRAVITY) ? Vec3{} : Vec3{g[0], g[1], g[2]};
  scene.time_step = spec->option.timestep;
  scene.settings_origin = source.locate_setting("option", "timestep");
}

Scene read_scene(const mjcf::Source& source) {
  const mjcf::QuietMujoco quiet;
  mjcf::Spec spec = mjcf::parse(source);
  NoticeList notices;
  const mjcf::ContactPairs pairs(source, spec, notices);
  mjcf::check_support(source, spec, notices);
  mjcf::check_geoms(source, spec);
  mjcf::check_masses(source, spec);
  mjcf::check_key_sizes(source, spec);
  mjcf::drop_unneeded_assets(source, spec);
  const mjcf::MeshContacts mesh_contacts(spec);
  const mjcf::ModelPointer model = mjcf::compile(source, spec);
  mesh_contacts.restore(*model);

  Scene scene;
  scene.file = source.documents().front().path;
  read_settings(source, spec, scene);
  const mjcf::BodyMap map = mjcf::read_bodies(source, spec, *model, scene);
  mjcf::read_fluid(spec, *model, map, scene);
  const std::vector<int> geoms = mjcf::read_geoms(source, spec, *model, map, scene, notices);
  pairs.read(geoms, scene);
  mjcf::read_actuators(source, spec, *model, map, scene, notices);
  mjcf::read_couplings(source, spec, *model, map, scene, notices);
  scene.filter_parents = !mjcf::is_disabled(spec, mjDSBL_FILTERPARENT);
  mjcf::read_excludes(spec, *model, map, geoms, scene);
  mjcf::read_keyframes(source, spec, *model, map, scene);
  scene.validate();
  for (int i = 0; i < mjs_numWarnings(spec.get()); ++i) {
    notices.add("the MJCF compiler warns: " + mjcf::sentence_of(mjs_getWarning(spec.get(), i)),
                source.locate(0, {}));
  }
  scene.notices = notices.take();
  return scene;
}

}  // namespace

Scene load_mjcf(const std::string& path, const MjcfOptions& options) {
  return read_scene(mjcf::Source::from_file(path, options));
}

Scene load_mjcf_text(std::string_view text, const std::string& name, const MjcfOptions& options) {
  return read_scene(mjcf::Source::from_text(text, name, options));
}

}  // namespace abut
