// How the contacts of candidates are found and come to their places in the problem, by as many
// threads as there are. Each thread keeps what it finds, and puts it there once it is known how
// much comes before.

#include <algorithm>
#include <array>
#include <cmath>

#include "abut/core/assert.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/sim/contact_query.hpp"
#include "abut/sim/directional_friction.hpp"

namespace abut {
namespace {

constexpr int chunks_per_thread = 32;  // of a round, so that a cache keeps what they find
constexpr int most_chunks = 256;       // of a round: a thread may find all of it

template <class T>
void grow(std::vector<T>& v, std::size_t size) {
  if (v.size() < size) resize(v, size);
}

}  // namespace

void ContactQuery::find(const Search& s) {
  const auto& [bodies, articulated, dt, scheme, before, after, problem, pool] = s;
  fall_ = dt * dt * norm(scene_->gravity);
  place_geoms(s);
  try {
    if (broad_phase_.update(boxes_, skins_)) update_candidates();
  } catch (...) {  // candidates may be missing: the next search is for all of them
    broad_phase_.forget();
    throw;
  }
  penetration_ = 0;
  deepest_ = {};
  total_ = {};
  after.ids = before.ids;
  problem.contacts.extras.clear();
  const bool lacks_room = after.sources.capacity() < problem.contacts.gap.capacity();
  if (!candidates_.empty() || !before.sources.empty() || lacks_room) {
    make_room_for_all(s);
    assign(kept_, before.sources.size(), false);
    assign(problem_body_, bodies.size(), -1);
    search_candidates(s);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (!kept_[i]) after.ids.destroy(before.sources[i].id);
    }
  }
  problem.contacts.resize(total_.contacts);
  resize(after.sources, total_.contacts);
  resize(after.pairs, total_.pairs);
  resize(extents_, total_.pairs);
}

/// What has grown once for so many contacts takes that many at any time.
void ContactQuery::make_room_for_all(const Search& s) {
  ContactMemory& after = s.after;
  const std::size_t room = s.problem.contacts.gap.capacity();
  make_room(after.sources, room);
  make_room(after.impulses, room);
  make_room(after.anchors, room);
  make_room(after.points, room);
  make_room(after.slid, room);
  make_room(kept_, room);
  make_room(candidates_, room);
  make_room(merged_, room);
  make_room(found_, room);
  make_room(after.pairs, candidates_.capacity());
  make_room(extents_, candidates_.capacity());
  make_room(stored_, candidates_.capacity());
  after.ids.reserve(2 * room);  // new ones come before old ones go
  finders_.resize(s.pool == nullptr ? 1 : s.pool->threads());
  const std::size_t most = std::min<std::size_t>(candidates_.capacity(), round_size());
  make_room(chunks_, round_size() / chunk_size());
  make_room(chunk_order_, round_size() / chunk_size());
  for (Finder& finder : finders_) {
    make_room(finder.findings, most);
    make_room(finder.touches, most);
    make_room(finder.points, std::min(room, most * Manifold::capacity));
  }
}

/// Candidates that a thread searches in a row: many, as each chunk looks for its begin in the step
/// before; fewer where threads share them.
int ContactQuery::chunk_size() const {
  return finders_.size() == 1 ? largest_chunk : largest_chunk / 2;
}

/// Candidates that are searched before their contacts come to their places.
int ContactQuery::round_size() const {
  const auto threads = static_cast<int>(finders_.size());
  return chunk_size() * (threads == 1 ? 1 : std::min(chunks_per_thread * threads, most_chunks));
}

void ContactQuery::search_candidates(const Search& s) {
  const int count = static_cast<int>(candidates_.size()), size = chunk_size();
  for (int first = 0; first < count; first += round_size()) {
    const int end = std::min(first + round_size(), count);
    resize(chunks_, (end - first + size - 1) / size);
    for (Finder& finder : finders_) {
      finder.found = 0;
      finder.points.clear();
      finder.touches.clear();
    }
    order_chunks(first, size);
    const auto search = [&](int item, int finder) {
      const int chunk = chunk_order_[item].chunk;
      const int begin = first + chunk * size;
      search_chunk(s, begin, std::min(begin + size, end), finder, chunks_[chunk]);
    };
    const auto put = [&](int finder) {
      for (Chunk& chunk : chunks_) {
        if (chunk.finder == finder) put_chunk(s, chunk);
      }
    };
    if (s.pool == nullptr) {
      search(0, 0);
      take_places(s);
      put(0);
    } else {
      s.pool->for_each(static_cast<int>(chunks_.size()), search);
      take_places(s);
      s.pool->for_each_worker(put);
    }
    for (const Chunk& chunk : chunks_) add_patches(s, chunk);
    require_few_contacts(s);
  }
}

