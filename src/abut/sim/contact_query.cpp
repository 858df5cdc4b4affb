#include "abut/sim/contact_query.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "abut/core/assert.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/core/text.hpp"

namespace abut {
namespace {

constexpr const char* close_pairs = "pairs of shapes that are close to each other";

/// Of bodies, or of geoms.
std::uint64_t unordered_pair(int a, int b) {
  return PairKey::packed(std::min(a, b), std::max(a, b));
}

/// Zero if there is none.
double median_of_finite(std::vector<double> values) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  if (values.empty()) return 0;
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The largest that two surfaces of the scene can have between them [m]; 0 where no contact is by a
/// barrier.
double thickest_layer(const Scene& scene, const ContactQuery::Settings& s) {
  const auto is_barrier = [&](NormalLawKind law) {
    return traits(effective_law(s.model, law)).is_barrier;
  };
  bool any = is_barrier(s.law);
  double surface = default_surface_thickness, pair = s.pair.thickness.value_or(0);
  for (const SceneGeom& g : scene.geoms)
    surface = std::max(surface, g.material.thickness.value_or(0));
  for (const ScenePair& p : scene.pairs) {
    any = any || is_barrier(p.law.value_or(s.law));
    pair = std::max(pair, p.material.thickness.value_or(0));
  }
  return any ? std::max(2 * surface, pair) : 0;
}

bool has_extras(const PairMaterial& m) {
  return m.is_directional || m.table != nullptr || m.thickness != no_extras.thickness;
}

}  // namespace

double speculative_margin(const Shape& shape) {
  return std::min(0.025 * shape.bounding_radius(), 0.2 * shape.half_thickness());
}

ContactQuery::ContactQuery(const Scene& scene, const std::vector<std::int32_t>& moving,
                           const MovingBodies& bodies, const Settings& settings)
    : scene_(&scene),
      settings_(settings),
      layer_(thickest_layer(scene, settings)),
      materials_(scene, settings.pair),
      contact_limit_(static_cast<std::size_t>(settings.contact_limit)) {
  constexpr double standard_gravity = 9.81;  // [m/s^2] where there is none
  constexpr double slow = 0.1;               // of sqrt(g L)
  const double given = norm(scene.gravity), gravity = given > 0 ? given : standard_gravity;
  const std::size_t count = scene.geoms.size();
  poses_.resize(count);
  boxes_.resize(count);
  bounds_.resize(count);
  skins_.resize(count);
  rooms_.resize(count);
  motions_.resize(count);
  std::vector<Pose> on_body;  // about its center of mass
  std::vector<std::pair<std::int32_t, HalfSpace>> planes;
  for (std::size_t g = 0; g < count; ++g) {
    const SceneGeom& geom = scene.geoms[g];
    const int body = geom.body == world_body ? fixed_body : moving[geom.body];
    const bool moves = body != fixed_body;
    shapes_.push_back(geom.shape);
    partners_.push_back({geom.contact_type, geom.contact_affinity, geom.body});
    body_.push_back(body);
    tree_.push_back(moves ? bodies.tree[body] : world_tree);
    Pose local = geom.pose;
    if (geom.body != world_body) {
      const SceneBody& b = scene.bodies[geom.body];
      if (moves) {
        local.p -= b.center_of_mass;
      } else {
        local = Pose{b.position, to_matrix(b.orientation)} * local;
      }
    }
    on_body.push_back(local);
    half_thickness_.push_back(moves ? geom.shape.half_thickness() : HUGE_VAL);
    radius_.push_back(moves ? norm(local.p) + geom.shape.bounding_radius() : 0);
    size_.push_back(moves ? radius_.back() : HUGE_VAL);
    weight_.push_back(moves ? gravity * scene.bodies[geom.body].mass : HUGE_VAL);
    slow_.push_back(slow * std::sqrt(gravity * size_.back()));
    has_belts_ = has_belts_ || has_moving_surface(geom);
    margin_.push_back(moves ? settings.margin.value_or(speculative_margin(geom.shape)) : HUGE_VAL);
    if (!moves) {
      poses_[g] = local;
      boxes_[g] = bounding_box(geom.shape, local);  // what moves brings the margin
      bounds_[g] = GeomBounds(boxes_[g]);
    }
    if (geom.shape.kind == ShapeKind::plane) {
      const Vec3& n = local.R.col[2];
      planes.push_back({static_cast<std::int32_t>(g), {n, dot(n, local.p)}});
    }
  }
  for (const auto& [a, b] : scene.excluded_bodies) excluded_.push_back(unordered_pair(a, b));
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    // neighbours in a tree overlap where their joint is
    const int parent = scene.bodies[b].parent;
    if (scene.filter_parents && parent != world_body)
      excluded_.push_back(unordered_pair(parent, b));
  }
  std::sort(excluded_.begin(), excluded_.end());
  for (const auto& [a, b] : scene.excluded_geoms) excluded_geoms_.push_back(unordered_pair(a, b));
  std::sort(excluded_geoms_.begin(), excluded_geoms_.end());
  for (int k = 0; k < std::ssize(scene.pairs); ++k) {
    explicit_pairs_.emplace_back(unordered_pair(scene.pairs[k].geom_a, scene.pairs[k].geom_b), k);
  }
  std::sort(explicit_pairs_.begin(), explicit_pairs_.end());
  median_margin_ = median_of_finite(margin_);
  median_slow_ = median_of_finite(slow_);
  find_partners();
  for (std::size_t g = 0; g < count; ++g) {
    if (may_touch_[g] && body_[g] != fixed_body) {
      add_moving(static_cast<std::int32_t>(g), on_body[g]);
    }
  }
  std::vector<std::int32_t> groups = body_;
  for (std::size_t g = 0; g < count; ++g) {
    if (!may_touch_[g]) groups[g] = BroadPhase::left_out;
  }
  broad_phase_.reset(std::move(groups), std::move(planes));
  broad_phase_.limit_pairs(32 * contact_limit_);  // of 8 bytes; most pairs may not touch
}

