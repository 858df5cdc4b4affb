#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "abut/io/notice_list.hpp"
#include "abut/io/urdf.hpp"
#include "abut/io/urdf/robot.hpp"
#include "abut/io/urdf/srdf.hpp"
#include "abut/io/urdf/tree.hpp"
#include "abut/sim/scene.hpp"

namespace abut::urdf {

/// Makes bodies of links: those that fixed joints join are one.
class SceneBuilder {
 public:
  /// @throws InputError if the links make no tree
  SceneBuilder(const UrdfRobot& robot, const UrdfOptions& options, Scene& scene,
               NoticeList& notices);

  void add_links();
  void add_motors();
  void add_mimics();
  void exclude_self_collisions();
  void add_semantics(const Srdf& srdf);

 private:
  /// Where a link went.
  struct Place {
    int body = world_body;
    Pose pose;               ///< of the link in the body
    std::vector<int> geoms;  ///< of the scene
  };
  /// Where a joint went: the first of its joints in the scene.
  struct JointPlace {
    int body = world_body;
    int joint = -1;
  };

  bool is_base_free(const UrdfLink& root) const;
  double base_mass(const std::string& root) const;
  void add_root(const UrdfLink& root);
  void add_below(const UrdfLink& link, int joint);
  void add_moving(const UrdfLink& link, int joint, const Place& parent);
  void add_parts(const UrdfLink& link, const Place& place);
  int add_body(const UrdfLink& link, BodyKind kind, int parent, const Pose& pose);
  const JointPlace& find_joint(const std::string& name, const Origin& at) const;
  void add_mimic(const UrdfJoint& joint);
  void exclude_links(const Srdf::LinkPair& pair);
  void add_keyframe(const GroupState& state);

  const UrdfRobot& robot_;
  const UrdfOptions& options_;
  Scene& scene_;
  NoticeList& notices_;
  std::vector<LinkPlace> order_;
  std::map<std::string, Place> places_;       ///< by link
  std::map<std::string, JointPlace> joints_;  ///< by joint; fixed ones have no body
  std::set<std::string> geom_names_;
};

}  // namespace abut::urdf