/// By the first tree that moves: threads so begin with what is theirs in other loops, too
/// (PatchShares).
void ContactQuery::order_chunks(int first, int size) {
  resize(chunk_order_, chunks_.size());
  for (int k = 0; k < std::ssize(chunks_); ++k) {
    const CandidatePair& c = candidates_[first + k * size];
    const std::int32_t a = tree_[c.geom_a];
    chunk_order_[k] = {a == world_tree ? tree_[c.geom_b] : a, k};
  }
  std::ranges::sort(chunk_order_);
}

/// Finds which of some candidates are near, and returns how many. This follows from poses and
/// speeds alone, so that a restored world finds the same; the broad phase's candidates follow from
/// its past.
int ContactQuery::find_near(const Search& s, int begin, int end, Near& near) const {
  const NearView view{.candidates = candidates_.data(),
                      .motions = motions_.data(),
                      .bounds = bounds_.data(),
                      .dt = s.dt,
                      .fall = fall_};
  return placement_kernels().find_near(view, begin, end, near.candidate.data(), near.way.data());
}

void ContactQuery::search_chunk(const Search& s, int begin, int end, int finder, Chunk& chunk) {
  auto& [findings, size, touches, points, manifold] = finders_[finder];
  chunk = {};
  chunk.finder = finder;
  chunk.begin = size;
  chunk.first_point = static_cast<std::int32_t>(points.size());
  const std::vector<ContactPair>& before = s.before.pairs;
  auto cursor = first_of(before, candidates_[begin]);
  Near near;
  const int count = find_near(s, begin, end, near);
  for (int n = 0; n < count; ++n) {
    const std::int32_t k = near.candidate[n];
    const double way = near.way[n];
    const CandidatePair& c = candidates_[k];
    const bool is_known = seek(cursor, before.end(), c);
    if (size == std::ssize(findings)) findings.emplace_back();
    Finding& found = findings[size];
    found.candidate = k;
    found.points = found.fresh = 0;
    found.way = way;
    if (is_known) {
      found.pair = *cursor;
    } else {
      found.pair = {c.geom_a, c.geom_b, {}, {}};
    }
    collide(shapes_[c.geom_a], poses_[c.geom_a], shapes_[c.geom_b], poses_[c.geom_b], reach(c, way),
            found.pair.memory, manifold);
    for (int i = 0; i < manifold.size; ++i) {
      const ManifoldPoint& point = manifold.points[i];
      chunk.penetration = std::max(chunk.penetration, -point.gap);
      if (!comes_close(s, c, point)) continue;
      points.push_back(point);
      ++found.points;
    }
    ABUT_ASSERT(found.points == 0 || found.is_kept());  // each contact has a pair
    chunk.size.contacts += found.points;
    chunk.size.pairs += found.is_kept();
    if (found.is_kept()) ++size;
  }
  chunk.end = size;
}

/// How far the search of a candidate looks that may close by `way`: the shapes' gap, at most [m].
double ContactQuery::reach(const CandidatePair& c, double way) const {
  return c.margin + std::min(c.most_ahead, way + c.falls * fall_);
}

/// Whether a point is within the margin, or will be after a step.
bool ContactQuery::comes_close(const Search& s, const CandidatePair& c,
                               const ManifoldPoint& point) const {
  if (!(point.gap > c.margin)) return true;
  const Vec3 v = s.bodies.velocity_at(body_[c.geom_b], point.position) -
                 s.bodies.velocity_at(body_[c.geom_a], point.position);
  const double fall = c.falls * (s.dt * s.dt * std::abs(dot(point.normal, scene_->gravity)));
  return point.gap + s.dt * dot(point.normal, v) - fall <= c.margin;
}

/// Gives each chunk its place, in order, and makes room for all.
void ContactQuery::take_places(const Search& s) {
  for (Chunk& chunk : chunks_) {
    penetration_ = std::max(penetration_, chunk.penetration);
    chunk.place = total_;
    total_.contacts += chunk.size.contacts;
    total_.pairs += chunk.size.pairs;
  }
  ContactPool& contacts = s.problem.contacts;
  if (contacts.size() < total_.contacts) contacts.resize(total_.contacts);
  grow(s.after.sources, total_.contacts);
  grow(s.after.pairs, total_.pairs);
  grow(extents_, total_.pairs);
}

