#pragma once

#include <mujoco/mujoco.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "abut/io/mjcf/source.hpp"

namespace abut::mjcf {

struct DeleteModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
using ModelPointer = std::unique_ptr<mjModel, DeleteModel>;

/// MuJoCo's description of a scene. Its elements are listed once for each type, since MuJoCo
/// searches all of them for the next one.
class Spec {
 public:
  explicit Spec(mjSpec* spec) : spec_(spec) {}

  mjSpec* get() const { return spec_.get(); }
  mjSpec* operator->() const { return spec_.get(); }
  const std::vector<mjsElement*>& elements(mjtObj type) const;
  void remove(const std::vector<mjsElement*>& elements);

  /// To be called when MuJoCo may have changed the elements.
  void forget_elements() { elements_.clear(); }

 private:
  struct Delete {
    void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
  };

  std::unique_ptr<mjSpec, Delete> spec_;
  mutable std::map<mjtObj, std::vector<mjsElement*>> elements_;
};

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
Spec parse(const Source& source);

/// MuJoCo's arrays. Sets the options of `spec` that concern memory and threads.
/// @throws InputError for what MuJoCo refuses
ModelPointer compile(const Source& source, Spec& spec);

/// Calls visit(Item*, mjsElement*) for each element of one type, in the order of their ids.
template <class Item, class Visit>
void for_each(const Spec& spec, mjtObj type, Item* (*cast)(mjsElement*), const Visit& visit) {
  for (mjsElement* element : spec.elements(type)) visit(cast(element), element);
}

std::string name_of(mjsElement* element);

/// Elements of one type by the ids that they have in the compiled model.
std::vector<mjsElement*> elements_by_id(const Spec& spec, mjtObj type, mjtSize count);

/// Bodies with a joint, and all that hangs on them.
std::unordered_set<const mjsElement*> moving_bodies(const Spec& spec);

/// Places of the keyframes, in the order of the description.
std::vector<Origin> key_origins(const Source& source, const Spec& spec);

/// The number in what MuJoCo knows of an element's line ("line 12"); 0 when there is none.
int document_line(const mjString* info);

/// Place of an element, of whose line MuJoCo has `info`.
Origin origin_of(const Source& source, const char* tag, mjsElement* element, const mjString* info);

/// MuJoCo's message in one line, with the file and line that its "line 12" stands for.
/// `spec` helps to name the element; it may be null.
[[noreturn]] void fail_with_message(const Source& source, const Spec* spec,
                                    std::string_view message);

/// MuJoCo's message as one sentence, without its own "XML Error:" and place.
std::string sentence_of(std::string_view message);

}  // namespace abut::mjcf
