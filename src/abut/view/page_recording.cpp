#include "abut/view/page_recording.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/view/columns.hpp"
#include "abut/view/page_contacts.hpp"
#include "abut/view/page_scene.hpp"
#include "abut/view/page_series.hpp"

namespace abut {
namespace {

constexpr std::size_t most_samples = 20'000;  ///< of the plots: more than pixels

/// Of a long run several steps become one sample.
void add_steps(const Recording& r, ColumnWriter& columns) {
  const std::size_t group = std::max<std::size_t>(1, (r.steps() + most_samples - 1) / most_samples);
  std::vector<double> time;
  std::vector<std::uint8_t> status;
  for (std::size_t begin = 0; begin < r.steps(); begin += group) {
    const std::size_t end = std::min(begin + group, r.steps());
    time.push_back(r.step(end - 1).time);
    status.push_back(0);
    for (std::size_t i = begin; i < end; ++i) {
      status.back() = std::max(status.back(), static_cast<std::uint8_t>(r.step(i).status));
    }
  }
  columns.add<double>("step.time", time);
  columns.add<std::uint8_t>("step.status", status);
  for (const PageSeries& s : page_series()) {
    std::vector<float> values;
    for (std::size_t begin = 0; begin < r.steps(); begin += group) {
      const std::size_t end = std::min(begin + group, r.steps());
      double value = s.value(r.step(end - 1));
      for (std::size_t i = begin; s.is_peak && i < end; ++i) {
        value = std::fmax(value, s.value(r.step(i)));
      }
      values.push_back(static_cast<float>(value));
    }
    columns.add<float>(std::string("step.") + s.name, values);
  }
}

/// What must be known of a recording before its frames are coded.
struct Extent {
  double farthest = 0;       ///< coordinate of a body [m]
  std::size_t contacts = 0;  ///< of all states
  std::size_t moving = 0;    ///< bodies of a state
};

Extent measure(const Recording& r) {
  Extent extent;
  RecordedState state;
  for (std::size_t i = 0; i < r.states(); ++i) {
    r.read_state(i, state);
    extent.contacts += state.contacts.size();
    extent.moving = state.bodies.size();
    for (const BodyState& body : state.bodies) {
      for (int k = 0; k < 3; ++k) {
        const double distance = std::abs(body.position[k]);
        if (std::isfinite(distance)) extent.farthest = std::max(extent.farthest, distance);
      }
    }
  }
  return extent;
}

/// Farther than 10 km from the origin positions take coarser steps [m].
double position_scale(double farthest) {
  constexpr double usual = 0x1p-17, far = 10e3;
  return farthest < far ? usual : std::ldexp(usual, std::ilogb(farthest / far) + 1);
}

/// All frames' poses and contacts, each number in a column of its own.
struct Frames {
  explicit Frames(bool velocities) : with_velocities(velocities) {}
  void add(RecordedState& state);
  void write(ColumnWriter& columns);

  const bool with_velocities;     ///< of the bodies
  double dt = 0;                  ///< [s]
  double position_scale = 0;      ///< [m]
  std::size_t moving = 0;         ///< bodies of a frame
  std::size_t most_contacts = 0;  ///< of a frame
  std::vector<std::int32_t> step, contacts, all_contacts, position[3];
  std::vector<double> time;
  std::vector<std::int16_t> orientation[4];
  std::vector<float> velocity[3];
  std::vector<std::int32_t> a, b, point[3];
  std::vector<std::int16_t> normal[3];
  std::vector<float> force[3], friction, slip, gap;
  std::vector<std::uint8_t> mode;

