#include "support/slide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, mu = 0.5, radius = 0.1, slope = 0.2;
constexpr double stiffness = 1e7, dissipation = 10, relaxation = 1e-4;  // of the pair

struct Body {
  Shape shape;
  Vec3 inertia;
  Quaternion orientation;
};

Body body_of(Slide slide) {
  const double i = radius * radius;  // m r^2
  switch (slide) {
    case Slide::box: return {Shape::box({radius, radius, radius}), {1e6, 1e6, 1e6}, {}};
    case Slide::sphere:
    case Slide::roll: return {Shape::sphere(radius), {0.4 * i, 0.4 * i, 0.4 * i}, {}};
    case Slide::wheel:  // its axis z along y
      return {Shape::cylinder(radius, 0.05),
              {0.3 * i, 0.3 * i, 0.5 * i},
              exp_rotation({std::acos(-1.0) / 2, 0, 0})};
    case Slide::disc: break;
  }
  return {Shape::cylinder(radius, radius), {0.6 * i, 0.6 * i, 0.5 * i}, {}};
}

World world_of(Slide slide, ContactModel model, double time_step, double margin) {
  Scene s;
  const double angle = slide == Slide::roll ? slope : 0;
  s.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
  add_plane(s);
  const Body b = body_of(slide);
  add_body(s, b.shape, 1, b.inertia, {0, 0, radius}, b.orientation);
  WorldOptions o;
  o.model = model;
  o.time_step = time_step;
  o.margin = margin;
  o.pair = {.stiffness = stiffness,
            .dissipation = dissipation,
            .relaxation_time = relaxation,
            .friction = mu};
  return World(s, o);
}

/// What is known of the contacts: all alike.
struct Contact {
  int points = 0;
  double rn = 0, rt = 0;  ///< SAP
  double w = 0, arm = 0;  ///< distance from the vertical axis
};

Contact contact_of(Slide slide, ContactModel model, double time_step) {
  World w = world_of(slide, model, time_step, 2e-3);
  w.step();
  const ContactPool& c = w.problem().contacts;
  const ContactTerms& terms = w.prepared().contacts();
  Contact r;
  r.points = c.size();
  r.rt = terms.tangential_regularization[0];
  if (model == ContactModel::sap) r.rn = terms.normal_regularization[0];
  r.arm = std::hypot(c.point[0].x, c.point[0].y);
  return r;
}

/// The gap at which a step that ends with slip u and normal velocity vn carries gamma.
double steady_gap(ContactModel model, const Contact& c, double h, double gamma, double u,
                  double vn) {
  if (model == ContactModel::sap) {
    return (h + relaxation) * (mu * u - vn - (c.rn + mu * mu * c.rt) * gamma);
  }
  const double eps = std::max(1e-4, c.rt * mu * gamma);
  const double z = model == ContactModel::similar ? vn - mu * (std::hypot(u, eps) - eps) : vn;
  return -gamma / (h * stiffness * (1 - dissipation * z)) - h * z;
}

}  // namespace

std::string_view to_string(Slide slide) {
  switch (slide) {
    case Slide::box: return "box slides";
    case Slide::sphere: return "sphere slides";
    case Slide::wheel: return "wheel slides";
    case Slide::disc: return "disc spins";
    case Slide::roll: return "sphere rolls";
  }
  return "";
}

double slide_error(Slide slide, ContactModel model, double speed, double h) {
  const Contact c = contact_of(slide, model, h);
  const Vec3 inertia = body_of(slide).inertia;
  const bool turns = slide == Slide::sphere || slide == Slide::wheel;
  const double weight = slide == Slide::roll ? g * std::cos(slope) : g;
  const double gamma = weight * h / c.points;
  // u and s
  double slip = speed, rate = mu * g;
  if (turns) rate *= 1 + radius * radius / inertia.z;
  if (slide == Slide::wheel) rate = mu * g * 3;
  if (slide == Slide::disc) rate = mu * g * c.arm * c.arm / inertia.z;
  double steady = rate;  // acceleration to be found
  if (turns) steady = mu * g;
  if (slide == Slide::roll) {
    // friction 2/7 m g sin, held by creep
    const double share = 2.0 / 7 * g * std::sin(slope) / (mu * weight);
    const double eps = std::max(1e-4, c.rt * mu * gamma);
    slip = model == ContactModel::sap        ? c.rt * share * mu * gamma
           : model == ContactModel::anchored ? 0
                                             : eps * share / std::sqrt(1 - share * share);
    rate = 0;
    steady = -5.0 / 7 * g * std::sin(slope);
  }
  const double end = slip - rate * h;
  double vn = 0, gap = steady_gap(model, c, h, gamma, end, 0);
  if (slide == Slide::roll && model == ContactModel::sap) {
    gap = -(h + relaxation) * c.rn * gamma;  // friction that sticks does not lift
  } else {
    for (int k = 0; k < 3; ++k) {
      const double next = steady_gap(model, c, h, gamma, end - rate * h, vn);
      gap = steady_gap(model, c, h, gamma, end, vn);
      vn = (next - gap) / h;
    }
  }
  if (slide != Slide::box && slide != Slide::disc && std::abs(gap) > 1e-3 * radius) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  World w = world_of(slide, model, h, 2e-3 + 2 * std::abs(gap));
  BodyState b = w.body_state(0);
  b.position = {0, 0, radius + gap};
  b.linear_velocity = {slide == Slide::disc ? 0 : speed, 0, vn};
  if (slide == Slide::disc) b.angular_velocity = {0, 0, speed / c.arm};
  if (slide == Slide::roll) b.angular_velocity = {0, (speed - slip) / radius, 0};
  if (slide == Slide::roll && model == ContactModel::anchored) {  // as if it had rolled before
    w.step();
    w.set_body_state(0, b);
    Snapshot s = w.snapshot();
    s.state.contacts.anchors.assign(c.points, {-2.0 / 7 * g * std::sin(slope), 0, 0});
    s.state.contacts.slid.assign(c.points, 0);
    w.restore(s);
  } else {
    w.set_body_state(0, b);
  }
  const auto now = [&] {
    const BodyState s = w.body_state(0);
    return slide == Slide::disc ? s.angular_velocity.z * c.arm : s.linear_velocity.x;
  };
  constexpr int first = 3;  // contacts that are new have no last impulse to predict the next from
  double most = rate > 0 ? 0.9 * speed / (rate * h) : 1e9;
  constexpr double turn = 0.5;  // most of a step [rad]
  if (slide == Slide::wheel) most = std::min(most, turn * radius / (2 * mu * g * h * h));
  if (slide == Slide::disc && speed * h > turn * c.arm) most = 0;
  const int steps = static_cast<int>(std::min(most - first, 100.0));
  if (steps < 1) return std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < first; ++i) w.step();
  const double before = now();
  for (int i = 0; i < steps; ++i) w.step();
  return (before - now()) / (steady * steps * h) - 1;
}

}  // namespace abut
