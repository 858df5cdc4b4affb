#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "abut/io/mjcf.hpp"

namespace abut {

/// A scene with `world` in its <worldbody>, which is line 3 if `head` is one line.
inline std::string scene_text(const std::string& world, const std::string& head = "",
                              const std::string& tail = "") {
  return "<mujoco>" + head + "\n<worldbody>\n" + world + "\n</worldbody>\n" + tail + "</mujoco>\n";
}

/// A free ball of 1 kg and radius 0.1 m in line 3 of scene_text().
inline const std::string free_ball =
    R"(<body name="ball"><freejoint/><geom name="skin" size=".1" mass="1"/></body>)";

/// What the loader says of a text; empty when it loads it.
inline std::string error_of(std::string_view text) {
  try {
    load_mjcf_text(text, "s.xml");
  } catch (const InputError& error) {
    return error.what();
  } catch (const FileError& error) {
    return std::string("FileError: ") + error.what();
  }
  return "";
}

struct BadCase {
  std::string text;
  std::string error;
};

inline void expect_errors(const std::vector<BadCase>& cases) {
  for (const auto& [text, error] : cases) EXPECT_EQ(error_of(text), error) << text;
}

/// Its notices, each as "file:line: element: text".
inline std::vector<std::string> notices_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const Notice& notice : load_mjcf_text(text, "s.xml").notices) {
    lines.push_back(describe(notice.at) + notice.text);
  }
  return lines;
}

/// A folder that is gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "abut-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  std::string write(const std::string& name, std::string_view text) const {
    std::string path = *this / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  /// The text with this folder's name taken out, for comparisons.
  std::string relative(std::string text) const {
    for (std::size_t at; (at = text.find(path_ + "/")) != std::string::npos;) {
      text.erase(at, path_.size() + 1);
    }
    return text;
  }

  /// What the loader says of a file in it.
  std::string error_of(const std::string& name) const {
    try {
      load_mjcf(*this / name);
    } catch (const InputError& error) {
      return relative(error.what());
    } catch (const FileError& error) {
      return "FileError: " + relative(error.what());
    }
    return "";
  }

 private:
  std::string path_;
};

}  // namespace abut
