#include "abut/view/replay.hpp"

#include <nlohmann/json.hpp>

#include "abut/view/page.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

using nlohmann::json;

/// Every step of a few bodies that touch.
Recording record_some(const std::string& path) {
  World world = touching_world();
  record_steps(path, world, 20, 0);
  return Recording::open(path);
}

/// The text of the element with this id.
std::string element(const std::string& html, const std::string& id) {
  const std::size_t begin = html.find('>', html.find("id=\"" + id + "\"")) + 1;
  return html.substr(begin, html.find("</script>", begin) - begin);
}

std::map<std::string, std::size_t> counts_of(const std::string& html) {
  std::map<std::string, std::size_t> counts;
  for (const json& head : json::parse(element(html, "abut-heads"))) {
    counts[head["name"]] = head["count"];
  }
  return counts;
}

class Replay : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!page_available()) GTEST_SKIP() << "built without the page";
  }
  const TemporaryFolder folder;
};

TEST_F(Replay, IsOneFileWithThePageAndAllFrames) {
  const Recording recording = record_some(folder / "r.bin");
  write_replay(recording, folder / "r.html");
  const std::string html = read_bytes(folder / "r.html");
  EXPECT_NE(html.find(page_script()), std::string::npos);
  EXPECT_NE(html.find(page_style()), std::string::npos);
  EXPECT_EQ(html.find("href=\"page.css\""), std::string::npos);
  EXPECT_EQ(html.find("src=\"page.js\""), std::string::npos);
  EXPECT_EQ(json::parse(element(html, "abut-scene"))["bodies"].size(), 7u);
  auto counts = counts_of(html);
  EXPECT_EQ(counts["frame.time"], 21u);
  EXPECT_EQ(counts["pose.x"], 21u * 6);
  EXPECT_EQ(counts["step.time"], 20u);
  EXPECT_EQ(counts["step.kinetic_energy"], 20u);
  RecordedState state;
  std::size_t contacts = 0;
  for (std::size_t i = 0; i < recording.states(); ++i) {
    recording.read_state(i, state);
    contacts += state.contacts.size();
  }
  EXPECT_GT(contacts, 0u);
  EXPECT_EQ(counts["contact.force_x"], contacts);
}

TEST_F(Replay, ShowsWarnings) {
  const Recording recording = record_some(folder / "r.bin");
  write_replay(recording, folder / "r.html", {.warnings = {"the <ball> turns", "and \"sinks\""}});
  const json scene = json::parse(element(read_bytes(folder / "r.html"), "abut-scene"));
  EXPECT_EQ(scene["warnings"], (json{"the <ball> turns", "and \"sinks\""}));
}

TEST_F(Replay, LeavesOutWhatABrowserCannotHold) {
  const Recording recording = record_some(folder / "r.bin");
  write_replay(recording, folder / "r.html", {.contacts = false});
  EXPECT_EQ(counts_of(read_bytes(folder / "r.html"))["contact.a"], 0u);
  // 21 states of 6 bodies: each third is 0, 3, ..., 18 and the last
  write_replay(recording, folder / "r.html", {.most_poses = 50, .most_contacts = 16});
  auto counts = counts_of(read_bytes(folder / "r.html"));
  EXPECT_EQ(counts["frame.time"], 8u);
  EXPECT_LE(counts["contact.a"], 16u);
  EXPECT_GT(counts["contact.a"], 8u);
}

TEST_F(Replay, IsAReportWithASummary) {
  const Recording recording = record_some(folder / "r.bin");
  write_replay(recording, folder / "r.html");
  EXPECT_EQ(read_bytes(folder / "r.html").find("\"application/json\" id=\"abut-summary\""),
            std::string::npos);
  write_replay(recording, folder / "r.html", {.summary = R"({"scene": "</script>"})"});
  const std::string summary = element(read_bytes(folder / "r.html"), "abut-summary");
  EXPECT_EQ(json::parse(summary)["scene"], "</script>");
}

TEST_F(Replay, NamesTheFileThatItCannotWrite) {
  const Recording recording = record_some(folder / "r.bin");
  EXPECT_NE(failure_of([&] {
              write_replay(recording, folder / "none/r.html");
            }).find("FileError: cannot write '" + (folder / "none/r.html") + "'"),
            std::string::npos);
}

TEST(ReplayWithoutPage, SaysSo) {
  if (page_available()) GTEST_SKIP() << "built with the page";
  EXPECT_NE(failure_of([] { require_page(); }).find("without its browser page"), std::string::npos);
}

}  // namespace
}  // namespace abut
