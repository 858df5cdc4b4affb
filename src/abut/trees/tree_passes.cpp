// Rotations of hinges, kinematics, the recursive Newton-Euler algorithm and the composite inertias
// of the composite rigid body algorithm, a vector of three at a time.

#include "abut/linalg/simd.hpp"
#include "abut/linalg/sincos.hpp"

#include "abut/trees/tree_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

struct Matrix {
  Quad col[3];
};

ABUT_INLINE Quad next_axis(Quad a) {  // y z x
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}
ABUT_INLINE Quad cross(Quad a, Quad b) {
  return next_axis(fnma(next_axis(a), b, a * next_axis(b)));
}
ABUT_INLINE Quad operator*(const Matrix& m, Quad v) {
  return fma(m.col[2], splat_lane<2>(v),
             fma(m.col[1], splat_lane<1>(v), m.col[0] * splat_lane<0>(v)));
}
ABUT_INLINE Matrix operator*(const Matrix& a, const Matrix& b) {
  return {{a * b.col[0], a * b.col[1], a * b.col[2]}};
}
ABUT_INLINE Matrix load_matrix(const double* p) {
  return {{load_quad(p), load_quad(p + 4), load_quad(p + 8)}};
}
ABUT_INLINE void store_matrix(double* p, const Matrix& m) {
  for (int k = 0; k < 3; ++k) store_quad(p + 4 * k, m.col[k]);
}
ABUT_INLINE double sum3(Quad a) {
  return (a[0] + a[1]) + a[2];
}

/// R I R^T
ABUT_INLINE Matrix turned(const Matrix& R, const Matrix& inertia) {
  const Matrix t = R * inertia;
  const auto column = [&](auto splat) {
    return fma(t.col[2], splat(R.col[2]),
               fma(t.col[1], splat(R.col[1]), t.col[0] * splat(R.col[0])));
  };
  return {{column([](Quad a) __attribute__((always_inline)) { return splat_lane<0>(a); }),
           column([](Quad a) __attribute__((always_inline)) { return splat_lane<1>(a); }),
           column([](Quad a) __attribute__((always_inline)) { return splat_lane<2>(a); })}};
}

/// Columns of a joint's velocities, one after the other.
class ColumnWriter {
 public:
  ABUT_INLINE ColumnWriter(const TreeView& view, int velocity)
      : column_(view.columns + 8 * velocity),
        row_(view.jacobian + velocity),
        lead_(view.lead),
        v_(view.v + velocity) {}
  ABUT_INLINE void add(Quad v, Quad w) {
    store_quad(column_, v);
    store_quad(column_ + 4, w);
    for (int k = 0; k < 3; ++k) {
      row_[k * lead_] = v[k];
      row_[(3 + k) * lead_] = w[k];
    }
    const Quad speed = splat_quad(*v_);
    linear = fma(speed, v, linear);
    angular = fma(speed, w, angular);
    column_ += 8, ++row_, ++v_;
  }

  Quad linear{}, angular{};  ///< the sum with the velocities

 private:
  double *column_, *row_;
  std::int64_t lead_;
  const double* v_;
};

/// The node's pose, and the twist that its joint adds.
ABUT_INLINE void move_joint(const TreeView& view, const TreeNode& n, TreeNodeState& s,
                            ColumnWriter& columns) {
  Matrix R = load_matrix(n.turn);
  Quad p = load_quad(n.shift);
  if (n.parent >= 0) {
    const TreeNodeState& before = view.states[n.parent];
    const Matrix parent = load_matrix(before.rotation);
    p = load_quad(before.origin) + parent * p;
    R = n.is_turned ? parent * R : parent;
  }
  const double* q = view.q + n.position;
  if (n.kind == JointKind::hinge || n.kind == JointKind::slide) {
    const Quad axis = n.axis_index == 0   ? R.col[0]
                      : n.axis_index == 1 ? R.col[1]
                      : n.axis_index == 2 ? R.col[2]
                                          : R * load_quad(n.axis);
    if (n.kind == JointKind::slide) {
      p = fma(splat_quad(*q), axis, p);
      columns.add(axis, Quad{});
    } else {
      const Quad sine = splat_quad(s.joint[0]), cosine = splat_quad(s.joint[1]);
      const auto turn = [&](Quad & a, Quad & b)
          __attribute__((always_inline)) {  // the two columns across the axis
        const Quad x = a;
        a = fma(sine, b, cosine * a);
        b = fnma(sine, x, cosine * b);
      };
      switch (n.axis_index) {
        case 0: turn(R.col[1], R.col[2]); break;
        case 1: turn(R.col[2], R.col[0]); break;
        case 2: turn(R.col[0], R.col[1]); break;
        default:
          for (int k = 0; k < 3; ++k) {
            const Quad along = splat_quad((1 - s.joint[1]) * n.axis[k]);
            R.col[k] = fma(along, axis, fma(sine, cross(axis, R.col[k]), cosine * R.col[k]));
          }
      }
      columns.add(cross(p, axis), axis);
    }
  } else {
    if (n.kind == JointKind::free) p = p + R * Quad{q[0], q[1], q[2], 0};
    R = R * load_matrix(s.joint);
    if (n.kind == JointKind::free) {
      for (int k = 0; k < 3; ++k) columns.add(R.col[k], Quad{});
    }
    for (int k = 0; k < 3; ++k) columns.add(cross(p, R.col[k]), R.col[k]);
  }
  store_matrix(s.rotation, R);
  store_quad(s.origin, p);
}

