#include "abut/io/xml_scan.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

/// The tags of a text as "<a x=1>" "</a>" "<a/>", or the error.
std::string scan(std::string_view text) {
  std::string seen;
  try {
    XmlScanner scanner(text, "s.xml");
    for (XmlTag tag; scanner.next(tag);) {
      seen += tag.opens ? "<" : "</";
      seen += tag.name;
      for (const XmlAttribute& attribute : tag.attributes) {
        seen.append(" ").append(attribute.name).append("=").append(attribute.value);
      }
      seen += tag.opens && tag.closes ? "/>" : ">";
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return seen;
}

TEST(XmlScan, FindsTagsAndAttributes) {
  EXPECT_EQ(scan("<a/>"), "<a/>");
  EXPECT_EQ(scan("<a ><b x='1'y=\"2\" /></a >"), "<a><b x=1 y=2/></a>");
  EXPECT_EQ(scan("<a\n x = \"1\n2\"></a>"), "<a x=1\n2></a>");
  EXPECT_EQ(scan("< a></a>"), "<a></a>");
}

TEST(XmlScan, PassesOverWhatIsNoTag) {
  EXPECT_EQ(scan("\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- <b> -- ---->\n<a><!----></a>\n"),
            "<a></a>");
  EXPECT_EQ(scan("<!DOCTYPE mujoco><a/>"), "<a/>");
  EXPECT_EQ(scan("<a x='a<b > c'/>"), "<a x=a<b > c/>");
}

TEST(XmlScan, KnowsLinesAndOffsets) {
  const std::string_view text = "\n<a>\r\n  <b\n   x='1'\n   y='2'/>\n</a>";
  XmlScanner scanner(text, "s.xml");
  XmlTag tag;
  ASSERT_TRUE(scanner.next(tag));
  EXPECT_EQ(tag.line, 2);
  ASSERT_TRUE(scanner.next(tag));
  EXPECT_EQ(tag.line, 3);
  EXPECT_EQ(tag.end_line, 5);
  EXPECT_EQ(tag.attributes[0].line, 4);
  EXPECT_EQ(tag.attributes[1].line, 5);
  EXPECT_EQ(text.substr(tag.begin, 2), "<b");
  EXPECT_EQ(text.substr(tag.end - 2, 2), "/>");
  EXPECT_EQ(*tag.find("y"), "2");
  EXPECT_EQ(tag.find("z"), nullptr);
  ASSERT_TRUE(scanner.next(tag));
  EXPECT_EQ(tag.line, 6);
  EXPECT_FALSE(scanner.next(tag));
}

TEST(XmlScan, RefusesWithLineAndColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "s.xml:1: column 1: the text has no element"},
      {"  \n ", "s.xml:2: column 2: the text has no element"},
      {"hello", "s.xml:1: column 1: text 'hello' outside of a tag"},
      {"<a/>\n x y \n<b/>", "s.xml:2: column 2: text 'x y' outside of a tag"},
      {"<a>freejoint/></a>", "s.xml:1: column 4: text 'freejoint/>' outside of a tag"},
      {"<a>", "s.xml:1: column 4: the text ends before <a> of line 1 is open"},
      {"<a><b></a></b>", "s.xml:1: column 7: </a> where <b> of line 1 is open"},
      {"</a>", "s.xml:1: column 1: </a> closes no element"},
      {"<a/>\n<b/>", "s.xml:2: column 1: a second root element <b>"},
      {"<a x=1/>", "s.xml:1: column 6: the value of attribute 'x' must be in quotes"},
      {"<a x/>", "s.xml:1: column 5: expected '=' after attribute 'x'"},
      {"<a x='1/>", "s.xml:1: column 6: the value of attribute 'x' has no closing quote"},
      {"<a x='1' x='2'/>", "s.xml:1: column 10: attribute 'x' is given twice"},
      {"<a x='\xFF'/>", "s.xml:1: column 7: the value of attribute 'x' is not UTF-8"},
      {"<a x='\x1B'/>", "s.xml:1: column 7: a control character in the value of attribute 'x'"},
      {"<a", "s.xml:1: column 1: the tag of 'a' without end"},
      {"<a !>", "s.xml:1: column 4: expected an attribute or the end of the tag"},
      {"<1>", "s.xml:1: column 2: expected the name of an element"},
      {"<", "s.xml:1: column 2: expected the name of an element"},
      {"<!-- ", "s.xml:1: column 1: a comment without end"},
      {"<?xml ", "s.xml:1: column 1: a declaration without end"},
      {"<a><?xml?></a>", "s.xml:1: column 4: a declaration after the first element"},
      {"<a><![CDATA[x]]></a>", "s.xml:1: column 4: a CDATA section: MJCF does not use them"},
      {"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
       "s.xml:1: column 1: declarations of entities are not read"},
      {"\xFF\xFE<", "s.xml:1: column 1: UTF-16 text, only UTF-8 is read"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(scan(text), error) << text;
  EXPECT_EQ(scan(std::string_view("<a>\n\0</a>", 9)),
            "s.xml:2: column 1: a zero byte: this is not an XML text");
}

TEST(XmlScan, ListsStrayPunctuation) {
  XmlScanner scanner("<a>\n>\n<b/> --> </a>;", "s.xml");
  XmlTag tag;
  while (scanner.next(tag)) {
  }
  ASSERT_EQ(scanner.stray_text().size(), 3u);
  EXPECT_EQ(scanner.stray_text()[0].text, ">");
  EXPECT_EQ(scanner.stray_text()[0].line, 2);
  EXPECT_EQ(scanner.stray_text()[1].text, "-->");
  EXPECT_EQ(scanner.stray_text()[2].text, ";");
}

TEST(XmlScan, LimitsNestingAttributesAndNames) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "<a>";
    for (int i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_EQ(scan(nested(256)).substr(0, 6), "<a><a>");
  EXPECT_EQ(scan(nested(257)), "s.xml:1: column 769: more than 256 nested elements");
  EXPECT_EQ(scan(nested(100000)), "s.xml:1: column 769: more than 256 nested elements");

  std::string many = "<a";
  for (int i = 0; i < 1001; ++i) many += " x" + std::to_string(i) + "=''";
  EXPECT_NE(scan(many + "/>").find("more than 1000 attributes"), std::string::npos);
  EXPECT_EQ(scan("<" + std::string(1 << 20, 'a') + "/>"),
            "s.xml:1: column 2: too long a name for an element");
}

}  // namespace
}  // namespace abut
