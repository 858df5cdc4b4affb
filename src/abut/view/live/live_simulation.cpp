#include "abut/view/live/live_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace abut {
namespace {

using namespace std::chrono_literals;
using Kind = LiveCommand::Kind;

constexpr std::size_t most_waiting = 4096;  // commands
constexpr std::size_t most_later = 64;      // settings that one is compared with
constexpr int overtaken = -1;               // in place of the client of a command
constexpr auto frame_interval = 16'667us;   // wall time, at least
constexpr auto status_interval = 250ms;     // wall time
constexpr auto longest_sleep = 4ms;         // a command waits no longer
constexpr auto command_time = 10ms;  // for commands before a step and a frame have their turn

void check_speed(double speed) {
  require(speed > 0 && speed <= fastest_live, "speed", speed, "s/s",
          "must be positive and at most 1000");
}

double seconds(Pacer::Clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

LiveSimulation::LiveSimulation(SceneFile file, const LiveOptions& options)
    : live_((check_speed(options.speed), std::move(file)), options.world, options.keyframe),
      encoder_(live_.world()),
      speed_(options.speed),
      playing_(false),
      scene_(record_scene(live_.world())) {
  play(options.playing);
  publish_status(Clock::now());  // so that there is one from the start
  thread_ = std::thread([this] { run(); });
}

LiveSimulation::~LiveSimulation() {
  stop();
}

void LiveSimulation::stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

bool LiveSimulation::post(int client, LiveCommand command) {
  const std::lock_guard lock(mutex_);
  if (posted_.size() >= most_waiting) return false;
  posted_.push_back({client, false, std::move(command)});
  has_posted_ = true;
  return true;
}

void LiveSimulation::forget(int client) {
  const std::lock_guard lock(mutex_);
  posted_.push_back({client, true, {}});
  has_posted_ = true;
}

void LiveSimulation::watch(int watchers) {
  const bool is_more = watchers > watchers_.exchange(watchers);
  if (is_more) frame_wanted_ = true;
}

std::vector<LiveNotice> LiveSimulation::take_notices() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notices_, {});
}

void LiveSimulation::run() {
  while (!stop_) {
    const auto start = Clock::now();
    take_commands();
    const World& world = live_.world();
    const double wait = playing_ ? pacer_.wait(start, world.time() + world.time_step()) : 1;
    const bool steps = wait <= 0;
    if (steps) step();
    publish_frame(start);
    if (status_is_old_ || start >= next_status_) publish_status(start);
    if (steps) {
      const double time = seconds(Clock::now() - start);
      all_times_.add(time);
      times_.add(time);
    } else if (!has_commands()) {
      std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(
          std::chrono::duration<double>(wait), longest_sleep));
    }
  }
}

void LiveSimulation::take_commands() {
  if (!has_posted_ && untold_.empty() && !has_commands()) return;
  if (std::unique_lock lock(mutex_, std::try_to_lock); lock.owns_lock()) {
    if (!has_commands()) {
      taken_.clear();
      next_taken_ = 0;
      taken_.swap(posted_);
      has_posted_ = false;
    }
    notices_.insert(notices_.end(), untold_.begin(), untold_.end());
    untold_.clear();
  }
  if (next_taken_ == 0) drop_overtaken();
  const auto end = Clock::now() + command_time;
  while (has_commands() && !stop_) {
    obey(taken_[next_taken_++]);
    if (Clock::now() >= end) break;
  }
}

/// Of a slider that was faster than new worlds are made only the end counts: a setting that its
/// client sets again, before anything but settings, is left out.
void LiveSimulation::drop_overtaken() {
  std::vector<std::pair<int, std::string_view>> later;  // clients and names
  for (std::size_t i = taken_.size(); i-- > 0;) {
    Posted& p = taken_[i];
    if (p.gone || p.command.kind != Kind::set) {
      later.clear();
      continue;
    }
    const std::pair<int, std::string_view> what(p.client, p.command.name);
    const bool is_overtaken = std::find(later.begin(), later.end(), what) != later.end();
    if (is_overtaken) {
      p.client = overtaken;
    } else if (later.size() < most_later) {
      later.push_back(what);
    }
  }
  std::erase_if(taken_, [](const Posted& p) { return p.client == overtaken; });
}

