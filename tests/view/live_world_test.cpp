// A world whose settings change while it runs: what goes on, what starts anew, what is refused.

#include "abut/view/live/live_world.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "abut/io/recording.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

LiveWorld live(Scene scene, const WorldOptions& options = {}) {
  SceneFile file;
  file.scene = std::move(scene);
  return LiveWorld(std::move(file), options);
}

void step(LiveWorld& w, int steps) {
  for (int i = 0; i < steps; ++i) w.step();
}

/// The message with which attempt() is refused.
template <class Attempt>
std::string refusal(const Attempt& attempt) {
  try {
    attempt();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(LiveWorld, GoesOnWithTheSameBitsUnderTheSameSettings) {
  LiveWorld changed = live(clutter(12));
  World plain(clutter(12));
  step(changed, 300);  // in the middle of the collisions: contacts remember impulses
  changed.set("model", "sap");
  changed.set("friction", {});
  step(changed, 300);
  for (int i = 0; i < 600; ++i) plain.step();
  EXPECT_EQ(changed.world().state_hash(), plain.state_hash());
  EXPECT_EQ(changed.world().time(), plain.time());
}

TEST(LiveWorld, TakesOtherSettingsWhereItIs) {
  LiveWorld w = live(clutter(12));
  step(w, 300);
  const std::uint64_t state = w.world().state_hash();
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, SettingValue>>{{"model", "lagged"},
                                                         {"law", "hertz"},
                                                         {"scheme", "midpoint"},
                                                         {"solver", "newton-armijo"},
                                                         {"accuracy", 1e-2},
                                                         {"stiffness", 1e6},
                                                         {"dissipation", 1.0},
                                                         {"relaxation_time", 1e-3},
                                                         {"friction", 0.2},
                                                         {"thickness", 2e-3},
                                                         {"gravity", Vec3{0, 1, -2}}}) {
    w.set(name, value);
    EXPECT_EQ(w.world().state_hash(), state) << name;
    EXPECT_EQ(w.world().steps(), 300u) << name;
  }
  const WorldOptions& o = w.world().options();
  EXPECT_EQ(o.model, ContactModel::lagged);
  EXPECT_EQ(o.law, NormalLawKind::hertz);
  EXPECT_EQ(o.solver, "newton-armijo");
  EXPECT_EQ(o.pair.stiffness, 1e6);
  EXPECT_EQ(o.pair.friction, 0.2);
  EXPECT_EQ(o.pair.thickness, 2e-3);
  EXPECT_EQ(o.scheme, SteppingScheme::midpoint);
  EXPECT_EQ(o.accuracy, 1e-2);
  EXPECT_EQ(w.world().scene().gravity, (Vec3{0, 1, -2}));
  step(w, 1);
  EXPECT_NE(w.world().state_hash(), state);
  w.set("gravity", {});
  EXPECT_EQ(w.world().scene().gravity, (Vec3{0, 0, -9.81}));
  w.set("model", {});
  EXPECT_EQ(w.world().options().model, ContactModel::sap);
}

TEST(LiveWorld, LetsTimeGoOnUnderAnotherStep) {
  LiveWorld w = live(clutter(4));
  step(w, 100);
  const double time = w.world().time();
  w.set("time_step", 5e-3);
  EXPECT_NEAR(w.world().time(), time, 1e-14);
  step(w, 1);
  EXPECT_NEAR(w.world().time(), time + 5e-3, 1e-14);
}

TEST(LiveWorld, RemembersForcesNotImpulsesUnderAnotherStep) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
  LiveWorld w = live(s);
  step(w, 500);
  const std::vector<Vec3> before = w.world().solution().impulse;
  w.set("time_step", 1e-3);
  step(w, 1);
  const std::vector<Vec3>& previous = w.world().problem().contacts.previous_impulse;
  ASSERT_EQ(previous.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(previous[i].z, 0.5 * before[i].z, 1e-12);
}

TEST(LiveWorld, RefusesWhatIsWrongAndGoesOn) {
  LiveWorld w = live(clutter(4));
  step(w, 10);
  const std::uint64_t state = w.world().state_hash();
  const World* world = &w.world();
  const auto refused = [&](const char* name, const SettingValue& value) {
    return refusal([&] { w.set(name, value); });
  };
  EXPECT_EQ(refused("time_step", 5.0), "time step = 5 s, must lie in [1e-9, 1]");
  EXPECT_EQ(refused("time_step", 1e-308), "time step = 1e-308 s, must lie in [1e-9, 1]");
  EXPECT_EQ(refused("time_step", -1.0), "time step = -1 s, must lie in [1e-9, 1]");
  EXPECT_NE(refused("stiffness", -1.0).find("stiffness = -1 N/m"), std::string::npos);
  EXPECT_NE(refused("friction", NAN).find("friction = nan"), std::string::npos);
  EXPECT_EQ(refused("gravity", Vec3{NAN, 0, 0}), "gravity must be finite");
  EXPECT_EQ(refused("gravity", -9.81), "gravity must be three numbers");
  EXPECT_EQ(refused("model", "sapp"),
            "model 'sapp' is not known: must be one of sap, lagged, similar, anchored, ncp, "
            "ccp, lcp, raisim");
  EXPECT_EQ(refused("model", 3.0), "model must be a name");
  EXPECT_NE(refused("solver", "euler").find("must be one of newton"), std::string::npos);
  EXPECT_EQ(refused("stifness", 1.0), "setting 'stifness' is not known, did you mean 'stiffness'?");
  EXPECT_EQ(&w.world(), world) << "no other world was made";
  EXPECT_EQ(w.world().state_hash(), state);
}

TEST(LiveWorld, ResetsToTheStartWithThePresentSettings) {
  LiveWorld w = live(clutter(4));
  const std::uint64_t start = w.world().state_hash();
  step(w, 100);
  w.set("model", "similar");
  w.set("time_step", 4e-3);
  step(w, 10);
  w.reset();
  EXPECT_EQ(w.world().state_hash(), start);
  EXPECT_EQ(w.world().time(), 0);
  EXPECT_EQ(w.world().steps(), 0u);
  EXPECT_EQ(w.world().options().model, ContactModel::similar);
  World fresh(clutter(4), w.settings().options);
  step(w, 100);
  for (int i = 0; i < 100; ++i) fresh.step();
  EXPECT_EQ(w.world().state_hash(), fresh.state_hash()) << "nothing of the past is left";
}

TEST(LiveWorld, StartsFromAKeyframe) {
  Scene s = clutter(1);
  Keyframe key;
  key.time = 3;
  key.bodies.resize(1);
  key.bodies[0].position = {0, 0, 5};
  s.keyframes.push_back(key);
  SceneFile file;
  file.scene = s;
  LiveWorld w(std::move(file), {}, 0);
  EXPECT_EQ(w.world().time(), 3);
  step(w, 10);
  w.reset();
  EXPECT_EQ(w.world().time(), 3);
  EXPECT_EQ(w.world().body_state(0).position.z, 5);
}

TEST(LiveWorld, ControllersActAsInARun) {
  const std::string path = std::string(ABUT_EXAMPLES) + "/circle.toml";
  LiveWorld w(load_scene_file(path), {});
  const SceneFile file = load_scene_file(path);
  World plain(file.scene);
  step(w, 200);
  w.set("stiffness", {});  // another world, the same controls
  step(w, 200);
  for (int i = 0; i < 400; ++i) {
    update_controls(file.controllers, plain);
    plain.step();
  }
  ASSERT_FALSE(file.controllers.empty());
  EXPECT_EQ(w.world().state_hash(), plain.state_hash());
}

TEST(LiveWorld, StopsAtAStepThatFailsUntilItIsReset) {
  Scene s;
  add_plane(s);
  add_sphere(s, 1, 0.1, {0, 0, 0.1});
  LiveWorld w = live(s);
  step(w, 3);
  EXPECT_EQ(w.failure(), "");
  w.set("gravity", Vec3{0, 0, -1e307});
  for (int i = 0; i < 100 && w.failure().empty(); ++i) step(w, 1);
  ASSERT_NE(w.failure(), "");
  const std::uint64_t steps = w.world().steps();
  step(w, 3);
  EXPECT_EQ(w.world().steps(), steps) << "it does not go on";
  w.set("gravity", {});
  EXPECT_EQ(w.failure(), "");
  EXPECT_EQ(w.world().steps(), 0u) << "from the start: that state is of no use";
  step(w, 10);
  EXPECT_EQ(w.failure(), "");
  EXPECT_NEAR(w.world().body_state(0).position.z, 0.1, 1e-3);
}

TEST(LiveWorld, RecordsWhatCanBeRead) {
  LiveWorld w = live(clutter(4));
  step(w, 5);
  w.start_recording();
  EXPECT_TRUE(w.recording().active());
  EXPECT_EQ(w.recording().size(), 0u);
  step(w, 100);
  w.end_recording();
  EXPECT_FALSE(w.recording().active());
  const Recording r = Recording::open(w.recording().path());
  EXPECT_EQ(r.end(), RecordingEnd::closed);
  EXPECT_EQ(r.steps(), 100u);
  EXPECT_EQ(r.step(0).step, 6u);
  RecordedState last;
  r.read_state(r.states() - 1, last);
  EXPECT_EQ(last.state_hash, w.world().state_hash());
}

TEST(LiveWorld, EndsARecordingWhenItsSettingsChange) {
  LiveWorld w = live(clutter(4));
  w.start_recording();
  step(w, 10);
  EXPECT_NE(refusal([&] { w.set("stiffness", 0.0); }), "");
  EXPECT_TRUE(w.recording().active()) << "nothing has changed";
  w.set("model", "lagged");
  EXPECT_FALSE(w.recording().active());
  const std::string first = w.recording().path();
  EXPECT_EQ(Recording::open(first).steps(), 10u);
  w.start_recording();
  step(w, 20);
  w.reset();
  EXPECT_FALSE(w.recording().active());
  const Recording second = Recording::open(w.recording().path());
  EXPECT_EQ(second.scene().model, ContactModel::lagged);
  EXPECT_EQ(second.steps(), 20u);
  EXPECT_THROW(Recording::open(first), FileError) << "only the last one is kept";
}

TEST(LiveWorld, RecordsOnceAtATime) {
  LiveWorld w = live(clutter(4));
  w.start_recording();
  step(w, 10);
  EXPECT_EQ(refusal([&] { w.start_recording(); }), "a recording is already running");
  step(w, 10);
  w.end_recording();
  EXPECT_EQ(Recording::open(w.recording().path()).steps(), 20u);
}

TEST(LiveWorld, OutlivesTheFolderOfItsRecordings) {
  LiveWorld w = live(clutter(4));
  w.start_recording();
  step(w, 10);
  w.end_recording();
  const std::filesystem::path folder = std::filesystem::path(w.recording().path()).parent_path();
  w.start_recording();
  step(w, 10);
  std::filesystem::remove_all(folder);
  EXPECT_NE(w.set("friction", 0.25).find("it was removed while it was recorded"),
            std::string::npos);
  EXPECT_EQ(w.settings().options.pair.friction, 0.25) << "but the change is made";
  EXPECT_FALSE(w.recording().active());
  w.start_recording();
  step(w, 5);
  w.end_recording();
  EXPECT_EQ(Recording::open(w.recording().path()).steps(), 5u);
}

TEST(LiveWorld, KeepsTheLastRecordingIfTheNextCannotStart) {
  LiveWorld w = live(clutter(4));
  w.start_recording();
  step(w, 10);
  w.end_recording();
  const std::filesystem::path last = w.recording().path();
  std::filesystem::create_directory(last.parent_path() / "recording2.bin");
  EXPECT_THROW(w.start_recording(), FileError);
  EXPECT_EQ(w.recording().path(), last.string());
  EXPECT_EQ(Recording::open(last.string()).steps(), 10u);
}

TEST(LiveWorld, LeavesNoFilesBehind) {
  std::string path;
  {
    LiveWorld w = live(clutter(4));
    w.start_recording();
    step(w, 10);
    w.end_recording();
    path = w.recording().path();
  }
  EXPECT_THROW(Recording::open(path), FileError);
}

TEST(ImpliedNumbers, AreThoseOfTheSoftestContactAndTheModel) {
  Scene s;
  add_plane(s);
  add_sphere(s, 2, 0.1, {0, 0, 0.1});
  WorldOptions o;
  o.pair.stiffness = 1e4;
  o.model = ContactModel::lagged;
  const auto value = [&](const std::string& label) {
    for (const ImpliedNumber& n : implied_numbers(s, o)) {
      if (n.label == label) return n.value;
    }
    return -1.0;
  };
  o.law = NormalLawKind::kelvin_voigt;
  EXPECT_NEAR(value("depth at rest"), 1e6 * 2 * 9.81 / 1e4, 1e-6);
  EXPECT_EQ(value("glide height"), 0);
  EXPECT_GT(value("creep at half the friction"), 0);
  o.model = ContactModel::sap;
  EXPECT_GT(value("glide height"), 0);
  EXPECT_TRUE(implied_numbers(Scene{}, o).empty());
}

}  // namespace
}  // namespace abut
