#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "abut/core/text.hpp"
#include "abut/io/mjcf/model.hpp"

namespace abut::mjcf {

namespace {

/// The number behind the last `key` of the text; 0 when there is none.
int number_after(std::string_view text, std::string_view key) {
  const std::size_t found = text.rfind(key);
  if (found == std::string_view::npos) return 0;
  const char* begin = text.data() + found + key.size();
  int number = 0;
  std::from_chars(begin, text.data() + text.size(), number);
  return std::max(number, 0);
}

/// What stands between `key` and the next single quote; empty when there is none.
std::string_view quoted_after(std::string_view text, std::string_view key) {
  const std::size_t found = text.rfind(key);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = text.substr(found + key.size());
  return rest.substr(0, rest.find('\''));
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t found = text.find(from);
  if (found != std::string::npos) text.replace(found, from.size(), to);
}

/// MJCF's elements with the attributes that each may have, as MuJoCo lists them.
std::map<std::string, std::set<std::string>, std::less<>> read_schema() {
  std::string text(1 << 17, '\0');
  const int size = mj_printSchema(nullptr, text.data(), static_cast<int>(text.size()), 0, 0);
  text.resize(static_cast<std::size_t>(std::clamp(size, 0, 1 << 17)));
  std::map<std::string, std::set<std::string>, std::less<>> schema;
  std::istringstream words(text);
  std::string element, previous, word;
  // The word in front of a mark like (*) is an element, other words are attributes.
  while (words >> word) {
    if (word.starts_with('(')) {
      element = previous;
      schema[element];
      previous.clear();
      continue;
    }
    if (!previous.empty()) schema[element].insert(previous);
    previous = word;
  }
  if (!previous.empty()) schema[element].insert(previous);
  return schema;
}

/// ", did you mean 'size'?", for a word that MJCF does not know.
std::string suggestion(std::string_view sentence, std::string_view tag) {
  const auto schema = read_schema();
  std::string_view nearest;
  std::vector<std::string_view> known;
  if (sentence.find("unrecognized attribute") != std::string_view::npos) {
    if (const auto element = schema.find(tag); element != schema.end()) {
      known.assign(element->second.begin(), element->second.end());
    }
    nearest = nearest_word(quoted_after(sentence, "attribute: '"), known);
  } else if (sentence.find("unrecognized element") != std::string_view::npos) {
    for (const auto& [name, attributes] : schema) known.push_back(name);
    nearest = nearest_word(tag, known);
  }
  return nearest.empty() ? std::string() : ", did you mean " + quote(nearest) + "?";
}

/// The kind of the element with this id, name and MuJoCo's "line 12"; empty when it is not found.
std::string_view kind_of(const Spec& spec, int id, std::string_view name, int line) {
  const std::string info = "line " + std::to_string(line);
  std::string_view found;
  const auto visitor = [&](std::string_view kind) {
    return [&found, &info, id, name, kind](auto* item, mjsElement* element) {
      if (found.empty() && mjs_getId(element) == id && name_of(element) == name &&
          mjs_getString(item->info) == info) {
        found = kind;
      }
    };
  };
  for_each(spec, mjOBJ_BODY, mjs_asBody, visitor("body"));
  for_each(spec, mjOBJ_GEOM, mjs_asGeom, visitor("geom"));
  for_each(spec, mjOBJ_JOINT, mjs_asJoint, visitor("joint"));
  for_each(spec, mjOBJ_MESH, mjs_asMesh, visitor("mesh"));
  for_each(spec, mjOBJ_EXCLUDE, mjs_asExclude, visitor("exclude"));
  return found;
}

/// Throws for a message about meshes that names none: those that are read from files are meant.
void fail_with_meshes(const Source& source, const Spec& spec, std::string sentence) {
  std::vector<std::string> others;
  Origin first;
  for_each(spec, mjOBJ_MESH, mjs_asMesh, [&](mjsMesh* mesh, mjsElement* element) {
    const std::string file = mjs_getString(mesh->file);
    if (file.empty()) return;
    if (first.element.empty()) {
      first = origin_of(source, "mesh", element, mesh->info);
      sentence += " (" + quote(file) + ")";
    } else {
      others.push_back(file);
    }
  });
  for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 3); ++i) {
    sentence += (i == 0 ? ", or in " : ", ") + quote(others[i]);
  }
  if (others.size() > 3) sentence += ", ...";
  if (!first.element.empty()) fail_input(sentence, first);
}

/// MuJoCo wraps what it says of an attached model into a message about the outer one.
std::string_view innermost(std::string_view message) {
  constexpr std::string_view wrapping = "could not parse model file with error: ";
  const std::size_t found = message.rfind(wrapping);
  if (found == std::string_view::npos) return message;
  const std::string_view inner = message.substr(found + wrapping.size());
  return inner.substr(0, inner.find("\n\nElement "));
}

}  // namespace

std::string sentence_of(std::string_view message) {
  std::string text;
  if (message.starts_with("XML parse error")) {
    const std::size_t begin = message.find("Error=");
    const std::string_view code =
        begin == std::string_view::npos ? message : message.substr(begin + 6);
    text = "not well-formed XML (" + std::string(code.substr(0, code.find_first_of(" \n"))) + ")";
  } else {
    text = message.substr(0, message.find("\nElement "));
  }
  for (bool stripped = true; stripped;) {
    stripped = false;
    for (const std::string_view prefix : {"XML Error: ", "Error: ", "Schema violation: "}) {
      if (text.starts_with(prefix)) {
        text.erase(0, prefix.size());
        stripped = true;
      }
    }
  }
  replace(text, "mjMINVAL", "1e-15 (kg, kg m^2)");
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

void fail_with_message(const Source& source, const Spec* spec, std::string_view outer_message) {
  const std::string_view message = innermost(outer_message);
  const std::size_t place = std::min(message.rfind("\nElement "), message.size());
  const int line =
      std::max(number_after(message.substr(place), "line "), number_after(message, "Line number="));
  std::string_view tag = quoted_after(message, "\nElement '");
  const std::string_view name = quoted_after(message, "\nElement name '");
  if (tag.empty() && spec != nullptr && line > 0) {
    tag = kind_of(*spec, number_after(message, "', id "), name, line);
  }
  if (spec != nullptr && tag.empty() && name.empty() && line == 0 &&
      message.find("mesh_") != std::string_view::npos) {
    fail_with_meshes(source, *spec, sentence_of(message));
  }
  std::string element = tag.empty() && !name.empty() ? quote(name) : label(tag, name);
  const std::string sentence = sentence_of(message);
  fail_input(sentence + suggestion(sentence, tag), source.locate(line, std::move(element)));
}

}  // namespace abut::mjcf
