#include "abut/view/live/live_world.hpp"

#include <cmath>
#include <cstdio>

namespace abut {
namespace {

std::string describe_failure(const World& world) {
  char text[128];
  std::snprintf(text, sizeof text, "step %llu, to %.6g s, failed numerically: reset",
                static_cast<unsigned long long>(world.steps()), world.time());
  return text;
}

}  // namespace

LiveWorld::LiveWorld(SceneFile file, const WorldOptions& options, int keyframe)
    : controllers_(std::move(file.controllers)),
      cameras_(std::move(file.cameras)),
      scene_gravity_(file.scene.gravity),
      settings_{options, {}},
      start_settings_(settings_),
      world_(std::make_unique<World>(std::move(file.scene), options)) {
  if (keyframe != -1) world_->set_keyframe(keyframe);
  start_ = world_->snapshot();
  implied_ = implied_numbers(world_->scene(), options);
}

std::unique_ptr<World> LiveWorld::make_world(const LiveSettings& settings) const {
  Scene scene = world_->scene();
  scene.gravity = settings.gravity.value_or(scene_gravity_);
  return std::make_unique<World>(std::move(scene), settings.options);
}

void LiveWorld::step() {
  if (!failure_.empty()) return;
  update_controls(controllers_, *world_);
  drag_.apply(*world_);
  const StepReport& report = world_->step();
  if (report.solve.status == SolveStatus::numerical_failure ||
      !std::isfinite(world_->kinetic_energy())) {
    failure_ = describe_failure(*world_);
  }
  recording_.record(*world_);
}

std::string LiveWorld::set(const std::string& name, const SettingValue& value) {
  const LiveSettings settings = changed(settings_, start_settings_, name, value);
  std::unique_ptr<World> next = make_world(settings);
  next->restore(failure_.empty() ? world_->snapshot() : start_);
  std::vector<ImpliedNumber> implied = implied_numbers(next->scene(), settings.options);
  const std::string fault = end_recording_now();
  if (!failure_.empty()) drag_.stop(*next);
  failure_.clear();
  world_ = std::move(next);
  settings_ = settings;
  implied_ = std::move(implied);
  return fault;
}

std::string LiveWorld::reset() {
  const std::string fault = end_recording_now();
  drag_.stop(*world_);
  world_->restore(start_);
  failure_.clear();
  return fault;
}

/// What a disk refuses does not keep the world from changing.
std::string LiveWorld::end_recording_now() {
  try {
    recording_.end(*world_);
  } catch (const FileError& e) {
    return e.what();
  }
  return "";
}

}  // namespace abut
