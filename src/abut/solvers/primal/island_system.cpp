#include "abut/solvers/primal/island_system.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/laws/law_list.hpp"
#include "abut/problem/certify.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

using F = ContactField;

void set_vector(const ContactArrays& c, F first, int i, const Vec3& v) {
  double* to = c[first] + i;
  to[0] = v.x, to[c.stride] = v.y, to[2 * c.stride] = v.z;
}

Vec3 get_vector(const ContactArrays& c, F first, int i) {
  const double* from = c[first] + i;
  return {from[0], from[c.stride], from[2 * c.stride]};
}

/// What the laws have of contacts that does not change in a solve: those `from` the pool, to places
/// 0, 1, ... of the arrays.
LawMix load_sap(const PreparedProblem& q, std::span<const int> from, const ContactArrays& c) {
  const ContactPool& pool = q.problem().contacts;
  const ContactTerms& terms = q.contacts();
  for (int i = 0; i < std::ssize(from); ++i) {
    const int k = from[i];
    c[F::v_hat][i] = pool.gap[k];
    c[F::per_speed][i] = pool.relaxation_time[k];
    c[F::linear][i] = terms.normal_regularization[k];
    c[F::tangential][i] = terms.tangential_regularization[k];
  }
  // a gap of the inert ones behind them, whose v_hat is negative then
  std::fill(c[F::v_hat] + from.size(), c[F::v_hat] + c.stride, 1.0);
  contact_kernels().load_sap(c, q.problem().time_step);
  static_assert(static_cast<int>(NormalLawKind::kelvin_voigt) == 0, "as load_sap() has it");
  return LawMix(NormalLawKind::kelvin_voigt);
}

/// Likewise under the other convex models.
LawMix load_with_law(const PreparedProblem& q, std::span<const int> from, const ContactArrays& c) {
  const ContactProblem& p = q.problem();
  const ContactPool& pool = p.contacts;
  const ContactTerms& terms = q.contacts();
  const double h = p.time_step;
  const bool is_anchored = traits(p.model).is_anchored;
  LawMix laws(from.empty() ? p.law : p.law_of(from.front()));
  for (int i = 0; i < std::ssize(from); ++i) {
    const int k = from[i];
    const NormalLawKind law = p.law_of(k);
    laws.add(law);
    const NormalStep<double> step = dispatch_law(
        law, [&]<class Law>() { return Law::discretize(point_material(pool, k), h, pool.gap[k]); });
    c[F::v_hat][i] = step.v_hat;
    c[F::linear][i] = step.linear;
    c[F::quadratic][i] = step.quadratic;
    c[F::offset][i] = step.offset;
    c[F::per_speed][i] = step.per_speed;
    c[F::law][i] = static_cast<double>(law);
    c[F::tangential][i] = 0;
    c[F::slip_tolerance][i] = terms.slip_tolerance[k];
    c[F::lagged][i] = terms.lagged_impulse[k];
    if (!is_anchored) continue;
    c[F::tangential][i] = h * h * tangential_stiffness(p, k, terms.lagged_impulse[k]);
    const Vec3 &n = pool.normal[k], &anchor = pool.anchor[k];
    const Vec3 held = h * (anchor - dot(n, anchor) * n);
    set_vector(c, F::anchor_x, i, FrictionEllipse(pool, k).unscaled(held));
  }
  return laws;
}

/// Under the problem's model; returns the laws that they have.
LawMix load_laws(const PreparedProblem& q, std::span<const int> from, const ContactArrays& c) {
  switch (q.problem().model) {
    case ContactModel::sap: return load_sap(q, from, c);
    case ContactModel::lagged:
    case ContactModel::similar:
    case ContactModel::anchored: return load_with_law(q, from, c);
    case ContactModel::ncp:
    case ContactModel::ccp:
    case ContactModel::lcp:
    case ContactModel::raisim: break;  // not solved here
  }
  return LawMix(q.problem().law);
}

const Vec3& center_of(const ContactProblem& p, int tree, int body) {
  return body < 0 ? p.trees[tree].center : p.bodies[body].center;
}

}  // namespace

