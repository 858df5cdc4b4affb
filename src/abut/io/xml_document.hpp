#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "abut/core/error.hpp"
#include "abut/io/notice_list.hpp"
#include "abut/linalg/vec3.hpp"

namespace tinyxml2 {
class XMLDocument;
class XMLElement;
}  // namespace tinyxml2

namespace abut {

/// "<tag>"
inline std::string bracketed(std::string_view tag) {
  std::string text(tag);
  return text.insert(0, 1, '<').append(1, '>');
}

/// An element of a file, with a label for messages: "joint 'knee'".
class XmlElement {
 public:
  XmlElement(const tinyxml2::XMLElement* element, const std::string* file, std::string label)
      : element_(element), file_(file), label_(std::move(label)) {}

  std::string_view tag() const;
  Origin origin() const;
  [[noreturn]] void fail(const std::string& text) const { fail_input(text, origin()); }

  /// The first child of a name; none is fine. It has this element's label.
  std::optional<XmlElement> child(const char* tag) const;
  /// Throws if it is missing.
  XmlElement required_child(const char* tag) const;
  /// Calls visit(XmlElement) for each child, of any name.
  template <class Visit>
  void for_each_child(const Visit& visit) const {
    for (auto e = first_child(); e; e = e->next_sibling()) visit(*e);
  }

  /// The text inside, without that of its children.
  std::string content() const;

  bool has(const char* attribute) const;
  /// The attribute's text; throws if it is missing or empty.
  std::string text(const char* attribute) const;
  /// A finite number; throws if it is missing, unless there is a default.
  double number(const char* attribute) const;
  double number(const char* attribute, double otherwise) const;
  /// Three finite numbers.
  Vec3 vector(const char* attribute) const;
  Vec3 vector(const char* attribute, const Vec3& otherwise) const;

  /// The same element under another label: tag and name.
  XmlElement named(const std::string& name) const;

  /// Lists attributes and children that are not among those known.
  void list_unknown(NoticeList& notices, std::initializer_list<std::string_view> attributes,
                    std::initializer_list<std::string_view> children) const;

 private:
  std::optional<XmlElement> first_child() const;
  std::optional<XmlElement> next_sibling() const;

  const tinyxml2::XMLElement* element_;
  const std::string* file_;
  std::string label_;
};

/// An XML file, which must outlive its elements.
class XmlDocument {
 public:
  /// @throws InputError with the line if the text is not well-formed, or if elements are nested
  /// deeper than the parser goes
  XmlDocument(const std::string& text, const std::string& path);
  ~XmlDocument();

  /// The root element; throws unless it is called `tag`.
  XmlElement root(const char* tag) const;

 private:
  std::string path_;
  std::unique_ptr<tinyxml2::XMLDocument> document_;
};

}  // namespace abut