/// Geoms that can touch nothing cost nothing: shapes that are only seen, links of which each other
/// pair is excluded. Of many geoms by their masks alone.
void ContactQuery::find_partners() {
  constexpr std::size_t few = 200;
  const auto count = static_cast<int>(body_.size());
  may_touch_.assign(body_.size(), false);
  if (body_.size() <= few) {
    for (int a = 0; a < count; ++a) {
      for (int b = a + 1; b < count; ++b) {
        if (body_[a] != body_[b] && may_touch(a, b)) may_touch_[a] = may_touch_[b] = true;
      }
    }
  } else {
    std::uint32_t types = 0, affinities = 0;
    for (const SceneGeom& g : scene_->geoms) {
      types |= g.contact_type;
      affinities |= g.contact_affinity;
    }
    for (int g = 0; g < count; ++g) {
      const SceneGeom& geom = scene_->geoms[g];
      may_touch_[g] = (geom.contact_type & affinities) != 0 || (geom.contact_affinity & types) != 0;
    }
    for (const ScenePair& pair : scene_->pairs) {
      may_touch_[pair.geom_a] = may_touch_[pair.geom_b] = true;
    }
  }
}

void ContactQuery::add_moving(std::int32_t g, const Pose& on_body) {
  const Shape& shape = scene_->geoms[g].shape;
  ABUT_ASSERT(shape.kind != ShapeKind::plane && shape.kind != ShapeKind::height_field);
  PlacedGeom& to = moving_.emplace_back(shape, on_body);
  to.radius = radius_[g];
  to.margin = margin_[g] + layer_;
  to.geom = g;
  to.body = body_[g];
}

std::string ContactQuery::geom_name(int geom) const {
  const SceneGeom& g = scene_->geoms[geom];
  if (!g.name.empty()) return quote(g.name);
  return std::to_string(geom) + " (of " + display_name(*scene_, g.body) + ")";
}

/// Names the two geoms with most of the `count` things, whose geoms `geoms_of` tells.
template <class GeomsOf>
void ContactQuery::fail_limit(const char* what, std::size_t count, const GeomsOf& geoms_of) const {
  std::vector<std::size_t> number(scene_->geoms.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto [a, b] = geoms_of(i);
    ++number[a], ++number[b];
  }
  const auto most = std::max_element(number.begin(), number.end());
  const auto largest = *most;
  const int first = static_cast<int>(most - number.begin());
  *most = 0;
  const auto next = std::max_element(number.begin(), number.end());
  const int second = static_cast<int>(next - number.begin());
  fail_input("more than " + std::to_string(count) + " " + what + " in a step; geom " +
             geom_name(first) + " has " + std::to_string(largest) + " of them, geom " +
             geom_name(second) + " " + std::to_string(*next) +
             ": set them apart, or raise the limit of contacts, " + std::to_string(contact_limit_) +
             " (contact_limit, --contact-limit)");
}

