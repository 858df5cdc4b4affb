// What goes between a page and a live simulation: every message and setting with what is wrong of
// it, and frames decoded by the words of docs/formats/page.md.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/view/live/command.hpp"
#include "abut/view/live/frame.hpp"
#include "abut/view/live/settings.hpp"
#include "abut/view/page_series.hpp"
#include "support/every_kind.hpp"
#include "support/model_case.hpp"

namespace abut {
namespace {

using Members = std::map<std::string, std::string>;  // values as JSON

std::string json_of(const Members& members) {
  std::string text = "{";
  for (const auto& [key, value] : members) {
    text.append(text.size() > 1 ? "," : "").append("\"" + key + "\":" + value);
  }
  return text + "}";
}

bool is_refused(const Members& members) {
  try {
    parse_command(json_of(members));
    return false;
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("message"), std::string::npos) << e.what();
    return true;
  }
}

TEST(LiveMessages, HaveAllTheirMembersAndNoOthers) {
  const std::vector<Members> messages = {
      {{"type", "\"play\""}},
      {{"type", "\"pause\""}},
      {{"type", "\"step\""}},
      {{"type", "\"reset\""}},
      {{"type", "\"release\""}},
      {{"type", "\"speed\""}, {"value", "2.5"}},
      {{"type", "\"record\""}, {"value", "false"}},
      {{"type", "\"set\""}, {"name", "\"friction\""}, {"value", "0.5"}},
      {{"type", "\"drag\""}, {"body", "3"}, {"point", "[0,0,0]"}, {"target", "[0,1,2]"}},
  };
  for (const Members& right : messages) {
    EXPECT_FALSE(is_refused(right)) << json_of(right);
    for (const auto& [key, value] : right) {
      SCOPED_TRACE(json_of(right) + " without " + key);
      Members without = right;
      without.erase(key);
      EXPECT_TRUE(is_refused(without));
      without[key + "s"] = value;
      EXPECT_TRUE(is_refused(without));
      const bool is_value = right.at("type") == "\"set\"" && key == "value";
      for (const char* wrong : {"{}", "[]", "[1,2]", "[1,2,3,4]", "[[1],2,3]", "[1,2,\"x\"]",
                                "true", "null", "\"\\u0000\"", "1e400", "-1e400", "1.5", "1e10"}) {
        const std::string text = wrong;
        const bool number = text == "1.5" || text == "1e10";
        if (key == "value" && number && right.at("type") == "\"speed\"") continue;
        if (key == "value" && text == "true" && right.at("type") == "\"record\"") continue;
        if (key == "name" && text == "\"\\u0000\"") continue;
        if (is_value && (number || text == "null" || text == "\"\\u0000\"")) continue;
        Members changed = right;
        changed[key] = wrong;
        EXPECT_TRUE(is_refused(changed)) << wrong;
      }
    }
    Members more = right;
    more["extra"] = "1";
    EXPECT_TRUE(is_refused(more)) << json_of(more);
  }
}

/// All settings as text.
std::string text_of(const LiveSettings& s) {
  const WorldOptions& o = s.options;
  std::string text =
      std::string(to_string(o.model)) + ' ' + std::string(to_string(o.law)) + ' ' + o.solver;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    text.append(" ").append(name).append(value ? std::to_string(*value) : "none");
  };
  text += ' ' + std::string(to_string(o.scheme));
  add("h", o.time_step);
  add("a", o.accuracy);
  add("k", o.pair.stiffness);
  add("d", o.pair.dissipation);
  add("t", o.pair.relaxation_time);
  add("mu", o.pair.friction);
  add("l", o.pair.thickness);
  if (s.gravity) add("gx", s.gravity->x), add("gy", s.gravity->y), add("gz", s.gravity->z);
  return text;
}

TEST(LiveSettings, TakeOnlyTheirOwnValuesAndChangeNothingElse) {
  struct Setting {
    const char* name;
    std::vector<SettingValue> right, wrong;
  };
  const double big = 1e300;
  const Vec3 v{1, 2, 3};
  const std::vector<Setting> settings = {
      {"model", {"lagged", "similar"}, {"", "Lagged", "lagged ", 1.0, v}},
      {"law", {"hertz", "kelvin-voigt"}, {"kelvin_voigt", "x", 1.0, v}},
      {"scheme", {"implicit-euler", "midpoint"}, {"", "Midpoint", 1.0, v}},
      {"solver", {"newton-armijo"}, {"", "newton ", 1.0, v}},
      {"time_step", {1e-9, 1.0}, {0.0, -1e-3, 1.0001, 9e-10, NAN, INFINITY, "1", v}},
      {"accuracy", {1e-6, 0.5}, {0.0, -1e-3, NAN, INFINITY, "1", v}},
      {"gravity", {v, Vec3{}}, {1.0, "down", Vec3{0, NAN, 0}, Vec3{0, 0, -INFINITY}}},
      {"stiffness", {1.0, big}, {0.0, -1.0, NAN, INFINITY, "x", v}},
      {"dissipation", {0.0, 5.0}, {-1.0, NAN, INFINITY, "x", v}},
      {"relaxation_time", {0.0, 5.0}, {-1.0, NAN, INFINITY, "x", v}},
      {"friction", {0.0, 5.0}, {-1.0, NAN, INFINITY, "x", v}},
      {"thickness", {1e-6, 5.0}, {0.0, -1.0, NAN, INFINITY, "x", v}},
      {"", {}, {1.0, "x", v, SettingValue{}}},
      {"threads", {}, {1.0, "x", v, SettingValue{}}},
  };
  const LiveSettings start;
  LiveSettings all;  // with all the others set
  for (const Setting& s : settings) {
    if (!s.right.empty()) all = changed(all, start, s.name, s.right.back());
  }
  for (const Setting& s : settings) {
    SCOPED_TRACE(s.name);
    for (const SettingValue& value : s.wrong) {
      EXPECT_THROW(changed(all, start, s.name, value), InputError) << value.index();
    }
    if (s.right.empty()) continue;
    const LiveSettings without = changed(all, start, s.name, {});
    EXPECT_NE(text_of(without), text_of(all));
    for (const SettingValue& value : s.right) {
      const LiveSettings with = changed(without, start, s.name, value);
      EXPECT_NE(text_of(with), text_of(without));
      EXPECT_EQ(text_of(changed(with, start, s.name, {})), text_of(without))
          << "as the scene has it";
      EXPECT_EQ(text_of(changed(with, start, s.name, s.right.back())), text_of(all));
    }
  }
}