void IslandSystem::build(const PreparedProblem& prepared, std::span<const std::int32_t> trees,
                         std::span<const std::int32_t> patches, std::span<const char> dormant) {
  const ContactProblem& p = prepared.problem();
  nodes_.number(prepared, trees, pattern_);
  bodies_.count = nodes_.rigid_bodies();
  masses_.gather(p, nodes_);
  gather_bodies(p);
  measure_free_change(p);
  add_patches(prepared, patches, dormant);
  is_by_rows_ = MechanismRows::suits(p, trees, patches_);
  add_body_patches(prepared);
  gather_contacts(prepared);
  if (is_by_rows_) rows_.build(p, patches_, contacts_);
  scalars_.clear();
  for (int i = 0; i < nodes_.count() && p.scalars.size() > 0; ++i) {
    if (!nodes_.is_first(i)) continue;
    scalars_.add(p.scalars, prepared.scalars(), nodes_.tree(i), nodes_);
  }
  requests_.clear();
  masses_.ask_edges(requests_);
  linked_.ask_edges(requests_);
  scalars_.ask_edges(requests_);
  requests_.enter(pattern_);
  masses_.take_edges(requests_);
  linked_.take_edges(requests_, pattern_);
  scalars_.take_edges(requests_, pattern_);
}

void IslandSystem::make_room(const ContactProblem& p) {
  const std::size_t trees = p.trees.size(), patches = p.patches.capacity();
  const std::size_t contacts = p.contacts.gap.capacity();
  nodes_.make_room(p);
  masses_.make_room(p);
  parts_.make_room(trees);
  abut::make_room(pattern_.sizes, trees);
  abut::make_room(edge_, patches);
  abut::make_room(links_, patches);
  const std::size_t requests = IslandScalars::most_edges(p.scalars);
  requests_.make_room(requests, patches);
  abut::make_room(pattern_.edges, patches + requests);
  abut::make_room(body_patches_, patches);
  abut::make_room(contacts_, contacts);
  abut::make_room(patches_, patches);
  abut::make_room(bias_, contacts);
  abut::make_room(ellipses_, contacts);
  abut::make_room(part_sums_, trees);
  abut::make_room(change_, trees);
  abut::make_room(sources_, trees);
  abut::make_room(part_change_, trees);
  linked_.make_room(p);
  rows_.make_room(p);
  scalars_.make_room(p.scalars);
  contact_data_.reserve(static_cast<std::size_t>(F::count) * (contacts + 8));
  tables_.reserve(contacts + 8);
  stiffness_.reserve(3 * (contacts + 8));
  inertia_.reserve(32 * trees);
  sums_.reserve(moment_size * (trees + p.bodies.capacity()));
  const std::size_t vector = p.velocity.size() + 8 * trees;
  for (auto* v : {&scale2_, &free_velocity_, &free_momentum_, &step_change_, &product_}) {
    v->reserve(vector);
  }
}

void IslandSystem::gather_bodies(const ContactProblem& p) {
  const std::size_t size = vector_size();
  inertia_.resize(32 * static_cast<std::size_t>(bodies_.count));
  for (auto* v : {&scale2_, &free_velocity_, &free_momentum_}) v->resize(size);
  assign(change_, nodes_.count(), 0);
  if (std::ssize(sources_) < bodies_.count) resize(sources_, bodies_.count);
  for (int i = 0; i < bodies_.count; ++i) {
    const Tree& t = p.trees[nodes_.tree(i)];
    sources_[i] = {t.mass, &t.inertia.col[0].x, p.velocity.data() + t.first_dof,
                   p.free_velocity.data() + t.first_dof};
  }
  contact_kernels().gather_bodies(sources_.data(), bodies_.count,
                                  {inertia_.data(), scale2_.data(), free_velocity_.data(),
                                   free_momentum_.data(), change_.data()});
  if (!masses_.parts().empty()) {
    const std::size_t rigid = 8 * static_cast<std::size_t>(bodies_.count);
    gather(p.free_velocity, free_velocity_.data());
    for (auto* v : {&scale2_, &free_momentum_}) std::fill_n(v->data() + rigid, size - rigid, 0.0);
  }
  for (const IslandMasses::Part& part : masses_.parts()) {
    masses_.get_scale(part, scale2_.data());
    masses_.multiply(part, free_velocity_.data(), free_momentum_.data());
  }
  bodies_.inertia = inertia_.data();
  bodies_.scale2 = scale2_.data();
  bodies_.free_velocity = free_velocity_.data();
  bodies_.free_momentum = free_momentum_.data();
}

