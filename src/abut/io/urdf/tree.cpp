#include "abut/io/urdf/tree.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "abut/core/text.hpp"

namespace abut::urdf {

namespace {

template <class Item>
std::map<std::string, int> index_names(const std::vector<Item>& items) {
  std::map<std::string, int> index;
  for (const Item& item : items) {
    const auto [entry, is_new] = index.try_emplace(item.name, static_cast<int>(index.size()));
    if (!is_new) {
      fail_input(
          "the name is already used in line " + std::to_string(items[entry->second].origin.line),
          item.origin);
    }
  }
  return index;
}

int find_link(const std::map<std::string, int>& links, const std::string& name, const char* role,
              const UrdfJoint& joint) {
  const auto found = links.find(name);
  if (found == links.end()) {
    fail_input(std::string(role) + " link " + quote(name) + " does not exist", joint.origin);
  }
  return found->second;
}

class Arranger {
 public:
  explicit Arranger(const UrdfRobot& robot)
      : robot_(robot),
        above_(robot.links.size(), no_joint),
        parent_(robot.joints.size()),
        below_(robot.links.size()) {
    const auto links = index_names(robot.links);
    index_names(robot.joints);
    for (int j = 0; j < std::ssize(robot.joints); ++j) {
      const UrdfJoint& joint = robot.joints[j];
      parent_[j] = find_link(links, joint.parent, "parent", joint);
      const int child = find_link(links, joint.child, "child", joint);
      if (parent_[j] == child) fail_input("it joins a link with itself", joint.origin);
      if (above_[child] != no_joint) {
        fail_input("link " + quote(joint.child) + " has a parent already, by joint " +
                       quote(robot.joints[above_[child]].name) + ": joints cannot describe a loop",
                   joint.origin);
      }
      above_[child] = j;
      below_[parent_[j]].push_back({child, j});
    }
  }

  std::vector<LinkPlace> arrange() const {
    std::vector<LinkPlace> open{{find_root(), no_joint}}, order;
    while (!open.empty()) {
      const LinkPlace next = open.back();
      open.pop_back();
      order.push_back(next);
      open.insert(open.end(), below_[next.link].rbegin(), below_[next.link].rend());
    }
    if (order.size() < robot_.links.size()) fail_with_cycle(order);
    return order;
  }

 private:
  int find_root() const {
    int root = -1;
    for (int i = 0; i < std::ssize(above_); ++i) {
      if (above_[i] != no_joint) continue;
      if (root >= 0) {
        fail_input("neither it nor link " + quote(robot_.links[root].name) +
                       " is the child of a joint: a robot has one root",
                   robot_.links[i].origin);
      }
      root = i;
    }
    if (root < 0) fail_with_cycle({});
    return root;
  }

  [[noreturn]] void fail_with_cycle(const std::vector<LinkPlace>& reached) const {
    std::vector<bool> seen(robot_.links.size(), false);
    for (const LinkPlace& place : reached) seen[place.link] = true;
    int at = static_cast<int>(std::find(seen.begin(), seen.end(), false) - seen.begin());
    for (std::size_t k = 0; k < robot_.links.size(); ++k) at = parent_[above_[at]];  // onto it
    std::string names = quote(robot_.links[at].name);
    for (int up = parent_[above_[at]]; up != at; up = parent_[above_[up]]) {
      names.insert(0, quote(robot_.links[up].name) + ", ");
    }
    fail_input("links make a cycle: " + names, robot_.links[at].origin);
  }

  const UrdfRobot& robot_;
  std::vector<int> above_;   ///< joint above each link
  std::vector<int> parent_;  ///< link above each joint
  std::vector<std::vector<LinkPlace>> below_;
};

}  // namespace

std::vector<LinkPlace> arrange_links(const UrdfRobot& robot) {
  return Arranger(robot).arrange();
}

}  // namespace abut::urdf
