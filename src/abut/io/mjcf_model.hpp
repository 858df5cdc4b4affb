#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "abut/io/mjcf_source.hpp"

namespace abut::mjcf {

struct DeleteSpec {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
struct DeleteModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
using SpecPointer = std::unique_ptr<mjSpec, DeleteSpec>;
using ModelPointer = std::unique_ptr<mjModel, DeleteModel>;

/// While it lives, MuJoCo neither prints nor writes a log file nor ends the process on behalf of
/// this thread; what other threads make it say goes where it went before. One at a time in a
/// process: a second one waits.
class QuietMujoco {
 public:
  QuietMujoco();
  ~QuietMujoco();
  QuietMujoco(const QuietMujoco&) = delete;
  QuietMujoco& operator=(const QuietMujoco&) = delete;
};

/// Throws FileError unless `found` is the version whose structures this library was built with.
void require_version(int found);

/// MuJoCo's description of the scene, as written: nothing computed yet.
/// @throws InputError for what MuJoCo refuses, with file and line
SpecPointer parse(const Source& source);

/// MuJoCo's arrays. Changes `spec` where that is needed to compile it without reading pictures
/// and without MuJoCo's limits on memory.
/// @throws InputError for what MuJoCo refuses, FileError for mesh files that cannot be read
ModelPointer compile(const Source& source, mjSpec& spec);

/// Calls visit(Item*, mjsElement*) for each element of one type, in the order of their ids.
template <class Item, class Visit>
void for_each(const mjSpec& spec, mjtObj type, Item* (*cast)(mjsElement*), const Visit& visit) {
  for (mjsElement* at = mjs_firstElement(&spec, type); at; at = mjs_nextElement(&spec, at)) {
    visit(cast(at), at);
  }
}

std::string name_of(mjsElement* element);

/// Elements of one type by the ids that they have in the compiled model.
std::vector<mjsElement*> elements_by_id(const mjSpec& spec, mjtObj type, mjtSize count);

/// Bodies with a joint, and all that hangs on them.
std::unordered_set<const mjsElement*> moving_bodies(const mjSpec& spec);

/// Places of the keyframes, in the order of the description.
std::vector<Origin> key_origins(const Source& source, const mjSpec& spec);

/// Place of an element; `info` is what MuJoCo knows of its line ("line 12").
Origin origin_of(const Source& source, const char* tag, mjsElement* element, const mjString* info);

/// MuJoCo's message in one line, with the file and line that its "line 12" stands for.
/// `spec` helps to name the element; it may be null.
[[noreturn]] void fail_with_message(const Source& source, const mjSpec* spec,
                                    std::string_view message);

/// MuJoCo's message as one sentence, without its own "XML Error:" and place.
std::string sentence_of(std::string_view message);

}  // namespace abut::mjcf