void IslandSystem::measure_free_change(const ContactProblem& p) {
  free_change_ = 0;
  step_change_.resize(vector_size());
  product_.resize(vector_size());
  double *change = step_change_.data(), *momentum = product_.data();
  if (!masses_.parts().empty()) gather(p.velocity, change);
  for (const IslandMasses::Part& part : masses_.parts()) {
    for (int r = part.begin; r < part.end; ++r) change[r] = free_velocity_[r] - change[r];
    masses_.multiply(part, change, momentum);
    change_[part.node] = contact_kernels().scaled_square(bodies_, part.begin, part.end, momentum);
  }
  for (const double c : change_) free_change_ += c;
}

void IslandSystem::add_patches(const PreparedProblem& prepared,
                               std::span<const std::int32_t> patches,
                               std::span<const char> dormant) {
  const ContactProblem& p = prepared.problem();
  contacts_.clear();
  patches_.clear();
  for (const int k : patches) {
    const Patch& patch = p.patches[k];
    const int first = contact_count();
    for (int i = patch.begin; i < patch.end; ++i) {
      if (dormant.empty() || !dormant[i]) contacts_.push_back(i);
    }
    patches_.push_back({k, first, contact_count()});
  }
}

/// The patches between the bodies that contacts see.
void IslandSystem::add_body_patches(const PreparedProblem& prepared) {
  const ContactProblem& p = prepared.problem();
  body_patches_.clear();
  edge_.clear();
  links_.clear();
  linked_.start(p, nodes_);
  if (is_by_rows_) return;
  const Patch* before = nullptr;
  for (const IslandPatch& at : patches_) {
    const Patch& patch = p.patches[at.patch];
    const int edge = edge_of(p, at, before);
    if (patch.joins_trees()) links_.back().end = at.end;
    edge_.push_back(edge);
    BodyPatch body_patch = this->body_patch(prepared, patch);
    body_patch.begin = at.begin;
    body_patch.end = at.end;
    if (patch.tree_a != world_tree && (patch.body_a >= 0 || patch.body_b >= 0)) {
      linked_.couple(body_patch, edge);
    }
    body_patches_.push_back(body_patch);
    before = &patch;
  }
  if (!linked_.empty()) linked_.load(p);
}

/// The edge of the pattern between a patch's trees, which is that of the patch before if it has the
/// same; -1 if it joins no two, or a sparse one, of which it does not touch all.
int IslandSystem::edge_of(const ContactProblem& p, const IslandPatch& at, const Patch* before) {
  const Patch& patch = p.patches[at.patch];
  if (!patch.joins_trees()) return -1;
  const bool is_whole = p.trees[patch.tree_a].kind != TreeKind::sparse &&
                        p.trees[patch.tree_b].kind != TreeKind::sparse;
  if (before == nullptr || before->tree_a != patch.tree_a || before->tree_b != patch.tree_b) {
    const int a = nodes_.node_of(patch.tree_a), b = nodes_.node_of(patch.tree_b);
    links_.push_back({a, b, at.begin, at.end});
    if (is_whole) pattern_.edges.push_back({a, b});
  }
  return is_whole ? static_cast<int>(pattern_.edges.size()) - 1 : -1;
}

/// Between the bodies of a patch.
BodyPatch IslandSystem::body_patch(const PreparedProblem& prepared, const Patch& patch) {
  const ContactProblem& p = prepared.problem();
  const auto twist = [&](int tree, int body) {
    if (body < 0) return nodes_.offset(nodes_.node_of(tree));
    return linked_.twist_of(p, body, prepared.bodies().is_point(body));
  };
  BodyPatch r;
  const int b = twist(patch.tree_b, patch.body_b);
  if (patch.tree_a == world_tree) {
    r.first = b;
  } else {
    r.first = twist(patch.tree_a, patch.body_a);
    r.second = b;
    r.sign = -1;
    const Vec3 shift =
        center_of(p, patch.tree_a, patch.body_a) - center_of(p, patch.tree_b, patch.body_b);
    for (int k = 0; k < 3; ++k) r.shift[k] = shift[k];
  }
  return r;
}