void LiveSimulation::obey(const Posted& posted) {
  const Kind kind = posted.command.kind;
  frame_is_old_ = true;
  if (kind != Kind::drag && kind != Kind::release) status_is_old_ = true;
  try {
    if (posted.gone) {
      if (dragger_ == posted.client) live_.release();
    } else {
      obey(posted.client, posted.command);
    }
  } catch (const FileError& e) {  // a recording: no refusal
    tell(LiveNotice::everyone, e.what());
  } catch (const std::exception& e) {
    tell(posted.client, e.what());
  }
}

void LiveSimulation::obey(int client, const LiveCommand& c) {
  switch (c.kind) {
    case Kind::play: return play(true);
    case Kind::pause: return play(false);
    case Kind::step: return play(false), step();
    case Kind::reset: return after_change(live_.reset());
    case Kind::speed:
      check_speed(c.speed);
      speed_ = c.speed;
      return play(playing_);
    case Kind::set:
      after_change(live_.set(c.name, c.value));
      times_ = {};
      return;
    case Kind::drag:
      live_.drag(c.body, c.point, c.target);
      dragger_ = client;
      return;
    case Kind::release:
      if (dragger_ == client) live_.release();  // not what another one took over
      return;
    case Kind::record:
      if (c.on) {
        live_.start_recording();
      } else {
        live_.end_recording();
      }
      return;
  }
}

/// The state is no step's result now. `fault`: of a recording that has ended.
void LiveSimulation::after_change(const std::string& fault) {
  after_step_ = false;
  if (!fault.empty()) tell(LiveNotice::everyone, fault);
  play(playing_);
}

/// Plays from now on, or pauses: what the clock did meanwhile does not count.
void LiveSimulation::play(bool playing) {
  if (playing && !live_.failure().empty()) fail_input(live_.failure());
  playing_ = playing;
  const auto now = Clock::now();
  pacer_.start(now, live_.world().time(), speed_);
  last_status_ = now;
  status_time_ = live_.world().time();
}

void LiveSimulation::step() {
  if (!live_.failure().empty()) fail_input(live_.failure());
  frame_is_old_ = true;
  try {
    live_.step();
    after_step_ = true;
  } catch (const FileError& e) {  // the recording has ended, the step is done
    after_step_ = status_is_old_ = true;
    tell(LiveNotice::everyone, e.what());
  } catch (const std::exception& e) {
    playing_ = false;
    status_is_old_ = true;
    tell(LiveNotice::everyone, e.what());
  }
  if (live_.failure().empty()) return;
  playing_ = false;
  status_is_old_ = true;
  tell(LiveNotice::everyone, live_.failure());
}

/// At the next time that no one holds the lock.
void LiveSimulation::tell(int client, const std::string& text) {
  constexpr std::size_t most = 256;  // who asks for more at once has enough to read
  if (untold_.size() < most) untold_.push_back({client, text});
}

void LiveSimulation::publish_frame(Clock::time_point now) {
  if (watchers_.load(std::memory_order_relaxed) == 0) return;
  const bool wanted = frame_wanted_.exchange(false);
  if (!wanted && (!frame_is_old_ || now < next_frame_)) return;
  encoder_.encode(live_.world(), after_step_, live_.drag_view(), frames_.back());
  frames_.publish();
  frame_is_old_ = false;
  // steps need not divide the interval; one that came early does not put off those behind it
  next_frame_ = std::max(std::min(next_frame_, now) + frame_interval, now);
}

void LiveSimulation::publish_status(Clock::time_point now) {
  const double time = live_.world().time();
  if (!playing_) {
    real_time_ = 0;
  } else if (const double wall = seconds(now - last_status_); wall >= 0.2) {
    real_time_ = (time - status_time_) / wall;
    last_status_ = now;
    status_time_ = time;
  }
  LiveStatus& s = statuses_.back();
  s.playing = playing_;
  s.speed = speed_;
  s.real_time = real_time_;
  s.step_time = times_.median();
  s.settings = live_.settings();
  s.implied = live_.implied();
  s.warnings.clear();
  for (const Warning& w : live_.world().warnings()) {
    s.warnings.push_back(describe(live_.world().scene(), w));
  }
  s.recording = live_.recording().active();
  s.recorded = live_.recording().size();
  s.recording_path = live_.recording().path();
  s.failure = live_.failure();
  statuses_.publish();
  status_is_old_ = false;
  next_status_ = now + status_interval;
}

}  // namespace abut