/// The contacts of a chunk, and what its pairs hand on.
void ContactQuery::put_chunk(const Search& s, Chunk& chunk) {
  if (chunk.begin == chunk.end) return;
  auto& [findings, size, touches, points, manifold] = finders_[chunk.finder];
  chunk.first_touch = static_cast<std::int32_t>(touches.size());
  auto cursor = first_of(s.before.sources, candidates_[findings[chunk.begin].candidate]);
  const ManifoldPoint* point = points.data() + chunk.first_point;
  auto [contact, pair] = chunk.place;
  for (std::int32_t k = chunk.begin; k < chunk.end; ++k) {
    Finding& found = findings[k];
    if (found.points > 0) {
      const CandidatePair& c = candidates_[found.candidate];
      const std::span of_pair(point, static_cast<std::size_t>(found.points));
      const auto last = static_cast<std::size_t>(cursor - s.before.sources.begin());
      if (goes_on(s, c, of_pair, last)) {
        keep_contacts(s, c, of_pair, last, contact);
        cursor += found.points;
      } else {
        const SourceRun before = run_of(s, c, found.points, cursor);
        put_contacts(s, of_pair, before, contact, found);
      }
      touches.push_back({found.candidate, found.points, found.fresh});
    }
    point += found.points;
    contact += found.points;
    if (!found.is_kept()) continue;
    s.after.pairs[pair] = found.pair;
    extents_[pair] = {contact, found.way};
    ++pair;
  }
  chunk.touches = static_cast<std::int32_t>(touches.size()) - chunk.first_touch;
}

/// Whether the contacts of a pair are those of the step before from `last` on, in their order.
bool ContactQuery::goes_on(const Search& s, const CandidatePair& c,
                           std::span<const ManifoldPoint> points, std::size_t last) const {
  const std::vector<ContactSource>& before = s.before.sources;
  if (c.kind == 0 || before.size() - last < points.size()) return false;
  const ContactSource* source = before.data() + last;
  for (const ManifoldPoint& point : points) {
    if (source->geom_a != c.geom_a || source->geom_b != c.geom_b ||
        source->feature != point.feature) {
      return false;
    }
    ++source;
  }
  return true;
}

/// Puts these from `first` on.
void ContactQuery::keep_contacts(const Search& s, const CandidatePair& c,
                                 std::span<const ManifoldPoint> points, std::size_t last,
                                 int first) {
  ContactPool& contacts = s.problem.contacts;
  const double share = is_with_world(c) ? 0.5 : 0;
  for (const ManifoldPoint& point : points) {
    s.after.sources[first] = s.before.sources[last];
    if (contacts.kind[first] != c.kind) [[unlikely]]
      contacts.set(first, contact_of(c), c.kind);
    contacts.move(first, point.position + (share * point.gap) * point.normal, point.normal,
                  point.gap - c.layer, point.weight, s.before.impulses[last]);
    kept_[last] = true;
    ++first, ++last;
  }
}

/// The contacts that a pair had in the step before: most likely as many as the `points` now, at
/// least 1.
ContactQuery::SourceRun ContactQuery::run_of(
    const Search& s, const CandidatePair& c, int points,
    std::vector<ContactSource>::const_iterator& cursor) const {
  const std::vector<ContactSource>& last = s.before.sources;
  if (!seek(cursor, last.end(), c)) return {};
  const auto begin = cursor;
  const auto is_of_pair = [&](const ContactSource& x) {
    return x.geom_a == c.geom_a && x.geom_b == c.geom_b;
  };
  if (last.end() - cursor >= points && is_of_pair(cursor[points - 1])) cursor += points;
  while (cursor != last.end() && is_of_pair(*cursor)) ++cursor;
  return {static_cast<std::int32_t>(begin - last.begin()),
          static_cast<std::int32_t>(cursor - last.begin())};
}

/// What all contacts of a pair have.
ContactPoint ContactQuery::contact_of(const CandidatePair& c) const {
  const PairMaterial& m = materials_[c.material];
  return {.stiffness = m.stiffness,
          .dissipation = m.dissipation,
          .relaxation_time = m.relaxation_time,
          .friction = m.friction,
          .law = m.law};
}

