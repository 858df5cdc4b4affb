#include "abut/io/mjcf/model.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <mutex>

#include "abut/core/text.hpp"

namespace abut::mjcf {

namespace {

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

/// Enough for the compiler's own computations, whose need grows with the number of bodies; its
/// guess would ask for a multiple of the square.
mjtSize arena_size(const Spec& spec) {
  return (mjtSize{16} << 20) + 4096 * static_cast<mjtSize>(spec.elements(mjOBJ_BODY).size());
}

}  // namespace

QuietMujoco::QuietMujoco() {
  one_at_a_time.lock();
  in_this_thread = true;
  const mjfLogHandler found = mju_setLogHandler(handle_log);
  // Ours may have been put back by somebody who changed handlers meanwhile; it must not call
  // itself.
  if (found != handle_log) previous_handler = found;
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

const std::vector<mjsElement*>& Spec::elements(mjtObj type) const {
  const auto [list, is_new] = elements_.try_emplace(type);
  if (is_new) {
    for (mjsElement* at = mjs_firstElement(get(), type); at; at = mjs_nextElement(get(), at)) {
      list->second.push_back(at);
    }
  }
  return list->second;
}

void Spec::remove(const std::vector<mjsElement*>& elements) {
  for (mjsElement* element : elements) mjs_delete(get(), element);
  if (!elements.empty()) forget_elements();
}

Spec parse(const Source& source) {
  require_version(mj_version());
  const FileSystem files(source);
  std::array<char, 4096> error{};
  try {
    if (mjSpec* spec = mj_parseXML(source.documents().front().path.c_str(), files.get(),
                                   error.data(), static_cast<int>(error.size()))) {
      return Spec(spec);
    }
  } catch (const FatalError& fatal) {
    fail_with_message(source, nullptr, fatal.message);
  }
  fail_with_message(source, nullptr, error.data());
}

ModelPointer compile(const Source& source, Spec& spec) {
  spec->memory = arena_size(spec);
  spec->compiler.usethread = false;  // its threads would not be silent
  ModelPointer model;
  std::string fatal_message;
  try {
    model.reset(mj_compile(spec.get(), nullptr));
  } catch (const FatalError& fatal) {
    fatal_message = fatal.message;
  }
  spec.forget_elements();  // static bodies may have become frames
  if (model) return model;
  fail_with_message(source, &spec,
                    fatal_message.empty() ? mjs_getError(spec.get()) : fatal_message);
}

std::string name_of(mjsElement* element) {
  return mjs_getString(mjs_getName(element));
}

std::vector<mjsElement*> elements_by_id(const Spec& spec, mjtObj type, mjtSize count) {
  std::vector<mjsElement*> elements(static_cast<std::size_t>(count));
  for (mjsElement* element : spec.elements(type)) {
    const int id = mjs_getId(element);
    if (id >= 0 && id < count) elements[static_cast<std::size_t>(id)] = element;
  }
  return elements;
}

std::unordered_set<const mjsElement*> moving_bodies(const Spec& spec) {
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

std::vector<Origin> key_origins(const Source& source, const Spec& spec) {
  std::vector<const Element*> written;
  for (const Element& element : source.elements()) {
    if (element.tag == "key" && element.in_main_model) written.push_back(&element);
  }
  std::vector<Origin> origins;
  std::size_t next = 0;
  for_each(spec, mjOBJ_KEY, mjs_asKey, [&](mjsKey*, mjsElement* element) {
    const bool in_main_model = mjs_getOriginSpec(element) == spec.get() && next < written.size();
    const int line = in_main_model ? written[next++]->line : 0;
    origins.push_back(source.locate(line, label("key", name_of(element))));
  });
  return origins;
}

int document_line(const mjString* info) {
  const std::string_view text = mjs_getString(info);
  int line = 0;
  const std::size_t found = text.rfind("line ");
  if (found != std::string_view::npos) {
    std::from_chars(text.data() + found + 5, text.data() + text.size(), line);
  }
  return line;
}

Origin origin_of(const Source& source, const char* tag, mjsElement* element, const mjString* info) {
  return source.locate(document_line(info), label(tag, name_of(element)));
}

}  // namespace abut::mjcf
