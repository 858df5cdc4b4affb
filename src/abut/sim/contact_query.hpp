#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abut/core/aligned_vector.hpp"
#include "abut/geometry/broad_phase.hpp"
#include "abut/geometry/manifold.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/sim/contact_material.hpp"
#include "abut/sim/contact_memory.hpp"
#include "abut/sim/directional_friction.hpp"
#include "abut/sim/pair_key.hpp"
#include "abut/sim/pair_materials.hpp"
#include "abut/sim/placement_kernels.hpp"
#include "abut/sim/scene.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/trees/articulated_trees.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

class ThreadPool;

/// How far from a moving shape contact is looked for [m]: 2.5 % of its radius, 1.25 mm for a ball
/// of 10 cm; of something thin a fifth of half its thickness. A pair has the smaller one of its two
/// (docs/constants.md).
double speculative_margin(const Shape& shape);

/// Finds the contacts of a world's shapes and follows them from step to step. What it keeps itself
/// changes no answer: a search depends on its arguments alone.
///
/// A point enters the problem if its gap now, or after a step at the present velocities and under
/// gravity, is at most the margin. The search itself reaches as far as the pair approaches in a
/// step, at most the smaller body's radius, so that no body passes through another while it moves
/// less than its own radius and the margin in a step.
class ContactQuery {
 public:
  struct Settings {
    PairOverride pair;
    ContactModel model;
    NormalLawKind law;             ///< of pairs that have none of their own
    std::optional<double> margin;  ///< [m] of every pair, if it is given
    int contact_limit;
  };

  /// `moving` gives the moving body of each body of the scene, fixed_body for fixed ones.
  ContactQuery(const Scene& scene, const std::vector<std::int32_t>& moving,
               const MovingBodies& bodies, const Settings& settings);

  /// Whose contacts, and where they go. The kinematics must be up to date.
  struct Search {
    const MovingBodies& bodies;
    const ArticulatedTrees& articulated;
    double dt;  ///< [s]
    SteppingScheme scheme;
    const ContactMemory& before;
    ContactMemory& after;  ///< not `before`
    ContactProblem& problem;
    ThreadPool* pool = nullptr;  ///< the same contacts for any

    /// Whether contacts go on with what they held in the step before.
    bool holds() const { return traits(problem.model).is_anchored && !before.anchors.empty(); }
  };

  /// Adds all contacts to `problem`, which has begun, ordered by trees, then bodies, then geoms,
  /// and the bodies of mechanisms that they touch, and begins the memory `after` this step.
  /// @throws InputError beyond the limit of contacts, or of twice as many pairs close to each
  /// other.
  void find(const Search& search);

  /// Enlarges the gaps of contacts found last that would give back more than was put into them. The
  /// problem is to be weighed and not complete.
  void spend_budgets(PreparedProblem& problem, ContactMemory& after, ThreadPool* pool = nullptr);

  /// Keeps the impulses of the contacts found last, and what they took from the bodies, which move
  /// by v_q = (1 - theta) v0 + theta v.
  void remember(const PreparedProblem& problem, const ContactSolution& solution, double theta,
                ContactMemory& after, ThreadPool* pool = nullptr) const;

  /// What the motion of surfaces over their geoms did in the step of the contacts found last [J].
  double surface_work(const ContactProblem& problem, const ContactSolution& solution,
                      const ContactMemory& memory) const;

  /// What contacts come closer than in a step of `dt` [s] that are solved from its start: half the
  /// margin, at most a fifth of a step at the speed at which overlaps return; of the moving shapes
  /// the median [m].
  double wake_gap(double dt) const {
    return std::min(0.5 * median_margin_, 0.2 * dt * median_slow_);
  }
  /// The overlap that rigid models let be in a step of `dt` [s], a micrometre for things of 10 cm
  /// [m]: a thousandth of the margin, at most of four steps at that speed.
  double penetration_slop(double dt) const {
    return 1e-3 * std::min(median_margin_, 4 * dt * median_slow_);
  }

