#include "abut/io/recording_format.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "abut/core/text.hpp"
#include "abut/io/bytes.hpp"
#include "abut/io/crc32.hpp"

namespace abut {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

std::optional<double> take_optional(ByteReader& from) {
  const auto x = from.take<double>();
  return std::isnan(x) ? std::nullopt : std::optional(x);
}

/// Takes an enumerator; `good` becomes false for a code beyond `last`.
template <class Enum>
Enum take_enum(ByteReader& from, Enum last, bool& good) {
  const auto code = from.take<std::uint32_t>();
  good = good && code <= static_cast<std::uint32_t>(last);
  return static_cast<Enum>(code);
}

template <class Enum>
std::uint32_t number_of(Enum e) {
  return static_cast<std::uint32_t>(e);
}

bool is_body(std::int32_t body, const RecordedScene& s) {
  return body >= world_body && body < std::ssize(s.bodies);
}

template <class T>
void put_all(ByteWriter& out, const std::vector<T>& values) {
  out.put(static_cast<std::uint32_t>(values.size()));
  for (const T& x : values) out.put(x);
}

/// Reads one by one, so that memory grows with what is there.
template <class T>
void take_all(ByteReader& in, std::vector<T>& values) {
  const auto count = in.take<std::uint32_t>();
  values.clear();
  for (std::uint32_t i = 0; i < count && in.good(); ++i) values.push_back(in.take<T>());
}

bool is_text(const std::string& text) {
  return find_invalid_utf8(text) == std::string_view::npos;
}

constexpr Color no_color{-1, -1, -1, -1};

void encode(const RecordedGeom& g, ByteWriter& out) {
  out.put_text(g.name);
  out.put(g.body);
  out.put(number_of(g.shape));
  out.put(g.size);
  out.put(g.mesh);
  out.put(static_cast<std::uint32_t>(g.visual));
  out.put(g.pose.p);
  out.put(g.pose.R);
  out.put(g.surface_velocity);
  out.put(g.surface_angular_velocity);
  out.put(g.color.value_or(no_color));
}

RecordedGeom take_geom(ByteReader& in, const RecordedScene& s, bool& good) {
  RecordedGeom g;
  g.name = in.take_text();
  g.body = in.take<std::int32_t>();
  g.shape = take_enum(in, ShapeKind::height_field, good);
  g.size = in.take<Vec3>();
  g.mesh = in.take<std::int32_t>();
  g.visual = in.take<std::uint32_t>() != 0;
  g.pose.p = in.take<Vec3>();
  g.pose.R = in.take<Mat3>();
  g.surface_velocity = in.take<Vec3>();
  g.surface_angular_velocity = in.take<Vec3>();
  const auto color = in.take<Color>();
  if (color[0] >= 0) g.color = color;
  const bool has_mesh = g.shape == ShapeKind::hull || g.shape == ShapeKind::height_field;
  good = good && is_text(g.name) && is_body(g.body, s) &&
         (has_mesh ? g.mesh >= 0 && g.mesh < std::ssize(s.meshes) : g.mesh == -1);
  return g;
}

bool is_whole(const TriangleMesh& mesh) {
  return std::all_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const auto& t) {
    return std::all_of(t.begin(), t.end(),
                       [&](std::int32_t v) { return v >= 0 && v < std::ssize(mesh.vertices); });
  });
}

/// What is drawn, and what moves by joints and actuators.
void encode_parts(const RecordedScene& s, ByteWriter& out) {
  out.put(static_cast<std::uint32_t>(s.meshes.size()));
  for (const TriangleMesh& m : s.meshes) {
    put_all(out, m.vertices);
    put_all(out, m.triangles);
  }
  out.put(static_cast<std::uint32_t>(s.geoms.size()));
  for (const RecordedGeom& g : s.geoms) encode(g, out);
  out.put(static_cast<std::uint32_t>(s.joints.size()));
  for (const RecordedJoint& j : s.joints) {
    out.put_text(j.name);
    out.put(j.body);
    out.put(number_of(j.kind));
  }
  out.put(static_cast<std::uint32_t>(s.actuators.size()));
  for (const std::string& name : s.actuators) out.put_text(name);
}

