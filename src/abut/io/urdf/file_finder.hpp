#pragma once

#include <string>
#include <vector>

#include "abut/core/error.hpp"

namespace abut::urdf {

/// Where the files lie that a robot's description names.
class FileFinder {
 public:
  /// `folders` are looked through for packages first, then those of the environment's
  /// ROS_PACKAGE_PATH, then all folders above the description.
  FileFinder(const std::string& description, std::vector<std::string> folders);

  /// Path of "package://NAME/REST" or "model://NAME/REST" (REST in a folder NAME), of
  /// "file:///PATH", or of a path that is relative to the description.
  /// @throws InputError if no package of that name has such a file
  std::string find(const std::string& uri, const Origin& at) const;

 private:
  std::string find_in_package(const std::string& name, const std::string& rest,
                              const Origin& at) const;

  std::string description_;
  std::vector<std::string> folders_;
};

}  // namespace abut::urdf
