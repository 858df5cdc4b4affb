#include "abut/io/urdf/file_finder.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "abut/core/text.hpp"

namespace abut::urdf {

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

FileFinder::FileFinder(const std::string& description, std::vector<std::string> folders)
    : description_(description), folders_(std::move(folders)) {
  const char* environment = std::getenv("ROS_PACKAGE_PATH");
  for (std::string_view rest = environment != nullptr ? environment : ""; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (!folder.empty()) folders_.emplace_back(folder);
  }
  std::error_code error;
  const fs::path path = fs::absolute(description, error);
  for (fs::path at = path.parent_path(); !at.empty(); at = at.parent_path()) {
    folders_.push_back(at.string());
    if (at == at.parent_path()) break;
  }
}

std::string FileFinder::find(const std::string& uri, const Origin& at) const {
  if (uri.find('\0') != std::string::npos) fail_input("the file name has a zero byte", at);
  const std::size_t colon = uri.find("://");
  if (colon == std::string::npos) {
    const fs::path path(uri);
    return path.is_absolute() ? uri : (fs::path(description_).parent_path() / path).string();
  }
  const std::string scheme = uri.substr(0, colon);
  std::string rest = uri.substr(colon + 3);
  if (scheme == "file") return rest;
  if (scheme != "package" && scheme != "model") {
    fail_input("file " + quote(uri, 1024) + ": must be a path, package://, model:// or file://",
               at);
  }
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos)
    fail_input("file " + quote(uri, 1024) + " names a package only", at);
  return find_in_package(rest.substr(0, slash), rest.substr(slash + 1), at);
}

std::string FileFinder::find_in_package(const std::string& name, const std::string& rest,
                                        const Origin& at) const {
  bool has_package = false;
  for (const std::string& folder : folders_) {
    const bool is_package = fs::path(folder).lexically_normal().filename() == name;
    for (const fs::path& package : {fs::path(folder) / name, fs::path(folder)}) {
      if (package == folder && !is_package) continue;
      if (!is_there(package)) continue;
      has_package = true;
      if (is_there(package / rest)) return (package / rest).string();
    }
  }
  fail_input(has_package
                 ? "package " + quote(name) + " has no file " + quote(rest, 1024)
                 : "package " + quote(name) +
                       " is not in a folder above the file: name its folder by --package-path "
                       "or ROS_PACKAGE_PATH",
             at);
}

}  // namespace abut::urdf
