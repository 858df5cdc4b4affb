#include "abut/io/xml_scan.hpp"

#include <algorithm>

#include "abut/core/text.hpp"

namespace abut {

namespace {

constexpr std::size_t deepest = 256;
constexpr std::size_t most_attributes = 1000;
constexpr std::size_t longest_name = 256;  // of an element or attribute

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool starts_name(char c) {
  return is_letter(c) || c == '_' || c == ':';
}
bool continues_name(char c) {
  return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

}  // namespace

const std::string_view* XmlTag::find(std::string_view attribute) const {
  for (const XmlAttribute& candidate : attributes) {
    if (candidate.name == attribute) return &candidate.value;
  }
  return nullptr;
}

XmlScanner::XmlScanner(std::string_view text, std::string file)
    : text_(text), file_(std::move(file)) {
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
    fail(0, "UTF-16 text, only UTF-8 is read");
  }
  const std::size_t zero = text_.find('\0');
  if (zero != std::string_view::npos) fail(zero, "a zero byte: this is not an XML text");
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
}

void XmlScanner::fail(std::size_t offset, const std::string& reason) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  fail_input(reason,
             {file_, static_cast<int>(line), "column " + std::to_string(offset - line_start + 1)});
}

void XmlScanner::advance(std::size_t to) {
  line_ += static_cast<int>(std::count(text_.begin() + at_, text_.begin() + to, '\n'));
  at_ = to;
}

void XmlScanner::skip_space() {
  std::size_t to = at_;
  while (to < text_.size() && is_space(text_[to])) ++to;
  advance(to);
}

void XmlScanner::skip_past(std::string_view terminator, std::size_t from, const char* what) {
  const std::size_t found = text_.find(terminator, from);
  if (found == std::string_view::npos) fail(at_, std::string(what) + " without end");
  advance(found + terminator.size());
}

/// Comments, declarations and the document type; false at a tag.
bool XmlScanner::skip_markup() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("<!--")) {
    skip_past("-->", at_ + 4, "a comment");
  } else if (rest.starts_with("<?")) {
    if (root_seen_) fail(at_, "a declaration after the first element");
    skip_past("?>", at_ + 2, "a declaration");
  } else if (rest.starts_with("<![CDATA[")) {
    fail(at_, "a CDATA section: MJCF does not use them");
  } else if (rest.starts_with("<!")) {
    const std::size_t end = rest.find('>');
    if (rest.substr(0, end).find('[') != std::string_view::npos) {
      fail(at_, "declarations of entities are not read");
    }
    skip_past(">", at_, "a declaration");
  } else {
    return false;
  }
  return true;
}

void XmlScanner::read_text() {
  const std::size_t tag = std::min(text_.find('<', at_), text_.size());
  std::size_t end = tag;
  while (end > at_ && is_space(text_[end - 1])) --end;
  const std::string_view text = text_.substr(at_, end - at_);
  if (std::any_of(text.begin(), text.end(), is_letter)) {
    fail(at_, "text " + quote(text) + " outside of a tag");
  }
  stray_text_.push_back({text, line_});
  advance(tag);
}

std::string_view XmlScanner::read_name(const char* what) {
  std::size_t end = at_;
  if (end < text_.size() && starts_name(text_[end])) {
    while (end < text_.size() && continues_name(text_[end])) ++end;
  }
  if (end == at_) fail(at_, std::string("expected the name of ") + what);
  if (end - at_ > longest_name) fail(at_, std::string("too long a name for ") + what);
  const std::string_view name = text_.substr(at_, end - at_);
  at_ = end;
  return name;
}