/// Reads a frame from its beginning.
class FrameReader {
 public:
  explicit FrameReader(const std::vector<char>& bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T x{};
    EXPECT_LE(at_ + sizeof(T), bytes_.size());
    if (at_ + sizeof(T) <= bytes_.size()) std::memcpy(&x, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return x;
  }
  Vec3 vector() {
    const double x = take<float>(), y = take<float>();
    return {x, y, take<float>()};
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  const std::vector<char>& bytes_;
  std::size_t at_ = 0;
};

bool is_float_of(double x, double y) {
  return static_cast<float>(x) == static_cast<float>(y);
}
bool is_float_of(const Vec3& x, const Vec3& y) {
  return is_float_of(x.x, y.x) && is_float_of(x.y, y.y) && is_float_of(x.z, y.z);
}

TEST(LiveFrame, TellsWhatTheWorldIs) {
  for (const ModelCase& c : model_cases) {
    WorldOptions options;
    options.model = c.model;
    options.law = c.law;
    World w(scene_of_every_kind(), options);
    FrameEncoder encoder(w);
    for (int i = 0; i < 40; ++i) w.step();
    for (const bool after_step : {true, false}) {
      SCOPED_TRACE(testing::Message() << name(c) << (after_step ? ", after a step" : ", set"));
      DragView drag;
      drag.body = 2;
      drag.force = {1, 2, 3};
      std::vector<char> bytes(1000, 'x');
      encoder.encode(w, after_step, drag, bytes);
      FrameReader r(bytes);
      const auto bodies = r.take<std::uint32_t>(), contacts = r.take<std::uint32_t>(),
                 series = r.take<std::uint32_t>();
      ASSERT_EQ(bodies, static_cast<std::uint32_t>(w.moving_bodies()));
      ASSERT_EQ(contacts, after_step ? w.contact_sources().size() : 0u);
      ASSERT_EQ(series, page_series().size());
      EXPECT_EQ(r.take<std::uint32_t>(), 0u) << "converged";
      EXPECT_EQ(r.take<double>(), 40);
      EXPECT_EQ(r.take<double>(), w.time());
      EXPECT_EQ(r.take<float>(), 2);
      r.vector(), r.vector();
      EXPECT_EQ(r.vector(), (Vec3{1, 2, 3}));
      r.take<float>(), r.take<float>();
      for (const PageSeries& s : page_series()) {
        const double value = r.take<float>();
        EXPECT_TRUE(after_step ? is_float_of(value, s.value(record_step(w))) : std::isnan(value));
      }
      for (int b = 0; b < std::ssize(w.scene().bodies); ++b) {
        if (w.scene().bodies[b].kind == BodyKind::fixed) continue;
        const BodyState s = w.body_state(b);
        EXPECT_TRUE(is_float_of(r.vector(), s.position)) << b;
        EXPECT_TRUE(is_float_of(r.take<float>(), s.orientation.w)) << b;
        const Quaternion& q = s.orientation;
        EXPECT_TRUE(is_float_of(r.vector(), {q.x, q.y, q.z})) << b;
      }
      const auto each = [&](const auto& check) {
        for (std::uint32_t k = 0; k < contacts; ++k) check(static_cast<int>(k));
      };
      const auto body = [&](int geom) { return w.scene().geoms[geom].body; };
      const auto sources = w.contact_sources();
      const ContactPool& pool = w.problem().contacts;
      each([&](int k) { EXPECT_EQ(r.take<std::int32_t>(), body(sources[k].geom_a)); });
      each([&](int k) { EXPECT_EQ(r.take<std::int32_t>(), body(sources[k].geom_b)); });
      each([&](int k) { EXPECT_EQ(r.take<std::uint32_t>(), sources[k].id.index); });
      each([&](int k) { EXPECT_TRUE(is_float_of(r.vector(), pool.point[k])); });
      each([&](int k) { EXPECT_TRUE(is_float_of(r.vector(), pool.normal[k])); });
      each([&](int k) {
        EXPECT_TRUE(is_float_of(r.vector(), w.solution().impulse[k] / w.time_step()));
      });
      each([&](int k) { EXPECT_TRUE(is_float_of(r.take<float>(), pool.friction[k])); });
      each([&](int) { EXPECT_GE(r.take<float>(), 0); });
      each([&](int) { EXPECT_LT(std::abs(r.take<float>()), 0.1); });
      each([&](int k) {
        const bool pushes = norm(w.solution().impulse[k]) > 0;
        EXPECT_EQ(r.take<std::uint8_t>() != 0, pushes);
      });
      EXPECT_TRUE(r.is_at_end());
      if (after_step) {
        EXPECT_GT(contacts, 0u);
      }
    }
  }
}

}  // namespace
}  // namespace abut
