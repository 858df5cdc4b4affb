#include "abut/solvers/primal/general_patches.hpp"

#include "abut/core/grow.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

/// Appends one side's 3 x size block of J, row-major.
void append_jacobian(const ContactSide& side, const Vec3& point, std::vector<double>& to) {
  if (side.tree == nullptr) return;
  if (side.jacobian != nullptr) {
    to.insert(to.end(), side.jacobian, side.jacobian + 3 * side.tree->size);
    return;
  }
  const Mat3 s = Mat3::skew(point - side.tree->center);  // v + w x r = v - S w
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) to.push_back(r == c ? side.sign : 0);
    for (int c = 0; c < 3; ++c) to.push_back(-side.sign * s(r, c));
  }
}

}  // namespace

void GeneralPatches::clear() {
  patches_.clear();
  jacobians_.clear();
}

void GeneralPatches::add(const ContactProblem& p, const Patch& patch, int first, Side a, Side b,
                         int edge) {
  patches_.push_back({.begin = first,
                      .end = first + patch.end - patch.begin,
                      .side = {a, b},
                      .edge = edge,
                      .jacobian = std::ssize(jacobians_)});
  for (int i = patch.begin; i < patch.end; ++i) {
    append_jacobian(side_a(p, patch, i), p.contacts.point[i], jacobians_);
    append_jacobian(side_b(p, patch, i), p.contacts.point[i], jacobians_);
  }
}

void GeneralPatches::velocities(const ContactArrays& c, const double* x,
                                ContactField first_field) const {
  double* out = c[first_field];
  for (const GeneralPatch& p : patches_) {
    const double* j = jacobians_.data() + p.jacobian;
    for (int i = p.begin; i < p.end; ++i) {
      double v[3] = {};
      for (const Side& s : p.side) {
        for (int r = 0; r < 3; ++r, j += s.size) {
          for (int k = 0; k < s.size; ++k) v[r] += j[k] * x[s.offset + k];
        }
      }
      for (int r = 0; r < 3; ++r) out[r * c.stride + i] = v[r];
    }
  }
}

void GeneralPatches::impulses(const ContactArrays& c, double* y) const {
  const double* gamma = c[ContactField::impulse_x];
  for (const GeneralPatch& p : patches_) {
    const double* j = jacobians_.data() + p.jacobian;
    for (int i = p.begin; i < p.end; ++i) {
      for (const Side& s : p.side) {
        for (int r = 0; r < 3; ++r, j += s.size) {
          for (int k = 0; k < s.size; ++k) y[s.offset + k] += j[k] * gamma[r * c.stride + i];
        }
      }
    }
  }
}

void GeneralPatches::assemble(const ContactArrays& c, BlockCholesky& cholesky) {
  static constexpr int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const double* fields = c[ContactField::k_xx];
  const auto add_product = [&](const double* left, int rows, const double* right, int columns) {
    const double *x = right, *y = x + columns, *z = y + columns;
    for (int r = 0; r < rows; ++r) {
      const double a = left[r], b = left[rows + r], e = left[2 * rows + r];
      if (a == 0 && b == 0 && e == 0) continue;  // a joint that does not move the point
      double* to = block_.data() + r * columns;
      for (int k = 0; k < columns; ++k) to[k] += a * x[k] + b * y[k] + e * z[k];
    }
  };
  for (const GeneralPatch& p : patches_) {
    const int size[2] = {p.side[0].size, p.side[1].size};
    const int stride = 3 * (size[0] + size[1]);
    const double* j = jacobians_.data() + p.jacobian;
    // one block at a time: J_s^T (K J_t), summed over the patch
    for (const auto& [s, t] : {std::pair{0, 0}, std::pair{1, 1}, std::pair{0, 1}}) {
      if (size[s] == 0 || size[t] == 0) continue;
      assign(block_, static_cast<std::size_t>(size[s]) * size[t], 0);
      product_.resize(3 * static_cast<std::size_t>(size[t]));
      for (int i = p.begin; i < p.end; ++i) {
        const double* contact = j + (i - p.begin) * stride;
        const double *js = contact + s * 3 * size[0], *jt = contact + t * 3 * size[0];
        for (int r = 0; r < 3; ++r) {
          const double a = fields[entry[r][0] * c.stride + i],
                       b = fields[entry[r][1] * c.stride + i],
                       d = fields[entry[r][2] * c.stride + i];
          double* to = product_.data() + r * size[t];
          const double *x = jt, *y = x + size[t], *z = y + size[t];
          for (int k = 0; k < size[t]; ++k) to[k] = a * x[k] + b * y[k] + d * z[k];
        }
        add_product(js, size[s], product_.data(), size[t]);
      }
      if (s == t) {
        cholesky.add_diagonal(p.side[s].node, size[s], block_);
      } else {
        cholesky.add_off_diagonal(p.edge, size[0], size[1], block_);
      }
    }
  }
}

}  // namespace abut