  int overlaps() const { return overlaps_; }  ///< pairs that began in each other and still are
  double penetration() const { return penetration_; }  ///< deepest found last, >= 0 [m]
  /// In the springs of contacts when budgets were spent last, as the problem has them [J].
  double stored_energy() const { return stored_energy_; }
  /// The pair whose contacts are deepest against half the thickness of the thinner of its shapes
  /// that move, as found last. What an overlap allows is no depth.
  struct Deepest {
    std::int32_t geom_a = -1, geom_b = -1;  ///< the thinner one first; -1: none is deep
    double depth = 0, half_thickness = 1;   ///< [m]

    double share() const { return depth / half_thickness; }
  };
  const Deepest& deepest() const { return deepest_; }
  /// This tree was put elsewhere: the sides and impulses of its contacts.
  void forget(int tree, ContactMemory& memory) const;

 private:
  PairKey key_of(const CandidatePair& c) const { return key_of(c.geom_a, c.geom_b); }
  PairKey key_of(std::int32_t geom_a, std::int32_t geom_b) const {
    return {PairKey::packed(tree_[geom_a], tree_[geom_b]),
            PairKey::packed(body_[geom_a], body_[geom_b]), PairKey::packed(geom_a, geom_b)};
  }
  static constexpr int largest_chunk = 128;  ///< candidates in a row of one thread
  /// Candidates whose shapes may touch in the step at hand; not initialized, used in part. The
  /// kernel writes eight at a time.
  struct Near {
    std::array<std::int32_t, largest_chunk + 8> candidate;
    std::array<double, largest_chunk + 8> way;  ///< by how far the pair may close in the step [m]
  };
  /// What collide() finds of a candidate.
  struct Finding {
    std::int32_t candidate = 0;
    std::int32_t points = 0;  ///< that enter the problem
    std::int32_t fresh = 0;   ///< of these: not there in the step before
    double way = 0;           ///< by how far the pair may close in the step [m]
    ContactPair pair;

