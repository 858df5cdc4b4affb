// The columns of a replay, decoded by the words of docs/formats/page.md, against the recording.

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "abut/view/page.hpp"
#include "abut/view/page_contacts.hpp"
#include "abut/view/page_series.hpp"
#include "abut/view/replay.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

using nlohmann::json;
using Columns = std::map<std::string, std::vector<double>>;

std::string element(const std::string& html, const std::string& id) {
  const std::size_t begin = html.find('>', html.find("id=\"" + id + "\"")) + 1;
  return html.substr(begin, html.find("</script>", begin) - begin);
}

std::string from_base64(const std::string& text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int digit = c >= 'a'   ? c - 'a' + 26
                      : c >= 'A' ? c - 'A'
                      : c >= '0' ? c - '0' + 52
                      : c == '+' ? 62
                                 : 63;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8));
  }
  return bytes;
}

double from_half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// Of one element, its bytes' bits.
double value_of(const std::string& type, std::uint64_t bits) {
  if (type == "u8") return static_cast<std::uint8_t>(bits);
  if (type == "i16") return static_cast<std::int16_t>(bits);
  if (type == "i32") return static_cast<std::int32_t>(bits);
  if (type == "f16") return from_half(bits);
  if (type == "f32") {
    float x;
    const auto word = static_cast<std::uint32_t>(bits);
    std::memcpy(&x, &word, 4);
    return x;
  }
  double x;
  std::memcpy(&x, &bits, 8);
  return x;
}

Columns columns_of(const std::string& html) {
  const std::map<std::string, std::size_t> sizes = {{"u8", 1},  {"i16", 2}, {"i32", 4},
                                                    {"f16", 2}, {"f32", 4}, {"f64", 8}};
  const std::string packed = from_base64(element(html, "abut-columns"));
  const json heads = json::parse(element(html, "abut-heads"));
  std::size_t size = 0;
  for (const json& h : heads) size += sizes.at(h["type"]) * h["count"].get<std::size_t>();
  std::string bytes(size + 1, '\0');
  uLongf length = bytes.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(length, size);
  Columns columns;
  const char* plane = bytes.data();
  for (const json& h : heads) {
    const std::string type = h["type"];
    const std::size_t count = h["count"], stride = h["stride"];
    std::vector<std::uint64_t> elements(count, 0);
    for (std::size_t w = 0; w < sizes.at(type); ++w, plane += count) {
      for (std::size_t i = 0; i < count; ++i) {
        elements[i] |= std::uint64_t{static_cast<std::uint8_t>(plane[i])} << (8 * w);
      }
    }
    for (int pass = 0; pass < h["order"]; ++pass) {
      for (std::size_t i = stride; i < count; ++i) elements[i] += elements[i - stride];
    }
    for (const std::uint64_t e : elements) {
      columns[h["name"]].push_back(h["scale"].get<double>() * value_of(type, e));
    }
  }
  return columns;
}

class ReplayData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!page_available()) GTEST_SKIP() << "built without the page";
  }
  Columns replay_of(const Recording& r, const ReplayOptions& options = {}) const {
    write_replay(r, folder / "r.html", options);
    return columns_of(read_bytes(folder / "r.html"));
  }
  const TemporaryFolder folder;
};