void IslandSystem::gather_contacts(const PreparedProblem& prepared) {
  const ContactProblem& p = prepared.problem();
  arrays_.stride = (contact_count() + 7) / 8 * 8;
  contact_data_.resize(static_cast<std::size_t>(F::count) * arrays_.stride);
  arrays_.data = contact_data_.data();
  has_bias_ = is_softened_ = false;
  ellipses_.clear();
  prepared_ = &prepared;
  if (contact_count() < arrays_.stride) contact_kernels().make_inert(arrays_);
  for (int i = 0; i < contact_count(); ++i) {
    const int k = contacts_[i];
    set_vector(arrays_, F::normal_x, i, p.contacts.normal[k]);
    arrays_[F::mu][i] = p.contacts.friction[k];
    const Vec3& bias = p.contacts.bias[k];
    has_bias_ = has_bias_ | (bias.x != 0) | (bias.y != 0) | (bias.z != 0);
  }
  if (has_bias_) {
    resize(bias_, contact_count());
    for (int i = 0; i < contact_count(); ++i) bias_[i] = p.contacts.bias[contacts_[i]];
  }
  for (int i = 0; i < contact_count() && !p.contacts.extras.empty(); ++i) {
    if (p.contacts.anisotropy(contacts_[i]) == 0) continue;
    ellipses_.push_back({i, FrictionEllipse(p.contacts, contacts_[i]), {}});
  }
  laws_ = load_laws(prepared, contacts_, arrays_);
  gather_tables(p);
  for (const IslandPatch& at : patches_) {
    if (is_by_rows_) break;
    const Patch& patch = p.patches[at.patch];
    const Vec3& first = patch.tree_a == world_tree ? center_of(p, patch.tree_b, patch.body_b)
                                                   : center_of(p, patch.tree_a, patch.body_a);
    for (int i = at.begin; i < at.end; ++i) {
      const Vec3 arm = p.contacts.point[contacts_[i]] - first;
      double* to = arrays_[F::arms] + 4 * i;
      to[0] = arm.x, to[1] = arm.y, to[2] = arm.z, to[3] = 0;
    }
  }
}

/// What each contact looks up: kernels that find no table there look up a line.
void IslandSystem::gather_tables(const ContactProblem& p) {
  resize(tables_, arrays_.stride);
  arrays_.tables = tables_.data();
  arrays_.time_step = p.time_step;
  if (!laws_.is_pointwise) return;
  std::ranges::fill(tables_, &unit_line());
  for (int i = 0; i < contact_count(); ++i) {
    if (const ForceTable* t = p.contacts.table(contacts_[i])) tables_[i] = t;
  }
}

void IslandSystem::soften(double share) {
  constexpr F fields[] = {F::linear, F::quadratic, F::tangential};
  const std::int64_t stride = arrays_.stride;
  if (!is_softened_) {
    stiffness_.resize(std::size(fields) * stride);
    for (std::size_t k = 0; k < std::size(fields); ++k) {
      std::copy_n(arrays_[fields[k]], stride, stiffness_.data() + k * stride);
    }
    is_softened_ = true;
  }
  for (std::size_t k = 0; k < std::size(fields); ++k) {
    const double* from = stiffness_.data() + k * stride;
    std::transform(from, from + stride, arrays_[fields[k]], [&](double s) { return share * s; });
  }
}

