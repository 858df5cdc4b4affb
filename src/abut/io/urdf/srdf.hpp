#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abut/io/notice_list.hpp"
#include "abut/io/xml_document.hpp"

namespace abut::urdf {

/// A named configuration of some joints, each with its coordinates.
struct GroupState {
  std::string name, group;
  std::map<std::string, std::vector<double>> joints;
  Origin origin;
};

/// What a semantic description says of motion.
struct Srdf {
  struct LinkPair {
    std::string a, b;
    Origin origin;
  };
  std::vector<LinkPair> disabled_collisions;
  std::vector<GroupState> states;
};

/// @throws InputError
Srdf read_srdf(const XmlDocument& file, NoticeList& notices);

}  // namespace abut::urdf
