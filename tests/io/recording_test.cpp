#include "abut/io/recording.hpp"

#include <cstring>

#include "io/files_testing.hpp"

namespace abut {
namespace {

TEST(Recording, HoldsWhatTheWorldReported) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.bin";
  World world = touching_world({}, 150);
  const double start = world.time();
  std::vector<RecordedState> states;
  std::vector<StepReport> reports;
  {
    RecordingWriter writer(path, world, {.frame_rate = 0});
    for (int i = 0; i < 50; ++i) {
      reports.push_back(world.step());
      writer.record(world);
      RecordedState& s = states.emplace_back();
      s.time = world.time();
      s.state_hash = world.state_hash();
      for (const int b : {0, 1, 3, 4, 5, 6}) s.bodies.push_back(world.body_state(b));
      s.contacts.resize(world.problem().contacts.size());
      for (std::size_t k = 0; k < s.contacts.size(); ++k) {
        s.contacts[k].impulse = world.solution().impulse[k];
        s.contacts[k].point = world.problem().contacts.point[k];
      }
    }
    writer.close();
  }
  const Recording r = Recording::open(path);
  EXPECT_EQ(r.end(), RecordingEnd::closed);
  EXPECT_EQ(r.lost_bytes(), 0u);
  ASSERT_EQ(r.steps(), 50u);
  ASSERT_EQ(r.states(), 51u);
  RecordedState s;
  r.read_state(0, s);
  EXPECT_EQ(s.step, 150u);
  EXPECT_EQ(s.time, start);
  for (std::size_t i = 0; i < 50; ++i) {
    const RecordedStep& step = r.step(i);
    EXPECT_EQ(step.step, 151 + i);
    EXPECT_EQ(step.status, reports[i].solve.status);
    EXPECT_EQ(step.iterations, reports[i].solve.iterations);
    EXPECT_EQ(step.contacts, reports[i].contacts);
    EXPECT_EQ(step.penetration, reports[i].penetration);
    EXPECT_EQ(step.certificate.momentum_error, reports[i].solve.certificate.momentum_error);
    EXPECT_EQ(step.certificate.worst_tree, reports[i].solve.certificate.worst_tree);
    r.read_state(i + 1, s);
    EXPECT_EQ(s.time, states[i].time);
    EXPECT_EQ(s.state_hash, states[i].state_hash);
    ASSERT_EQ(s.bodies.size(), 6u);
    EXPECT_EQ(std::memcmp(s.bodies.data(), states[i].bodies.data(), 6 * sizeof(BodyState)), 0);
    ASSERT_EQ(s.contacts.size(), states[i].contacts.size());
    for (std::size_t k = 0; k < s.contacts.size(); ++k) {
      EXPECT_EQ(s.contacts[k].impulse, states[i].contacts[k].impulse);
      EXPECT_EQ(s.contacts[k].point, states[i].contacts[k].point);
    }
  }
  EXPECT_GT(s.contacts.size(), 0u);
  EXPECT_EQ(r.step(49).kinetic_energy, world.kinetic_energy());
  EXPECT_EQ(r.step(49).potential_energy, world.potential_energy());
}

TEST(Recording, DescribesTheScene) {
  const TemporaryFolder folder;
  WorldOptions options;
  options.model = ContactModel::lagged;
  options.law = NormalLawKind::hertz;
  options.pair.friction = 0.25;
  options.time_step = 3e-3;
  World world = touching_world(options, 0);
  record_steps(folder / "r.bin", world, 1, 30);
  const RecordedScene s = Recording::open(folder / "r.bin").scene();
  EXPECT_EQ(s.model, ContactModel::lagged);
  EXPECT_EQ(s.law, NormalLawKind::hertz);
  EXPECT_EQ(s.time_step, 3e-3);
  EXPECT_EQ(s.frame_rate, 30);
  EXPECT_EQ(s.tolerance, 1e-6);
  EXPECT_EQ(s.solver, "newton");
  EXPECT_EQ(s.gravity, (Vec3{0, 0, -9.81}));
  EXPECT_EQ(s.pair.friction, 0.25);
  EXPECT_FALSE(s.pair.stiffness.has_value());
  ASSERT_EQ(s.bodies.size(), 7u);
  EXPECT_EQ(s.bodies[0].name, "first, of all");
  EXPECT_EQ(s.bodies[1].name, "body1");
  EXPECT_EQ(s.bodies[2].kind, BodyKind::fixed);
  EXPECT_EQ(s.bodies[2].start.position, (Vec3{0.3, 0.3, 0}));
  EXPECT_GT(s.bodies[0].mass, 0);
}

TEST(Recording, ContactsNameTheirBodiesAndKeepTheirIds) {
  const TemporaryFolder folder;
  World world = touching_world();
  record_steps(folder / "r.bin", world, 2, 0);
  const Recording r = Recording::open(folder / "r.bin");
  RecordedState a, b;
  r.read_state(1, a);
  r.read_state(2, b);
  ASSERT_GT(a.contacts.size(), 0u);
  std::size_t kept = 0;
  std::set<std::uint64_t> ids;
  for (const RecordedContact& c : a.contacts) EXPECT_TRUE(ids.insert(c.id).second);
  for (const RecordedContact& c : b.contacts) {
    EXPECT_NE(c.id, 0u);
    kept += ids.count(c.id);
    EXPECT_GE(c.body_a, world_body);
    EXPECT_LT(c.body_b, 7);
    EXPECT_NEAR(norm(c.normal), 1, 1e-9);
  }
  EXPECT_GT(kept, 0u);
}

TEST(Recording, StatesComeAtTheFrameRate) {
  const TemporaryFolder folder;
  struct Case {
    double time_step, frame_rate;
    int steps;
    std::vector<std::uint64_t> recorded;
  };
  for (const auto& [h, rate, steps, recorded] : std::vector<Case>{
           {0.01, 0, 3, {0, 1, 2, 3}},
           {0.01, 50, 6, {0, 2, 4, 6}},
           {0.01, 1000, 3, {0, 1, 2, 3}},
           {0.01, 100, 3, {0, 1, 2, 3}},
           {0.01, 60, 7, {0, 2, 4, 5, 7}},  // frames at 1.67, 3.33, 5, 6.67 steps
           {0.01, 1e-3, 5, {0}},
           {0.01, 1e300, 3, {0, 1, 2, 3}},
       }) {
    WorldOptions options;
    options.time_step = h;
    World world = touching_world(options, 0);
    record_steps(folder / "r.bin", world, steps, rate);
    const Recording r = Recording::open(folder / "r.bin");
    std::vector<std::uint64_t> found;
    RecordedState s;
    for (std::size_t i = 0; i < r.states(); ++i) {
      r.read_state(i, s);
      found.push_back(s.step);
    }
    EXPECT_EQ(found, recorded) << rate;
    EXPECT_EQ(r.steps(), static_cast<std::size_t>(steps));
  }
}

TEST(Recording, AForcedStateIsRecordedOnce) {
  const TemporaryFolder folder;
  World world = touching_world({}, 0);
  RecordingWriter writer(folder / "r.bin", world, {.frame_rate = 1e-3});
  writer.record_state(world);  // that is the start
  world.step();
  writer.record(world);
  writer.record_state(world);
  writer.record_state(world);
  writer.close();
  writer.close();
  EXPECT_EQ(Recording::open(folder / "r.bin").states(), 2u);
}

TEST(Recording, AContactListOfAnotherMomentIsNotRecorded) {
  const TemporaryFolder folder;
  World world = touching_world();
  const Snapshot snapshot = world.snapshot();
  for (int i = 0; i < 50; ++i) world.step();
  world.restore(snapshot);
  record_steps(folder / "r.bin", world, 1, 0);
  RecordedState s;
  const Recording r = Recording::open(folder / "r.bin");
  r.read_state(0, s);
  EXPECT_EQ(s.contacts.size(), 0u);
  r.read_state(1, s);
  EXPECT_GT(s.contacts.size(), 0u);
}

TEST(Recording, IsUnfinishedUntilItIsClosed) {
  const TemporaryFolder folder;
  World world = touching_world({}, 0);
  record_steps(folder / "r.bin", world, 5, 0, false);
  const Recording r = Recording::open(folder / "r.bin");
  EXPECT_EQ(r.end(), RecordingEnd::unfinished);
  EXPECT_EQ(r.steps(), 5u);
  EXPECT_EQ(r.lost_bytes(), 0u);
}

TEST(RecordingWriter, IsReadableWhileItIsWritten) {
  const TemporaryFolder folder;
  World world = touching_world({}, 0);
  RecordingWriter writer(folder / "r.bin", world, {.frame_rate = 0});
  EXPECT_EQ(Recording::open(folder / "r.bin").states(), 1u);
  for (int i = 0; i < 2000; ++i) {
    world.step();
    writer.record(world);
  }
  const Recording r = Recording::open(folder / "r.bin");
  EXPECT_GT(r.steps(), 100u);  // the rest is in the buffer
  EXPECT_EQ(r.lost_bytes(), 0u);
}

TEST(RecordingWriter, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  World world = touching_world({}, 0);
  const auto failure = [&](const std::string& path, double frame_rate = 60) {
    return folder.relative(failure_of([&] { record_steps(path, world, 1, frame_rate); }));
  };
  EXPECT_EQ(failure("/dev/full"), "FileError: cannot write '/dev/full': No space left on device");
  EXPECT_EQ(failure(folder / "a/b"), "FileError: cannot write 'a/b': No such file or directory");
  std::filesystem::create_symlink(folder / "other", folder / "link");
  EXPECT_EQ(
      failure(folder / "link"),
      "FileError: cannot write 'link': it is a symbolic link, which abut does not follow here");
  EXPECT_EQ(failure(folder / "r.bin", -1), "frame rate = -1 1/s, must not be negative");
  EXPECT_EQ(failure(folder / "r.bin", NAN), "frame rate = nan 1/s, must not be negative");
}

TEST(RecordingWriter, IsOfOneWorldThatGoesOn) {
  const TemporaryFolder folder;
  World world = touching_world({}, 0);
  const Snapshot start = world.snapshot();
  Scene alone;
  add_plane(alone);
  add_sphere(alone, 1, 0.1, {0, 0, 1});
  World other(alone);
  other.step();
  RecordingWriter writer(folder / "r.bin", world);
  EXPECT_EQ(folder.relative(failure_of([&] { writer.record(other); })),
            "recording 'r.bin' is of a world with 6 moving bodies, not 1");
  world.step();
  writer.record(world);
  EXPECT_NE(failure_of([&] { writer.record(world); }), "") << "the same step again";
  world.step();
  writer.record(world);
  const std::unique_ptr<World> slower = world.clone();
  slower->step(1e-3);
  EXPECT_EQ(failure_of([&] { writer.record(*slower); }),
            "size of the step = 0.001 s, must be the world's time step in a recording");
  world.restore(start);
  world.step();
  EXPECT_EQ(folder.relative(failure_of([&] { writer.record(world); })),
            "recording 'r.bin': step 1 to 0.002 s does not follow step 2 to 0.004 s: a world that "
            "went back, or another one, needs a recording of its own");
  writer.record_state(world);  // it is elsewhere: there is nothing to record
  writer.close();
  const Recording r = Recording::open(folder / "r.bin");
  EXPECT_EQ(r.end(), RecordingEnd::closed);
  EXPECT_EQ(r.steps(), 2u);
  EXPECT_EQ(r.states(), 1u);
}

TEST(RecordingWriter, WritesToADevice) {
  World world = touching_world({}, 0);
  EXPECT_EQ(failure_of([&] { record_steps("/dev/null", world, 1, 60); }), "");
}

}  // namespace
}  // namespace abut
