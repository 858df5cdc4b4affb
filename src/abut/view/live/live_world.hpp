#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abut/io/scene_file.hpp"
#include "abut/view/live/drag.hpp"
#include "abut/view/live/live_recording.hpp"
#include "abut/view/live/settings.hpp"

namespace abut {

/// A world whose settings change while it runs: another World of the same scene that goes on from
/// the old one's snapshot. One thread owns it.
class LiveWorld {
 public:
  /// `keyframe` of the scene to start from; -1: as it is.
  /// @throws InputError if the scene, an option or the keyframe is wrong
  LiveWorld(SceneFile file, const WorldOptions& options, int keyframe = -1);

  const World& world() const { return *world_; }
  const LiveSettings& settings() const { return settings_; }
  const std::vector<ImpliedNumber>& implied() const { return implied_; }
  const LiveRecording& recording() const { return recording_; }
  const std::vector<Camera>& cameras() const { return cameras_; }

  /// One step with the scene's controllers and the drag. Does nothing once one has failed.
  void step();

  /// What a step that failed numerically said; empty as long as none did. Until reset() or set()
  /// nothing goes on.
  const std::string& failure() const { return failure_; }

  /// Changes a setting (settings.hpp) and goes on from where it is; from the start after a failure.
  /// A recording ends: it is of one set of settings. Returns what is wrong with its file, if
  /// anything is: the change is made all the same.
  /// @throws InputError, and then nothing has changed
  std::string set(const std::string& name, const SettingValue& value);

  /// Back to the start, with the present settings. A recording ends, as by set(); a dragged body is
  /// released.
  std::string reset();

  /// As DragSpring::start().
  void drag(int body, const Vec3& point, const Vec3& target) {
    drag_.start(*world_, body, point, target);
  }
  void release() { drag_.stop(*world_); }
  const DragSpring& dragged() const { return drag_; }
  DragView drag_view() { return drag_.view(*world_); }

  /// @throws FileError if it cannot be written
  void start_recording() { recording_.start(*world_); }
  void end_recording() { recording_.end(*world_); }

 private:
  std::string end_recording_now();
  std::unique_ptr<World> make_world(const LiveSettings& settings) const;

  std::vector<Controller> controllers_;
  std::vector<Camera> cameras_;
  Vec3 scene_gravity_;
  LiveSettings settings_, start_settings_;
  std::unique_ptr<World> world_;
  Snapshot start_;
  std::vector<ImpliedNumber> implied_;
  DragSpring drag_;
  LiveRecording recording_;
  std::string failure_;
};

}  // namespace abut