/// Poses of moving geoms, and boxes that hold them now and wherever the search reaches.
void ContactQuery::place_geoms(const Search& s) {
  const MovingBodies& bodies = s.bodies;
  const PlacementView view{.center = bodies.center.data(),
                           .linear_velocity = bodies.linear_velocity.data(),
                           .angular_velocity = bodies.angular_velocity.data(),
                           .rotation = bodies.rotation.data(),
                           .dt = s.dt,
                           .fall = fall_,
                           .poses = poses_.data(),
                           .motions = motions_.data(),
                           .boxes = boxes_.data(),
                           .bounds = bounds_.data(),
                           .rooms = rooms_.data(),
                           .skins = skins_.data()};
  constexpr int least_per_range = 64;
  for_ranges(s.pool, static_cast<int>(moving_.size()), least_per_range, [&](int begin, int end) {
    placement_kernels().place(view, moving_.data() + begin, end - begin);
  });
}

/// What the scene says of these two alone; null if nothing.
const ScenePair* ContactQuery::explicit_pair(int a, int b) const {
  if (explicit_pairs_.empty()) return nullptr;
  const auto found = std::lower_bound(explicit_pairs_.begin(), explicit_pairs_.end(),
                                      std::pair(unordered_pair(a, b), std::int32_t{0}));
  const bool is_special = found != explicit_pairs_.end() && found->first == unordered_pair(a, b);
  return is_special ? &scene_->pairs[found->second] : nullptr;
}

bool ContactQuery::may_touch(int a, int b) const {
  if (const ScenePair* pair = explicit_pair(a, b); pair != nullptr && pair->forced) return true;
  const Partners &ga = partners_[a], &gb = partners_[b];
  if (!masks_agree(ga, gb)) return false;
  if (std::binary_search(excluded_geoms_.begin(), excluded_geoms_.end(), unordered_pair(a, b))) {
    return false;
  }
  return !std::binary_search(excluded_.begin(), excluded_.end(), unordered_pair(ga.body, gb.body));
}

/// What a scene says of two geoms that may touch.
CandidatePair ContactQuery::make_candidate(std::int32_t a, std::int32_t b) {
  const double smaller = tree_[a] == world_tree ? radius_[b] : std::min(radius_[a], radius_[b]);
  const auto is_free = [&](std::int32_t geom) {
    return tree_[geom] != world_tree &&
           scene_->bodies[scene_->geoms[geom].body].kind == BodyKind::free;
  };
  const SceneGeom &geom_a = scene_->geoms[a], &geom_b = scene_->geoms[b];
  const std::int32_t material = materials_.find(geom_a, geom_b, explicit_pair(a, b));
  const PairMaterial& m = materials_[material];
  const double layer = pair_layer(m);
  const bool runs = has_moving_surface(geom_a) || has_moving_surface(geom_b);
  const bool is_plain = !runs && !has_extras(m) && !traits(settings_.model).is_anchored;
  return {.geom_a = a,
          .geom_b = b,
          .material = material,
          .runs = runs,
          .has_extras = has_extras(m),
          .margin = layer + std::min(margin_[a], margin_[b]),
          .most_ahead = smaller,
          .falls = is_free(a) && is_free(b) ? 0.0 : 1.0,
          .layer = layer,
          .kind = is_plain ? 1 + material : 0};
}

/// Throws beyond the limit.
void ContactQuery::require_few_contacts(const Search& s) const {
  if (static_cast<std::size_t>(total_.contacts) <= contact_limit_) return;
  fail_limit("contacts", contact_limit_, [&](std::size_t i) {
    return std::pair(s.after.sources[i].geom_a, s.after.sources[i].geom_b);
  });
}

/// Replaces the candidates of the shapes that moved, in the list's order; those that the broad
/// phase found again stay as they are.
void ContactQuery::update_candidates() {
  const std::size_t most = 2 * contact_limit_;
  if (broad_phase_.is_full()) {
    const auto pairs = broad_phase_.found();
    fail_limit(close_pairs, pairs.size(),
               [&](std::size_t i) { return std::pair(pairs[i].first, pairs[i].second); });
  }
  found_.clear();
  for (const auto& [first, second] : broad_phase_.found()) {
    if (!may_touch(first, second)) continue;
    const bool ordered = std::tuple(tree_[first], body_[first], first) <
                         std::tuple(tree_[second], body_[second], second);
    found_.push_back(ordered ? key_of(first, second) : key_of(second, first));
    if (found_.size() > most) {
      fail_limit(close_pairs, most, [&](std::size_t i) { return found_[i].geoms_of(); });
    }
  }
  std::sort(found_.begin(), found_.end());
  const auto moved = [&](const CandidatePair& c) {
    return broad_phase_.has_moved(c.geom_a) || broad_phase_.has_moved(c.geom_b);
  };
  // often the shapes that moved have the same neighbors as before
  auto key = found_.cbegin();
  auto old = candidates_.cbegin();
  for (; old != candidates_.cend(); ++old) {
    if (!moved(*old)) continue;
    if (key == found_.cend() || !(key_of(*old) == *key)) break;
    ++key;
  }
  if (old == candidates_.cend() && key == found_.cend()) return;
  merge_candidates(moved);
}