/// The contacts of a pair, from `first` on. `before` are those that it had in the step before.
void ContactQuery::put_contacts(const Search& s, std::span<const ManifoldPoint> points,
                                const SourceRun& before, int first, Finding& found) {
  const CandidatePair& c = candidates_[found.candidate];
  const PairMaterial& material = materials_[c.material];
  std::array<std::int32_t, Manifold::capacity> fresh;
  ContactPoint contact = contact_of(c);
  const double share = is_with_world(c) ? 0.5 : 0;
  int at = first;
  for (const ManifoldPoint& point : points) {
    ContactSource& source = s.after.sources[at];
    source.geom_a = c.geom_a, source.geom_b = c.geom_b;
    source.feature = point.feature;
    source.id = {};
    contact.point = point.position + (share * point.gap) * point.normal;
    contact.normal = point.normal;
    contact.gap = point.gap - c.layer;
    contact.weight = point.weight;
    contact.friction =
        material.is_directional ? directional_friction(c, point.normal).mean : material.friction;
    contact.bias = contact.previous_impulse = contact.anchor = {};
    if (c.runs) contact.bias = surface_velocity(c.geom_a, c.geom_b, contact.point, contact.normal);
    if (!match(c, s, before, at - first, source, contact)) fresh[found.fresh++] = at;
    s.problem.contacts.set(at, contact, c.kind);
    ++at;
  }
  const bool touched = before.begin != before.end;
  if (touched && found.fresh > 0 && s.holds()) {
    hand_over_anchors(c, s, before, {fresh.data(), static_cast<std::size_t>(found.fresh)});
  }
}

/// The patches of a chunk, and what else is made one after the other: bodies of mechanisms, names
/// of new contacts, and what few contacts have.
void ContactQuery::add_patches(const Search& s, const Chunk& chunk) {
  int contact = chunk.place.contacts;
  const std::span all(finders_[chunk.finder].touches);
  for (const Touch& found : all.subspan(chunk.first_touch, chunk.touches)) {
    const CandidatePair& c = candidates_[found.candidate];
    const Vec3& center = s.problem.contacts.point[contact];
    const int a = problem_body(body_[c.geom_a], center, s),
              b = problem_body(body_[c.geom_b], center, s);
    s.problem.add_patch(tree_[c.geom_a], tree_[c.geom_b], found.points, a, b);
    const int end = contact + found.points;
    for (int i = contact, fresh = found.fresh; fresh > 0 && i < end; ++i) {
      ContactId& id = s.after.sources[i].id;
      if (id) continue;
      id = s.after.ids.create();
      --fresh;
    }
    if (c.has_extras) {
      for (int i = contact; i < end; ++i) set_extras(s, c, i);
    }
    contact = end;
  }
}

/// A moving body among the problem's bodies of dense trees, where it comes if it is not there yet;
/// -1 for others. Its center there is its first contact, as the only one needs nothing else of it.
int ContactQuery::problem_body(int body, const Vec3& point, const Search& s) {
  if (body == fixed_body || s.bodies.tree[body] < s.articulated.first_tree()) return -1;
  std::int32_t& index = problem_body_[body];
  if (index < 0) {
    index = s.articulated.add_body(body, s.bodies.tree[body], point, s.problem);
  }
  return index;
}

void ContactQuery::set_extras(const Search& s, const CandidatePair& c, int contact) {
  const PairMaterial& material = materials_[c.material];
  ContactExtras extras{.table = material.table, .thickness = material.thickness};
  if (material.is_directional) {
    const DirectionalFriction friction =
        directional_friction(c, s.problem.contacts.normal[contact]);
    extras.anisotropy = friction.anisotropy;
    extras.friction_axis = friction.axis;
  }
  if (!(extras == no_extras)) s.problem.contacts.own_extras(contact) = std::move(extras);
}

DirectionalFriction ContactQuery::directional_friction(const CandidatePair& c,
                                                       const Vec3& normal) const {
  const ScenePair* own = explicit_pair(c.geom_a, c.geom_b);
  const bool turned = own != nullptr && own->geom_a != c.geom_a;
  const int first = turned ? c.geom_b : c.geom_a, second = turned ? c.geom_a : c.geom_b;
  return combine_directions({scene_->geoms[first], poses_[first].R},
                            {scene_->geoms[second], poses_[second].R}, normal,
                            scene_->friction_rule, own);
}

}  // namespace abut
