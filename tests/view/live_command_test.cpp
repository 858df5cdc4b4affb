// Messages of a page, requests of a browser, and the clock: without a network or a thread.

#include "abut/view/live/command.hpp"

#include <gtest/gtest.h>

#include "abut/core/error.hpp"
#include "abut/view/live/pacer.hpp"
#include "abut/view/live/step_times.hpp"

namespace abut {
namespace {

using namespace std::chrono_literals;
using Kind = LiveCommand::Kind;

std::string refusal(std::string_view message) {
  try {
    parse_command(message);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(LiveCommand, IsReadFromJson) {
  EXPECT_EQ(parse_command(R"({"type":"play"})").kind, Kind::play);
  EXPECT_EQ(parse_command(R"({"type":"speed","value":0.5})").speed, 0.5);
  EXPECT_TRUE(parse_command(R"({"type":"record","value":true})").on);
  const LiveCommand drag =
      parse_command(R"({"type":"drag","body":3,"point":[1,2,3],"target":[4,5,6.5]})");
  EXPECT_EQ(drag.kind, Kind::drag);
  EXPECT_EQ(drag.body, 3);
  EXPECT_EQ(drag.point, (Vec3{1, 2, 3}));
  EXPECT_EQ(drag.target, (Vec3{4, 5, 6.5}));
  const auto value = [](const char* v) {
    return parse_command(std::string(R"({"type":"set","name":"x","value":)") + v + "}").value;
  };
  EXPECT_EQ(value("null"), SettingValue{});
  EXPECT_EQ(value("1e7"), SettingValue{1e7});
  EXPECT_EQ(value("\"sap\""), SettingValue{"sap"});
  EXPECT_EQ(value("[0,0,-9.81]"), (SettingValue{Vec3{0, 0, -9.81}}));
}

TEST(LiveCommand, SaysWhatIsWrong) {
  EXPECT_EQ(refusal("nonsense"), "the message is not JSON: 'nonsense'");
  EXPECT_EQ(refusal("[]"), "the message is not a JSON object: '[]'");
  EXPECT_EQ(refusal("{}"), "the message has no type: '{}'");
  EXPECT_EQ(refusal(R"({"type":"pause","type":"play"})"),
            "the message has two 'type': '{\"type\":\"pause\",\"type\":\"play\"}'");
  EXPECT_NE(refusal(R"({"type":"speed","value":1,"value":2})"), "");
  EXPECT_EQ(refusal(R"({"type":"paus"})"), "message 'paus' is not known, did you mean 'pause'?");
  EXPECT_EQ(refusal(R"({"type":"speed"})"), "message 'speed': has no 'value'");
  EXPECT_EQ(refusal(R"({"type":"speed","vlaue":1})"),
            "message 'speed': 'vlaue' is not known, did you mean 'value'?");
  EXPECT_EQ(refusal(R"({"type":"speed","value":"1"})"),
            "message 'speed': 'value' must be a finite number");
  EXPECT_NE(refusal(R"({"type":"speed","value":NaN})"), "");
  EXPECT_NE(refusal(R"({"type":"speed","value":1e999})"), "");
  EXPECT_EQ(refusal(R"({"type":"drag","body":1.5,"point":[0,0,0],"target":[0,0,0]})"),
            "message 'drag': 'body' must be a whole number");
  EXPECT_NE(refusal(R"({"type":"drag","body":1,"point":[0,0,0,0],"target":[0,0,0]})"), "");
  EXPECT_NE(refusal(R"({"type":"drag","body":1,"point":[0,0,null],"target":[0,0,0]})"), "");
  EXPECT_NE(refusal(R"({"type":"set","name":"x","value":{}})"), "");
  EXPECT_NE(refusal(R"({"type":"set","name":"x","value":true})"), "");
  EXPECT_EQ(refusal(std::string(5000, '[')), "the message is longer than 4096 bytes");
  EXPECT_NE(refusal(std::string(4096, '[')), "");
  EXPECT_NE(refusal("{\"type\":\"\xff\"}"), "");
}

TEST(Pacer, KeepsTimeAtTheSpeedAskedFor) {
  const Pacer::Clock::time_point t0{};
  Pacer pacer;
  pacer.start(t0, 10, 2);
  EXPECT_NEAR(pacer.wait(t0, 10.002), 1e-3, 1e-12);
  EXPECT_NEAR(pacer.wait(t0 + 1ms, 10.002), 0, 1e-12);
  EXPECT_NEAR(pacer.wait(t0 + 51ms, 10.002), -0.05, 1e-12) << "what is late is made good";
}

TEST(Pacer, FallsBehindWhereItCannotKeepUp) {
  Pacer::Clock::time_point now{};
  Pacer pacer;
  pacer.start(now, 0, 1);
  double time = 0;
  for (int i = 0; i < 100; ++i) {  // steps of 10 ms that take 30
    time += 0.01;
    EXPECT_LE(pacer.wait(now, time), 0.01 + 1e-12);
    now += 30ms;
  }
  // now steps take no time: it makes good a moment, not two seconds
  int at_once = 0;
  while (pacer.wait(now, time += 0.01) <= 0) ++at_once;
  EXPECT_LE(at_once, 11);
}

TEST(StepTimes, HaveAMedian) {
  StepTimes t;
  EXPECT_EQ(t.median(), 0);
  for (int i = 0; i < 60; ++i) t.add(1e-4);
  for (int i = 0; i < 40; ++i) t.add(1e-2);
  EXPECT_NEAR(t.median(), 1e-4, 1e-6);
  EXPECT_NEAR(t.mean(), 0.6 * 1e-4 + 0.4 * 1e-2, 1e-12);
  EXPECT_EQ(t.steps(), 100u);
  t.add(0);
  t.add(1e9);
}

}  // namespace
}  // namespace abut
