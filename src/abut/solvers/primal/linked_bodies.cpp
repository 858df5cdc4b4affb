#include "abut/solvers/primal/linked_bodies.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
#include "abut/problem/body_mobilities.hpp"

namespace abut {
namespace {

constexpr std::size_t identity_size = 6 * 8;

/// M of a body from the sums over its contacts, column-major: (K, B^T; B, C).
void unpack(const double* s, double m[36]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      const int lower = std::max(r, c) + 4 * std::min(r, c);  // rounding parts the triangles
      m[r + 6 * c] = s[lower];
      m[3 + r + 6 * c] = s[12 + r + 4 * c];
      m[c + 6 * (3 + r)] = s[12 + r + 4 * c];
      m[3 + r + 6 * (3 + c)] = s[24 + lower];
    }
  }
}

}  // namespace

void LinkedBodies::make_room(const ContactProblem& p) {
  for (auto* v : {&node_, &twist_of_}) abut::make_room(*v, p.bodies.capacity());
  abut::make_room(bodies_, p.bodies.capacity());
  abut::make_room(parts_, p.bodies.capacity());
  if (p.bodies.capacity() == 0) return;
  abut::make_room(list_, p.patches.capacity());
  abut::make_room(blocks_, p.bodies.capacity() + 2 * p.patches.capacity());
  int widest = 8;
  for (const Tree& t : p.trees) {
    if (t.kind != TreeKind::sparse) widest = std::max(widest, round_up_8(t.size));
  }
  // of sparse trees by group, whose rows are padded to 8; of dense ones all columns
  std::size_t whole = 0;
  for (const ContactBody& b : p.bodies) {
    const Tree& t = p.trees[b.tree];
    if (t.kind == TreeKind::dense) whole += 6 * static_cast<std::size_t>(round_up_8(t.size));
  }
  jacobians_.reserve(identity_size + 3 * p.jacobians.capacity() + std::max(whole, rows_ahead(p)));
  twists_.reserve(8 * (p.trees.size() + p.bodies.capacity()));
  couplings_.reserve(36 * p.patches.capacity());
  work_.reserve(6 * static_cast<std::size_t>(widest));
}

void LinkedBodies::start(const ContactProblem& p, const IslandNodes& nodes) {
  nodes_ = &nodes;
  rigid_ = nodes.rigid_bodies();
  if (twist_of_.size() != p.bodies.size()) {
    assign(twist_of_, p.bodies.size(), -1);
  } else {  // an island looks at its own bodies alone
    for (const Body& body : bodies_) twist_of_[body.source] = -1;
  }
  bodies_.clear();
  parts_.clear();
  node_.clear();
  list_.clear();
  numbers_ = identity_size;
  widest_ = 8;
}

int LinkedBodies::twist_of(const ContactProblem& p, int index, bool is_point) {
  std::int32_t& twist = twist_of_[index];
  if (twist >= 0) return 8 * twist;
  const ContactBody& body = p.bodies[index];
  const int rows = is_point ? 3 : 6, first = static_cast<int>(parts_.size());
  p.for_each_run(body, [&](int dof, int, int) {
    const int node = nodes_->place(body.tree, dof).node;
    if (std::find(node_.begin() + first, node_.end(), node) == node_.end()) {
      add_part(p, node, rows);
    }
  });
  twist = rigid_ + count();
  bodies_.push_back(
      {.source = index, .part_begin = first, .part_end = static_cast<std::int32_t>(parts_.size())});
  return 8 * twist;
}

void LinkedBodies::add_part(const ContactProblem& p, int node, int rows) {
  const int tree = nodes_->tree(node);
  const int size = p.trees[tree].kind == TreeKind::sparse
                       ? nodes_->groups(tree).dofs(node - nodes_->node_of(tree))
                       : p.trees[tree].size;
  const int padded = round_up_8(size);
  parts_.push_back({.rows = rows,
                    .offset = nodes_->offset(node),
                    .size = size,
                    .padded = padded,
                    .first_element = static_cast<std::int64_t>(numbers_),
                    .packs = 0});
  node_.push_back(node);
  numbers_ += static_cast<std::size_t>(rows) * padded;
  widest_ = std::max(widest_, padded);
}

