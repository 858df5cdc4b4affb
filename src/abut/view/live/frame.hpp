#pragma once

#include <vector>

#include "abut/io/record.hpp"
#include "abut/view/live/drag.hpp"
#include "abut/view/page_contacts.hpp"

namespace abut {

/// Writes a world's state for the page, as docs/formats/page.md says. Keeps buffers: nothing is
/// allocated once a state of this size was written.
class FrameEncoder {
 public:
  explicit FrameEncoder(const World& world) : states_(world) {}

  /// Replaces what is in `to`. The contacts are those of the last step if `after_step`, which must
  /// be true only if that step led to this state.
  void encode(const World& world, bool after_step, const DragView& drag, std::vector<char>& to);

 private:
  StateRecorder states_;
  RecordedState state_;
  std::vector<PageContact> page_contacts_;
};

}  // namespace abut
