#include "abut/io/recording_csv.hpp"

#include <charconv>
#include <sstream>

#include "abut/io/output_dir.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

using Row = std::vector<std::string>;

/// A CSV text by RFC 4180.
std::vector<Row> parse_csv(const std::string& text) {
  std::vector<Row> rows;
  Row row;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else if (c == '"') {
        quoted = false;
      } else {
        field += c;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      row.push_back(std::move(field));
      field.clear();
      if (c == '\n') rows.push_back(std::move(row)), row.clear();
    } else {
      field += c;
    }
  }
  EXPECT_TRUE(row.empty() && field.empty()) << "the last row does not end";
  return rows;
}

double number(const Row& row, std::size_t i) {
  const std::string& text = row.at(i);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
  return value;
}

Vec3 vector(const Row& row, std::size_t i) {
  return {number(row, i), number(row, i + 1), number(row, i + 2)};
}

TEST(RecordingCsv, HoldsTheRecordedBits) {
  const TemporaryFolder folder;
  World world = touching_world();
  record_steps(folder / "r.bin", world, 20, 0);
  const Recording r = Recording::open(folder / "r.bin");
  export_csv(r, folder / "");
  EXPECT_EQ(names_in(folder / ""),
            (std::set<std::string>{"r.bin", "steps.csv", "bodies.csv", "contacts.csv"}));

  const auto steps = parse_csv(read_bytes(folder / "steps.csv"));
  ASSERT_EQ(steps.size(), 21u);
  for (std::size_t i = 0; i < 20; ++i) {
    const Row& row = steps[i + 1];
    ASSERT_EQ(row.size(), steps[0].size());
    EXPECT_EQ(row[0], std::to_string(r.step(i).step));
    EXPECT_EQ(number(row, 1), r.step(i).time);
    EXPECT_EQ(row[2], to_string(r.step(i).status));
    EXPECT_EQ(number(row, 9), r.step(i).certificate.step_error);
    EXPECT_EQ(number(row, 17), r.step(i).penetration);
    EXPECT_EQ(number(row, 19), r.step(i).potential_energy);
  }

  const auto bodies = parse_csv(read_bytes(folder / "bodies.csv"));
  const auto contacts = parse_csv(read_bytes(folder / "contacts.csv"));
  ASSERT_EQ(bodies.size(), 1 + 21 * 6u);
  std::size_t next_body = 1, next_contact = 1;
  RecordedState s;
  for (std::size_t i = 0; i < r.states(); ++i) {
    r.read_state(i, s);
    for (const BodyState& b : s.bodies) {
      const Row& row = bodies[next_body++];
      ASSERT_EQ(row.size(), bodies[0].size());
      EXPECT_EQ(row[0], std::to_string(s.step));
      EXPECT_EQ(vector(row, 3), b.position);
      EXPECT_EQ(number(row, 6), b.orientation.w);
      EXPECT_EQ(number(row, 9), b.orientation.z);
      EXPECT_EQ(vector(row, 10), b.linear_velocity);
      EXPECT_EQ(vector(row, 13), b.angular_velocity);
    }
    for (const RecordedContact& c : s.contacts) {
      const Row& row = contacts.at(next_contact++);
      ASSERT_EQ(row.size(), contacts[0].size());
      EXPECT_EQ(row[2], std::to_string(c.id));
      EXPECT_EQ(vector(row, 5), c.point);
      EXPECT_EQ(vector(row, 8), c.normal);
      EXPECT_EQ(number(row, 11), c.gap);
      EXPECT_EQ(number(row, 12), c.allowance);
      EXPECT_EQ(vector(row, 13), c.impulse);
      EXPECT_EQ(vector(row, 16), c.impulse / world.time_step());
    }
  }
  EXPECT_EQ(next_contact, contacts.size());
  EXPECT_GT(next_contact, 1u);
}

TEST(RecordingCsv, AnOverlapHasItsGapAndItsAllowance) {
  const TemporaryFolder folder;
  World world = overlapping_world();
  record_steps(folder / "r.bin", world, 1, 0);
  export_csv(Recording::open(folder / "r.bin"), folder / "");
  const auto contacts = parse_csv(read_bytes(folder / "contacts.csv"));
  ASSERT_EQ(contacts[0].at(11), "gap_m");
  ASSERT_EQ(contacts[0].at(12), "allowance_m");
  std::size_t deep = 0;
  for (std::size_t i = 1; i < contacts.size(); ++i) {
    const bool of_ball = contacts[i].at(3) == "world";
    deep += of_ball ? 0 : 1;
    EXPECT_NEAR(number(contacts[i], 11), of_ball ? 0 : -0.05, 1e-15);
    EXPECT_NEAR(number(contacts[i], 12), of_ball ? 0 : 0.05, 1e-9);
  }
  EXPECT_EQ(deep, 4u);
}

TEST(RecordingCsv, NamesMayHoldCommasAndQuotes) {
  const TemporaryFolder folder;
  Scene scene = clutter(2);
  scene.bodies[0].name = "a,\"b\" c";
  scene.bodies[1].name = "plain";
  World world(std::move(scene));
  record_steps(folder / "r.bin", world, 1, 0);
  export_csv(Recording::open(folder / "r.bin"), folder / "");
  const auto bodies = parse_csv(read_bytes(folder / "bodies.csv"));
  EXPECT_EQ(bodies.at(1).at(2), "a,\"b\" c");
  EXPECT_EQ(bodies.at(2).at(2), "plain");
}

TEST(RecordingCsv, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  World world = touching_world({}, 0);
  record_steps(folder / "r.bin", world, 1, 0);
  const Recording r = Recording::open(folder / "r.bin");
  EXPECT_EQ(folder.relative(failure_of([&] { export_csv(r, folder / "absent"); })),
            "FileError: cannot write 'absent/steps.csv': No such file or directory");
}

TEST(RecordingCsv, IsReplacedWithTheRunItBelongsTo) {
  const TemporaryFolder folder;
  World world = touching_world({}, 0);
  record_steps(prepare_output_dir(folder / "out", false).file("recording.bin"), world, 1, 0);
  export_csv(Recording::open(folder / "out/recording.bin"), folder / "out");
  prepare_output_dir(folder / "out", false);
  EXPECT_EQ(names_in(folder / "out"), std::set<std::string>{".abut"});
}

}  // namespace
}  // namespace abut