void LinkedBodies::couple(BodyPatch& patch, int edge) {
  patch.is_coupling = true;
  patch.slot = 36 * std::ssize(list_);
  patch.leading = 6;
  list_.push_back({.first = patch.first / 8, .second = patch.second / 8, .edge = edge});
}

void LinkedBodies::load(const ContactProblem& p) {
  jacobians_.resize(numbers_);
  jacobians_.fill_zero();
  for (int r = 0; r < 6; ++r) jacobians_[9 * r] = 1;
  for (const Body& body : bodies_) {
    const ContactBody& source = p.bodies[body.source];
    p.for_each_run(source, [&](int dof, int column, int count) {
      const IslandNodes::Place place = nodes_->place(source.tree, dof);
      int part = body.part_begin;
      while (node_[part] != place.node) ++part;
      const LinkedBody& to = parts_[part];
      for (int r = 0; r < to.rows; ++r) {
        const double* row = p.jacobians.data() + source.first_element +
                            static_cast<std::ptrdiff_t>(r) * source.columns + column;
        double* into = jacobians_.data() + to.first_element +
                       static_cast<std::ptrdiff_t>(r) * to.padded + place.dof;
        for (int k = 0; k < count; ++k) into[k] += row[k];
      }
      for (int q = place.dof / 8; 8 * q < place.dof + count && q < 64; ++q) {
        parts_[part].packs |= std::uint64_t{1} << q;
      }
    });
  }
  const std::size_t twists = static_cast<std::size_t>(rigid_) + bodies_.size();
  twists_.resize(8 * twists);
  if (!is_plain()) part_twists_.resize(8 * parts_.size());
  couplings_.resize(36 * list_.size());
  work_.resize(6 * static_cast<std::size_t>(widest_));
  list_blocks();
}

/// Of each body, and of each coupling.
void LinkedBodies::list_blocks() {
  blocks_.clear();
  const auto end = [this] { return static_cast<std::int32_t>(blocks_.size()); };
  const auto add_block = [this](int rows, int columns, bool turned) {
    blocks_.push_back({.rows = rows, .columns = columns, .edge = -1, .turned = turned, .slot = {}});
  };
  for (Body& body : bodies_) {
    body.block_begin = end();
    for (int s = body.part_begin; s < body.part_end; ++s) {
      for (int t = body.part_begin; t <= s; ++t) add_block(s, t, false);
    }
    body.block_end = end();
  }
  for (Coupling& c : list_) {
    c.block_begin = end();
    for (int s = part_begin(c.first); s < part_end(c.first); ++s) {
      for (int t = part_begin(c.second); t < part_end(c.second); ++t) {
        add_block(s, t, false);
        if (node_of(s) == node_of(t)) {  // on a diagonal of which the lower triangle counts
          add_block(t, s, true);
        }
      }
    }
    c.block_end = end();
  }
}

void LinkedBodies::ask_edges(EdgeRequests& requests) {
  const auto ask = [&](Block& block) {
    const int a = node_of(block.rows), b = node_of(block.columns);
    block.edge = a == b ? -1 : requests.ask(a, b);
  };
  for (const Body& body : bodies_) {
    if (body.part_end - body.part_begin == 1) continue;
    for (int k = body.block_begin; k < body.block_end; ++k) ask(blocks_[k]);
  }
  for (const Coupling& c : list_) {
    for (int k = c.block_begin; k < c.block_end && c.edge < 0; ++k) ask(blocks_[k]);
  }
}

