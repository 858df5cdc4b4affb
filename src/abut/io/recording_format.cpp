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

}  // namespace

void encode(const RecordedScene& s, std::vector<char>& to) {
  ByteWriter out(to);
  for (const double x :
       {s.time_step, s.frame_rate, s.tolerance, s.gravity.x, s.gravity.y, s.gravity.z}) {
    out.put(x);
  }
  for (const auto& x :
       {s.pair.stiffness, s.pair.dissipation, s.pair.relaxation_time, s.pair.friction}) {
    out.put(x.value_or(absent));
  }
  for (const double x : {s.friction.stiction_tolerance, s.friction.sigma, s.friction.beta}) {
    out.put(x);
  }
  for (const std::uint32_t x :
       {number_of(s.friction.lagged_rule), number_of(s.model), number_of(s.law)}) {
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
}

bool decode(std::string_view payload, RecordedScene& s) {
  ByteReader in(payload);
  bool good = true;
  for (double* x :
       {&s.time_step, &s.frame_rate, &s.tolerance, &s.gravity.x, &s.gravity.y, &s.gravity.z}) {
    *x = in.take<double>();
  }
  for (auto* x :
       {&s.pair.stiffness, &s.pair.dissipation, &s.pair.relaxation_time, &s.pair.friction}) {
    *x = take_optional(in);
  }
  for (double* x : {&s.friction.stiction_tolerance, &s.friction.sigma, &s.friction.beta}) {
    *x = in.take<double>();
  }
  s.friction.lagged_rule = take_enum(in, LaggedRule::state, good);
  s.model = take_enum(in, contact_models.back(), good);
  s.law = take_enum(in, normal_laws.back(), good);
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
    good = good && find_invalid_utf8(body.name) == std::string_view::npos;
    s.bodies.push_back(std::move(body));
  }
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
       {s.iterations, s.factorizations, s.rounds, s.contacts, c.worst_tree, std::int32_t{0}}) {
    out.put(x);
  }
  for (const double x :
       {c.momentum_error, c.impulse_error, c.complementarity_error, c.ncp_primal, c.ncp_dual,
        c.ncp_complementarity, s.penetration, s.kinetic_energy, s.potential_energy}) {
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
  std::int32_t zero = 0;
  for (std::int32_t* x :
       {&s.iterations, &s.factorizations, &s.rounds, &s.contacts, &c.worst_tree, &zero}) {
    *x = in.take<std::int32_t>();
  }
  for (double* x :
       {&c.momentum_error, &c.impulse_error, &c.complementarity_error, &c.ncp_primal, &c.ncp_dual,
        &c.ncp_complementarity, &s.penetration, &s.kinetic_energy, &s.potential_energy}) {
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
      in.left() != bodies * sizeof(BodyState) + contacts * sizeof(RecordedContact)) {
    return false;
  }
  s.bodies.resize(bodies);
  s.contacts.resize(contacts);
  for (BodyState& b : s.bodies) b = in.take<BodyState>();
  bool good = true;
  for (RecordedContact& c : s.contacts) {
    c = in.take<RecordedContact>();
    for (const std::int32_t body : {c.body_a, c.body_b}) {
      good = good && body >= world_body && body < std::ssize(scene.bodies);
    }
  }
  return good;
}

std::uint32_t frame_checksum(const FrameHead& head, std::string_view payload) {
  return crc32(payload, crc32({reinterpret_cast<const char*>(&head), 8}));
}

}  // namespace abut
