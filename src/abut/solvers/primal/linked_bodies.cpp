#include "abut/solvers/primal/linked_bodies.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

constexpr std::size_t identity_size = 6 * 8;

/// M of a body from the sums over its contacts, column-major: (K, B^T; B, C).
void unpack(const double* s, double m[36]) {
  static constexpr int symmetric[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      m[r + 6 * c] = s[symmetric[r][c]];
      m[3 + r + 6 * c] = s[6 + r + 3 * c];
      m[c + 6 * (3 + r)] = s[6 + r + 3 * c];
      m[3 + r + 6 * (3 + c)] = s[15 + symmetric[r][c]];
    }
  }
}

}  // namespace

void LinkedBodies::make_room(const ContactProblem& p) {
  for (auto* v : {&source_, &node_, &twist_of_}) abut::make_room(*v, p.bodies.capacity());
  abut::make_room(bodies_, p.bodies.capacity());
  abut::make_room(diagonal_, p.bodies.capacity());
  if (p.bodies.empty()) return;
  abut::make_room(list_, p.patches.capacity());
  int widest = 8;
  for (const Tree& t : p.trees) widest = std::max(widest, round_up_8(t.size));
  // rows are padded by at most 7 numbers
  jacobians_.reserve(identity_size + p.jacobians.capacity() + 6 * 7 * p.bodies.capacity());
  twists_.reserve(8 * (p.trees.size() + p.bodies.capacity()));
  couplings_.reserve(36 * p.patches.capacity());
  work_.reserve(6 * static_cast<std::size_t>(widest));
}

void LinkedBodies::start(const ContactProblem& p, int rigid_bodies) {
  rigid_ = rigid_bodies;
  if (twist_of_.size() != p.bodies.size()) {
    assign(twist_of_, p.bodies.size(), -1);
  } else {  // an island looks at its own bodies alone
    for (const std::int32_t body : source_) twist_of_[body] = -1;
  }
  bodies_.clear();
  source_.clear();
  node_.clear();
  list_.clear();
  numbers_ = identity_size;
  widest_ = 8;
}

int LinkedBodies::twist_of(const ContactProblem& p, int body, bool is_point, int node, int offset) {
  std::int32_t& twist = twist_of_[body];
  if (twist < 0) {
    const int size = p.trees[p.bodies[body].tree].size, padded = round_up_8(size);
    twist = rigid_ + count();
    const int rows = is_point ? 3 : 6;
    bodies_.push_back({.rows = rows,
                       .offset = offset,
                       .size = size,
                       .padded = padded,
                       .jacobian = static_cast<std::int64_t>(numbers_)});
    source_.push_back(body);
    node_.push_back(node);
    numbers_ += static_cast<std::size_t>(rows) * padded;
    widest_ = std::max(widest_, padded);
  }
  return 8 * twist;
}

void LinkedBodies::couple(BodyPatch& patch, int edge) {
  patch.is_coupling = true;
  patch.slot = 36 * std::ssize(list_);
  patch.leading = 6;
  list_.push_back({patch.first / 8, patch.second / 8, edge, {}});
}

void LinkedBodies::load(const ContactProblem& p) {
  jacobians_.resize(numbers_);
  std::fill_n(jacobians_.data(), identity_size, 0.0);
  for (int r = 0; r < 6; ++r) jacobians_[9 * r] = 1;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const LinkedBody& b = bodies_[k];
    const double* from = p.jacobians.data() + p.bodies[source_[k]].jacobian;
    double* to = jacobians_.data() + b.jacobian;
    for (int r = 0; r < b.rows; ++r, from += b.size, to += b.padded) {
      std::fill_n(std::copy_n(from, b.size, to), b.padded - b.size, 0.0);
    }
  }
  twists_.resize(8 * (static_cast<std::size_t>(rigid_) + bodies_.size()));
  couplings_.resize(36 * list_.size());
  work_.resize(6 * static_cast<std::size_t>(widest_));
}

const double* LinkedBodies::twists(const double* x) {
  std::copy_n(x, 8 * rigid_, twists_.data());
  contact_kernels().linked_twists(bodies_.data(), count(), jacobians_.data(), x,
                                  twists_.data() + 8 * rigid_);
  return twists_.data();
}

double* LinkedBodies::loads() {
  twists_.fill_zero();
  return twists_.data();
}

void LinkedBodies::apply_loads(double* y) const {
  std::copy_n(twists_.data(), 8 * rigid_, y);
  contact_kernels().linked_loads(bodies_.data(), count(), jacobians_.data(),
                                 twists_.data() + 8 * rigid_, y);
}

void LinkedBodies::place_blocks(const BlockSymbolic& symbolic) {
  diagonal_.resize(bodies_.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) diagonal_[k] = symbolic.diagonal[node_[k]];
  for (Coupling& c : list_) {
    c.slot = c.edge < 0 ? diagonal_[c.first - rigid_] : symbolic.off_diagonal[c.edge];
  }
}

void LinkedBodies::assemble(const double* body_sums, double* values) {
  const ContactKernels& kernels = contact_kernels();
  const auto add = [&](const LinkedBody& rows, const LinkedBody& columns, const double* m,
                       bool lower, const BlockSlot& slot) {
    kernels.add_linked(rows, columns, jacobians_.data(), m, lower, work_.data(),
                       values + slot.offset, slot.leading);
  };
  double m[36];
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    unpack(body_sums + body_sum_size * (static_cast<std::size_t>(rigid_) + k), m);
    add(bodies_[k], bodies_[k], m, true, diagonal_[k]);
  }
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const Coupling& c = list_[k];
    const double* given = couplings_.data() + 36 * k;
    for (int r = 0; r < 6; ++r) {
      for (int s = 0; s < 6; ++s) m[s + 6 * r] = given[r + 6 * s];  // turned
    }
    const LinkedBody &first = body_at(c.first), &second = body_at(c.second);
    const bool own = c.edge < 0;
    if (own || !c.slot.transposed) add(first, second, given, own, c.slot);
    if (own || c.slot.transposed) add(second, first, m, own, c.slot);
  }
}

}  // namespace abut