/// Candidates that did not move, and those found.
template <class Moved>
void ContactQuery::merge_candidates(const Moved& moved) {
  const std::size_t most = 2 * contact_limit_;
  merged_.clear();
  auto old = candidates_.cbegin();
  const auto keep_before = [&](const PairKey& key) {
    for (; old != candidates_.cend() && key_of(*old) < key; ++old) {
      if (!moved(*old)) merged_.push_back(*old);
    }
    if (merged_.size() <= most) return;
    fail_limit(close_pairs, most,
               [&](std::size_t i) { return std::pair(merged_[i].geom_a, merged_[i].geom_b); });
  };
  for (const PairKey& key : found_) {
    keep_before(key);
    const auto [a, b] = key.geoms_of();
    const bool is_known = old != candidates_.cend() && key_of(*old) == key;
    merged_.push_back(is_known ? *old++ : make_candidate(a, b));
  }
  keep_before(PairKey::last());
  std::swap(candidates_, merged_);
}

/// Of a barrier [m], where its force begins; 0 of other laws.
double ContactQuery::pair_layer(const PairMaterial& m) const {
  const NormalLawKind law = effective_law(settings_.model, m.law.value_or(settings_.law));
  return traits(law).is_barrier ? m.thickness : 0;
}

/// By the smaller body's size L and gravity, so that what is built larger behaves the same.
BudgetScale ContactQuery::budget_scale(const ContactPair& pair, double way) const {
  const auto [a, b] = std::pair(pair.geom_a, pair.geom_b);
  return {.speed = std::min(slow_[a], slow_[b]),
          .energy = 0.5 * std::min(weight_[a], weight_[b]) * std::min(size_[a], size_[b]),
          .way = way};
}

void ContactQuery::spend_budgets(PreparedProblem& problem, ContactMemory& after, ThreadPool* pool) {
  resize(stored_, after.pairs.size());
  make_room(spent_, 2 * static_cast<std::size_t>(pool == nullptr ? 1 : pool->threads()));
  assign(spent_, std::max<std::size_t>(1, problem.shares().ranges().size()), {});
  for_each_pair_range(problem, pool, [&](int begin, int end, int index) {
    const auto count = static_cast<std::size_t>(end - begin);
    spent_[index] = spend_budgets(problem, std::span(after.pairs).subspan(begin, count), begin);
  });
  overlaps_ = 0;
  for (const Spent& s : spent_) {  // in the order of pairs: of equals the first one stays
    overlaps_ += s.overlaps;
    if (s.deepest.share() > deepest_.share()) deepest_ = s.deepest;
  }
  stored_energy_ = 0;
  for (const double of_pair : stored_) stored_energy_ += of_pair;
}

/// Of some pairs that follow each other.
ContactQuery::Spent ContactQuery::spend_budgets(PreparedProblem& problem,
                                                std::span<ContactPair> pairs, int first_pair) {
  const ContactProblem& p = problem.problem();
  BudgetSpender spender(problem);
  Spent spent;
  int begin = first_pair == 0 ? 0 : extents_[first_pair - 1].end;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    ContactPair& pair = pairs[k];
    const Extent& extent = extents_[first_pair + k];
    const int end = extent.end;
    const bool needs_scale = BudgetSpender::needs_scale(pair.budget);
    const SpentBudget spent_here = spender.spend(
        pair.budget, needs_scale ? budget_scale(pair, extent.way) : BudgetScale{}, begin, end);
    pair.budget = spent_here.budget;
    stored_[first_pair + k] = spent_here.stored;
    spent.overlaps += pair.budget.origin == ContactBudget::Origin::start;
    double depth = spent_here.depth;
    if (layer_ > 0) {  // surfaces are deeper than the gaps of their laws say
      depth = 0;
      for (int i = begin; i < end; ++i)
        depth = std::max(depth, -p.contacts.gap[i] - layer_of(p, i));
    }
    begin = end;
    if (depth == 0) continue;
    const Deepest deepest = depth_of(pair, depth);
    if (deepest.share() > spent.deepest.share()) spent.deepest = deepest;
  }
  return spent;
}

ContactQuery::Deepest ContactQuery::depth_of(const ContactPair& pair, double depth) const {
  const double a = half_thickness_[pair.geom_a], b = half_thickness_[pair.geom_b];
  const bool a_first = a < b;
  return {a_first ? pair.geom_a : pair.geom_b, a_first ? pair.geom_b : pair.geom_a, depth,
          std::min(a, b)};
}

}  // namespace abut
