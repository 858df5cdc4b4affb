#include "abut/io/recording_csv.hpp"

#include <charconv>
#include <cmath>
#include <concepts>
#include <filesystem>

#include "abut/io/atomic_file.hpp"
#include "abut/io/output_dir.hpp"

namespace abut {
namespace {

/// Fields and rows as RFC 4180 has them, with CR LF only where a name holds it.
class Table {
 public:
  Table(const std::string& directory, const std::string& name, const std::string& columns)
      : file_((std::filesystem::path(directory) / name).string()) {
    text_ = columns + "\n";
  }

  Table& add(double x) {
    if (std::isnan(x)) return add_field("nan");  // without the sign that it may have
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, x, std::chars_format::general,
                                   17);  // whatever the locale
    return add_field({digits, end.ptr});
  }
  Table& add(const Vec3& v) { return add(v.x).add(v.y).add(v.z); }
  Table& add(std::integral auto x) { return add_field(std::to_string(x)); }
  Table& add(std::string_view name) {
    if (name.find_first_of(",\"\r\n") == std::string_view::npos) return add_field(name);
    std::string quoted = "\"";
    for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
    return add_field(quoted + "\"");
  }

  void end_row() {
    text_ += '\n';
    row_begins_ = true;
    if (text_.size() < (1 << 20)) return;
    file_.write(text_);
    text_.clear();
  }
  void finish() {
    file_.write(text_);
    file_.commit();
  }

 private:
  Table& add_field(std::string_view text) {
    if (!row_begins_) text_ += ',';
    row_begins_ = false;
    text_ += text;
    return *this;
  }

  AtomicFile file_;
  std::string text_;
  bool row_begins_ = true;
};

void write_steps(const Recording& r, const std::string& directory) {
  Table table(directory, "steps.csv",
              "step,time_s,status,at_round_off,iterations,factorizations,rounds,contacts,"
              "lagging_islands,step_error,momentum_error,impulse_error,lag_error,"
              "complementarity_error,ncp_primal_N,ncp_dual_m_s2,"
              "ncp_complementarity_N_m_s2,penetration_m,kinetic_energy_J,potential_energy_J");
  for (std::size_t i = 0; i < r.steps(); ++i) {
    const RecordedStep& s = r.step(i);
    const Certificate& c = s.certificate;
    table.add(s.step).add(s.time).add(to_string(s.status)).add(s.at_round_off ? 1 : 0);
    table.add(s.iterations).add(s.factorizations).add(s.rounds).add(s.contacts);
    table.add(s.lagging_islands).add(c.step_error).add(c.momentum_error).add(c.impulse_error);
    table.add(c.lag_error).add(c.complementarity_error);
    table.add(c.ncp_primal).add(c.ncp_dual).add(c.ncp_complementarity);
    table.add(s.penetration).add(s.kinetic_energy).add(s.potential_energy).end_row();
  }
  table.finish();
}

void write_states(const Recording& r, const std::string& directory) {
  Table bodies(directory, "bodies.csv",
               "step,time_s,body,position_x_m,position_y_m,position_z_m,quaternion_w,quaternion_x,"
               "quaternion_y,quaternion_z,linear_velocity_x_m_s,linear_velocity_y_m_s,"
               "linear_velocity_z_m_s,angular_velocity_x_rad_s,angular_velocity_y_rad_s,"
               "angular_velocity_z_rad_s");
  Table contacts(
      directory, "contacts.csv",
      "step,time_s,id,body_a,body_b,point_x_m,point_y_m,point_z_m,normal_x,normal_y,"
      "normal_z,gap_m,allowance_m,impulse_x_N_s,impulse_y_N_s,impulse_z_N_s,force_x_N,force_y_N,"
      "force_z_N,velocity_x_m_s,velocity_y_m_s,velocity_z_m_s,friction");
  const std::vector<RecordedBody>& known = r.scene().bodies;
  const auto name = [&](std::int32_t body) -> std::string_view {
    return body == world_body ? "world" : std::string_view(known[body].name);
  };
  RecordedState state;
  for (std::size_t i = 0; i < r.states(); ++i) {
    r.read_state(i, state);
    std::size_t next = 0;
    for (const RecordedBody& body : known) {
      if (body.kind == BodyKind::fixed) continue;
      const BodyState& s = state.bodies[next++];
      const Quaternion& q = s.orientation;
      bodies.add(state.step).add(state.time).add(body.name).add(s.position);
      bodies.add(q.w).add(q.x).add(q.y).add(q.z);
      bodies.add(s.linear_velocity).add(s.angular_velocity).end_row();
    }
    for (const RecordedContact& c : state.contacts) {
      contacts.add(state.step).add(state.time).add(c.id).add(name(c.body_a)).add(name(c.body_b));
      contacts.add(c.point).add(c.normal).add(c.gap).add(c.allowance);
      contacts.add(c.impulse).add(c.impulse / r.scene().time_step);
      contacts.add(c.velocity).add(c.friction).end_row();
    }
  }
  bodies.finish();
  contacts.finish();
}

/// Hinges in rad, slides in m.
void write_joints(const Recording& r, const std::string& directory) {
  Table table(directory, "joints.csv", "step,time_s,joint,body,kind,position,velocity");
  RecordedState state;
  for (std::size_t i = 0; i < r.states(); ++i) {
    r.read_state(i, state);
    for (std::size_t k = 0; k < state.joints.size(); ++k) {
      const RecordedJoint& j = r.scene().joints[k];
      table.add(state.step).add(state.time).add(j.name).add(r.scene().bodies[j.body].name);
      table.add(to_string(j.kind));
      table.add(state.joints[k].position).add(state.joints[k].velocity).end_row();
    }
  }
  table.finish();
}

void write_actuators(const Recording& r, const std::string& directory) {
  Table table(directory, "actuators.csv", "step,time_s,actuator,control,force,length,velocity");
  RecordedState state;
  for (std::size_t i = 0; i < r.states(); ++i) {
    r.read_state(i, state);
    for (std::size_t k = 0; k < state.actuations.size(); ++k) {
      const RecordedActuation& a = state.actuations[k];
      table.add(state.step).add(state.time).add(r.scene().actuators[k]);
      table.add(a.control).add(a.force).add(a.length).add(a.velocity).end_row();
    }
  }
  table.finish();
}

}  // namespace

std::vector<std::string> csv_files(const RecordedScene& scene) {
  std::vector<std::string> files{"steps.csv", "bodies.csv", "contacts.csv"};
  if (!scene.joints.empty()) files.emplace_back("joints.csv");
  if (!scene.actuators.empty()) files.emplace_back("actuators.csv");
  return files;
}

void export_csv(const Recording& recording, const std::string& directory) {
  list_output_files(directory, csv_files(recording.scene()));
  write_steps(recording, directory);
  write_states(recording, directory);
  if (!recording.scene().joints.empty()) write_joints(recording, directory);
  if (!recording.scene().actuators.empty()) write_actuators(recording, directory);
}

}  // namespace abut