XmlAttribute XmlScanner::read_attribute() {
  XmlAttribute attribute;
  attribute.line = line_;
  attribute.name = read_name("an attribute");
  skip_space();
  if (at_ >= text_.size() || text_[at_] != '=') {
    fail(at_, "expected '=' after attribute " + quote(attribute.name));
  }
  advance(at_ + 1);
  skip_space();
  const char mark = at_ < text_.size() ? text_[at_] : '\0';
  if (mark != '"' && mark != '\'') {
    fail(at_, "the value of attribute " + quote(attribute.name) + " must be in quotes");
  }
  const std::size_t begin = at_ + 1, end = text_.find(mark, begin);
  if (end == std::string_view::npos) {
    fail(at_, "the value of attribute " + quote(attribute.name) + " has no closing quote");
  }
  attribute.value = text_.substr(begin, end - begin);
  const std::size_t invalid = find_invalid_utf8(attribute.value);
  if (invalid != std::string_view::npos) {
    fail(begin + invalid, "the value of attribute " + quote(attribute.name) + " is not UTF-8");
  }
  const auto is_control = [](char c) { return (c >= 0 && c < 0x20 && !is_space(c)) || c == 0x7F; };
  if (std::any_of(attribute.value.begin(), attribute.value.end(), is_control)) {
    fail(begin, "a control character in the value of attribute " + quote(attribute.name));
  }
  advance(end + 1);
  return attribute;
}

void XmlScanner::read_attributes(XmlTag& tag) {
  for (skip_space(); at_ < text_.size() && starts_name(text_[at_]); skip_space()) {
    const std::size_t begin = at_;
    const XmlAttribute attribute = read_attribute();
    if (tag.find(attribute.name) != nullptr) {
      fail(begin, "attribute " + quote(attribute.name) + " is given twice");
    }
    if (tag.attributes.size() == most_attributes) {
      fail(begin, "more than 1000 attributes in one element");
    }
    tag.attributes.push_back(attribute);
  }
}

void XmlScanner::read_tag(XmlTag& tag) {
  tag.attributes.clear();
  tag.begin = at_;
  tag.line = line_;
  tag.closes = false;
  ++at_;
  skip_space();
  tag.opens = at_ >= text_.size() || text_[at_] != '/';
  if (!tag.opens) {
    tag.closes = true;
    ++at_;
  }
  tag.name = read_name("an element");
  if (tag.opens) {
    read_attributes(tag);
    if (text_.substr(at_).starts_with("/>")) {
      tag.closes = true;
      ++at_;
    }
  } else {
    skip_space();
  }
  if (at_ >= text_.size()) fail(tag.begin, "the tag of " + quote(tag.name) + " without end");
  if (text_[at_] != '>') fail(at_, "expected an attribute or the end of the tag");
  tag.end = ++at_;
  tag.end_line = line_;
}

void XmlScanner::update_depth(const XmlTag& tag) {
  if (tag.opens) {
    if (open_.empty() && root_seen_) {
      fail(tag.begin, "a second root element <" + std::string(tag.name) + ">");
    }
    root_seen_ = true;
    if (open_.size() == deepest) fail(tag.begin, "more than 256 nested elements");
    open_.push_back({tag.name, tag.line});
  }
  if (tag.closes) {
    if (open_.empty()) fail(tag.begin, "</" + std::string(tag.name) + "> closes no element");
    const Open& innermost = open_.back();
    if (innermost.name != tag.name) {
      fail(tag.begin, "</" + std::string(tag.name) + "> where <" + std::string(innermost.name) +
                          "> of line " + std::to_string(innermost.line) + " is open");
    }
    open_.pop_back();
  }
}

bool XmlScanner::next(XmlTag& tag) {
  while (true) {
    skip_space();
    if (at_ >= text_.size()) break;
    if (text_[at_] != '<') {
      read_text();
      continue;
    }
    if (skip_markup()) continue;
    read_tag(tag);
    update_depth(tag);
    return true;
  }
  if (!open_.empty()) {
    const Open& innermost = open_.back();
    fail(text_.size(), "the text ends before <" + std::string(innermost.name) + "> of line " +
                           std::to_string(innermost.line) + " is open");
  }
  if (!root_seen_) fail(text_.size(), "the text has no element");
  return false;
}

}  // namespace abut
