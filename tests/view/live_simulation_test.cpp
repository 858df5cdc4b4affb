// The simulation's thread: it does as it is told, and publishes. Tests wait for what must come.

#include "abut/view/live/live_simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "abut/io/recording.hpp"
#include "support/scenes.hpp"
#include "view/live_testing.hpp"

namespace abut {
namespace {

using namespace std::chrono_literals;
using Kind = LiveCommand::Kind;

/// Waits for something that must come, a minute at most.
template <class Condition>
void wait_until(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "it did not come";
    std::this_thread::sleep_for(1ms);
  }
}

LiveCommand set(const std::string& name, const SettingValue& value) {
  return {.kind = Kind::set, .name = name, .value = value};
}

LiveCommand drag(int body, const Vec3& target) {
  return {.kind = Kind::drag, .body = body, .point = {}, .target = target};
}

/// One who watches, and sees whatever is newest.
struct Watcher {
  explicit Watcher(LiveSimulation& s) : simulation(s) { s.watch(1); }

  void wait_for_frame(const std::function<bool(const FrameHeader&)>& is) {
    wait_until([&] {
      if (simulation.take_frame()) {
        frame = read_frame({simulation.frame().data(), simulation.frame().size()});
      }
      return is(frame);
    });
  }
  void wait_for_step(double step) {
    wait_for_frame([&](const FrameHeader& f) { return f.step >= step; });
  }
  void wait_for_status(const std::function<bool(const LiveStatus&)>& is) {
    wait_until([&] {
      simulation.take_status();
      return is(simulation.status());
    });
  }
  std::string wait_for_notice() {
    std::string text;
    wait_until([&] {
      for (const LiveNotice& n : simulation.take_notices()) text = n.text;
      return !text.empty();
    });
    return text;
  }

