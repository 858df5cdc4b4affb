#include "abut/sim/contact_query.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/core/text.hpp"

namespace abut {
namespace {

/// Of bodies, or of geoms.
std::uint64_t unordered_pair(int a, int b) {
  return std::uint64_t{static_cast<std::uint32_t>(std::min(a, b) + 1)} << 32 |
         static_cast<std::uint32_t>(std::max(a, b) + 1);
}

}  // namespace

ContactQuery::ContactQuery(const Scene& scene, const std::vector<std::int32_t>& moving,
                           const MovingBodies& bodies, const PairOverride& pair, double margin,
                           int contact_limit)
    : scene_(&scene),
      pair_(pair),
      margin_(margin),
      contact_limit_(static_cast<std::size_t>(contact_limit)) {
  const std::size_t count = scene.geoms.size();
  poses_.resize(count);
  boxes_.resize(count);
  skins_.resize(count);
  std::vector<std::pair<std::int32_t, HalfSpace>> planes;
  for (std::size_t g = 0; g < count; ++g) {
    const SceneGeom& geom = scene.geoms[g];
    const int body = geom.body == world_body ? fixed_body : moving[geom.body];
    const bool moves = body != fixed_body;
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
    local_.push_back(local);
    mass_.push_back(moves ? scene.bodies[geom.body].mass : HUGE_VAL);
    radius_.push_back(moves ? norm(local.p) + geom.shape.reach() : 0);
    if (!moves) {
      poses_[g] = local;
      boxes_[g] = bounding_box(geom.shape, local);
      const Vec3 out = margin * Vec3{1, 1, 1};
      boxes_[g] = {boxes_[g].lower - out, boxes_[g].upper + out};
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
    special_.emplace_back(unordered_pair(scene.pairs[k].geom_a, scene.pairs[k].geom_b), k);
  }
  std::sort(special_.begin(), special_.end());
  broad_phase_.reset(body_, std::move(planes));
  broad_phase_.limit_pairs(32 * contact_limit_);  // of 8 bytes; most pairs may not touch
}

void ContactQuery::find(const MovingBodies& bodies, const ArticulatedTrees& articulated, double dt,
                        ContactProblem& problem) {
  complete_ = false;
  place_geoms(bodies, dt);
  if (broad_phase_.update(boxes_, skins_)) update_candidates();
  next_.sources.clear();
  next_.overlaps.clear();
  penetration_ = 0;
  overlap_cursor_ = 0;
  const std::size_t room = problem.contacts.gap.capacity();
  make_room(next_.sources, room);
  make_room(memory_.impulses, room);
  make_room(kept_, room);
  make_room(candidates_, room);
  make_room(merged_, room);
  make_room(found_, room);
  next_.ids = memory_.ids;
  next_.ids.reserve(2 * problem.contacts.gap.capacity());  // new ones come before old ones go
  assign(kept_, memory_.sources.size(), false);
  cursor_ = 0;
  Manifold manifold;
  for (const Candidate& c : candidates_) {
    const double closing = dt * approach(c, bodies), ahead = std::min(c.reach, closing);
    collide(scene_->geoms[c.geom_a].shape, poses_[c.geom_a], scene_->geoms[c.geom_b].shape,
            poses_[c.geom_b], margin_ + ahead, manifold);
    if (manifold.size == 0) continue;
    const double overlap = allow_overlap(c, manifold, closing, dt);
    if (overlap > 0) {
      for (int k = 0; k < manifold.size; ++k) manifold.points[k].gap += overlap;
    }
    add_manifold(c, manifold, bodies, articulated, dt, problem);
    if (next_.sources.size() > contact_limit_) {
      fail_limit("contacts", contact_limit_, [&](std::size_t i) {
        return std::pair(next_.sources[i].geom_a, next_.sources[i].geom_b);
      });
    }
  }
  release_lost();
  std::swap(memory_.sources, next_.sources);
  std::swap(memory_.overlaps, next_.overlaps);
  std::swap(memory_.ids, next_.ids);
  complete_ = true;
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
             ": set them apart, or raise the limit of contacts, " +
             std::to_string(contact_limit_) + " (contact_limit, --contact-limit)");
}

/// Poses and boxes of the moving geoms. A box holds the geom now and wherever the search reaches;
/// a new fat box lasts for some steps at the present speed.
void ContactQuery::place_geoms(const MovingBodies& bodies, double dt) {
  for (std::size_t g = 0; g < body_.size(); ++g) {
    const int b = body_[g];
    if (b == fixed_body) continue;
    const Mat3& R = bodies.rotation[b];
    poses_[g] = {bodies.center[b] + R * local_[g].p, R * local_[g].R};
    const double speed =
        norm(bodies.linear_velocity[b]) + radius_[g] * norm(bodies.angular_velocity[b]);
    const Aabb box = bounding_box(scene_->geoms[g].shape, poses_[g]);
    const Vec3 out = (margin_ + std::min(dt * speed, radius_[g])) * Vec3{1, 1, 1};
    boxes_[g] = {box.lower - out, box.upper + out};
    skins_[g] = 0.02 * radius_[g] + 4 * dt * speed;
  }
}

/// What the scene says of these two alone; null if nothing.
const ScenePair* ContactQuery::special(int a, int b) const {
  if (special_.empty()) return nullptr;
  const auto found = std::lower_bound(special_.begin(), special_.end(),
                                      std::pair(unordered_pair(a, b), std::int32_t{0}));
  const bool is_special = found != special_.end() && found->first == unordered_pair(a, b);
  return is_special ? &scene_->pairs[found->second] : nullptr;
}

bool ContactQuery::may_touch(int a, int b) const {
  if (const ScenePair* pair = special(a, b); pair != nullptr && pair->forced) return true;
  const SceneGeom &ga = scene_->geoms[a], &gb = scene_->geoms[b];
  if (!masks_agree(ga, gb)) return false;
  if (std::binary_search(excluded_geoms_.begin(), excluded_geoms_.end(), unordered_pair(a, b))) {
    return false;
  }
  return !std::binary_search(excluded_.begin(), excluded_.end(), unordered_pair(ga.body, gb.body));
}

/// Replaces the candidates of the shapes that moved, and keeps the list sorted.
void ContactQuery::update_candidates() {
  if (broad_phase_.is_full()) {
    const auto pairs = broad_phase_.found();
    fail_limit("pairs of shapes that are close to each other", pairs.size(), [&](std::size_t i) {
      return std::pair(pairs[i].first, pairs[i].second);
    });
  }
  std::erase_if(candidates_, [&](const Candidate& c) {
    return broad_phase_.has_moved(c.geom_a) || broad_phase_.has_moved(c.geom_b);
  });
  found_.clear();
  const std::size_t most_candidates = 2 * contact_limit_;
  for (const auto& [first, second] : broad_phase_.found()) {
    if (!may_touch(first, second)) continue;
    const bool ordered = std::pair(tree_[first], first) < std::pair(tree_[second], second);
    const std::int32_t a = ordered ? first : second, b = ordered ? second : first;
    const double smaller = tree_[a] == world_tree ? radius_[b] : std::min(radius_[a], radius_[b]);
    const std::int32_t tree_a = tree_[a] == tree_[b] ? world_tree : tree_[a];
    found_.push_back(
        {tree_a, tree_[b], a, b,
         combine(scene_->geoms[a], scene_->geoms[b], scene_->friction_rule, pair_, special(a, b)),
         smaller});
    if (candidates_.size() + found_.size() > most_candidates) {
      broad_phase_.forget();
      fail_limit("pairs of shapes that are close to each other", most_candidates,
                 [&](std::size_t i) {
                   const Candidate& c =
                       i < found_.size() ? found_[i] : candidates_[i - found_.size()];
                   return std::pair(c.geom_a, c.geom_b);
                 });
    }
  }
  std::sort(found_.begin(), found_.end());
  merged_.clear();
  std::merge(candidates_.begin(), candidates_.end(), found_.begin(), found_.end(),
             std::back_inserter(merged_));
  std::swap(candidates_, merged_);
}

/// A bound on the speed at which the two surfaces close in [m/s].
double ContactQuery::approach(const Candidate& c, const MovingBodies& bodies) const {
  Vec3 v;
  double spin = 0;
  for (const auto& [geom, sign] : {std::pair{c.geom_a, -1}, std::pair{c.geom_b, 1}}) {
    const int b = body_[geom];
    if (b == fixed_body) continue;
    v += sign * bodies.linear_velocity[b];
    spin += radius_[geom] * norm(bodies.angular_velocity[b]);
  }
  return norm(v) + spin;
}

void ContactQuery::add_manifold(const Candidate& c, const Manifold& m, const MovingBodies& bodies,
                                const ArticulatedTrees& articulated, double dt,
                                ContactProblem& problem) {
  const auto velocity_at = [&](int geom, const Vec3& point) {
    const int b = body_[geom];
    if (b == fixed_body) return Vec3{};
    return bodies.linear_velocity[b] + cross(bodies.angular_velocity[b], point - bodies.center[b]);
  };
  for (int k = 0; k < m.size; ++k) {
    const ManifoldPoint& point = m.points[k];
    if (point.gap > margin_) {
      const Vec3 v = velocity_at(c.geom_b, point.position) - velocity_at(c.geom_a, point.position);
      if (!(point.gap + dt * dot(point.normal, v) <= margin_)) continue;
    }
    ContactSource source{c.geom_a, c.geom_b, point.feature, {}};
    // with the world on the body's own surface, so that a wheel's arm is its radius; else halfway
    const double offset = body_[c.geom_a] == fixed_body ? 0.5 * point.gap : 0;
    ContactPoint contact{.point = point.position + offset * point.normal,
                         .normal = point.normal,
                         .gap = point.gap,
                         .weight = point.weight,
                         .stiffness = c.material.stiffness,
                         .dissipation = c.material.dissipation,
                         .relaxation_time = c.material.relaxation_time,
                         .friction = c.material.friction,
                         .bias = {},
                         .previous_impulse = {}};
    match(c, source, contact.previous_impulse);
    add_contact(c, contact, articulated, problem);
    next_.sources.push_back(source);
  }
}

/// With the Jacobians of its articulated trees; of a tree with itself the relative one.
void ContactQuery::add_contact(const Candidate& c, const ContactPoint& contact,
                               const ArticulatedTrees& articulated, ContactProblem& problem) {
  const auto add = [&](int geom, double sign, std::vector<double>& jacobian) {
    articulated.add_jacobian(body_[geom], contact.point, sign, jacobian.data());
  };
  const auto clear = [&](int tree, std::vector<double>& jacobian) {
    const bool dense = tree != world_tree && problem.trees[tree].kind == TreeKind::dense;
    assign(jacobian, dense ? 3 * static_cast<std::size_t>(problem.trees[tree].size) : 0, 0);
    return dense;
  };
  if (clear(c.tree_a, jacobian_a_)) add(c.geom_a, -1, jacobian_a_);
  if (clear(c.tree_b, jacobian_b_)) {
    add(c.geom_b, 1, jacobian_b_);
    if (tree_[c.geom_a] == c.tree_b) add(c.geom_a, -1, jacobian_b_);
  }
  problem.add_contact(c.tree_a, c.tree_b, contact, jacobian_a_, jacobian_b_);
}

/// Whether a pair comes before a candidate in the order of all lists.
bool ContactQuery::before(int geom_a, int geom_b, const Candidate& c) const {
  const int b = tree_[geom_b], a = tree_[geom_a] == b ? world_tree : tree_[geom_a];
  return std::tie(a, b, geom_a, geom_b) < std::tie(c.tree_a, c.tree_b, c.geom_a, c.geom_b);
}

/// By how much the pair may overlap without force: as deep as it is when it is first seen, where no
/// motion brought it there and its spring would throw the lighter body; later by what it still has
/// to part beyond the step. Where something holds it there, its spring is loaded slowly, and only
/// until it would throw.
double ContactQuery::allow_overlap(const Candidate& c, const Manifold& m, double closing,
                                   double dt) {
  constexpr double fast = 1;  // at which a spring throws [m/s]
  constexpr double held_speed = 0.1 * return_speed;
  const std::vector<ContactSource>& last = memory_.sources;
  while (cursor_ < last.size() && before(last[cursor_].geom_a, last[cursor_].geom_b, c)) ++cursor_;
  const std::vector<Overlap>& known = memory_.overlaps;
  const auto is_at = [&](const auto& list, std::size_t i) {
    return i < list.size() && list[i].geom_a == c.geom_a && list[i].geom_b == c.geom_b;
  };
  double depth = 0;
  for (int k = 0; k < m.size; ++k) depth = std::max(depth, -m.points[k].gap);
  penetration_ = std::max(penetration_, depth);
  while (overlap_cursor_ < known.size() &&
         before(known[overlap_cursor_].geom_a, known[overlap_cursor_].geom_b, c)) {
    ++overlap_cursor_;
  }
  const double lighter = std::min(mass_[c.geom_a], mass_[c.geom_b]);
  const auto throws = [&](double compression) {
    return c.material.stiffness * compression * compression > fast * fast * lighter;
  };
  double allowed = 0;
  if (is_at(known, overlap_cursor_)) {
    const double before = known[overlap_cursor_].depth;
    const double held = throws(depth - before) ? before : before - dt * held_speed;
    allowed = std::min(held, depth - dt * return_speed);
  } else if (depth > 2 * closing && !is_at(last, cursor_) && throws(depth)) {
    allowed = depth;
  }
  if (allowed > 0) next_.overlaps.push_back({c.geom_a, c.geom_b, allowed});
  return allowed;
}

/// Finds the contact of the last step that this one continues. Both lists are in the same order.
void ContactQuery::match(const Candidate& c, ContactSource& source, Vec3& impulse) {
  const std::vector<ContactSource>& last = memory_.sources;
  for (std::size_t i = cursor_; i < last.size(); ++i) {
    if (last[i].geom_a != c.geom_a || last[i].geom_b != c.geom_b) break;
    if (last[i].feature != source.feature || kept_[i]) continue;
    kept_[i] = true;
    source.id = last[i].id;
    impulse = memory_.impulses[i];
    return;
  }
  source.id = next_.ids.create();
}

void ContactQuery::release_lost() {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (!kept_[i]) next_.ids.destroy(memory_.sources[i].id);
  }
}

void ContactQuery::remember(std::span<const Vec3> impulses) {
  assign(memory_.impulses, impulses);
}

}  // namespace abut
