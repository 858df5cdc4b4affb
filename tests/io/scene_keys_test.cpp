// Every key of scene files, given what is no value of it: another type, numbers that are none or
// too many, words and names that do not exist. Each is refused with its line, its table and its
// name.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "abut/io/scene_file.hpp"

namespace abut {
namespace {

enum class Type {
  number,
  positive,      ///< number > 0
  not_negative,  ///< number >= 0
  whole,
  boolean,
  text,
  three,  ///< numbers
  numbers,
  texts,
  table,
};

/// A document that is right where `key` is given a right value; @ stands for "key = value".
struct Key {
  std::string document, key, right;
  Type type;
};

const std::string shape = "shape = {type = 'sphere', radius = 0.1}\n";
const std::string body = "[[body]]\n" + shape + "@\n";
const std::string box = "[[body]]\nshape = {type = 'box', half_extents = [1, 1, 1], @}\n";
const std::string two = "[[body]]\nname = 'a'\n" + shape + "[[body]]\nname = 'b'\n" + shape;
const std::string surface = "[world]\nground = true\n[[surface]]\ngeoms = ['ground']\n@\n";
const std::string camera = "[[camera]]\n";

std::vector<Key> keys() {
  using enum Type;
  return {
      {"[world]\n@", "gravity", "[0, 0, 1]", three},
      {"[world]\n@", "ground", "true", boolean},
      {"[material.m]\n[world]\nground = true\n@", "ground_material", "'m'", text},
      {"[world]\n@", "friction_rule", "'maximum'", text},
      {"[material.m]\n@", "stiffness", "1e5", positive},
      {"[material.m]\n@", "dissipation", "1", not_negative},
      {"[material.m]\n@", "relaxation_time", "1", not_negative},
      {"[material.m]\n@", "friction", "0.5", not_negative},
      {"[material.m]\n@\n" + two, "bodies", "['a']", texts},
      {"[material.m]\n@\n[[body]]\nshape = {name = 'g', type = 'sphere', radius = 1}", "geoms",
       "['g']", texts},
      {body, "name", "'a'", text},
      {body, "fixed", "true", boolean},
      {body, "position", "[1, 2, 3]", three},
      {body, "rpy", "[1, 2, 3]", three},
      {body, "orientation", "[1, 0, 0, 0]", numbers},
      {body, "linear_velocity", "[1, 2, 3]", three},
      {body, "angular_velocity", "[1, 2, 3]", three},
      {body, "mass", "2", positive},
      {body, "density", "2", positive},
      {"[[body]]\nmass = 1\n" + shape + "@", "inertia", "[1, 1, 1]", numbers},
      {"[[body]]\nmass = 1\ninertia = [1, 1, 1]\n@", "center_of_mass", "[1, 2, 3]", three},
      {body + "spacing = [1, 0, 0]\n", "copies", "3", whole},
      {body, "spacing", "[1, 2, 3]", three},
      {"[[body]]\nmass = 1\ninertia = [1, 1, 1]\n@", "shape", "{type = 'sphere', radius = 1}",
       table},
      {box, "name", "'g'", text},
      {box, "position", "[1, 2, 3]", three},
      {box, "rpy", "[1, 2, 3]", three},
      {box, "orientation", "[1, 0, 0, 0]", numbers},
      {"[material.m]\n" + box, "material", "'m'", text},
      {box, "surface_velocity", "[1, 2, 3]", three},
      {box, "surface_angular_velocity", "[1, 2, 3]", three},
      {surface, "surface_velocity", "[1, 2, 3]", three},
      {surface, "surface_angular_velocity", "[1, 2, 3]", three},
      {"[[body]]\nshape = {name = 'g', type = 'sphere', radius = 1}\n[[surface]]\n@", "geoms",
       "['g']", texts},
      {"[[body]]\nshape = {radius = 1, @}", "type", "'sphere'", text},
      {"[[body]]\nshape = {type = 'sphere', @}", "radius", "1", positive},
      {"[[body]]\nshape = {type = 'capsule', radius = 1, @}", "half_length", "1", positive},
      {"[[body]]\nshape = {type = 'cylinder', half_length = 1, @}", "radius", "1", positive},
      {"[[body]]\nshape = {type = 'box', @}", "half_extents", "[1, 2, 3]", three},
      {"[[body]]\nshape = {type = 'ellipsoid', @}", "radii", "[1, 2, 3]", three},
      {two + "[[exclude]]\n@", "bodies", "['a', 'b']", texts},
      {"[material.m]\n[[pair]]\n@", "materials", "['m', 'm']", texts},
      {"[material.m]\n[[pair]]\nmaterials = ['m', 'm']\n@", "stiffness", "1", positive},
      {"[material.m]\n[[pair]]\nmaterials = ['m', 'm']\n@", "dissipation", "1", not_negative},
      {"[material.m]\n[[pair]]\nmaterials = ['m', 'm']\n@", "relaxation_time", "1", not_negative},
      {"[material.m]\n[[pair]]\nmaterials = ['m', 'm']\n@", "friction", "1", not_negative},
      {"[material.m]\n[[pair]]\nmaterials = ['m', 'm']\n@", "forced", "true", boolean},
      {"[simulation]\n@", "model", "'similar'", text},
      {"[simulation]\n@", "law", "'hertz'", text},
      {"[simulation]\n@", "scheme", "'midpoint'", text},
      {"[simulation]\n@", "solver", "'newton'", text},
      {"[simulation]\n@", "time_step", "0.1", positive},
      {"[simulation]\n@", "duration", "0.1", not_negative},
      {"[simulation]\n@", "tolerance", "0.1", positive},
      {"[simulation]\n@", "lag_tolerance", "0.1", positive},
      {"[simulation]\n@", "contact_limit", "10", whole},
      {"[simulation]\n@", "seed", "10", whole},
      {camera + "position = [0, 0, 0]\ntarget = [1, 0, 0]\n@", "name", "'c'", text},
      {camera + "target = [1, 0, 0]\n@", "position", "[3, 0, 0]", three},
      {camera + "position = [1, 0, 0]\n@", "target", "[3, 0, 0]", three},
      {camera + "position = [0, 0, 0]\ntarget = [1, 0, 0]\n@", "up", "[0, 1, 0]", three},
      {camera + "position = [0, 0, 0]\ntarget = [1, 0, 0]\n@", "field_of_view", "1", positive},
      {"[output]\n@", "directory", "'d'", text},
      {"[output]\n@", "frame_rate", "10", not_negative},
  };
}

std::string document_of(const Key& k, const std::string& value) {
  std::string text = "abut = 1\n" + k.document;
  return text.replace(text.find('@'), 1, k.key + " = " + value);
}

std::string error_of(const std::string& text) {
  try {
    load_scene_text(text, "s.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

/// "s.toml:LINE: " of the line in which the key is.
std::string place_of(const Key& k) {
  const std::string text = document_of(k, "");
  const std::string before = text.substr(0, text.find(k.key + " = "));
  return "s.toml:" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ": ";
}

std::vector<std::string> wrong_values(Type type) {
  using enum Type;
  // one of each type, which all but those that have it refuse
  std::vector<std::string> wrong = {"07:32:00", "[[1]]", "[true]", "[{}]", "{none = 1}"};
  const auto add = [&](const std::vector<std::string>& more) {
    wrong.insert(wrong.end(), more.begin(), more.end());
  };
  const bool is_number = type == number || type == positive || type == not_negative;
  if (type != boolean) wrong.push_back("true");
  if (type != text) wrong.push_back("'word'");
  if (!is_number && type != whole) add({"1", "-1"});
  if (!is_number) add({"1.5", "nan", "inf"});
  if (is_number) add({"nan", "inf", "-inf", "[1]"});
  if (type == positive) add({"0", "-1", "-1e-300"});
  if (type == not_negative) add({"-1", "-1e-300"});
  if (type == whole) add({"-1", "1.0", "1e3", "9223372036854775808"});
  if (type == three) add({"[]", "[1, 2]", "[1, 2, 3, 4]", "[1, 2, 'x']", "[1, 2, nan]"});
  if (type == numbers) add({"[]", "[1, 2]", "[1, 2, 'x']", "[1, 0, 0, inf]"});
  if (type == text) add({"''", "['word']"});
  if (type == texts) add({"'word'", "[1]", "['no such name', 'none']", "['', '']"});
  if (type != table) wrong.push_back("{}");
  return wrong;
}

TEST(SceneKeys, AreTakenOnceAndNotMisspelt) {
  for (const Key& k : keys()) {
    SCOPED_TRACE(k.document + k.key);
    EXPECT_EQ(error_of(document_of(k, k.right)), "");
    const std::string twice = k.right + (k.document.find("{") < k.document.find('@') ? ", " : "\n");
    EXPECT_NE(error_of(document_of(k, twice + k.key + " = " + k.right)), "");
    Key other = k;
    other.key += "s";
    EXPECT_NE(error_of(document_of(other, k.right)).find("'" + other.key + "'"), std::string::npos);
  }
}

TEST(SceneKeys, AreRefusedWithPlaceAndNameForWhatIsNoValue) {
  for (const Key& k : keys()) {
    for (const std::string& wrong : wrong_values(k.type)) {
      SCOPED_TRACE(k.document + k.key + " = " + wrong);
      const std::string message = error_of(document_of(k, wrong));
      EXPECT_EQ(message.rfind(place_of(k), 0), 0u) << message;
      const bool is_named = message.find(k.key) != std::string::npos;
      EXPECT_TRUE(is_named || message.find(" does not exist") != std::string::npos ||
                  message.find("is not valid TOML") != std::string::npos)
          << message;
    }
  }
}

}  // namespace
}  // namespace abut