/// What moves the body as the node moves, and how heavy it is. Adds twice its energy to `energy`.
ABUT_INLINE void load_body(const TreeNode& n, TreeNodeState& s, Quad& energy) {
  const Matrix R = load_matrix(s.rotation);
  const Quad c = load_quad(s.origin) + R * load_quad(n.center);
  store_quad(s.center, c);
  s.mass = n.mass;
  if (n.mass == 0) {
    double* const nothing[] = {s.force,   s.moment,      s.first_moment,
                               s.inertia, s.inertia + 4, s.inertia + 8};
    for (double* to : nothing) store_quad(to, Quad{});
    return;
  }
  const Quad w = load_quad(s.angular), m = splat_quad(n.mass);
  const Quad speed = load_quad(s.linear) + cross(w, c);
  const Quad alpha = load_quad(s.angular_acceleration);
  Matrix inertia = turned(R, load_matrix(n.inertia));
  const Quad spin = inertia * w;
  const Quad force = m * (load_quad(s.linear_acceleration) + cross(alpha, c) + cross(w, speed));
  store_quad(s.force, force);
  store_quad(s.moment, inertia * alpha + cross(w, spin) + cross(c, force));
  energy = fma(m * speed, speed, fma(w, spin, energy));
  const Quad h = m * c;
  store_quad(s.first_moment, h);
  const double square = sum3(h * c);
  inertia.col[0] = fnma(splat_lane<0>(c), h, inertia.col[0]) + Quad{square, 0, 0, 0};
  inertia.col[1] = fnma(splat_lane<1>(c), h, inertia.col[1]) + Quad{0, square, 0, 0};
  inertia.col[2] = fnma(splat_lane<2>(c), h, inertia.col[2]) + Quad{0, 0, square, 0};
  store_matrix(s.inertia, inertia);
}

ABUT_INLINE void add_quad(double* to, const double* from) {
  store_quad(to, load_quad(to) + load_quad(from));
}

}  // namespace

double pass_out_and_back(const TreeView& view) {
  Quad energy{};
  for (int i = 0; i < view.count; ++i) {
    const TreeNode& n = view.nodes[i];
    TreeNodeState& s = view.states[i];
    ColumnWriter joint(view, n.velocity);
    move_joint(view, n, s, joint);
    Quad linear = joint.linear, angular = joint.angular;
    const Quad g = load_quad(view.gravity);
    Quad a = -g, alpha{};
    if (n.parent >= 0) {
      const TreeNodeState& before = view.states[n.parent];
      linear = load_quad(before.linear) + linear;
      angular = load_quad(before.angular) + angular;
      a = load_quad(before.linear_acceleration);
      alpha = load_quad(before.angular_acceleration);
    }
    store_quad(s.linear, linear);
    store_quad(s.angular, angular);
    // the axes move with the node: their rate is its twist times them
    store_quad(s.linear_acceleration,
               a + cross(angular, joint.linear) + cross(linear, joint.angular));
    store_quad(s.angular_acceleration, alpha + cross(angular, joint.angular));
    load_body(n, s, energy);
  }
  Quad total{};
  for (int i = view.count; i-- > 0;) {
    const TreeNode& n = view.nodes[i];
    const TreeNodeState& s = view.states[i];
    const Quad force = load_quad(s.force), moment = load_quad(s.moment),
               h = load_quad(s.first_moment), mass = splat_quad(s.mass);
    const Matrix inertia = load_matrix(s.inertia);
    for (int k = n.velocity; k < n.velocity + n.size; ++k) {
      const Quad linear = load_quad(view.columns + 8 * k),
                 angular = load_quad(view.columns + 8 * k + 4);
      view.bias[k] = sum3(fma(linear, force, angular * moment));
      double* to = view.momenta + 8 * k;
      store_quad(to, fma(mass, linear, cross(angular, h)));
      store_quad(to + 3, inertia * angular + cross(h, linear));
    }
    if (n.parent < 0) {
      total += h;
      continue;
    }
    TreeNodeState& before = view.states[n.parent];
    add_quad(before.force, s.force);
    add_quad(before.moment, s.moment);
    add_quad(before.first_moment, s.first_moment);
    for (int k = 0; k < 3; ++k) add_quad(before.inertia + 4 * k, s.inertia + 4 * k);
    before.mass += s.mass;
  }
  store_quad(view.first_moment, total);
  return 0.5 * sum3(energy);
}

void find_turns(int count, const double* angle, double* sine, double* cosine) {
  for (int k = 0; k < count; k += 8) {
    Pack s, c;
    sine_and_cosine(loadu(angle + k), s, c);
    storeu(sine + k, s);
    storeu(cosine + k, c);
  }
}

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const TreeKernels tree_table = {pass_out_and_back, find_turns};

}  // namespace abut::ABUT_ISA
