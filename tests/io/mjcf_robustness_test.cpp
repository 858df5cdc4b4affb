// Whatever the bytes: a scene, an InputError or a FileError, in one line; nothing printed, no file
// written, from any number of threads.

#include <mujoco/mujoco.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include "abut/io/mjcf/model.hpp"
#include "mjcf_testing.hpp"

namespace abut {
namespace {

const std::string sample = R"(<?xml version="1.0"?>
<mujoco model="sample">
  <!-- a table with some things on it -->
  <compiler angle="degree" eulerseq="xyz"/>
  <option timestep="0.002" gravity="0 0 -9.81" cone="elliptic"><flag warmstart="enable"/></option>
  <size memory="1M"/>
  <default>
    <geom friction="0.8 0.005 0.0001" solref="-1e6 -10" condim="3"/>
    <default class="ice"><geom friction="0.05" condim="1"/></default>
  </default>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="4" height="4"/>
    <material name="grid" texture="grid"/>
    <mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="0 0 .1" material="grid"/>
    <body name="table" pos="0 0 0.5" euler="0 0 30">
      <geom name="top" type="box" size=".5 .5 .02"/>
      <geom type="mesh" mesh="wedge" contype="0" conaffinity="0"/>
    </body>
    <frame pos="0 0 1">
      <body name="ball" childclass="ice"><freejoint/><geom name="ball" size=".05"/></body>
    </frame>
    <body name="rod" pos="0.2 0 1" quat="1 1 0 0">
      <joint type="free"/>
      <inertial pos="0 0 .1" mass="0.5" diaginertia="1e-3 1e-3 1e-4"/>
      <geom type="capsule" fromto="0 0 0 0 0 .3" size=".02"/>
      <body name="knob" pos="0 0 .3"><geom type="cylinder" size=".03 .01" mass="0.1"/></body>
    </body>
    <replicate count="3" offset="0.1 0 0">
      <body pos="-0.2 0 1"><freejoint/><geom type="box" size=".02 .02 .02"/></body>
    </replicate>
  </worldbody>
  <contact><exclude body1="ball" body2="table"/></contact>
  <sensor><clock name="t"/></sensor>
  <keyframe><key name="start" time="1" qvel="0 0 1 0 0 0
     0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"/></keyframe>
</mujoco>
)";

/// Loads a text; a message must be one line with a place.
bool loads(std::string_view text) {
  try {
    load_mjcf_text(text, "s.xml").validate();
    return true;
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("s.xml:")) << message;
    EXPECT_LT(message.size(), 1500u);
  } catch (const FileError&) {
  }
  return false;
}

TEST(Robustness, TheSampleLoads) {
  const Scene scene = load_mjcf_text(sample, "s.xml");
  EXPECT_EQ(scene.bodies.size(), 6u);
  EXPECT_EQ(scene.geoms.size(), 8u);
  EXPECT_EQ(scene.keyframes.size(), 1u);
  EXPECT_EQ(scene.excluded_bodies, (std::vector<std::pair<int, int>>{{0, 1}}));
}

TEST(Robustness, NoPrefixLoads) {
  const std::size_t end = sample.rfind('>') + 1;
  for (std::size_t size = 0; size < end; ++size) {
    EXPECT_FALSE(loads(std::string_view(sample).substr(0, size))) << size;
  }
}

// One byte, then up to five.
TEST(Robustness, FlippedBytes) {
  std::mt19937 random(4);
  int loaded = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = sample;
    const int flips = i % 2 == 0 ? 1 : 1 + static_cast<int>(random() % 5);
    for (int k = 0; k < flips; ++k) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    loaded += loads(text) ? 1 : 0;
  }
  EXPECT_GT(loaded, 0);  // in comments, names and digits
}