    bool is_kept() const { return !pair.memory.is_fresh(); }
  };
  /// Of a finding with points, what is needed to make its patch.
  struct Touch {
    std::int32_t candidate = 0, points = 0, fresh = 0;
  };
  /// What one thread finds in a round.
  struct Finder {
    std::vector<Finding> findings;
    std::int32_t found = 0;  ///< of these are in use
    std::vector<Touch> touches;
    std::vector<ManifoldPoint> points;
    Manifold manifold;
  };
  struct Counts {
    std::int32_t contacts = 0, pairs = 0;
  };
  /// Candidates that follow each other, and what a thread found of them.
  struct alignas(64) Chunk {
    std::int32_t finder = 0, begin = 0, end = 0;  ///< in its findings
    std::int32_t first_point = 0;                 ///< in its points
    std::int32_t first_touch = 0, touches = 0;    ///< in its touches
    Counts size;
    Counts place;  ///< how many come before them
    double penetration = 0;
  };
  /// Its turn in a search.
  struct OrderedChunk {
    std::int32_t tree = 0, chunk = 0;
    auto operator<=>(const OrderedChunk&) const = default;
  };
  /// In the sources of a step: those of one pair.
  struct SourceRun {
    std::int32_t begin = 0, end = 0;
  };
  void find_partners();
  void add_moving(std::int32_t geom, const Pose& on_body);
  void place_geoms(const Search& s);
  CandidatePair make_candidate(std::int32_t geom_a, std::int32_t geom_b);
  void update_candidates();
  template <class Moved>
  void merge_candidates(const Moved& moved);
  void make_room_for_all(const Search& s);
  int chunk_size() const;
  int round_size() const;
  void search_candidates(const Search& s);
  void order_chunks(int first, int size);
  int find_near(const Search& s, int begin, int end, Near& near) const;
  void search_chunk(const Search& s, int begin, int end, int finder, Chunk& chunk);
  double reach(const CandidatePair& c, double way) const;
  bool comes_close(const Search& s, const CandidatePair& c, const ManifoldPoint& point) const;
  void take_places(const Search& s);
  void put_chunk(const Search& s, Chunk& chunk);
  /// Whether one side is the world. Contacts then lie on the body's own surface, so that a wheel's
  /// arm is its radius; else halfway.
  bool is_with_world(const CandidatePair& c) const { return body_[c.geom_a] == fixed_body; }
  ContactPoint contact_of(const CandidatePair& c) const;
  bool goes_on(const Search& s, const CandidatePair& c, std::span<const ManifoldPoint> points,
               std::size_t last) const;
  void keep_contacts(const Search& s, const CandidatePair& c, std::span<const ManifoldPoint> points,
                     std::size_t last, int first);
  void put_contacts(const Search& s, std::span<const ManifoldPoint> points, const SourceRun& before,
                    int first, Finding& found);
  void add_patches(const Search& s, const Chunk& chunk);
  int problem_body(int body, const Vec3& point, const Search& s);
  void set_extras(const Search& s, const CandidatePair& c, int contact);
  void require_few_contacts(const Search& s) const;
  template <class GeomsOf>
  [[noreturn]] void fail_limit(const char* what, std::size_t count, const GeomsOf& geoms_of) const;
  std::string geom_name(int geom) const;
  const ScenePair* explicit_pair(int geom_a, int geom_b) const;
  bool may_touch(int geom_a, int geom_b) const;
  double pair_layer(const PairMaterial& m) const;
  bool slips(const CandidatePair& c, const ContactPoint& contact, const Search& s) const;
  DirectionalFriction directional_friction(const CandidatePair& c, const Vec3& normal) const;
  /// Whether an entry of the step before comes before c in the order of candidates.
  template <class Entry>
  bool comes_before(const Entry& x, const CandidatePair& c) const {
    // mostly this decides
    const std::uint64_t trees = PairKey::packed(tree_[x.geom_a], tree_[x.geom_b]),
                        of_c = PairKey::packed(tree_[c.geom_a], tree_[c.geom_b]);
    if (trees != of_c) return trees < of_c;
    return key_of(x.geom_a, x.geom_b) < key_of(c);
  }
  /// In what the step before had, ordered as candidates are: the first that does not come before c.
  template <class Entry>
  auto first_of(const std::vector<Entry>& entries, const CandidatePair& c) const {
    return std::partition_point(entries.begin(), entries.end(),
                                [&](const Entry& x) { return comes_before(x, c); });
  }
  /// Moves on to there. Whether it is of the same two geoms.
  template <class Cursor>
  bool seek(Cursor& at, const Cursor& last, const CandidatePair& c) const {
    for (; at != last; ++at) {
      if (at->geom_a == c.geom_a && at->geom_b == c.geom_b) return true;
      if (!comes_before(*at, c)) break;
    }
    return false;
  }
  BudgetScale budget_scale(const ContactPair& pair, double way) const;
  SourceRun run_of(const Search& s, const CandidatePair& c, int points,
                   std::vector<ContactSource>::const_iterator& cursor) const;
  bool match(const CandidatePair& c, const Search& s, const SourceRun& before, int place,
             ContactSource& source, ContactPoint& contact);
  void hand_over_anchors(const CandidatePair& c, const Search& s, const SourceRun& before,
                         std::span<const std::int32_t> fresh);
  Vec3 spin_drift(const CandidatePair& c, const ContactPoint& contact, const Search& s) const;
  Twist surface(int geom) const;
  Vec3 surface_velocity(int geom_a, int geom_b, const Vec3& point, const Vec3& normal) const;
  void remember_work(const ContactProblem& problem, const ContactSolution& solution, double theta,
                     std::span<const Patch> patches, ContactMemory& after) const;
  void turn_with_surfaces(const ContactProblem& problem, ContactMemory& memory) const;
  /// What spending the budgets of some pairs tells.
  struct Spent {
    int overlaps = 0;
    Deepest deepest;
  };
  template <class Work>
  void for_each_pair_range(const PreparedProblem& problem, ThreadPool* pool, Work&& work) const;
  Spent spend_budgets(PreparedProblem& problem, std::span<ContactPair> pairs, int first_pair);
  Deepest depth_of(const ContactPair& pair, double depth) const;

