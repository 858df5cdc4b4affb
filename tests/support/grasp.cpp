#include "support/grasp.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "abut/io/mjcf.hpp"
#include "abut/io/scene_file.hpp"

namespace abut {
namespace {

constexpr double pressure = 100, stiffness = 2000, damping = 50, mass = 100;

/// A pad of 0.1 x 0.2 x 12 m, of 1 kg, with its inner face 0.05 m from the middle.
std::string pad(const std::string& name, double side, const std::string& joint) {
  return "<body name='" + name + "' pos='" + std::to_string(0.1 * side) + " 0 0'>" + joint +
         "<geom type='box' size='.05 .1 6' mass='1'/></body>";
}

std::string scene_text(Press press, double mu) {
  const std::string slide = "<joint name='a' type='slide' axis='1 0 0'";
  const std::string motor = "<actuator><motor joint='a'/></actuator>";
  std::string left = pad("left", -1, slide + "/>"), rest = motor;
  std::string right = "<geom type='box' size='.05 .1 6' pos='.1 0 0'/>";
  switch (press) {
    case Press::servo: rest = "<actuator><position joint='a' kp='2000' kv='50'/></actuator>"; break;
    case Press::motor: break;
    case Press::spring:
      left = pad("left", -1, slide + " stiffness='2000' damping='50' springref='0.05'/>");
      rest = "";
      break;
    case Press::weld:
      left = pad("left", -1, "<freejoint/>") + "<body name='carriage' pos='-.3 0 0'>" + slide +
             "/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>";
      rest = motor + "<equality><weld body1='left' body2='carriage'/></equality>";
      break;
    case Press::limit:
      right = pad("right", 1,
                  "<joint name='b' type='slide' axis='1 0 0' range='-.1 0' limited='true'/>");
      break;
  }
  return "<mujoco><option gravity='0 0 0'/><default><geom friction='" + std::to_string(mu) +
         "'/></default><worldbody>" +
         "<body name='box'><freejoint/><geom type='box' size='.05 .05 .05' mass='100'/></body>" +
         left + right + "</worldbody>" + rest + "</mujoco>";
}

/// The speed at which the friction of all points, by the models' laws, holds the push; each point
/// carries its share of the pressure.
double creep_speed(const World& w, double friction, double push) {
  const ContactPool& c = w.problem().contacts;
  const double h = w.time_step(), limit = friction * pressure * h / (0.5 * c.size());
  const FrictionParameters& f = w.options().friction;
  const auto held = [&](double v) {
    double sum = 0;
    for (int i = 0; i < c.size(); ++i) {
      const double rt = f.sigma * w.prepared().contacts().mobility[i] / c.weight[i];
      const double eps = std::max(f.stiction_tolerance, rt * limit);
      sum += w.options().model == ContactModel::sap ? std::min(v / rt, limit)
                                                    : limit * v / std::hypot(v, eps);
    }
    return sum;
  };
  double low = 0, high = 1;
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    (held(middle) < push * h ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::string_view to_string(Press press) {
  switch (press) {
    case Press::servo: return "position servo";
    case Press::motor: return "motor";
    case Press::spring: return "spring";
    case Press::weld: return "weld";
    case Press::limit: return "limit";
  }
  return "";
}

GraspResult run_grasp(const Grasp& g) {
  WorldOptions o;
  o.model = g.model;
  o.time_step = g.time_step;
  if (g.load > 1) o.margin = 0.1;  // a box that glides higher than the margin chatters
  World w(load_mjcf_text(scene_text(g.press, g.friction), "grasp.xml"), o);
  if (g.press == Press::servo) {
    w.set_control(0, pressure / stiffness);
  } else if (g.press != Press::spring) {
    w.set_control(0, pressure);
  }
  GraspResult r;
  const auto run_until = [&](double time) {
    while (w.time() < time - 0.5 * g.time_step) {
      r.not_converged += w.step().solve.status != SolveStatus::converged;
    }
  };
  constexpr double start = 0.3;
  run_until(start);
  const double push = g.load * 2 * g.friction * pressure;
  w.set_load(0, {0, 0, push}, {});
  double from = w.body_state(0).position.z;
  if (g.load < 1 && g.duration > 0.5) {
    run_until(start + 0.5);
    from = w.body_state(0).position.z;
    if (!traits(g.model).is_anchored) {
      r.creep = creep_speed(w, g.friction, push) * (g.duration - 0.5);
    }
  }
  run_until(start + g.duration);
  const BodyState end = w.body_state(0);
  r.way = end.position.z - from;
  r.speed = end.linear_velocity.z;
  if (g.load > 1) {
    const bool elastic = g.press == Press::servo || g.press == Press::spring;
    const double horizon = traits(g.model).lags_friction ? 0
                           : g.model == ContactModel::sap
                               ? g.time_step + PairMaterial{}.relaxation_time
                               : g.time_step;
    const double parting = 2 * g.friction * horizon;
    const double inertia = mass + (elastic ? 2 * g.friction * damping * parting : 0);
    const double a = (push - 2 * g.friction * pressure) / inertia;
    const double rate = elastic ? 2 * g.friction * stiffness * parting / inertia : 0;
    const double t = g.duration;
    r.exact_speed = rate * t < 1e-9 ? a * t : a * -std::expm1(-rate * t) / rate;
  }
  return r;
}

bool holds(const Grasp& grasp, const GraspResult& r) {
  const double factor = grasp.model == ContactModel::sap ? 1.5 : 1.02;
  return std::abs(r.way) <= factor * r.creep + 1e-7;
}

bool slips(const GraspResult& r) {
  return std::abs(r.speed - r.exact_speed) <= 0.02 * r.exact_speed;
}

double gripper_height(const std::string& file, ContactModel model, double friction) {
  SceneFile f = load_scene_file(file);
  for (SceneGeom& g : f.scene.geoms) {
    if (g.material.friction) g.material.friction = friction;
  }
  f.simulation.model = model;
  World w(f.scene, f.simulation.over({}));
  while (w.time() < f.simulation.duration.value() - 0.5 * w.time_step()) {
    update_controls(f.controllers, w);
    w.step();
  }
  const auto& bodies = f.scene.bodies;
  const auto box = std::find_if(bodies.begin(), bodies.end(),
                                [](const SceneBody& b) { return b.name == "box"; });
  return w.body_state(static_cast<int>(box - bodies.begin())).position.z;
}

}  // namespace abut
