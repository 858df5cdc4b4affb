#include "support/random_problem.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace abut {
namespace {

class Maker {
 public:
  Maker(std::mt19937& random, const RandomProblem& what) : random_(random), what_(what) {
    p_.time_step = what.time_step;
    p_.model = what.model;
    p_.law = what.law;
    p_.friction.lagged_rule = what.lagged_rule;
  }

  ContactProblem make() {
    const int whole = what_.bodies + what_.dense_trees, trees = whole + what_.sparse_trees;
    for (int t = 0; t < whole; ++t) {
      // dense trees among the bodies, not behind them
      const bool dense = (t + 1) * what_.dense_trees / whole > t * what_.dense_trees / whole;
      dense ? add_dense() : add_body();
    }
    for (int t = 0; t < what_.sparse_trees; ++t) add_sparse();
    for (int b = 0; b < trees; ++b) {
      if (chance(what_.ground)) add_patch(world_tree, b);
    }
    for (int a = 0; a < trees; ++a) {
      for (int b = a + 1; b < trees; ++b) {
        if (chance(what_.touch)) add_patch(a, b);
      }
    }
    for (int t = 0; t < trees; ++t) {
      if (!p_.is_rigid_body(t) && chance(what_.touch)) add_patch(t, t);
    }
    // after the contacts, which so are the same with and without
    for (int t = 0; t < trees; ++t) {
      for (int i = 0; i < what_.scalars && !p_.is_rigid_body(t); ++i) {
        add_scalar({t});
      }
    }
    for (int i = 0; i < what_.links; ++i) {
      std::set<int> linked;
      while (std::ssize(linked) < std::min(trees, 1 + i % 3)) {
        linked.insert(static_cast<int>(random_() % trees));
      }
      add_scalar({linked.begin(), linked.end()});
    }
    return std::move(p_);
  }

 private:
  double normal() { return normal_(random_); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  bool chance(double p) { return uniform(0, 1) < p; }
  Vec3 vector() { return {normal(), normal(), normal()}; }
  Vec3 unit() {
    const Vec3 v = vector();
    return v / norm(v);
  }

  void add_body() {
    const double mass = std::pow(10, uniform(-what_.mass_spread, what_.mass_spread));
    // I = R diag R^T with principal moments that obey the triangle inequality
    const Vec3 z = unit(), x = any_perpendicular(z);
    const Mat3 R{{x, cross(z, x), z}};
    const Vec3 m{uniform(1, 2), uniform(1, 2), uniform(1, 2)};
    const Mat3 inertia = 1e-2 * mass * (R * Mat3::diagonal(m) * transpose(R));
    double v[6], free[6];
    for (int k = 0; k < 6; ++k) {
      v[k] = what_.speed * normal();
      free[k] = v[k];
    }
    free[2] -= 9.81 * what_.time_step;
    p_.add_rigid_body(mass, 0.3 * vector(), inertia, v, free);
  }

  void add_dense() {
    const int n = 1 + static_cast<int>(random_() % 20);
    std::vector<double> root(n * n), a(n * n, 0.0), v(n), free(n);
    for (double& x : root) x = 0.3 * normal();
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) {
        for (int k = 0; k < n; ++k) a[r * n + c] += root[r * n + k] * root[c * n + k];
      }
      a[r * n + r] += 0.2;
    }
    for (int k = 0; k < n; ++k) {
      v[k] = what_.speed * normal();
      free[k] = v[k] + 0.01 * normal();
    }
    p_.add_tree(a, v, free, 1);
  }

