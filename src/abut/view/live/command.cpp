#include "abut/view/live/command.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"

namespace abut {
namespace {

using Json = nlohmann::json;
using Kind = LiveCommand::Kind;

struct Form {
  std::string_view type;
  Kind kind;
  std::vector<std::string_view> keys;  ///< besides "type", all of them needed
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {{"play", Kind::play, {}},
                                        {"pause", Kind::pause, {}},
                                        {"step", Kind::step, {}},
                                        {"reset", Kind::reset, {}},
                                        {"speed", Kind::speed, {"value"}},
                                        {"set", Kind::set, {"name", "value"}},
                                        {"drag", Kind::drag, {"body", "point", "target"}},
                                        {"release", Kind::release, {}},
                                        {"record", Kind::record, {"value"}}};
  return all;
}

/// The members of one message.
class Message {
 public:
  explicit Message(std::string_view text) {
    if (text.size() > longest_command) fail_input("the message is longer than 4096 bytes");
    try {
      std::set<std::string> keys;
      json_ = Json::parse(text, [&](int depth, Json::parse_event_t event, const Json& value) {
        const bool is_key = event == Json::parse_event_t::key && depth == 1;
        if (is_key && !keys.insert(value).second) {
          fail_input("the message has two " + quote(value.get<std::string>()) + ": " + quote(text));
        }
        return true;
      });
    } catch (const Json::out_of_range&) {
      fail_input("the message has a number that is too large: " + quote(text));
    } catch (const Json::exception&) {
      fail_input("the message is not JSON: " + quote(text));
    }
    if (!json_.is_object()) fail_input("the message is not a JSON object: " + quote(text));
    if (const auto t = json_.find("type"); t != json_.end() && t->is_string()) type_ = *t;
    if (type_.empty()) fail_input("the message has no type: " + quote(text));
  }

  /// @throws InputError for an unknown type, unknown keys and missing ones
  const Form& form() const {
    std::vector<std::string_view> types;
    for (const Form& f : forms()) {
      if (f.type != type_) {
        types.push_back(f.type);
        continue;
      }
      for (const auto& [key, value] : json_.items()) {
        if (key != "type") check_known(key, f.keys);
      }
      for (const std::string_view key : f.keys) {
        if (!json_.contains(key)) fail("has no " + quote(key));
      }
      return f;
    }
    const std::string_view near = nearest_word(type_, types);
    fail_input("message " + quote(type_) + " is not known" +
               (near.empty() ? "" : ", did you mean '" + std::string(near) + "'?"));
  }

  double number(const char* key) const { return to_number(key, json_[key]); }
  bool truth(const char* key) const {
    if (!json_[key].is_boolean()) fail(quote(key) + " must be true or false");
    return json_[key];
  }
  std::string text(const char* key) const {
    if (!json_[key].is_string()) fail(quote(key) + " must be a string");
    return json_[key];
  }
  int index(const char* key) const {
    const double x = number(key);
    if (std::abs(x) > 1e9 || x != std::floor(x)) fail(quote(key) + " must be a whole number");
    return static_cast<int>(x);
  }
  Vec3 vector(const char* key) const {
    const Json& j = json_[key];
    if (!j.is_array() || j.size() != 3) fail(quote(key) + " must be three numbers");
    return {to_number(key, j[0]), to_number(key, j[1]), to_number(key, j[2])};
  }
  SettingValue setting(const char* key) const {
    const Json& j = json_[key];
    if (j.is_null()) return {};
    if (j.is_string()) return text(key);
    if (j.is_array()) return vector(key);
    return number(key);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    fail_input("message " + quote(type_) + ": " + text);
  }
  void check_known(const std::string& key, std::span<const std::string_view> keys) const {
    for (const std::string_view known : keys) {
      if (key == known) return;
    }
    const std::string_view near = nearest_word(key, keys);
    fail(quote(key) + " is not known" +
         (near.empty() ? "" : ", did you mean '" + std::string(near) + "'?"));
  }
  /// JSON cannot say NaN or infinity.
  double to_number(const char* key, const Json& j) const {
    if (!j.is_number()) fail(quote(key) + " must be a finite number");
    return j;
  }

  Json json_;
  std::string type_;
};

}  // namespace

LiveCommand parse_command(std::string_view text) {
  const Message m(text);
  LiveCommand c{.kind = m.form().kind};
  switch (c.kind) {
    case Kind::play:
    case Kind::pause:
    case Kind::step:
    case Kind::reset:
    case Kind::release: break;
    case Kind::speed: c.speed = m.number("value"); break;
    case Kind::set:
      c.name = m.text("name");
      c.value = m.setting("value");
      break;
    case Kind::drag:
      c.body = m.index("body");
      c.point = m.vector("point");
      c.target = m.vector("target");
      break;
    case Kind::record: c.on = m.truth("value"); break;
  }
  return c;
}

}  // namespace abut