// also a kilometer and a million kilometers away, where positions have coarser steps
TEST_F(ReplayData, IsTheRecordingToItsPrecision) {
  for (const double far : {0.0, 1e3, 1e9}) {
    SCOPED_TRACE(far);
    World world = touching_world({}, 150);
    BodyState away = world.body_state(1);
    away.position.z += far;
    if (far > 0) world.set_body_state(1, away);
    record_steps(folder / "r.bin", world, 30, 0);
    const Recording r = Recording::open(folder / "r.bin");
    Columns c = replay_of(r);
    const double step = far < 1e4 ? 0x1p-17 : far * 0x1p-30;  // 31 bits and a sign
    RecordedState s;
    std::size_t pose = 0, contact = 0;
    ASSERT_EQ(c["frame.time"].size(), r.states());
    for (std::size_t f = 0; f < r.states(); ++f) {
      r.read_state(f, s);
      EXPECT_EQ(c["frame.step"][f], s.step);
      EXPECT_EQ(c["frame.time"][f], s.time);
      EXPECT_EQ(c["frame.contacts"][f], s.contacts.size());
      EXPECT_EQ(c["frame.all_contacts"][f], s.contacts.size());
      for (const BodyState& b : s.bodies) {
        const Quaternion& q = b.orientation;
        EXPECT_NEAR(c["pose.x"][pose], b.position.x, step) << f;
        EXPECT_NEAR(c["pose.y"][pose], b.position.y, step) << f;
        EXPECT_NEAR(c["pose.z"][pose], b.position.z, step) << f;
        EXPECT_NEAR(c["pose.qw"][pose], q.w, 0x1p-15);
        EXPECT_NEAR(c["pose.qx"][pose], q.x, 0x1p-15);
        EXPECT_NEAR(c["pose.qy"][pose], q.y, 0x1p-15);
        EXPECT_NEAR(c["pose.qz"][pose++], q.z, 0x1p-15);
      }
      for (const RecordedContact& k : s.contacts) {
        const PageContact page = page_contact(k, world.time_step());
        EXPECT_EQ(c["contact.a"][contact], k.body_a);
        EXPECT_EQ(c["contact.b"][contact], k.body_b);
        EXPECT_EQ(c["contact.mode"][contact], static_cast<int>(page.mode));
        EXPECT_NEAR(c["contact.point_y"][contact], k.point.y, step);
        EXPECT_NEAR(c["contact.normal_z"][contact], k.normal.z, 0x1p-14);
        EXPECT_NEAR(c["contact.force_z"][contact], page.force.z, 1e-3 * norm(page.force) + 1e-4);
        EXPECT_NEAR(c["contact.gap"][contact], k.gap, 1e-3 * std::abs(k.gap) + 1e-7);
        EXPECT_NEAR(c["contact.slip"][contact++], page.slip, 1e-3 * page.slip + 1e-7);
      }
    }
    EXPECT_EQ(pose, c["pose.qz"].size());
    EXPECT_EQ(contact, c["contact.a"].size());
    EXPECT_GT(contact, 0u);
    for (std::size_t i = 0; i < r.steps(); ++i) {
      EXPECT_EQ(c["step.time"][i], r.step(i).time);
      for (const PageSeries& series : page_series()) {
        EXPECT_EQ(c[std::string("step.") + series.name][i],
                  static_cast<float>(series.value(r.step(i))));
      }
    }
  }
}

// balls alike that rest on the ground press alike; heavier ones come first, last or between
TEST_F(ReplayData, KeepsTheStrongestContactsAmongEquals) {
  for (const int heavy : {0, 2, 5}) {
    Scene scene;
    add_plane(scene);
    for (int i = 0; i < 6; ++i) add_sphere(scene, i == heavy ? 8 : 1, 0.1, {0.5 * i, 0, 0.1});
    World world(scene);
    record_steps(folder / "r.bin", world, 20, 0);
    const Recording r = Recording::open(folder / "r.bin");
    for (const std::size_t each : {0, 1, 3, 6}) {
      SCOPED_TRACE(testing::Message() << heavy << ", " << each << " of each frame");
      Columns c = replay_of(r, {.most_contacts = each * r.states()});
      ASSERT_EQ(c["frame.all_contacts"].back(), 6);
      ASSERT_EQ(c["frame.contacts"].back(), each);
      const std::size_t first = c["contact.b"].size() - each;
      const std::vector<double> last(c["contact.b"].begin() + first, c["contact.b"].end());
      EXPECT_TRUE(std::is_sorted(last.begin(), last.end()));
      EXPECT_EQ(std::count(last.begin(), last.end(), heavy), each > 0);
    }
  }
}

}  // namespace
}  // namespace abut
