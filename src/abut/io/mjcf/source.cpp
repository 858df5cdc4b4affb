#include "abut/io/mjcf/source.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/input_file.hpp"
#include "abut/io/mjcf/numbers.hpp"

namespace abut::mjcf {

namespace {

constexpr std::size_t largest_source = 256u << 20;  // bytes of all files of a scene together
constexpr std::size_t longest_name = 1024;          // bytes
constexpr std::size_t deepest_files = 16;           // files in files
constexpr std::size_t deepest_elements = 256;
constexpr long most_elements = 1000000;  // after <replicate> and <attach>

constexpr std::string_view dropped_sections[] = {"visual", "statistic", "size", "custom", "sensor"};
constexpr std::string_view recorded_tags[] = {"option", "flag", "compiler", "key", "mesh"};

bool is_one_of(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Elements that are left out of the text for MuJoCo.
bool is_dropped(std::string_view tag, std::string_view parent) {
  return (parent == "mujoco" && is_one_of(tag, dropped_sections)) ||
         (tag == "skin" && (parent == "asset" || parent == "deformable"));
}

std::string directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// The value of an attribute that names a file, with XML's five entities replaced.
std::string decoded(std::string_view value) {
  constexpr std::pair<std::string_view, char> entities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string text;
  while (!value.empty()) {
    const auto* entity = std::find_if(std::begin(entities), std::end(entities),
                                      [&](const auto& e) { return value.starts_with(e.first); });
    const bool found = entity != std::end(entities);
    text += found ? entity->second : value.front();
    value.remove_prefix(found ? entity->first.size() : 1);
  }
  return text;
}

/// Path of a file that a model in `model_path` names; a URL stays one, to be refused as such.
std::string resolve(const std::string& model_path, std::string_view file) {
  std::string name = decoded(file);
  if (name.find("://") != std::string::npos) return name;
  return (std::filesystem::path(directory_of(model_path)) / name).string();
}

/// The largest whole number of an attribute, 0 when there is none.
long largest_count(const std::string_view* value) {
  long largest = 0;
  if (value == nullptr) return 0;
  for (const char* at = value->data(); at < value->data() + value->size();) {
    long number = 0;
    const auto [end, error] = std::from_chars(at, value->data() + value->size(), number);
    if (error == std::errc::result_out_of_range) return most_elements + 1;
    if (error == std::errc{}) largest = std::max(largest, number);
    at = end == at ? at + 1 : end;
  }
  return largest;
}

void require_count(const XmlTag& tag, std::string_view attribute, long most, const Origin& at) {
  const long count = largest_count(tag.find(attribute));
  require(count <= most, attribute, static_cast<double>(count), "",
          "must be at most " + std::to_string(most), at);
}

/// What MuJoCo would have to build before it can be judged.
void refuse_unsupported(const XmlTag& tag, const Origin& at) {
  if (tag.name == "flexcomp" || tag.name == "flex") {
    fail_input("flexible bodies are not simulated: remove it", at);
  }
  if (tag.name == "plugin") {
    fail_input("plugins of MuJoCo's engine are not run: remove it", at);
  }
}

/// MuJoCo puts the name of a class that it does not find into a format string, where a % reads
/// or writes memory that is not its own. All other strings it prints as arguments.
void refuse_formats(const XmlTag& tag, const Origin& at) {
  for (const XmlAttribute& a : tag.attributes) {
    if (a.name != "class" && a.name != "childclass") continue;
    const bool may_format = a.value.find('%') != std::string_view::npos ||
                            a.value.find("&#") != std::string_view::npos;  // &#37; is a %
    if (!may_format) continue;
    Origin of_attribute = at;
    of_attribute.line = a.line;
    fail_input(std::string(a.name) + " = " + quote(a.value) +
                   ", must be a name without % and character references",
               of_attribute);
  }
}

}  // namespace

std::string label(std::string_view tag, std::string_view name) {
  return name.empty() ? std::string(tag) : std::string(tag) + " " + quote(name);
}

/// Reads a scene's files in the order of their text.
class SourceReader {
 public:
  explicit SourceReader(const MjcfOptions& options) : body_limit_(options.body_limit) {
    require(body_limit_ >= 1, "body_limit", body_limit_, "", "must be positive");
  }
  void read_scene(const std::string& path, const std::string& text) { read_model(path, text); }
  Source take() { return std::move(source_); }

