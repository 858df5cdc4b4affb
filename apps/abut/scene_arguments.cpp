#include "scene_arguments.hpp"

#include <climits>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/model_file.hpp"
#include "progress.hpp"
#include "recording_argument.hpp"
#include "run_options.hpp"

namespace abut::cli {

void SceneArguments::add_to(CLI::App& command) {
  command.add_option("scene", path, "scene file (.toml), URDF (.urdf) or MJCF file")
      ->required()
      ->type_name("SCENE");
  command
      .add_option_function<std::string>(
          "--body-limit",
          [this](const std::string& text) {
            const std::uint64_t n = parse_whole_number("--body-limit", text);
            require(n >= 1 && n <= INT_MAX, "--body-limit", static_cast<double>(n), "",
                    "must lie in [1, 2^31)");
            mjcf.body_limit = static_cast<int>(n);
          },
          "most bodies of a MJCF file, after replicate and attach (default 10000)")
      ->type_name("N");
  const char* group = "URDF";
  const auto given = [this](const char* flag) { urdf_flag_ = flag; };
  command
      .add_option_function<std::string>(
          "--base",
          [this, given](const std::string& word) {
            given("--base");
            if (word != "fixed" && word != "free") {
              throw CLI::ValidationError("--base", quote(word) + " is neither fixed nor free");
            }
            urdf.base = word == "fixed" ? RobotBase::fixed : RobotBase::free;
          },
          "whether the robot's base is fixed or free (default: free if it has mass)")
      ->type_name("WORD")
      ->group(group);
  command
      .add_flag_callback(
          "--no-self-collision",
          [this, given] { given("--no-self-collision"), urdf.self_collision = false; },
          "the robot's links do not touch each other")
      ->group(group);
  command
      .add_flag_callback(
          "--accept-inertia",
          [this, given] { given("--accept-inertia"), urdf.accept_inertia = true; },
          "take inertias that no body can have")
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--package-path",
          [this, given](const std::vector<std::string>& folders) {
            given("--package-path");
            urdf.package_paths = folders;
          },
          "folder in which packages lie (package://...); may be given several times")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option_function<std::string>(
          "--srdf", [this, given](const std::string& file) { given("--srdf"), urdf.srdf = file; },
          "disabled collisions and states (default: the SRDF of the same name)")
      ->type_name("FILE")
      ->group(group);
}

SceneFile SceneArguments::load() const {
  refuse_recording(path, "a scene");
  if (!urdf_flag_.empty() && !is_urdf(path)) fail_input(urdf_flag_ + " is for URDF files only");
  const LoadProgress progress(path);
  return load_scene_file(path, urdf, mjcf);
}

int find_keyframe(const Scene& scene, const std::string& name) {
  const auto& keys = scene.keyframes;
  std::string known;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (keys[k].name == name) return static_cast<int>(k);
    known += (known.empty() ? "" : ", ") + keys[k].name;
  }
  fail_input("--keyframe " + quote(name) + " is not in the scene: " +
             (known.empty() ? "it has none" : "must be one of " + known));
}

}  // namespace abut::cli
