#include "abut/solvers/primal/general_patches.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

/// Writes one side's 3 x n block of J in padded rows; gives the place behind it.
double* write_jacobian(const ContactSide& side, const Vec3& point, double* to) {
  if (side.tree == nullptr) return to;
  const int n = side.tree->size, padded = round_up_8(n);
  std::fill_n(to, 3 * padded, 0.0);
  if (side.jacobian != nullptr) {
    for (int r = 0; r < 3; ++r) std::copy_n(side.jacobian + r * n, n, to + r * padded);
    return to + 3 * padded;
  }
  const Mat3 s = Mat3::skew(point - side.tree->center);  // v + w x r = v - S w
  for (int r = 0; r < 3; ++r) {
    to[r * padded + r] = side.sign;
    for (int c = 0; c < 3; ++c) to[r * padded + 3 + c] = -side.sign * s(r, c);
  }
  return to + 3 * padded;
}

}  // namespace

void GeneralPatches::make_room(const ContactProblem& p) {
  const std::size_t patches = p.patches.capacity(), contacts = p.contacts.gap.capacity();
  abut::make_room(patches_, patches);
  abut::make_room(sources_, patches);
  abut::make_room(edge_, patches);
  int widest = 0;
  for (const Tree& t : p.trees) widest = std::max(widest, round_up_8(t.size));
  // rows are padded by at most 7 numbers; a rigid body beside a mechanism brings 8
  jacobians_.reserve(p.jacobians.capacity() + 3 * 2 * 8 * contacts);
  work_.reserve(3 * 2 * static_cast<std::size_t>(widest));
}

void GeneralPatches::clear() {
  patches_.clear();
  sources_.clear();
  edge_.clear();
  numbers_ = 0;
  widest_ = 0;
}

void GeneralPatches::add(const Patch& patch, int first, int end, const PatchSide& a,
                         const PatchSide& b, int edge) {
  const int width = a.padded + b.padded;
  GeneralPatch& p = patches_.emplace_back();
  p.begin = first;
  p.end = end;
  p.side[0] = a;
  p.side[1] = b;
  p.jacobian = static_cast<std::int64_t>(numbers_);
  sources_.push_back(patch);
  edge_.push_back(edge);
  numbers_ += 3 * static_cast<std::size_t>(width) * (end - first);
  widest_ = std::max(widest_, width);
}

void GeneralPatches::load(const ContactProblem& p, std::span<const std::int32_t> contacts) {
  jacobians_.resize(numbers_);
  work_.resize(3 * static_cast<std::size_t>(widest_));
  double* to = jacobians_.data();
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    for (const int i : contacts.subspan(patches_[k].begin, patches_[k].end - patches_[k].begin)) {
      to = write_jacobian(side_a(p, sources_[k], i), p.contacts.point[i], to);
      to = write_jacobian(side_b(p, sources_[k], i), p.contacts.point[i], to);
    }
  }
}

void GeneralPatches::place_blocks(const BlockSymbolic& symbolic) {
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    GeneralPatch& p = patches_[k];
    for (PatchSide& s : p.side) {
      if (s.size == 0) continue;
      s.slot = symbolic.diagonal[s.node].offset;
      s.leading = symbolic.diagonal[s.node].leading;
    }
    if (edge_[k] < 0) continue;
    const BlockSlot& slot = symbolic.off_diagonal[edge_[k]];
    p.slot = slot.offset;
    p.leading = slot.leading;
    p.transposed = slot.transposed;
  }
}

void GeneralPatches::velocities(const ContactArrays& c, const double* x,
                                ContactField first_field) const {
  contact_kernels().general_velocities(c, patches_.data(), count(), jacobians_.data(), x,
                                       first_field);
}

void GeneralPatches::impulses(const ContactArrays& c, double* y) const {
  contact_kernels().general_impulses(c, patches_.data(), count(), jacobians_.data(), y);
}

void GeneralPatches::assemble(const ContactArrays& c, double* values) {
  contact_kernels().general_assemble(c, patches_.data(), count(), jacobians_.data(), work_.data(),
                                     values);
}

}  // namespace abut