 private:
  void add(const RecordedContact& contact);
};

constexpr double quaternion_scale = 0x1p-15, normal_scale = 0x1p-14;

/// Leaves the strongest contacts, in their order.
void keep_strongest(std::vector<RecordedContact>& contacts, std::size_t count) {
  if (contacts.size() <= count) return;
  std::vector<double> impulses;
  impulses.reserve(contacts.size());
  for (const RecordedContact& c : contacts) impulses.push_back(squared_norm(c.impulse));
  if (count > 0) std::nth_element(impulses.begin(), impulses.end() - count, impulses.end());
  const double least = count > 0 ? *(impulses.end() - count) : HUGE_VAL;
  // of those as strong as the weakest that is kept, as many as there is room for
  std::size_t room = count - std::count_if(impulses.end() - count, impulses.end(),
                                           [&](double x) { return x > least; });
  std::size_t kept = 0;
  for (const RecordedContact& c : contacts) {
    const double impulse = squared_norm(c.impulse);
    const bool stays = impulse > least || (impulse == least && room > 0);
    if (impulse == least && room > 0) --room;
    if (stays) contacts[kept++] = c;
  }
  contacts.resize(kept);
}

void Frames::add(RecordedState& state) {
  step.push_back(static_cast<std::int32_t>(state.step));
  time.push_back(state.time);
  for (const BodyState& body : state.bodies) {
    for (int k = 0; k < 3; ++k) {
      position[k].push_back(to_fixed<std::int32_t>(body.position[k], position_scale));
    }
    const Quaternion& q = body.orientation;
    const double components[] = {q.w, q.x, q.y, q.z};
    for (int k = 0; k < 4; ++k) {
      orientation[k].push_back(to_fixed<std::int16_t>(components[k], quaternion_scale));
    }
    for (int k = 0; with_velocities && k < 3; ++k) {
      velocity[k].push_back(static_cast<float>(body.linear_velocity[k]));
    }
  }
  all_contacts.push_back(static_cast<std::int32_t>(state.contacts.size()));
  keep_strongest(state.contacts, most_contacts);
  contacts.push_back(static_cast<std::int32_t>(state.contacts.size()));
  for (const RecordedContact& contact : state.contacts) add(contact);
}

void Frames::add(const RecordedContact& contact) {
  const PageContact page = page_contact(contact, dt);
  a.push_back(contact.body_a);
  b.push_back(contact.body_b);
  mode.push_back(static_cast<std::uint8_t>(page.mode));
  for (int k = 0; k < 3; ++k) {
    point[k].push_back(to_fixed<std::int32_t>(contact.point[k], position_scale));
    normal[k].push_back(to_fixed<std::int16_t>(contact.normal[k], normal_scale));
    force[k].push_back(static_cast<float>(page.force[k]));
  }
  friction.push_back(static_cast<float>(contact.friction));
  slip.push_back(static_cast<float>(page.slip));
  gap.push_back(static_cast<float>(contact.gap));
}

void Frames::write(ColumnWriter& columns) {
  const std::size_t stride = std::max<std::size_t>(1, moving);
  const std::string axes[] = {"x", "y", "z"};
  columns.add<std::int32_t>("frame.step", step, 1, 1, 2);
  columns.add<double>("frame.time", time);
  columns.add<std::int32_t>("frame.contacts", contacts, 1, 1, 1);
  columns.add<std::int32_t>("frame.all_contacts", all_contacts, 1, 1, 1);
  // what flies goes on as before, what rests stays: second differences are small
  for (int k = 0; k < 3; ++k) {
    columns.add<std::int32_t>("pose." + axes[k], position[k], position_scale, stride, 2);
  }
  const std::string components[] = {"qw", "qx", "qy", "qz"};
  for (int k = 0; k < 4; ++k) {
    columns.add<std::int16_t>("pose." + components[k], orientation[k], quaternion_scale, stride, 2);
  }
  for (int k = 0; with_velocities && k < 3; ++k) {
    columns.add<float>("velocity." + axes[k], velocity[k]);
  }
  columns.add<std::int32_t>("contact.a", a);
  columns.add<std::int32_t>("contact.b", b);
  columns.add<std::uint8_t>("contact.mode", mode);
  for (int k = 0; k < 3; ++k) {
    columns.add<std::int32_t>("contact.point_" + axes[k], point[k], position_scale);
  }
  for (int k = 0; k < 3; ++k) {
    columns.add<std::int16_t>("contact.normal_" + axes[k], normal[k], normal_scale);
  }
  for (int k = 0; k < 3; ++k) columns.add_halves("contact.force_" + axes[k], force[k]);
  columns.add_halves("contact.friction", friction);
  columns.add_halves("contact.slip", slip);
  columns.add_halves("contact.gap", gap);
}

void add_frames(const Recording& r, const ReplayOptions& options, ColumnWriter& columns) {
  const Extent extent = measure(r);
  const std::size_t every = extent.moving * r.states() / (options.most_poses + 1) + 1;
  const std::size_t count = (r.states() - 1 + every - 1) / every + 1;  // the last one is kept
  Frames frames(options.velocities);
  frames.dt = r.scene().time_step;
  frames.position_scale = position_scale(extent.farthest);
  frames.moving = extent.moving;
  if (options.contacts) {
    const bool all = extent.contacts <= options.most_contacts;
    frames.most_contacts = all ? extent.contacts : options.most_contacts / count;
  }
  RecordedState state;
  for (std::size_t i = 0; i < count; ++i) {
    r.read_state(std::min(i * every, r.states() - 1), state);
    frames.add(state);
  }
  frames.write(columns);
}

std::string base64(std::string_view bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t triple = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      triple = triple << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= bytes.size() - i ? digits[triple >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::string heads_json(const ColumnWriter& columns) {
  nlohmann::json heads = nlohmann::json::array();
  for (const ColumnHead& h : columns.heads()) {
    heads.push_back({{"name", h.name},
                     {"type", h.type},
                     {"count", h.count},
                     {"stride", h.stride},
                     {"order", h.order},
                     {"scale", h.scale}});
  }
  return heads.dump();
}

}  // namespace

void require_showable(const Recording& recording, const std::string& html_path) {
  std::error_code none;
  if (std::filesystem::equivalent(html_path, recording.path(), none)) {
    fail_input(quote(html_path, 1024) + " is the recording itself: the replay needs another name");
  }
  if (recording.states() == 0) fail_input("the recording has no state: there is nothing to show");
}

void write_recording_scripts(AtomicFile& file, const Recording& recording,
                             const ReplayOptions& options, const std::string& suffix) {
  ColumnWriter columns;
  add_steps(recording, columns);
  add_frames(recording, options, columns);
  const std::string data = columns.finish();
  constexpr std::string_view json = "application/json";
  write_data_script(file, json, "abut-scene" + suffix,
                    page_scene(recording.scene(), options.cameras, options.warnings));
  write_data_script(file, json, "abut-heads" + suffix, heads_json(columns));
  write_data_script(file, "application/octet-stream", "abut-columns" + suffix, base64(data));
}

}  // namespace abut
