#include "abut/io/notice_list.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

TEST(NoticeList, KeepsOneOfEachKindWithTheFirstPlace) {
  NoticeList list;
  list.add("gap is not used", {"a.xml", 3, "geom 'g'"}, "g");
  list.add("margin is not used", {"a.xml", 4, "geom"});
  list.add("gap is not used", {"a.xml", 9, "geom 'h'"}, "h");
  const std::vector<Notice> notices = list.take();
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_EQ(notices[0].text, "gap is not used (2 elements: 'g', 'h')");
  EXPECT_EQ(describe(notices[0].at), "a.xml:3: geom 'g': ");
  EXPECT_EQ(notices[1].text, "margin is not used");
}

TEST(NoticeList, NamesThreeOfThousands) {
  NoticeList list;
  for (int i = 0; i < 5000; ++i) list.add("x", {}, std::to_string(i));
  list.add("y", {});
  list.add("y", {}, "named");
  list.add("y", {});
  const std::vector<Notice> notices = list.take();
  EXPECT_EQ(notices[0].text, "x (5000 elements: '0', '1', '2', ...)");
  EXPECT_EQ(notices[1].text, "y (3 elements: 'named', ...)");
}

TEST(NoticeList, WithoutNames) {
  NoticeList list;
  list.add("x", {});
  list.add("x", {});
  EXPECT_EQ(list.take()[0].text, "x (2 elements)");
}

}  // namespace
}  // namespace abut