void IslandSystem::velocities(const double* x, ContactField first_field, bool with_bias) {
  double* v = arrays_[first_field];
  if (is_by_rows_) {
    rows_.velocities(x, v, arrays_.stride);
  } else {
    const double* twists = linked_.empty() ? x : linked_.twists(x);
    contact_kernels().velocities(arrays_, body_patches_.data(),
                                 static_cast<int>(body_patches_.size()), twists, first_field);
  }
  for (int i = 0; with_bias && has_bias_ && i < contact_count(); ++i) {
    for (int k = 0; k < 3; ++k) v[k * arrays_.stride + i] += bias_[i][k];
  }
  for (const auto& [i, ellipse, kept] : ellipses_) {
    set_vector(arrays_, first_field, i, ellipse.scaled(get_vector(arrays_, first_field, i)));
  }
}

FrictionEllipse IslandSystem::ellipse(int contact) const {
  return {prepared_->problem().contacts, contacts_[contact]};
}

/// K becomes S K S.
void IslandSystem::scale_hessians() {
  for (const auto& [i, ellipse, kept] : ellipses_) {
    double* k = arrays_[F::k_xx] + i;
    const std::int64_t s = arrays_.stride;
    const Vec3 rows[3] = {ellipse.scaled({k[0], k[s], k[2 * s]}),
                          ellipse.scaled({k[s], k[3 * s], k[4 * s]}),
                          ellipse.scaled({k[2 * s], k[4 * s], k[5 * s]})};
    Vec3 columns[3];
    for (int c = 0; c < 3; ++c) columns[c] = ellipse.scaled({rows[0][c], rows[1][c], rows[2][c]});
    k[0] = columns[0].x, k[s] = columns[0].y, k[2 * s] = columns[0].z;
    k[3 * s] = columns[1].y, k[4 * s] = columns[1].z, k[5 * s] = columns[2].z;
  }
}

void IslandSystem::impulses(double* y) {
  contact_impulses(y);
  scalars_.add_impulses(y);
}

void IslandSystem::contact_impulses(double* y) {
  std::fill_n(y, vector_size(), 0.0);
  for (Ellipse& e : ellipses_) {
    e.kept = get_vector(arrays_, F::impulse_x, e.contact);
    set_vector(arrays_, F::impulse_x, e.contact, e.ellipse.scaled(e.kept));
  }
  if (is_by_rows_) {
    rows_.add_loads(arrays_[F::impulse_x], arrays_.stride, y);
  } else {
    contact_kernels().impulses(arrays_, body_patches_.data(),
                               static_cast<int>(body_patches_.size()),
                               linked_.empty() ? y : linked_.loads());
    if (!linked_.empty()) linked_.apply_loads(y);
  }
  for (const Ellipse& e : ellipses_) set_vector(arrays_, F::impulse_x, e.contact, e.kept);
}

BodySums IslandSystem::residual(const double* v, const double* impulse, double* momentum,
                                double* gradient) const {
  BodySums s = contact_kernels().residual(bodies_, v, impulse, momentum, gradient);
  for (const IslandMasses::Part& part : masses_.parts()) {
    double* change = gradient;  // until that is known
    for (int r = part.begin; r < part.end; ++r) change[r] = v[r] - free_velocity_[r];
    masses_.multiply(part, change, momentum);
    s += contact_kernels().part_residual(bodies_, part.begin, part.end, v, impulse, momentum,
                                         gradient);
  }
  return s;
}

BodySums IslandSystem::body_residual(int node, const double* v, const double* impulse,
                                     double* momentum, double* gradient) const {
  const std::ptrdiff_t at = nodes_.offset(node);
  const RigidBodies body{.count = 1,
                         .inertia = bodies_.inertia + 4 * at,
                         .scale2 = bodies_.scale2 + at,
                         .free_velocity = bodies_.free_velocity + at,
                         .free_momentum = bodies_.free_momentum + at};
  return contact_kernels().residual(body, v + at, impulse + at, momentum + at, gradient + at);
}

int IslandSystem::link_parts() {
  const int nodes = nodes_.count();
  int parts = nodes;
  parts_.reset(nodes);
  const auto join = [&](int a, int b) { parts -= parts_.join(a, b); };
  const double *x = arrays_[F::impulse_x], *y = x + arrays_.stride, *z = y + arrays_.stride;
  const auto size = [&](int i) { return std::abs(x[i]) + std::abs(y[i]) + std::abs(z[i]); };
  double largest = 0;
  for (int i = 0; i < contact_count(); ++i) largest = std::max(largest, size(i));
  for (const Link& link : links_) {
    bool linked = false;
    for (int i = link.begin; i < link.end && !linked; ++i) linked = size(i) > 1e-9 * largest;
    if (linked) join(link.a, link.b);
  }
  for (int i = bodies_.count; i < nodes; ++i) {
    if (!nodes_.is_first(i)) join(i - 1, i);  // of one sparse tree
  }
  scalars_.for_each_link(join);
  return parts;
}

