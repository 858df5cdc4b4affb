#include "support/soft_block.hpp"

#include <cmath>
#include <vector>

namespace abut {
namespace {

constexpr double spacing = 0.05, node_mass = 0.05, stiffness = 2e4, h = 2e-3, g = 9.81;

class Maker {
 public:
  explicit Maker(const SoftBlock& what) : what_(what), n_(what.nodes_per_side) {
    p_.time_step = h;
    p_.model = what.model;
    p_.friction.sigma = 1e-12;
    p_.friction.lagged_rule = LaggedRule::state;
  }

  ContactProblem make() {
    add_block();
    for (int k = 0; k < n_ * n_; ++k) touch(world_tree, position(k), {k}, {1}, {0, 0, 1});
    for (int row = 0; row < 2; ++row) {
      for (int column = 0; column < 2; ++column) add_box(row, column);
    }
    return std::move(p_);
  }

 private:
  int index(int x, int y, int z) const { return (z * n_ + y) * n_ + x; }
  Vec3 position(int node) const {
    return {spacing * (node % n_), spacing * (node / n_ % n_), spacing * (node / n_ / n_)};
  }

  /// A = M + h^2 K: springs to the 26 neighbours in the lattice.
  void add_block() {
    const int count = n_ * n_ * n_;
    std::vector<Mat3> diagonal(count, Mat3::diagonal({node_mass, node_mass, node_mass}));
    std::vector<std::vector<std::pair<int, Mat3>>> below(count);  // columns ascending
    for (int node = 0; node < count; ++node) {
      const int x = node % n_, y = node / n_ % n_, z = node / n_ / n_;
      for (int dz = -1; dz <= 0; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
          for (int dx = -1; dx <= 1; ++dx) {
            const bool is_before = index(dx, dy, dz) < 0;
            const bool is_inside =
                x + dx >= 0 && x + dx < n_ && y + dy >= 0 && y + dy < n_ && z + dz >= 0;
            if (!is_before || !is_inside) continue;
            const int other = index(x + dx, y + dy, z + dz);
            const Vec3 d = position(node) - position(other), u = d / norm(d);
            const Mat3 k = (h * h * stiffness) * Mat3{{u.x * u, u.y * u, u.z * u}};
            diagonal[node] = diagonal[node] + k;
            diagonal[other] = diagonal[other] + k;
            below[node].emplace_back(other, -1.0 * k);
          }
        }
      }
    }
    const std::vector<double> at_rest(3 * count, 0.0);
    std::vector<double> falling = at_rest;
    for (int k = 0; k < count; ++k) falling[3 * k + 2] = -g * h;
    for (int k = 0; k < count; ++k) below[k].emplace_back(k, diagonal[k]);
    if (what_.as_dense) {
      std::vector<double> a(at_rest.size() * at_rest.size(), 0.0);
      for (int row = 0; row < count; ++row) {
        for (const auto& [column, block] : below[row]) {
          for (int k = 0; k < 9; ++k) {
            const std::size_t r = 3 * row + k / 3, c = 3 * column + k % 3;
            a[r * at_rest.size() + c] = a[c * at_rest.size() + r] = block(k / 3, k % 3);
          }
        }
      }
      p_.add_tree(a, at_rest, falling, node_mass * count);
      return;
    }
    std::vector<std::int64_t> row_end;
    std::vector<std::int32_t> columns;
    std::vector<double> elements;
    for (const auto& row : below) {
      for (const auto& [column, block] : row) {
        columns.push_back(column);
        for (int k = 0; k < 9; ++k) elements.push_back(block(k / 3, k % 3));
      }
      row_end.push_back(std::ssize(columns));
    }
    p_.add_sparse_tree(row_end, columns, elements, at_rest, falling, node_mass * count);
  }

  /// A point of the block touches the ground, or a box above it.
  void touch(int other, const Vec3& point, const std::vector<std::int32_t>& nodes,
             const std::vector<double>& weights, const Vec3& normal) {
    int body = -1;
    if (what_.as_dense) {
      const int size = p_.trees[0].size;
      std::vector<double> jacobian(6 * static_cast<std::size_t>(size), 0.0);
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        for (int r = 0; r < 3; ++r) jacobian[r * size + 3 * nodes[k] + r] = weights[k];
      }
      body = p_.add_body(0, point, jacobian);
    } else {
      body = p_.add_point(0, point, nodes, weights);
    }
    ContactPoint c;
    c.point = point;
    c.normal = normal;
    c.gap = -1e-4;
    c.stiffness = 1e5;
    c.dissipation = 5;
    c.friction = 0.5;
    other == world_tree ? p_.add_contact(world_tree, 0, c, -1, body)
                        : p_.add_contact(0, other, c, body, -1);
  }

  /// On one quarter of the top, by four points between the nodes.
  void add_box(int row, int column) {
    const double quarter = 0.5 * spacing * (n_ - 1), side = 0.6 * quarter, top = 2 * quarter;
    const Vec3 center{(column + 0.5) * quarter, (row + 0.5) * quarter, top + 0.5 * side};
    const double mass = 1 + row + 2 * column, inertia = mass * side * side / 6;
    const double v0[6] = {what_.push, 0, 0, 0, 0, 0}, v1[6] = {what_.push, 0, -g * h, 0, 0, 0};
    const int box =
        p_.add_rigid_body(mass, center, Mat3::diagonal({inertia, inertia, inertia}), v0, v1);
    for (const double y : {-0.5, 0.5}) {
      for (const double x : {-0.5, 0.5}) {
        const Vec3 point{center.x + x * side, center.y + y * side, top};
        const int i = std::min(n_ - 2, static_cast<int>(point.x / spacing));
        const int j = std::min(n_ - 2, static_cast<int>(point.y / spacing));
        const double s = point.x / spacing - i, t = point.y / spacing - j;
        const int z = n_ - 1;
        touch(box, point,
              {index(i, j, z), index(i + 1, j, z), index(i, j + 1, z), index(i + 1, j + 1, z)},
              {(1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t}, {0, 0, 1});
      }
    }
  }

  const SoftBlock& what_;
  int n_;
  ContactProblem p_;
};

}  // namespace

ContactProblem make_problem(const SoftBlock& what) {
  return Maker(what).make();
}

}  // namespace abut
