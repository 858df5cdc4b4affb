#pragma once

#include "abut/io/recording_format.hpp"
#include "abut/sim/world.hpp"

namespace abut {

/// What a recording of `world` at a frame rate [1/s] says of it as a whole, its state as it is now.
RecordedScene record_scene(const World& world, double frame_rate = 0);

/// The last step.
RecordedStep record_step(const World& world);

/// The contacts of the last step, in the problem's order, into `contacts`. Only for the state that
/// this step led to.
void record_contacts(const World& world, std::vector<RecordedContact>& contacts);

/// Describes states of one world. Keeps buffers: nothing is allocated once a state of this size was
/// described.
class StateRecorder {
 public:
  explicit StateRecorder(const World& world);

  /// The state as it is now, in `state`; with the contacts and actuator forces of the last step if
  /// `after_step`, which must be true only if that step led to this state.
  void record(const World& world, bool after_step, RecordedState& state) const;

 private:
  std::vector<std::int32_t> moving_bodies_;  ///< their indices in the scene
  std::vector<ScenePart> joints_;            ///< hinges and slides
};

}  // namespace abut