double IslandSystem::worst_part_error(const double* impulse, const double* momentum, double rest,
                                      double rounding) {
  assign(part_sums_, nodes_.count(), {});
  assign(part_change_, nodes_.count(), 0);
  for (int i = 0; i < nodes_.count(); ++i) {
    const int part = parts_.smallest(i), offset = nodes_.offset(i);
    part_change_[part] += change_[i];
    BodySums& s = part_sums_[part];
    for (int r = offset; r < offset + pattern_.sizes[i]; ++r) {
      const double g = momentum[r] - impulse[r], full = momentum[r] + free_momentum_[r];
      s.error += scale2_[r] * g * g;
      s.momentum += scale2_[r] * full * full;
      s.impulse += scale2_[r] * impulse[r] * impulse[r];
    }
  }
  double worst = 0;
  for (std::size_t k = 0; k < part_sums_.size(); ++k) {
    const BodySums& s = part_sums_[k];
    const double most = std::sqrt(std::max(s.momentum, s.impulse)), r = std::sqrt(s.error);
    if (r < rest && most < rest) continue;
    worst = std::max(worst, r / std::max(step_scale(s, part_change_[k]), rounding));
  }
  return worst;
}

StepSums IslandSystem::slopes(const double* step, const double* momentum,
                              const double* gradient) const {
  StepSums s = contact_kernels().part_step_terms(0, vector_size(), step, momentum, gradient, step);
  s.quadratic = 0;
  return s;
}

StepSums IslandSystem::step_terms(const double* step, const double* momentum,
                                  const double* gradient) {
  StepSums s = contact_kernels().step_terms(bodies_, step, momentum, gradient);
  for (const IslandMasses::Part& part : masses_.parts()) {
    masses_.multiply(part, step, product_.data());
    s += contact_kernels().part_step_terms(part.begin, part.end, step, momentum, gradient,
                                           product_.data());
  }
  return s;
}

void IslandSystem::place_blocks(const BlockSymbolic& symbolic) {
  for (std::size_t k = 0; k < body_patches_.size(); ++k) {
    BodyPatch& patch = body_patches_[k];
    if (edge_[k] < 0 || patch.is_coupling) continue;
    const BlockSlot& slot = symbolic.off_diagonal[edge_[k]];
    patch.slot = slot.offset;
    patch.leading = slot.leading;
    patch.transposed = slot.transposed;
  }
  if (!linked_.empty()) linked_.place_blocks(symbolic);
}

void IslandSystem::assemble(BlockCholesky& cholesky) {
  const ContactKernels& kernels = contact_kernels();
  scale_hessians();
  if (is_by_rows_) {
    masses_.add_to(cholesky);
    if (!scalars_.empty()) scalars_.add_hessian(cholesky);
    const BlockSlot& slot = cholesky.symbolic().diagonal[0];
    rows_.add_hessian(arrays_[F::k_xx], arrays_.stride, cholesky.values() + slot.offset,
                      slot.leading);
    return;
  }
  sums_.resize(moment_size * static_cast<std::size_t>(bodies_.count + linked_.count()));
  sums_.fill_zero();
  kernels.moments(arrays_);
  kernels.assemble(arrays_, body_patches_.data(), static_cast<int>(body_patches_.size()),
                   sums_.data(), cholesky.values(), linked_.couplings());
  kernels.write_diagonals(bodies_, sums_.data(), cholesky.symbolic().diagonal.data(),
                          cholesky.values());
  masses_.add_to(cholesky);
  if (!scalars_.empty()) scalars_.add_hessian(cholesky);
  if (!linked_.empty()) linked_.assemble(sums_.data(), cholesky.values());
}

}  // namespace abut