  /// Nodes in a row, with springs to those before and to some farther away.
  void add_sparse() {
    const int n = 2 + static_cast<int>(random_() % 29);
    std::vector<std::vector<Mat3>> a(n, std::vector<Mat3>(n));
    for (int i = 0; i < n; ++i) a[i][i] = Mat3::diagonal({0.2, 0.2, 0.2}) + spring();
    for (int i = 1; i < n; ++i) {
      for (const int j : {i - 1, static_cast<int>(random_() % i)}) {
        const Mat3 k = spring();
        a[i][i] = a[i][i] + k;
        a[j][j] = a[j][j] + k;
        a[i][j] = a[i][j] - k;
      }
    }
    std::vector<std::int64_t> row_end;
    std::vector<std::int32_t> columns;
    std::vector<double> elements, v(3 * n), free(3 * n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        if (a[i][j] == Mat3{}) continue;
        columns.push_back(j);
        for (int k = 0; k < 9; ++k) elements.push_back(a[i][j](k / 3, k % 3));
      }
      row_end.push_back(std::ssize(columns));
    }
    for (int k = 0; k < 3 * n; ++k) {
      v[k] = what_.speed * normal();
      free[k] = v[k] + 0.01 * normal();
    }
    p_.add_sparse_tree(row_end, columns, elements, v, free, 1);
  }

  /// Symmetric and semidefinite.
  Mat3 spring() {
    const Vec3 x = vector();
    return std::pow(10, uniform(-1, 1)) * Mat3{{x.x * x, x.y * x, x.z * x}};
  }

  std::vector<double> jacobian(int tree) {
    std::vector<double> j;
    if (tree == world_tree || p_.trees[tree].kind != TreeKind::dense) return j;
    for (int k = 0; k < 3 * p_.trees[tree].size; ++k) j.push_back(0.5 * normal());
    return j;
  }

  /// Of a dense tree, with a random Jacobian; -1 for others.
  int body(int tree) {
    if (tree != world_tree && p_.trees[tree].kind == TreeKind::sparse) return point(tree);
    if (jacobian(tree).empty()) return -1;
    std::vector<double> whole = jacobian(tree);
    const std::vector<double> angular = jacobian(tree);
    whole.insert(whole.end(), angular.begin(), angular.end());
    if (what_.branches) leave_out_columns(p_.trees[tree].size, whole);
    return p_.add_body(tree, 0.3 * vector(), whole);
  }

  void leave_out_columns(int n, std::vector<double>& jacobian) {
    const auto pack = static_cast<int>(random_() % 4);  // eight of which none moves it
    for (int k = 0; k < n; ++k) {
      if (k / 8 != pack && random_() % 2 == 0) continue;
      for (int r = 0; r < 6; ++r) jacobian[r * n + k] = 0;
    }
  }

  /// Of a sparse tree, some of which turn too.
  int point(int tree) {
    std::vector<std::int32_t> nodes;
    std::vector<double> weights;
    for (int k = static_cast<int>(random_() % 4); k >= 0; --k) {
      nodes.push_back(static_cast<std::int32_t>(random_() % p_.trees[tree].nodes()));
      weights.push_back(uniform(0, 1));
    }
    const int index = p_.add_point(tree, 0.3 * vector(), nodes, weights);
    if (chance(0.3)) {
      const std::size_t first = p_.bodies[index].first_element;
      for (std::size_t k = first; k < p_.jacobians.size(); ++k) p_.jacobians[k] = 0.5 * normal();
    }
    return index;
  }

  /// Of lines about as steep as the stiffness, a tenth of a mm long; some rest.
  std::shared_ptr<const ForceTable> table() {
    ForceTable t{{0}, {0}};
    const int lines = 1 + static_cast<int>(random_() % 5);
    for (int k = 0; k < lines; ++k) {
      const double length = uniform(1e-5, 1e-4);
      const double slope = k + 1 < lines && chance(0.2) ? 0 : what_.stiffness * uniform(0.2, 2);
      t.depth.push_back(t.depth.back() + length);
      t.force.push_back(t.force.back() + slope * length);
    }
    return std::make_shared<const ForceTable>(std::move(t));
  }

  /// Between bodies of the two trees, or with Jacobians of their own for each contact.
  void add_patch(int a, int b) {
    const auto is_sparse = [&](int tree) {
      return tree != world_tree && p_.trees[tree].kind == TreeKind::sparse;
    };
    const bool by_body = a == b || is_sparse(a) || is_sparse(b) || chance(0.5);
    const int body_a = by_body ? body(a) : -1, body_b = by_body ? body(b) : -1;
    const Vec3 n = unit(), center = 0.3 * vector();
    const int points = 1 + static_cast<int>(random_() % 4);
    for (int i = 0; i < points; ++i) {
      ContactPoint c;
      c.point = center + 0.1 * vector();
      if (is_sparse(b)) c.point = p_.bodies[body_b].center;  // of points often a lone contact
      c.normal = n;
      c.gap = uniform(-2e-4, 1e-4);
      c.thickness = uniform(3e-4, 1e-3);
      c.weight = uniform(0.5, 1.5);
      c.stiffness = what_.stiffness;
      c.dissipation = what_.dissipation;
      c.friction = chance(0.1) ? 0 : uniform(0, 1.2);
      if (chance(0.1)) c.bias = 0.1 * vector();
      if (chance(0.5)) c.previous_impulse = 0.01 * (n + 0.3 * vector());
      // what it held need not be what it gave, and may be beyond the limit now
      c.anchor = (1 / p_.time_step) * (2 * cross(n, c.previous_impulse) + 0.1 * c.previous_impulse);
      if (what_.ellipses && chance(0.8)) {
        const Vec3 across = cross(n, unit());
        c.friction_axis = across / norm(across);
        c.anisotropy = chance(0.1) ? 1 : uniform(0, 1);
      }
      if (what_.mixed_laws && chance(0.8)) {
        c.law = normal_laws[random_() % normal_laws.size()];
        if (c.law == NormalLawKind::hertz) c.stiffness *= 100;  // as stiff at a tenth of a mm
      }
      if (c.law.value_or(p_.law) == NormalLawKind::tabulated && chance(0.8)) c.table = table();
      if (by_body) {
        p_.add_contact(a, b, c, body_a, body_b);
      } else {
        p_.add_contact(a, b, c, jacobian(a), jacobian(b));
      }
    }
  }

  /// Of any kind, near and far, on one to three entries of each tree.
  void add_scalar(const std::vector<int>& trees) {
    ScalarConstraint c;
    c.kind = scalar_kinds[random_() % scalar_kinds.size()];
    c.gap = uniform(-1e-3, 1e-3);
    c.stiffness = std::pow(10, uniform(3, 7));
    c.relaxation_time = uniform(0, 1e-3);
    c.damping = uniform(0, 10);
    c.force = 50 * normal();
    c.upper_force = chance(0.1) ? 0 : uniform(0, 50);
    c.lower_force = -c.upper_force;
    std::vector<RowEntry> row;
    for (const int tree : trees) {
      const int n = p_.trees[tree].size;
      for (int k = static_cast<int>(random_() % 3); k >= 0; --k) {
        row.push_back({tree, static_cast<std::int32_t>(random_() % n), normal()});
      }
    }
    p_.add_scalar(c, row);
  }

  std::mt19937& random_;
  const RandomProblem& what_;
  std::normal_distribution<double> normal_;
  ContactProblem p_;
};

}  // namespace

ContactProblem make_problem(std::mt19937& random, const RandomProblem& what) {
  return Maker(random, what).make();
}

}  // namespace abut
