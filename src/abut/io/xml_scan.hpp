#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "abut/core/error.hpp"

namespace abut {

struct XmlAttribute {
  std::string_view name;
  std::string_view value;  ///< as written, entities not replaced
  int line = 0;
};

struct XmlTag {
  std::string_view name;
  std::vector<XmlAttribute> attributes;
  std::size_t begin = 0;  ///< offset of '<'
  std::size_t end = 0;    ///< offset behind '>'
  int line = 0;           ///< of '<'
  int end_line = 0;       ///< of '>'
  bool opens = false;     ///< <a> and <a/>
  bool closes = false;    ///< </a> and <a/>

  /// The attribute's value, or null.
  const std::string_view* find(std::string_view attribute) const;
};

/// Text between tags, where MJCF has none.
struct XmlText {
  std::string_view text;
  int line = 0;
};

/// Reads the tags of an XML text one after the other, in constant stack space.
///
/// It exists because a reader that keeps no byte offsets cannot put an included file in place and
/// still know the line of everything, and MuJoCo's forgets the lines of included elements. MuJoCo
/// reads the text again afterwards and has the last word; this scan takes what that one takes
/// (double hyphens in comments, '<' in values), except what it would drop without a word: a second
/// root, CDATA, and text between tags that has a letter, since a tag that lost its '<' is such a
/// text. Limits: 256 nested elements, 1000 attributes in one.
class XmlScanner {
 public:
  /// `text` must outlive the scanner and the tags. `file` is for messages.
  XmlScanner(std::string_view text, std::string file);

  /// The next tag; false at the end of a complete text.
  /// @throws InputError with line and column where the text is not well-formed
  bool next(XmlTag& tag);

  /// Punctuation met between tags so far.
  const std::vector<XmlText>& stray_text() const { return stray_text_; }

 private:
  struct Open {
    std::string_view name;
    int line;
  };

  [[noreturn]] void fail(std::size_t offset, const std::string& reason) const;
  void skip_space();
  bool skip_markup();
  void skip_past(std::string_view terminator, std::size_t from, const char* what);
  void read_text();
  std::string_view read_name(const char* what);
  void read_attributes(XmlTag& tag);
  XmlAttribute read_attribute();
  void read_tag(XmlTag& tag);
  void update_depth(const XmlTag& tag);
  void advance(std::size_t to);

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool root_seen_ = false;
  std::vector<Open> open_;
  std::vector<XmlText> stray_text_;
};

}  // namespace abut