  const Scene* scene_;
  bool has_belts_ = false;  ///< surfaces that move over their geoms
  Settings settings_;
  double layer_ = 0;  ///< most of all pairs [m]
  PairMaterials materials_;
  std::size_t contact_limit_;
  AlignedVector<Shape> shapes_;  ///< of each geom: the scene's, close together
  /// Which others a geom may touch.
  struct Partners {
    std::uint32_t contact_type, contact_affinity;
    std::int32_t body;  ///< of the scene
  };
  std::vector<Partners> partners_;      ///< of each geom: the scene's, close together
  std::vector<std::int32_t> body_;      ///< moving body of each geom
  std::vector<std::int32_t> tree_;      ///< of each geom
  std::vector<double> radius_;          ///< of each geom about its body's center of mass [m]
  std::vector<double> margin_;          ///< most of each geom [m]; infinite if it does not move
  std::vector<double> half_thickness_;  ///< of each geom [m], infinite if it does not move
  // Of each geom's body, infinite if it does not move: by radius, in gravity or the earth's.
  std::vector<double> size_, weight_;  ///< [m], [N]
  std::vector<double> slow_;           ///< at which overlaps return [m/s]
  double median_margin_ = 0, median_slow_ = 0;
  std::vector<std::uint64_t> excluded_;        ///< sorted pairs of bodies
  std::vector<std::uint64_t> excluded_geoms_;  ///< sorted pairs
  std::vector<std::pair<std::uint64_t, std::int32_t>>
      explicit_pairs_;              ///< geoms, scene's pair; sorted
  std::vector<char> may_touch_;     ///< whether each geom may touch any other
  std::vector<PlacedGeom> moving_;  ///< geoms that move and may touch
  std::vector<Pose> poses_;         ///< of geoms that move, and of those at rest
  std::vector<Aabb> boxes_;         ///< around them; what moves has room for its reach
  std::vector<GeomBounds> bounds_;  ///< the same without room
  std::vector<double> rooms_;       ///< room on each side [m]; 0 at rest
  std::vector<double> skins_;
  std::vector<GeomMotion> motions_;  ///< zero where a geom does not move
  BroadPhase broad_phase_;
  std::vector<CandidatePair> candidates_, merged_;
  std::vector<PairKey> found_;
  std::vector<Finder> finders_;  ///< by range of patches
  std::vector<Chunk> chunks_;    ///< of the round at hand
  Counts total_;                 ///< found
  double fall_ = 0;              ///< by gravity in the step at hand [m]
  /// Of a pair found last: the end of its contacts, and by how far it may close in a step [m].
  struct Extent {
    std::int32_t end = 0;
    double way = 0;
  };
  std::vector<OrderedChunk> chunk_order_;  ///< of a round
  std::vector<Extent> extents_;
  std::vector<double> stored_;  ///< by pair: in its springs, when the step begins [J]
  int overlaps_ = 0;
  double penetration_ = 0, stored_energy_ = 0;
  Deepest deepest_;
  std::vector<Spent> spent_;                ///< by thread
  std::vector<char> kept_;                  ///< by contact of the step before: found again
  std::vector<std::int32_t> problem_body_;  ///< by moving body: in the problem at hand, or -1
};

/// Calls work(begin, end, index) for the pairs of each range of patches, by that range's worker;
/// pairs without contacts go with those before them, or are all of range 0.
template <class Work>
void ContactQuery::for_each_pair_range(const PreparedProblem& problem, ThreadPool* pool,
                                       Work&& work) const {
  const PatchShares& shares = problem.shares();
  const auto pairs = static_cast<int>(extents_.size());
  const auto first = [&](int index) {
    if (index == 0) return 0;
    if (index == std::ssize(shares.ranges())) return pairs;
    const int contact = problem.problem().patches[shares.ranges()[index].begin].begin;
    const auto at = std::partition_point(extents_.begin(), extents_.end(),
                                         [&](const Extent& e) { return e.end <= contact; });
    return static_cast<int>(at - extents_.begin());
  };
  if (shares.ranges().empty()) return work(0, pairs, 0);
  shares.for_each(pool, [&](const PatchShares::Range& r) {
    work(first(r.index), first(r.index + 1), r.index);
  });
}

}  // namespace abut
