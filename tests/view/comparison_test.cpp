#include "abut/view/comparison.hpp"

#include <nlohmann/json.hpp>

#include "abut/view/page.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

using nlohmann::json;

/// The text of the element with this id.
std::string element(const std::string& html, const std::string& id) {
  const std::size_t at = html.find("id=\"" + id + "\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = html.find('>', at) + 1;
  return html.substr(begin, html.find("</script>", begin) - begin);
}

std::map<std::string, std::size_t> counts_of(const std::string& html, const std::string& id) {
  std::map<std::string, std::size_t> counts;
  for (const json& head : json::parse(element(html, id))) counts[head["name"]] = head["count"];
  return counts;
}

class ComparisonPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!page_available()) GTEST_SKIP() << "built without the page";
    WorldOptions rigid;
    rigid.model = ContactModel::ncp;
    World sap = touching_world(), ncp = touching_world(rigid);
    record_steps(folder / "sap.bin", sap, 20, 0);
    record_steps(folder / "ncp.bin", ncp, 12, 0);
  }
  /// What write_comparison says to `comparison`.
  std::string failure() const {
    return failure_of([&] { write_comparison(comparison, folder / "c.html"); });
  }
  const TemporaryFolder folder;
  Comparison comparison = {.title = "a </script> scene",
                           .names = {"sap", "ncp"},
                           .recordings = {folder / "sap.bin", folder / "ncp.bin"},
                           .summary = R"({"columns": [{"key": "t", "title": "time", "unit": "s"}],
                     "runs": [{"t": 1}, {"t": null}]})"};
};

TEST_F(ComparisonPage, IsOneFileWithTheDataOfEachRun) {
  write_comparison(comparison, folder / "c.html");
  const std::string html = read_bytes(folder / "c.html");
  EXPECT_NE(html.find(page_script()), std::string::npos);
  const json table = json::parse(element(html, "abut-comparison"));
  EXPECT_EQ(table["title"], "a </script> scene");
  EXPECT_EQ(table["names"], (json{"sap", "ncp"}));
  EXPECT_EQ(table["columns"][0]["unit"], "s");
  EXPECT_TRUE(table["runs"][1]["t"].is_null());
  EXPECT_EQ(json::parse(element(html, "abut-scene-0"))["settings"]["model"], "sap");
  EXPECT_EQ(json::parse(element(html, "abut-scene-1"))["settings"]["model"], "ncp");
  auto first = counts_of(html, "abut-heads-0"), second = counts_of(html, "abut-heads-1");
  EXPECT_EQ(first["step.time"], 20u);
  EXPECT_EQ(second["step.time"], 12u);
  EXPECT_EQ(first["velocity.x"], 21u * 6);
  EXPECT_EQ(second["velocity.z"], 13u * 6);
  EXPECT_NE(element(html, "abut-columns-0"), element(html, "abut-columns-1"));
  EXPECT_EQ(element(html, "abut-scene-2"), "");
  EXPECT_EQ(element(html, "abut-scene"), "");
}

TEST_F(ComparisonPage, RefusesWhatDoesNotBelongTogether) {
  comparison.names.push_back("ccp");
  EXPECT_EQ(failure(), "the comparison has 2 recordings: there must be 3, one for each name");
  comparison.names = {};
  EXPECT_EQ(failure(), "a comparison of 0 runs: there must be 1 to 16");
  comparison.names.assign(17, "sap");
  EXPECT_EQ(failure(), "a comparison of 17 runs: there must be 1 to 16");
  comparison.names = {"sap", "ncp"};
  comparison.summary = R"({"columns": [], "runs": [{}]})";
  EXPECT_EQ(failure(), "the comparison's summary has 1 runs: there must be 2, one for each name");
  comparison.summary = "{";
  EXPECT_EQ(failure(),
            "the comparison's summary must be a JSON object with \"columns\" and \"runs\"");
  World other = overlapping_world();
  record_steps(folder / "other.bin", other, 2, 0);
  comparison.recordings[1] = folder / "other.bin";
  EXPECT_NE(failure().find("has other bodies than"), std::string::npos) << failure();
  comparison.recordings[1] = folder / "c.html";
  EXPECT_NE(failure(), "");
  EXPECT_FALSE(names_in(folder / "").contains("c.html"));
}

}  // namespace
}  // namespace abut