  std::string read_file(const std::string& path, const Origin& at) {
    std::string text = read_input_file(path, largest_source - bytes_, at);
    bytes_ += text.size();
    return text;
  }

 private:
  /// What becomes of a part of the text when it is replicated and attached.
  struct Size {
    double elements = 0, bodies = 0;
    double models = 0;  ///< attached ones, whose own size is not in the numbers above

    Size& operator+=(const Size& b) {
      elements += b.elements, bodies += b.bodies, models += b.models;
      return *this;
    }
  };
  struct Open {
    std::string tag;
    std::string name;
    Origin at;
    Size size;
    double copies = 1;  ///< of it in the element around it
  };
  struct SubModel {
    std::string path;
    Origin at;
  };

  Size read_model(const std::string& path, const std::string& text);
  Size read_sub_models(const std::vector<SubModel>& models);
  void require_size(const Size& size, const char* what, const Origin& at) const;
  void expand(const std::string& path, std::string_view text, bool included);
  void include(const XmlTag& tag, const Origin& at);
  void enter(const XmlTag& tag, const Origin& at);
  void leave(const XmlTag& tag, std::string_view text, std::size_t& copied);
  void record(const XmlTag& tag, std::string_view name);
  Size attached_size(const XmlTag& tag) const;
  void emit(std::string_view text);
  void start_segment(int file, int source_line);
  int document_line(int source_line) const;

  bool dropping() const { return dropped_depth_ != 0; }

  Source source_;
  std::size_t bytes_ = 0;
  int line_ = 1;                     // of the next character in the documents
  std::vector<std::string> models_;  // paths of the models being read, outermost first
  std::unordered_map<std::string, Size> models_read_;
  int body_limit_;