bool take_parts(ByteReader& in, RecordedScene& s) {
  bool good = true;
  s.meshes.clear(), s.geoms.clear(), s.joints.clear(), s.actuators.clear();
  const auto meshes = in.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < meshes && in.good(); ++i) {
    TriangleMesh& m = s.meshes.emplace_back();
    take_all(in, m.vertices);
    take_all(in, m.triangles);
    good = good && is_whole(m);
  }
  const auto geoms = in.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < geoms && in.good(); ++i) {
    s.geoms.push_back(take_geom(in, s, good));
  }
  const auto joints = in.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < joints && in.good(); ++i) {
    RecordedJoint& j = s.joints.emplace_back();
    j.name = in.take_text();
    j.body = in.take<std::int32_t>();
    j.kind = take_enum(in, JointKind::hinge, good);
    good = good && is_text(j.name) && j.body >= 0 && is_body(j.body, s);
  }
  const auto actuators = in.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < actuators && in.good(); ++i) {
    good = is_text(s.actuators.emplace_back(in.take_text())) && good;
  }
  return good;
}

}  // namespace

void encode(const RecordedScene& s, std::vector<char>& to) {
  ByteWriter out(to);
  for (const double x :
       {s.time_step, s.frame_rate, s.tolerance, s.gravity.x, s.gravity.y, s.gravity.z}) {
    out.put(x);
  }
  for (const auto& x : {s.accuracy, s.pair.stiffness, s.pair.dissipation, s.pair.relaxation_time,
                        s.pair.friction, s.pair.thickness}) {
    out.put(x.value_or(absent));
  }
  for (const double x : {s.friction.stiction_tolerance, s.friction.sigma, s.friction.beta,
                         s.friction.lag_tolerance}) {
    out.put(x);
  }
  for (const std::uint32_t x : {number_of(s.friction.lagged_rule), number_of(s.model),
                                number_of(s.law), number_of(s.scheme)}) {
    out.put(x);
  }
  for (const std::string& text : {s.abut_version, s.file, s.solver}) out.put_text(text);
  out.put(static_cast<std::uint32_t>(s.bodies.size()));
  for (const RecordedBody& b : s.bodies) {
    out.put_text(b.name);
    out.put(number_of(b.kind));
    out.put(b.mass);
    out.put(b.start);
  }
  encode_parts(s, out);
}

bool decode(std::string_view payload, RecordedScene& s) {
  ByteReader in(payload);
  bool good = true;
  for (double* x :
       {&s.time_step, &s.frame_rate, &s.tolerance, &s.gravity.x, &s.gravity.y, &s.gravity.z}) {
    *x = in.take<double>();
  }
  for (auto* x : {&s.accuracy, &s.pair.stiffness, &s.pair.dissipation, &s.pair.relaxation_time,
                  &s.pair.friction, &s.pair.thickness}) {
    *x = take_optional(in);
  }
  for (double* x : {&s.friction.stiction_tolerance, &s.friction.sigma, &s.friction.beta,
                    &s.friction.lag_tolerance}) {
    *x = in.take<double>();
  }
  s.friction.lagged_rule = take_enum(in, lagged_rules.back(), good);
  s.model = take_enum(in, contact_models.back(), good);
  s.law = take_enum(in, normal_laws.back(), good);
  s.scheme = take_enum(in, stepping_schemes.back(), good);
  for (std::string* text : {&s.abut_version, &s.file, &s.solver}) {
    *text = in.take_text();
  }
  const auto count = in.take<std::uint32_t>();
  s.bodies.clear();
  for (std::uint32_t b = 0; b < count && in.good(); ++b) {
    RecordedBody body;
    body.name = in.take_text();
    body.kind = take_enum(in, BodyKind::linked, good);
    body.mass = in.take<double>();
    body.start = in.take<BodyState>();
    good = good && is_text(body.name);
    s.bodies.push_back(std::move(body));
  }
  good = take_parts(in, s) && good;
  const bool possible = s.time_step > 0 && std::isfinite(s.time_step);
  return good && possible && in.good() && in.left() == 0;
}

