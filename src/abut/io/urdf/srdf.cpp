#include "abut/io/urdf/srdf.hpp"

#include "abut/core/text.hpp"
#include "abut/io/decimal.hpp"

namespace abut::urdf {

namespace {

GroupState read_state(const XmlElement& e) {
  GroupState state{e.text("name"), e.has("group") ? e.text("group") : "", {}, e.origin()};
  e.for_each_child([&](const XmlElement& joint) {
    if (joint.tag() != "joint") return;
    const auto [entry, is_new] = state.joints.try_emplace(joint.text("name"));
    if (!is_new) joint.fail("joint " + quote(entry->first) + " is given twice");
    std::vector<double>& values = entry->second;
    const std::string written = joint.text("value");
    std::string_view rest = written;
    for (std::string_view word; !(word = take_word(rest)).empty();) {
      const Decimal number = read_decimal(word);
      if (number.broken_rule != nullptr) {
        joint.fail("value = " + quote(written) + ", " + number.broken_rule);
      }
      values.push_back(number.value);
    }
  });
  return state;
}

}  // namespace

Srdf read_srdf(const XmlDocument& file, NoticeList& notices) {
  Srdf srdf;
  file.root("robot").for_each_child([&](const XmlElement& e) {
    const std::string_view tag = e.tag();
    if (tag == "disable_collisions") {
      srdf.disabled_collisions.push_back({e.text("link1"), e.text("link2"), e.origin()});
    } else if (tag == "group_state") {
      srdf.states.push_back(read_state(e.has("name") ? e.named(e.text("name")) : e));
    } else if (tag == "link" || tag == "joint") {
      e.fail(bracketed(tag) + " here: this is a URDF, not an SRDF");
    } else if (tag == "disable_default_collisions" || tag == "enable_collisions") {
      notices.add(bracketed(tag) + " is not read", e.origin());
    }  // groups, end effectors and the like do not move anything
  });
  return srdf;
}

}  // namespace abut::urdf
