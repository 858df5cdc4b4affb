#pragma once

#include <vector>

#include "abut/io/mjcf/model.hpp"
#include "abut/io/notice_list.hpp"
#include "abut/sim/scene.hpp"

namespace abut::mjcf {

/// Explicit contact pairs. Their geoms collide whatever contype and conaffinity say: until they are
/// read, those that would count as visual get a contype, so that nothing leaves them out.
class ContactPairs {
 public:
  /// Takes the pairs out of the description.
  /// @throws InputError for a pair of geoms that do not exist, or that asks for what is not
  /// simulated
  ContactPairs(const Source& source, Spec& spec, NoticeList& notices);

  /// `geoms`: what read_geoms() returned.
  void read(const std::vector<int>& geoms, Scene& scene) const;

 private:
  struct Pair {
    mjsElement *geom_a, *geom_b;
    ScenePair pair;
  };
  void read_pair(const Source& source, const Spec& spec, const mjsPair& pair, mjsElement* element,
                 NoticeList& notices);

  std::vector<Pair> pairs_;
  std::vector<mjsElement*> visual_;
};

}  // namespace abut::mjcf