  LiveSimulation& simulation;
  FrameHeader frame;
};

TEST(LiveSimulation, PlaysPausesAndSteps) {
  LiveSimulation s(file_of(clutter(4)), {.playing = false});
  Watcher w(s);
  w.wait_for_frame([](const FrameHeader& f) { return f.bodies == 4; });
  EXPECT_EQ(w.frame.step, 0);
  s.post(1, {.kind = Kind::step});
  s.post(1, {.kind = Kind::step});
  w.wait_for_step(2);
  EXPECT_EQ(w.frame.step, 2) << "and no further";
  s.post(1, {.kind = Kind::play});
  w.wait_for_step(20);
  s.post(1, {.kind = Kind::pause});
  w.wait_for_status([](const LiveStatus& x) { return !x.playing; });
  s.post(1, {.kind = Kind::reset});
  w.wait_for_frame([](const FrameHeader& f) { return f.step == 0; });
}

TEST(LiveSimulation, IsTheWorldThatARunSimulates) {
  LiveSimulation s(file_of(clutter(4)), {.speed = 1000, .playing = true});
  Watcher w(s);
  w.wait_for_step(300);
  s.post(1, {.kind = Kind::record, .on = true});
  w.wait_for_status([](const LiveStatus& x) { return x.recording; });
  const double from = w.frame.step;
  w.wait_for_step(from + 300);
  s.post(1, {.kind = Kind::record, .on = false});
  w.wait_for_status([](const LiveStatus& x) { return x.recorded > 0; });
  const Recording r = Recording::open(s.status().recording_path);
  RecordedState last;
  r.read_state(r.states() - 1, last);
  World plain(clutter(4));
  while (plain.steps() < last.step) plain.step();
  EXPECT_EQ(last.state_hash, plain.state_hash()) << "watched, recorded, and the same bits";
}

TEST(LiveSimulation, ResetsThoughARecordingIsLost) {
  LiveSimulation s(file_of(clutter(4)), {.speed = 1000, .playing = true});
  Watcher w(s);
  s.post(1, {.kind = Kind::record, .on = true});
  w.wait_for_status([](const LiveStatus& x) { return x.recording; });
  s.post(1, {.kind = Kind::record, .on = false});
  w.wait_for_status([](const LiveStatus& x) { return x.recorded > 0; });
  const std::filesystem::path folder =
      std::filesystem::path(s.status().recording_path).parent_path();
  s.post(1, {.kind = Kind::record, .on = true});
  w.wait_for_status([](const LiveStatus& x) { return x.recording; });
  w.wait_for_step(500);
  s.post(1, {.kind = Kind::pause});
  w.wait_for_status([](const LiveStatus& x) { return !x.playing; });
  std::filesystem::remove_all(folder);
  s.post(1, {.kind = Kind::reset});
  EXPECT_NE(w.wait_for_notice().find("it was removed while it was recorded"), std::string::npos);
  w.wait_for_frame([](const FrameHeader& f) { return f.step == 0 && f.contacts == 0; });
  w.wait_for_status([](const LiveStatus& x) { return !x.recording; });
}

TEST(LiveSimulation, GoesAsFastAsItIsTold) {
  LiveSimulation s(file_of(clutter(4)), {.playing = true});
  Watcher w(s);
  // real time within what a busy machine may cost
  w.wait_for_status([](const LiveStatus& x) { return x.real_time > 0.8 && x.real_time < 1.2; });
  s.post(1, {.kind = Kind::speed, .speed = 0.25});
  w.wait_for_status([](const LiveStatus& x) { return x.real_time > 0.2 && x.real_time < 0.3; });
  EXPECT_EQ(s.status().speed, 0.25);
  EXPECT_GT(s.status().step_time, 0);
  s.post(1, {.kind = Kind::pause});
  w.wait_for_status([](const LiveStatus& x) { return x.real_time == 0; });
}

TEST(LiveSimulation, RefusesWhatIsWrongAndGoesOn) {
  LiveSimulation s(file_of(clutter(4)), {.playing = false});
  Watcher w(s);
  s.post(7, set("friction", -1.0));
  EXPECT_NE(w.wait_for_notice().find("friction = -1"), std::string::npos);
  s.post(7, {.kind = Kind::speed, .speed = 0});
  EXPECT_EQ(w.wait_for_notice(), "speed = 0 s/s, must be positive and at most 1000");
  s.post(7, drag(99, {}));
  EXPECT_EQ(w.wait_for_notice(), "body 99: the scene has 4 bodies");
  s.post(7, {.kind = Kind::step});
  w.wait_for_step(1);
  EXPECT_THROW(LiveSimulation(file_of(clutter(1)), {.speed = -1}), InputError);
  EXPECT_THROW(LiveSimulation(file_of(clutter(1)), {.keyframe = 3}), InputError);
}

TEST(LiveSimulation, PausesWhereAStepFails) {
  LiveSimulation s(file_of(clutter(4)), {.playing = true});
  Watcher w(s);
  s.post(1, set("gravity", Vec3{0, 0, -1e307}));
  EXPECT_NE(w.wait_for_notice().find("failed numerically"), std::string::npos);
  w.wait_for_status([](const LiveStatus& x) { return !x.playing && !x.failure.empty(); });
  s.post(1, {.kind = Kind::play});
  EXPECT_NE(w.wait_for_notice().find("failed numerically"), std::string::npos) << "until a reset";
  s.post(1, set("gravity", {}));
  s.post(1, {.kind = Kind::play});
  w.wait_for_status([](const LiveStatus& x) { return x.playing && x.failure.empty(); });
  w.wait_for_frame([](const FrameHeader& f) { return f.step > 10 && f.status == 0; });
}

TEST(LiveSimulation, LetsTheLatestDragCount) {
  LiveSimulation s(file_of(clutter(4)), {.playing = false});
  Watcher w(s);
  const auto wait_for_body = [&](int body) {
    w.wait_for_frame([&](const FrameHeader& f) { return f.drag_body == body; });
  };
  s.post(1, drag(0, {0, 0, 5}));
  wait_for_body(0);
  s.post(2, drag(3, {0, 0, 5}));
  wait_for_body(3);
  s.post(1, {.kind = Kind::release});  // not its body any more
  s.forget(1);
  s.post(2, {.kind = Kind::step});
  w.wait_for_step(1);
  EXPECT_EQ(w.frame.drag_body, 3);
  s.forget(2);
  wait_for_body(-1);
}

TEST(LiveSimulation, TakesOfManyChangesTheLast) {
  LiveSimulation s(file_of(clutter(12)), {.playing = true});
  Watcher w(s);
  for (int i = 1; i <= 2000; ++i) s.post(1, set("stiffness", 1e5 + i));
  w.wait_for_status([](const LiveStatus& x) {
    return x.settings.options.pair.stiffness == std::optional(1e5 + 2000);
  });
}

// commands of several clients, none of which another one overtakes
TEST(LiveSimulation, GoesOnBetweenChanges) {
  LiveSimulation s(file_of(clutter(40)), {.playing = true});
  Watcher w(s);
  constexpr int last = 1500;
  for (int i = 1; i <= last; ++i) {
    s.post(i % 20 + 1, set("stiffness", 1e5 + i));
    s.post(i % 20 + 1, {.kind = Kind::play});
  }
  double between = 0;
  w.wait_for_status([&](const LiveStatus& x) {
    const std::optional<double> k = x.settings.options.pair.stiffness;
    if (k && *k < 1e5 + last) between = *k;
    return k == std::optional(1e5 + last);
  });
  EXPECT_GT(between, 1e5);
}

TEST(LiveSimulation, ShowsPicturesHoweverManyHaveComeAndGone) {
  LiveSimulation s(file_of(clutter(1)), {.playing = true});
  Watcher w(s);
  for (int i = 0; i < 600; ++i) {
    s.watch(0);
    s.watch(1);
    wait_until([&] { return s.take_frame(); });
  }
  const double before = read_frame({s.frame().data(), s.frame().size()}).step;
  w.wait_for_step(before + 1);
  EXPECT_LT(w.frame.step, before + 1000);
}

TEST(LiveSimulation, RefusesMoreThanItCanHold) {
  LiveSimulation s(file_of(clutter(1)), {.playing = false});
  s.stop();
  bool taken = true;
  for (int i = 0; i < 5000; ++i) taken = s.post(1, {.kind = Kind::pause});
  EXPECT_FALSE(taken);
}

TEST(LatestSlot, GivesTheReaderWholeValuesInOrder) {
  LatestSlot<std::vector<int>> slot;
  constexpr int last = 200'000;
  std::thread writer([&] {
    for (int i = 1; i <= last; ++i) {
      slot.back().assign(8, i);
      slot.publish();
    }
  });
  int seen = 0;
  while (seen < last) {
    if (!slot.take()) continue;
    const std::vector<int>& v = slot.front();
    ASSERT_EQ(v, std::vector<int>(8, v.front()));
    ASSERT_GT(v.front(), seen);
    seen = v.front();
  }
  writer.join();
  EXPECT_FALSE(slot.take());
}

}  // namespace
}  // namespace abut
