#include "abut/io/xml_document.hpp"

#include <tinyxml2.h>

#include <algorithm>

#include "abut/core/text.hpp"
#include "abut/io/decimal.hpp"

namespace abut {

namespace {

const char* reason_of(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT: return "there is no element";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT: return "an element is not closed, or not opened";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE: return "an attribute is not well-formed";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT: return "an element is not well-formed";
    case tinyxml2::XML_ERROR_PARSING_TEXT: return "text is not closed";
    case tinyxml2::XML_ERROR_PARSING_COMMENT: return "a comment is not closed";
    case tinyxml2::XML_ERROR_PARSING_CDATA: return "CDATA is not closed";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION: return "a declaration is not well-formed";
    case tinyxml2::XML_ERROR_PARSING_UNKNOWN: return "markup is not closed";
    case tinyxml2::XML_ERROR_PARSING: return "the text ends within an element";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED: return "elements are nested too deeply";
    default: return "not XML";
  }
}

bool is_among(std::string_view word, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

}  // namespace

std::string_view XmlElement::tag() const {
  return element_->Name();
}

Origin XmlElement::origin() const {
  return {*file_, element_->GetLineNum(), label_};
}

bool XmlElement::has(const char* attribute) const {
  return element_->Attribute(attribute) != nullptr;
}

std::optional<XmlElement> XmlElement::first_child() const {
  const tinyxml2::XMLElement* found = element_->FirstChildElement();
  if (found == nullptr) return std::nullopt;
  return XmlElement(found, file_, label_);
}

std::optional<XmlElement> XmlElement::next_sibling() const {
  const tinyxml2::XMLElement* found = element_->NextSiblingElement();
  if (found == nullptr) return std::nullopt;
  return XmlElement(found, file_, label_);
}

std::optional<XmlElement> XmlElement::child(const char* tag) const {
  const tinyxml2::XMLElement* found = element_->FirstChildElement(tag);
  if (found == nullptr) return std::nullopt;
  XmlElement child(found, file_, label_);
  if (found->NextSiblingElement(tag) != nullptr) {
    XmlElement(found->NextSiblingElement(tag), file_, label_)
        .fail(bracketed(tag) + " is given twice");
  }
  return child;
}

XmlElement XmlElement::required_child(const char* tag) const {
  if (auto found = child(tag)) return *found;
  fail(bracketed(tag) + " is missing");
}

std::string XmlElement::content() const {
  std::string text;
  for (const auto* node = element_->FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (node->ToText() != nullptr) text.append(node->Value()).append(" ");
  }
  return text;
}

std::string XmlElement::text(const char* attribute) const {
  const char* found = element_->Attribute(attribute);
  if (found == nullptr) fail(bracketed(tag()) + " has no " + attribute);
  if (*found == '\0') fail(std::string(attribute) + " is empty");
  return found;
}

double XmlElement::number(const char* attribute) const {
  const std::string written = text(attribute);
  std::string_view rest = written;
  const std::string_view word = take_word(rest);
  const Decimal number = read_decimal(word);
  const char* rule = number.broken_rule;
  if (!take_word(rest).empty()) rule = "must be one number";
  if (rule != nullptr) fail(std::string(attribute) + " = " + quote(written) + ", " + rule);
  return number.value;
}

double XmlElement::number(const char* attribute, double otherwise) const {
  return has(attribute) ? number(attribute) : otherwise;
}

Vec3 XmlElement::vector(const char* attribute) const {
  const std::string written = text(attribute);
  std::string_view rest = written;
  Vec3 v;
  for (int k = 0; k < 3; ++k) {
    const Decimal number = read_decimal(take_word(rest));
    const char* rule = number.broken_rule;
    if (rule != nullptr && rest.empty()) rule = "must be three numbers";
    if (k == 2 && !take_word(rest).empty()) rule = "must be three numbers";
    if (rule != nullptr) fail(std::string(attribute) + " = " + quote(written) + ", " + rule);
    v[k] = number.value;
  }
  return v;
}

Vec3 XmlElement::vector(const char* attribute, const Vec3& otherwise) const {
  return has(attribute) ? vector(attribute) : otherwise;
}

XmlElement XmlElement::named(const std::string& name) const {
  return {element_, file_, std::string(tag()) + " " + quote(name)};
}

void XmlElement::list_unknown(NoticeList& notices,
                              std::initializer_list<std::string_view> attributes,
                              std::initializer_list<std::string_view> children) const {
  for (const auto* a = element_->FirstAttribute(); a != nullptr; a = a->Next()) {
    if (is_among(a->Name(), attributes)) continue;
    notices.add("attribute " + quote(a->Name()) + " of " + bracketed(tag()) + " is not read",
                origin());
  }
  for_each_child([&](const XmlElement& e) {
    if (is_among(e.tag(), children)) return;
    notices.add(bracketed(e.tag()) + " in " + bracketed(tag()) + " is not read", e.origin());
  });
}

XmlDocument::XmlDocument(const std::string& text, const std::string& path)
    : path_(path), document_(std::make_unique<tinyxml2::XMLDocument>()) {
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string::npos) {
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
    fail_input("a byte that is not UTF-8", {path_, 1 + static_cast<int>(line), {}});
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    fail_input("a zero byte", {path_, 1 + static_cast<int>(line), {}});
  }
  const tinyxml2::XMLError error = document_->Parse(text.data(), text.size());
  if (error != tinyxml2::XML_SUCCESS) {
    fail_input(std::string("not well-formed: ") + reason_of(error),
               {path_, document_->ErrorLineNum(), {}});
  }
}

XmlDocument::~XmlDocument() = default;

XmlElement XmlDocument::root(const char* tag) const {
  const tinyxml2::XMLElement* root = document_->RootElement();
  if (root == nullptr) fail_input("there is no element", {path_, 0, {}});
  const XmlElement element(root, &path_, {});
  if (element.tag() != tag) {
    element.fail("the root element is " + bracketed(element.tag()) + ", must be " + bracketed(tag));
  }
  if (const auto* second = root->NextSiblingElement()) {
    XmlElement(second, &path_, {}).fail("a second root element");
  }
  return element;
}

}  // namespace abut