void LinkedBodies::take_edges(const EdgeRequests& requests, const BlockPattern& pattern) {
  const auto orient = [&](Block& block) {
    if (pattern.edges[block.edge].a == node_of(block.rows)) return;
    std::swap(block.rows, block.columns);
    block.turned = !block.turned;
  };
  for (const Coupling& c : list_) {
    for (int k = c.block_begin; k < c.block_end && c.edge >= 0; ++k) {
      blocks_[k].edge = c.edge;
      orient(blocks_[k]);
    }
  }
  if (requests.empty()) return;
  const auto take = [&](std::int32_t begin, std::int32_t end) {
    for (Block* b = blocks_.data() + begin; b != blocks_.data() + end; ++b) {
      if (b->edge < 0) continue;
      b->edge = requests.edge(b->edge);
      orient(*b);
    }
  };
  for (const Body& body : bodies_) take(body.block_begin, body.block_end);
  for (const Coupling& c : list_) {
    if (c.edge < 0) take(c.block_begin, c.block_end);
  }
}

const double* LinkedBodies::twists(const double* x) {
  std::copy_n(x, 8 * rigid_, twists_.data());
  double* own = twists_.data() + 8 * rigid_;
  double* to = is_plain() ? own : part_twists_.data();
  contact_kernels().linked_twists(parts_.data(), static_cast<int>(parts_.size()), jacobians_.data(),
                                  x, to);
  if (is_plain()) return twists_.data();
  for (const Body& body : bodies_) {
    std::copy_n(to + 8 * body.part_begin, 8, own);
    for (int s = body.part_begin + 1; s < body.part_end; ++s) {
      for (int k = 0; k < 8; ++k) own[k] += to[8 * s + k];
    }
    own += 8;
  }
  return twists_.data();
}

double* LinkedBodies::loads() {
  twists_.fill_zero();
  return twists_.data();
}

void LinkedBodies::apply_loads(double* y) {
  std::copy_n(twists_.data(), 8 * rigid_, y);
  const double* loads = twists_.data() + 8 * rigid_;
  if (!is_plain()) {  // on each part that of its body
    for (const Body& body : bodies_) {
      for (int s = body.part_begin; s < body.part_end; ++s) {
        std::copy_n(loads, 8, part_twists_.data() + 8 * s);
      }
      loads += 8;
    }
    loads = part_twists_.data();
  }
  contact_kernels().linked_loads(parts_.data(), static_cast<int>(parts_.size()), jacobians_.data(),
                                 loads, y);
}

void LinkedBodies::place_blocks(const BlockSymbolic& symbolic) {
  for (Block& b : blocks_) {
    b.slot = b.edge < 0 ? symbolic.diagonal[node_of(b.rows)] : symbolic.off_diagonal[b.edge];
  }
}

LinkedBody LinkedBodies::part(int index) const {
  if (index >= 0) return parts_[index];
  return {.rows = 6, .offset = 0, .size = 6, .padded = 8, .first_element = 0};  // J = 1
}

/// Adds J_rows^T m J_columns of each block, or with `turned` in its place.
void LinkedBodies::add_blocks(std::int32_t begin, std::int32_t end, const double* m,
                              const double* turned, double* values) {
  for (const Block* b = blocks_.data() + begin; b != blocks_.data() + end; ++b) {
    const bool swap = b->edge >= 0 && b->slot.transposed;
    const LinkedBody rows = part(swap ? b->columns : b->rows);
    const LinkedBody columns = part(swap ? b->rows : b->columns);
    contact_kernels().add_linked(rows, columns, jacobians_.data(), b->turned != swap ? turned : m,
                                 b->edge < 0, work_.data(), values + b->slot.offset,
                                 b->slot.leading);
  }
}

void LinkedBodies::assemble(const double* body_sums, double* values) {
  double m[36], turned[36];
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    unpack(body_sums + moment_size * (static_cast<std::size_t>(rigid_) + k), m);
    add_blocks(bodies_[k].block_begin, bodies_[k].block_end, m, m, values);
  }
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const double* given = couplings_.data() + 36 * k;
    for (int r = 0; r < 6; ++r) {
      for (int s = 0; s < 6; ++s) turned[s + 6 * r] = given[r + 6 * s];
    }
    add_blocks(list_[k].block_begin, list_[k].block_end, given, turned, values);
  }
}

}  // namespace abut