TEST(Robustness, ExchangedAndDroppedTokens) {
  const char* tokens[] = {"0",    "-1",      "nan",      "1e308",      "1e-308",  "'",
                          "\"",   "<",       ">",        "/>",         "",        "-->",
                          "&#0;", "<geom/>", "mocap=''", "2147483648", "body",    "free",
                          "\n",   "\xC3",    "0 0 0",    "<body>",     "</body>", "999999"};
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string text = sample;
    const std::size_t begin = random() % text.size();
    const std::size_t length = random() % 12;
    text.replace(begin, std::min(length, text.size() - begin),
                 tokens[random() % std::size(tokens)]);
    loads(text);
  }
}

TEST(Robustness, RandomBytes) {
  std::mt19937 random(6);
  for (int i = 0; i < 500; ++i) {
    std::string text(random() % 200, ' ');
    for (char& byte : text) byte = static_cast<char>(random());
    EXPECT_FALSE(loads(text));
    EXPECT_FALSE(loads("<mujoco>" + text));
  }
}

/// What is written to stdout and stderr while it lives.
class CapturedOutput {
 public:
  CapturedOutput() {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
  }
  std::string text() {
    return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  }
};

TEST(Silence, NothingIsPrintedOrWritten) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  CapturedOutput output;
  loads(sample);
  loads(scene_text("<body pos='nan 0 0'/>"));
  loads(scene_text("<body><freejoint/></body>"));
  loads(scene_text(free_ball, "<compiler settotalmass='5'/>"));
  loads("<mujoco><unknown/></mujoco>");
  // a flat mesh makes the convex hull code print two pages
  const std::string flat = "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset>";
  for (const std::string mask : {"contype='0' conaffinity='0'", ""}) {
    loads(scene_text("<body><freejoint/><geom type='mesh' mesh='m' " + mask + "/></body>", flat));
    loads(scene_text("<geom type='mesh' mesh='m' " + mask + "/>", flat));
    loads(scene_text("<geom type='box' mesh='m' " + mask + "/>", flat));
  }
  EXPECT_EQ(output.text(), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
  std::filesystem::current_path(before);
}

std::atomic<int> foreign_messages = 0;

// A program that uses MuJoCo besides keeps its own handler, also while another thread loads.
TEST(Silence, TheProgramsOwnHandlerIsKept) {
  const mjfLogHandler own = [](const mjLogMessage*) { ++foreign_messages; };
  const mjfLogHandler before = mju_setLogHandler(own);
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) {
      mju_warning("from another thread");
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 20; ++i) loads(sample);
  done = true;
  other.join();
  EXPECT_GT(foreign_messages, 0);
  EXPECT_EQ(mju_setLogHandler(before), own);
}

TEST(Threads, LoadTheSameFromTwo) {
  const Scene reference = load_mjcf_text(sample, "s.xml");
  std::atomic<int> same = 0, refused = 0;
  const auto work = [&] {
    for (int i = 0; i < 20; ++i) {
      const Scene scene = load_mjcf_text(sample, "s.xml");
      if (scene.bodies.size() == reference.bodies.size() &&
          scene.bodies[2].inertia == reference.bodies[2].inertia) {
        ++same;
      }
      refused += loads(scene_text("<geom/>")) ? 0 : 1;
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_EQ(same, 40);
  EXPECT_EQ(refused, 40);
}

// MuJoCo's own guess of its compiler's memory grows with the square of the number of bodies and
// cannot be had for some thousands.
TEST(ManyBodies, TakeMemoryInProportion) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "<body><freejoint/><geom size='1'/></body>\n";
  const mjcf::Source source = mjcf::Source::from_text(scene_text(text), "s.xml");
  const mjcf::QuietMujoco quiet;
  mjcf::Spec spec = mjcf::parse(source);
  EXPECT_LT(mjcf::compile(source, spec)->narena, 20 << 20);
}

TEST(Version, OfAnotherLibraryIsRefused) {
  EXPECT_NO_THROW(mjcf::require_version(mjVERSION_HEADER));
  try {
    mjcf::require_version(3003000);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(),
                 "MJCF files need libmujoco with version number 4000000, but the one loaded is "
                 "3003000: install the package mujoco-core of that version");
  }
}

}  // namespace
}  // namespace abut