  // of the model being read
  std::string text_;
  std::vector<Open> open_;
  std::unordered_map<std::string, Size> named_sizes_;  // of bodies and frames that are complete
  Size size_;
  std::vector<std::string> included_;
  std::vector<SubModel> sub_models_;
  std::size_t include_depth_ = 0;
  std::size_t dropped_depth_ = 0;  // of the element being left out, 0 when there is none
};

void SourceReader::emit(std::string_view text) {
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (dropping()) {
    text_.append(static_cast<std::size_t>(lines), '\n');
  } else {
    text_ += text;
  }
  line_ += static_cast<int>(lines);
}

void SourceReader::start_segment(int file, int source_line) {
  source_.segments_.push_back({line_, file, source_line});
}

/// The line in the documents of a line of the file being read.
int SourceReader::document_line(int source_line) const {
  const Source::Segment& segment = source_.segments_.back();
  return segment.first_line + source_line - segment.source_line;
}

void SourceReader::record(const XmlTag& tag, std::string_view name) {
  const std::string& parent = open_.empty() ? std::string() : open_.back().tag;
  if (!is_one_of(tag.name, recorded_tags) && parent != "sensor") return;
  Element element{std::string(tag.name),   std::string(name),  parent, {},
                  document_line(tag.line), models_.size() == 1};
  for (const XmlAttribute& attribute : tag.attributes) {
    element.attributes.emplace_back(attribute.name);
  }
  source_.elements_.push_back(std::move(element));
}

void SourceReader::enter(const XmlTag& tag, const Origin& at) {
  if (open_.empty() && tag.name != "mujoco") {
    fail_input("the root element is " + quote(tag.name) + ", must be 'mujoco'" +
                   (tag.name == "robot" ? "; URDF is known by the suffix .urdf of its name" : ""),
               at);
  }
  if (open_.size() == deepest_elements) fail_input("more than 256 nested elements", at);
  const std::string_view* name = tag.find("name");
  if (name != nullptr && name->size() > longest_name) {
    fail_input("a name of " + std::to_string(name->size()) + " bytes, at most " +
                   std::to_string(longest_name) + " are allowed",
               at);
  }
  if (tag.name == "body" && name != nullptr && *name == "world") {
    fail_input("name 'world' is reserved for the fixed surroundings", at);
  }
  record(tag, name == nullptr ? std::string_view() : *name);

  Open open{std::string(tag.name), name == nullptr ? "" : std::string(*name), at, {.elements = 1}};
  if (tag.name == "body" || tag.name == "composite") open.size.bodies = 1;
  if (tag.name == "replicate") {
    open.copies = static_cast<double>(std::max(largest_count(tag.find("count")), 1L));
  }
  if (tag.name == "attach") open.size += attached_size(tag);
  if (!dropping()) {
    refuse_unsupported(tag, at);
    refuse_formats(tag, at);
    require_decimal_numbers(tag, at);
    require_count(tag, "params", 1000, at);
    require_count(tag, "nrow", 4096, at);
    require_count(tag, "ncol", 4096, at);
    const std::string_view* file = tag.find("file");
    const bool is_asset = !open_.empty() && open_.back().tag == "asset";
    if (tag.name == "model" && is_asset && file == nullptr) {
      fail_input("must have the attribute 'file'", at);
    }
    if (tag.name == "model" && file != nullptr) {
      sub_models_.push_back({resolve(models_.back(), *file), at});
    }
  }
  open_.push_back(std::move(open));
}

/// Size of what <attach> brings in. A body must be complete before it can be attached, but for
/// those around the element itself.
SourceReader::Size SourceReader::attached_size(const XmlTag& tag) const {
  if (tag.find("model") != nullptr) return {.models = 1};
  for (const char* attribute : {"body", "frame"}) {
    const std::string_view* target = tag.find(attribute);
    if (target == nullptr) continue;
    const auto complete = named_sizes_.find(std::string(*target));
    if (complete != named_sizes_.end()) return complete->second;
    for (const Open& open : open_) {
      if (open.name == *target) return open.size;
    }
  }
  return {};
}

void SourceReader::leave(const XmlTag& tag, std::string_view text, std::size_t& copied) {
  if (dropping() && dropped_depth_ == open_.size()) {
    emit(text.substr(copied, tag.end - copied));
    copied = tag.end;
    dropped_depth_ = 0;
  }
  const Open closed = std::move(open_.back());
  open_.pop_back();
  const Size size{closed.size.elements * closed.copies, closed.size.bodies * closed.copies,
                  closed.size.models * closed.copies};
  require_size({size.elements + size.models, size.bodies, 0}, "", closed.at);
  (open_.empty() ? size_ : open_.back().size) += size;
  if (!closed.name.empty() && (closed.tag == "body" || closed.tag == "frame")) {
    named_sizes_[closed.name] = size;
  }
}

void SourceReader::include(const XmlTag& tag, const Origin& at) {
  const std::string_view* file = tag.find("file");
  if (false || tag.attributes.size() != 1) {
    fail_input("must have the attribute 'file' and no other", at);
  }
  if (include_depth_ == deepest_files) fail_input("files are included more than 16 deep", at);
  std::string path = resolve(models_.back(), *file);
  if (path.find("://") == std::string::npos) {
    path = std::filesystem::path(path).lexically_normal().string();
  }
  if (is_one_of(path, included_)) fail_input("file " + quote(path) + " is included twice", at);
  included_.push_back(path);
  const std::string text = read_file(path, at);
  ++include_depth_;
  expand(path, text, true);
  --include_depth_;
}

void SourceReader::expand(const std::string& path, std::string_view text, bool included) {
  const int file = static_cast<int>(source_.files_.size());
  source_.files_.push_back(path);
  if (text.empty()) fail_input("the file is empty", {path, 0, {}});
  XmlScanner scanner(text, path);
  XmlTag tag;
  std::size_t copied = 0;
  int depth = 0;  // in this file
  start_segment(file, 1);
  while (scanner.next(tag)) {
    const std::string_view* name = tag.find("name");
    const Origin at{path, tag.line, label(tag.name, name == nullptr ? std::string_view() : *name)};
    if (tag.opens) ++depth;
    const bool root_of_include = included && depth == 1;
    if (root_of_include && tag.opens) {
      if (tag.closes) fail_input("an included file must have an element in its root", at);
      copied = tag.end;
      start_segment(file, tag.end_line);
    } else if (root_of_include) {
      emit(text.substr(copied, tag.begin - copied));
    } else if (tag.opens && tag.name == "include") {
      emit(text.substr(copied, tag.begin - copied));
      emit("\n");
      include(tag, at);
      emit("\n");
      if (!tag.closes && scanner.next(tag) && tag.opens) fail_input("must be empty", at);
      copied = tag.end;
      start_segment(file, tag.end_line);
      --depth;
      continue;
    } else {
      if (tag.opens) {
        if (!dropping() && is_dropped(tag.name, open_.empty() ? "" : open_.back().tag)) {
          emit(text.substr(copied, tag.begin - copied));
          copied = tag.begin;
          dropped_depth_ = open_.size() + 1;
        }
        enter(tag, at);
      }
      if (tag.closes) leave(tag, text, copied);
    }
    if (tag.closes) --depth;
  }
  if (!included) emit(text.substr(copied));
  for (const XmlText& stray : scanner.stray_text()) {
    source_.stray_text_.push_back({{path, stray.line, {}}, std::string(stray.text.substr(0, 64))});
  }
}

/// Throws if there are too many elements, or too many bodies.
void SourceReader::require_size(const Size& size, const char* what, const Origin& at) const {
  if (size.elements > most_elements) {
    fail_input("more than " + std::to_string(most_elements) + " elements" + what, at);
  }
  if (size.bodies > body_limit_) {
    char count[32];
    std::snprintf(count, sizeof count, "%.0f", size.bodies);
    fail_input(std::string(count) + " bodies" + what + ", must be at most " +
                   std::to_string(body_limit_) +
                   " (body_limit, --body-limit): MuJoCo's compiler takes time in proportion to "
                   "their square",
               at);
  }
}

/// The most of any of them.
SourceReader::Size SourceReader::read_sub_models(const std::vector<SubModel>& models) {
  Size largest;
  for (const SubModel& model : models) {
    if (is_one_of(model.path, models_)) {
      fail_input("model " + quote(model.path) + " contains itself", model.at);
    }
    if (models_.size() == deepest_files)
      fail_input("models are nested more than 16 deep", model.at);
    auto known = models_read_.find(model.path);
    if (known == models_read_.end()) {
      const Size size = read_model(model.path, read_file(model.path, model.at));
      known = models_read_.emplace(model.path, size).first;
    }
    largest.elements = std::max(largest.elements, known->second.elements);
    largest.bodies = std::max(largest.bodies, known->second.bodies);
  }
  return largest;
}

/// Of the model, with all that is attached.
SourceReader::Size SourceReader::read_model(const std::string& path, const std::string& text) {
  models_.push_back(path);
  const std::size_t padding = static_cast<std::size_t>(line_ - 1);
  bytes_ += padding;
  if (bytes_ > largest_source) fail_input("too many lines in the scene's files", {path, 0, {}});
  text_.assign(padding, '\n');
  open_.clear();
  named_sizes_.clear();
  size_ = {};
  included_.clear();
  sub_models_.clear();
  dropped_depth_ = 0;
  expand(path, text, false);
  ++line_;
  source_.documents_.push_back({path, std::move(text_)});
  const Size size = size_;
  const Size attached = read_sub_models(std::exchange(sub_models_, {}));
  const Size all{size.elements + size.models * attached.elements,
                 size.bodies + size.models * attached.bodies, 0};
  require_size(all, " with attached models", {path, 0, {}});
  models_.pop_back();
  return all;
}

Source Source::from_file(const std::string& path, const MjcfOptions& options) {
  SourceReader reader(options);
  reader.read_scene(path, reader.read_file(path, {}));
  return reader.take();
}

Source Source::from_text(std::string_view text, const std::string& name,
                         const MjcfOptions& options) {
  SourceReader reader(options);
  reader.read_scene(name, std::string(text));
  return reader.take();
}

Origin Source::locate(int line, std::string element) const {
  const auto behind = std::upper_bound(
      segments_.begin(), segments_.end(), line,
      [](int wanted, const Segment& segment) { return wanted < segment.first_line; });
  if (line <= 0 || behind == segments_.begin()) return {files_.front(), 0, std::move(element)};
  const Segment& segment = *std::prev(behind);
  return {files_[segment.file], segment.source_line + line - segment.first_line,
          std::move(element)};
}

Origin Source::locate_setting(std::string_view tag, std::string_view attribute) const {
  const Element* last = nullptr;
  bool last_gives_it = false;
  for (const Element& element : elements_) {
    if (!element.in_main_model || element.tag != tag) continue;
    const bool gives_it = is_one_of(attribute, element.attributes);
    if (gives_it || !last_gives_it) last = &element;
    last_gives_it = last_gives_it || gives_it;
  }
  return locate(last == nullptr ? 0 : last->line, std::string(tag));
}

}  // namespace abut::mjcf
