// Surfaces that move over their geoms, from MJCF's surfacevel, against what MuJoCo's contacts make
// of it.

#include <mujoco/mujoco.h>

#include <memory>

#include "abut/sim/world.hpp"
#include "mjcf_testing.hpp"

namespace abut {
namespace {

using Model = std::unique_ptr<mjModel, void (*)(mjModel*)>;
using Data = std::unique_ptr<mjData, void (*)(mjData*)>;

Model compile(const std::string& text) {
  char error[500] = "";
  std::unique_ptr<mjSpec, void (*)(mjSpec*)> spec(
      mj_parseXMLString(text.c_str(), nullptr, error, sizeof error), mj_deleteSpec);
  EXPECT_NE(spec, nullptr) << error;
  return {mj_compile(spec.get(), nullptr), mj_deleteModel};
}

/// The velocity of geom 1's surface relative to geom 0's over their geoms, across the normal, which
/// points from geom 0.
Vec3 surface_velocity(const mjContact& c) {
  const mjtNum *t = c.frame + 3, *s = c.frame + 6;
  return c.surfacevel[0] * Vec3{t[0], t[1], t[2]} + c.surfacevel[1] * Vec3{s[0], s[1], s[2]};
}

// one ball touches the other geom of each scene, both turned anyhow
TEST(MjcfSurface, MovesContactsAsInMujoco) {
  const std::string ball =
      "<body name='b' pos='.3 -.2 .1' euler='20 -50 70'><freejoint/>"
      "<geom name='skin' size='.1' mass='1' surfacevel='.3 -.1 .2 1 -2 .5'/></body>";
  const std::string plain =
      "<body name='b' pos='.3 -.2 .0999'><freejoint/><geom size='.1' mass='1'/></body>";
  const std::string mesh =  // off its own centre and axes
      "<asset><mesh name='m' vertex='-1 -1 -.5  2 -1 -.5  2 1 -.5  -1 1 -.5  -1 -1 0  2 -1 0  2 1 "
      "0  "
      "-1 1 0' face='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 0 4 7 0 7 3 1 2 6 1 6 5'/>"
      "</asset>";
  const std::string belt = " surfacevel='1 .5 .2 .3 -.4 2'/>";
  const std::vector<std::string> scenes = {
      scene_text("<geom type='plane' size='1 1 1' euler='0 0 40'" + belt + ball),
      scene_text("<geom type='plane' size='1 1 1'/>" + ball),
      scene_text("<geom type='box' size='1 2 .5' pos='.1 .2 -.5' euler='180 0 30'" + belt + ball),
      scene_text("<geom type='mesh' mesh='m'" + belt + plain, mesh),
      scene_text("<body pos='0 0 -.4' euler='0 0 30'><joint type='slide'/><geom type='cylinder' "
                 "size='2 .4' mass='5'" +
                 belt + "</body>" + ball),
  };
  for (const std::string& text : scenes) {
    SCOPED_TRACE(text);
    const Model model = compile(text);
    const Data data(mj_makeData(model.get()), mj_deleteData);
    mj_forward(model.get(), data.get());
    ASSERT_EQ(data->ncon, 1);
    const mjContact& theirs = data->contact[0];
    World world(load_mjcf_text(text, "s.xml"));
    world.attempt(1e-6);
    const ContactPool& ours = world.problem().contacts;
    ASSERT_EQ(ours.size(), 1);
    const Vec3 n{theirs.frame[0], theirs.frame[1], theirs.frame[2]};
    const double along = dot(n, ours.normal[0]);  // the other way round, perhaps
    ASSERT_NEAR(std::abs(along), 1, 1e-6);
    const Vec3 expected = along * surface_velocity(theirs);
    EXPECT_GT(norm(expected), 0.1);
    // half of the overlap is between the two places of the contact
    EXPECT_LT(norm(ours.bias[0] - expected), 1e-4 * norm(expected));
  }
}

TEST(MjcfSurface, IsTheGeoms) {
  const Scene scene =
      load_mjcf_text(scene_text("<geom size='1' surfacevel='1 2 3 4 5 6'/>"), "s.xml");
  EXPECT_EQ(scene.geoms[0].surface_velocity, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.geoms[0].surface_angular_velocity, (Vec3{4, 5, 6}));
  EXPECT_FALSE(
      has_moving_surface(load_mjcf_text(scene_text("<geom size='1'/>"), "s.xml").geoms[0]));
}

}  // namespace
}  // namespace abut