void encode(const RecordedStep& s, std::vector<char>& to) {
  ByteWriter out(to);
  out.put(s.step);
  out.put(s.time);
  out.put(number_of(s.status));
  out.put(static_cast<std::uint32_t>(s.at_round_off));
  const Certificate& c = s.certificate;
  for (const std::int32_t x :
       {s.iterations, s.factorizations, s.rounds, s.contacts, c.worst_tree, s.lagging_islands}) {
    out.put(x);
  }
  for (const double x : {c.step_error, c.momentum_error, c.impulse_error, c.lag_error,
                         c.complementarity_error, c.ncp_primal, c.ncp_dual, c.ncp_complementarity,
                         s.penetration, s.kinetic_energy, s.potential_energy}) {
    out.put(x);
  }
}

bool decode(std::string_view payload, RecordedStep& s) {
  ByteReader in(payload);
  bool good = true;
  s.step = in.take<std::uint64_t>();
  s.time = in.take<double>();
  s.status = take_enum(in, SolveStatus::numerical_failure, good);
  s.at_round_off = in.take<std::uint32_t>() != 0;
  Certificate& c = s.certificate;
  for (std::int32_t* x : {&s.iterations, &s.factorizations, &s.rounds, &s.contacts, &c.worst_tree,
                          &s.lagging_islands}) {
    *x = in.take<std::int32_t>();
  }
  for (double* x : {&c.step_error, &c.momentum_error, &c.impulse_error, &c.lag_error,
                    &c.complementarity_error, &c.ncp_primal, &c.ncp_dual, &c.ncp_complementarity,
                    &s.penetration, &s.kinetic_energy, &s.potential_energy}) {
    *x = in.take<double>();
  }
  return good && in.good() && in.left() == 0;
}

void encode(const RecordedState& s, std::vector<char>& to) {
  ByteWriter out(to);
  out.put(s.step);
  out.put(s.time);
  out.put(s.state_hash);
  out.put(static_cast<std::uint32_t>(s.bodies.size()));
  out.put(static_cast<std::uint32_t>(s.contacts.size()));
  for (const BodyState& b : s.bodies) out.put(b);
  for (const RecordedContact& c : s.contacts) out.put(c);
  for (const RecordedCoordinate& c : s.joints) out.put(c);
  for (const RecordedActuation& a : s.actuations) out.put(a);
}

bool decode(std::string_view payload, const RecordedScene& scene, RecordedState& s) {
  ByteReader in(payload);
  s.step = in.take<std::uint64_t>();
  s.time = in.take<double>();
  s.state_hash = in.take<std::uint64_t>();
  const std::size_t bodies = in.take<std::uint32_t>(), contacts = in.take<std::uint32_t>();
  const auto moving_bodies =
      std::count_if(scene.bodies.begin(), scene.bodies.end(),
                    [](const RecordedBody& b) { return b.kind != BodyKind::fixed; });
  if (!in.good() || bodies != static_cast<std::size_t>(moving_bodies) ||
      in.left() != bodies * sizeof(BodyState) + contacts * sizeof(RecordedContact) +
                       scene.joints.size() * sizeof(RecordedCoordinate) +
                       scene.actuators.size() * sizeof(RecordedActuation)) {
    return false;
  }
  s.bodies.resize(bodies);
  s.contacts.resize(contacts);
  for (BodyState& b : s.bodies) b = in.take<BodyState>();
  bool good = true;
  for (RecordedContact& c : s.contacts) {
    c = in.take<RecordedContact>();
    good = good && is_body(c.body_a, scene) && is_body(c.body_b, scene);
  }
  s.joints.resize(scene.joints.size());
  s.actuations.resize(scene.actuators.size());
  for (RecordedCoordinate& c : s.joints) c = in.take<RecordedCoordinate>();
  for (RecordedActuation& a : s.actuations) a = in.take<RecordedActuation>();
  return good;
}

std::uint32_t frame_checksum(const FrameHead& head, std::string_view payload) {
  return crc32(payload, crc32({reinterpret_cast<const char*>(&head), 8}));
}

}  // namespace abut
