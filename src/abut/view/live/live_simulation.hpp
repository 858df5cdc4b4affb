#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "abut/io/record.hpp"
#include "abut/view/live/command.hpp"
#include "abut/view/live/frame.hpp"
#include "abut/view/live/latest_slot.hpp"
#include "abut/view/live/live_world.hpp"
#include "abut/view/live/pacer.hpp"
#include "abut/view/live/step_times.hpp"

namespace abut {

inline constexpr double fastest_live = 1000;  ///< simulated seconds per second

struct LiveOptions {
  WorldOptions world = {};
  int keyframe = -1;    ///< of the scene to start from; -1: as it is
  double speed = 1;     ///< simulated seconds per second
  bool playing = true;  ///< from the start
};

/// What there is to know of a simulation besides its frames.
struct LiveStatus {
  bool playing = false;
  double speed = 1;      ///< asked for [s/s]
  double real_time = 0;  ///< reached [s/s]; 0 while it pauses
  double step_time = 0;  ///< wall time of a step, median [s]
  LiveSettings settings;
  std::vector<ImpliedNumber> implied;
  std::vector<std::string> warnings;  ///< sentences, since the last reset or change of settings
  bool recording = false;
  std::uint64_t recorded = 0;  ///< size of the last recording that ended [bytes]
  std::string recording_path;  ///< where it is
  std::string failure;         ///< of a step; empty: none failed
};

/// Something to tell to those who watch.
struct LiveNotice {
  int client = 0;  ///< whom it concerns; everyone: all of them
  std::string text;

  static constexpr int everyone = 0;
};

/// A simulation in real time, in a thread of its own, which takes commands between steps. It never
/// waits for those who watch: of frames and status they find the newest.
class LiveSimulation {
 public:
  /// @throws InputError as World does, or if the speed is not in (0, 1000]
  LiveSimulation(SceneFile file, const LiveOptions& options);
  ~LiveSimulation();
  LiveSimulation(const LiveSimulation&) = delete;
  LiveSimulation& operator=(const LiveSimulation&) = delete;

  /// The scene as it was at the start.
  const RecordedScene& scene() const { return scene_; }
  const std::vector<Camera>& cameras() const { return live_.cameras(); }

  // For any thread.

  /// Takes a command of a client (1, 2, ...), to be obeyed before the next step; what is wrong with
  /// it comes as a notice. False, and nothing is done, if too many wait already.
  bool post(int client, LiveCommand command);
  /// A client has gone: what it drags is released.
  void forget(int client);
  /// How many watch; frames are made only if somebody does. One is made at once.
  void watch(int watchers);
  /// Ends the thread after the step at hand.
  void stop();
  /// Of all steps, with what is done between them but without waiting for when they are due. Only
  /// after stop().
  const StepTimes& step_times() const { return all_times_; }

  // For one thread, which polls.

  bool take_frame() { return frames_.take(); }  ///< false if there is no newer one
  const std::vector<char>& frame() const { return frames_.front(); }
  bool take_status() { return statuses_.take(); }
  const LiveStatus& status() const { return statuses_.front(); }
  std::vector<LiveNotice> take_notices();

 private:
  using Clock = Pacer::Clock;
  struct Posted {
    int client;
    bool gone;  ///< the client, and there is no command
    LiveCommand command;
  };

  void run();
  void take_commands();
  void drop_overtaken();
  bool has_commands() const { return next_taken_ < taken_.size(); }
  void obey(const Posted& posted);
  void obey(int client, const LiveCommand& command);
  void after_change(const std::string& fault);
  void play(bool playing);
  void step();
  void tell(int client, const std::string& text);
  void publish_frame(Clock::time_point now);
  void publish_status(Clock::time_point now);

  // of the simulation's thread, once it runs
  LiveWorld live_;
  FrameEncoder encoder_;
  Pacer pacer_;
  double speed_;
  bool playing_;
  int dragger_ = LiveNotice::everyone;  ///< the client whose drag it is
  bool after_step_ = false, status_is_old_ = true, frame_is_old_ = true;
  std::vector<Posted> taken_;
  std::size_t next_taken_ = 0;  ///< of those not obeyed yet
  std::vector<LiveNotice> untold_;
  Clock::time_point next_frame_{}, next_status_{}, last_status_{};
  double status_time_ = 0;       ///< simulated, at the last status [s]
  StepTimes all_times_, times_;  ///< the latter since the settings changed
  double real_time_ = 0;

  RecordedScene scene_;
  LatestSlot<std::vector<char>> frames_;
  LatestSlot<LiveStatus> statuses_;
  std::atomic<int> watchers_{0};
  std::atomic<bool> frame_wanted_{false}, has_posted_{false}, stop_{false};
  std::mutex mutex_;  ///< of the following
  std::vector<Posted> posted_;
  std::vector<LiveNotice> notices_;
  std::thread thread_;
};

}  // namespace abut
