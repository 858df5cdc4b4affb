#include "abut/io/mjcf_model.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <mutex>

#include "abut/core/text.hpp"
#include "abut/io/input_file.hpp"

namespace abut::mjcf {

namespace {

constexpr std::size_t largest_asset = std::size_t{2} << 30;  // bytes

std::mutex one_at_a_time;
std::atomic<mjfLogHandler> previous_handler = nullptr;
thread_local bool in_this_thread = false;

/// An error that MuJoCo reports outside of its compiler, where it expects the process to end.
struct FatalError {
  std::string message;
};

void handle_log(const mjLogMessage* message) {
  if (!in_this_thread) {
    if (const mjfLogHandler previous = previous_handler) previous(message);
  } else if (message->level == mjLOG_ERROR) {
    throw FatalError{message->subject};  // MuJoCo must not get control back
  }
}

class FileSystem {
 public:
  explicit FileSystem(const Source& source) {
    mj_defaultVFS(&files_);
    for (const Document& document : source.documents()) {
      // a document that two spellings of its path name is added once
      mj_addBufferVFS(&files_, document.path.c_str(), document.text.data(),
                      static_cast<int>(document.text.size()));
    }
  }
  ~FileSystem() { mj_deleteVFS(&files_); }
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  const mjVFS* get() const { return &files_; }

 private:
  mjVFS files_;
};

/// One grey pixel in place of pictures.
void drop_pictures(mjSpec& spec) {
  for_each(spec, mjOBJ_TEXTURE, mjs_asTexture, [](mjsTexture* texture, mjsElement*) {
    texture->builtin = mjBUILTIN_FLAT;
    texture->width = texture->height = 1;
    texture->nchannel = 3;
    texture->hflip = texture->vflip = false;
  });
}

/// Where MuJoCo will look for the file of an asset.
std::string asset_path(const mjSpec& spec, mjsElement* element, std::string file) {
  const auto is_absolute = [](const std::string& path) { return path.starts_with('/'); };
  if (spec.strippath) file = file.substr(file.rfind('/') + 1);
  if (is_absolute(file)) return file;
  std::string directory = mjs_getString(mjs_getCompiler(element)->meshdir);
  if (!directory.empty() && !directory.ends_with('/')) directory += '/';
  if (is_absolute(directory)) return directory + file;
  return mjs_getString(mjs_getOriginSpec(element)->modelfiledir) + directory + file;
}

void require_readable_assets(const Source& source, const mjSpec& spec) {
  const auto check = [&](const char* tag) {
    return [&, tag](auto* asset, mjsElement* element) {
      const std::string file = mjs_getString(asset->file);
      if (file.empty()) return;
      require_regular_file(asset_path(spec, element, file), largest_asset,
                           origin_of(source, tag, element, asset->info));
    };
  };
  for_each(spec, mjOBJ_MESH, mjs_asMesh, check("mesh"));
  for_each(spec, mjOBJ_HFIELD, mjs_asHField, check("hfield"));
}

/// Enough for the compiler's own computations, whose need grows with the number of bodies; its
/// guess would ask for a multiple of the square.
mjtSize arena_size(const mjSpec& spec) {
  mjtSize bodies = 0;
  for_each(spec, mjOBJ_BODY, mjs_asBody, [&](mjsBody*, mjsElement*) { ++bodies; });
  return (mjtSize{16} << 20) + 4096 * bodies;
}

}  // namespace

QuietMujoco::QuietMujoco() {
  one_at_a_time.lock();
  in_this_thread = true;
  previous_handler = mju_setLogHandler(handle_log);
}

QuietMujoco::~QuietMujoco() {
  mju_setLogHandler(previous_handler);
  in_this_thread = false;
  one_at_a_time.unlock();
}

void require_version(int found) {
  if (found == mjVERSION_HEADER) return;
  throw FileError("MJCF files need libmujoco with version number " +
                  std::to_string(mjVERSION_HEADER) + ", but the one loaded is " +
                  std::to_string(found) + ": install the package mujoco-core of that version");
}

SpecPointer parse(const Source& source) {
  require_version(mj_version());
  const FileSystem files(source);
  std::array<char, 4096> error{};
  SpecPointer spec;
  try {
    spec.reset(mj_parseXML(source.documents().front().path.c_str(), files.get(), error.data(),
                           static_cast<int>(error.size())));
  } catch (const FatalError& fatal) {
    fail_with_message(source, nullptr, fatal.message);
  }
  if (!spec) fail_with_message(source, nullptr, error.data());
  return spec;
}

ModelPointer compile(const Source& source, mjSpec& spec) {
  require_readable_assets(source, spec);
  drop_pictures(spec);
  spec.memory = arena_size(spec);
  spec.compiler.usethread = false;  // its threads would not be silent
  ModelPointer model;
  try {
    model.reset(mj_compile(&spec, nullptr));
  } catch (const FatalError& fatal) {
    fail_with_message(source, &spec, fatal.message);
  }
  if (!model) fail_with_message(source, &spec, mjs_getError(&spec));
  return model;
}

std::string name_of(mjsElement* element) {
  return mjs_getString(mjs_getName(element));
}

std::vector<mjsElement*> elements_by_id(const mjSpec& spec, mjtObj type, mjtSize count) {
  std::vector<mjsElement*> elements(static_cast<std::size_t>(count));
  for (mjsElement* at = mjs_firstElement(&spec, type); at; at = mjs_nextElement(&spec, at)) {
    const int id = mjs_getId(at);
    if (id >= 0 && id < count) elements[static_cast<std::size_t>(id)] = at;
  }
  return elements;
}

std::unordered_set<const mjsElement*> moving_bodies(const mjSpec& spec) {
  std::unordered_set<const mjsElement*> moving;
  for_each(spec, mjOBJ_BODY, mjs_asBody, [&](mjsBody* body, mjsElement* element) {
    const mjsBody* parent = mjs_getParent(element);
    if (mjs_firstChild(body, mjOBJ_JOINT, 0) != nullptr ||
        (parent != nullptr && moving.contains(parent->element))) {
      moving.insert(element);
    }
  });
  return moving;
}

std::vector<Origin> key_origins(const Source& source, const mjSpec& spec) {
  std::vector<const Element*> written;
  for (const Element& element : source.elements()) {
    if (element.tag == "key" && element.in_main_model) written.push_back(&element);
  }
  std::vector<Origin> origins;
  std::size_t next = 0;
  for_each(spec, mjOBJ_KEY, mjs_asKey, [&](mjsKey*, mjsElement* element) {
    const bool in_main_model = mjs_getOriginSpec(element) == &spec && next < written.size();
    const int line = in_main_model ? written[next++]->line : 0;
    origins.push_back(source.locate(line, label("key", name_of(element))));
  });
  return origins;
}

Origin origin_of(const Source& source, const char* tag, mjsElement* element, const mjString* info) {
  const std::string_view text = mjs_getString(info);
  int line = 0;
  const std::size_t found = text.rfind("line ");
  if (found != std::string_view::npos) {
    std::from_chars(text.data() + found + 5, text.data() + text.size(), line);
  }
  return source.locate(line, label(tag, name_of(element)));
}

}  // namespace abut::mjcf
