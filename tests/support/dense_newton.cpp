#include "support/dense_newton.hpp"

#include "abut/laws/anchored.hpp"
#include "abut/laws/lagged.hpp"
#include "abut/laws/law_list.hpp"
#include "abut/laws/sap.hpp"
#include "abut/laws/similar.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

ModelPoint<double> point_of(const PreparedProblem& q, int i) {
  const ContactProblem& p = q.problem();
  const ContactPool& c = p.contacts;
  const ContactTerms& terms = q.contacts();
  const Vec3& n = c.normal[i];
  ModelPoint<double> m{};
  m.n = {n.x, n.y, n.z};
  m.mu = c.friction[i];
  if (p.model == ContactModel::sap) {
    const double rn = terms.normal_regularization[i], rt = terms.tangential_regularization[i];
    m.normal.v_hat = -c.gap[i] / (p.time_step + c.relaxation_time[i]);
    m.normal.linear = 1 / rn;
    m.normal.quadratic = 1 / (rn + m.mu * m.mu * rt);
    m.tangential = 1 / rt;
  } else {
    m.normal = dispatch_law(p.law_of(i), [&]<class Law>() {
      return Law::discretize(point_material(c, i), p.time_step, c.gap[i]);
    });
    m.slip_tolerance = terms.slip_tolerance[i];
    m.lagged_impulse = terms.lagged_impulse[i];
  }
  if (p.model == ContactModel::anchored) {
    const double h = p.time_step;
    m.tangential = h * h * tangential_stiffness(p, i, m.lagged_impulse);
    const Vec3 held = h * (c.anchor[i] - dot(n, c.anchor[i]) * n);
    m.anchor = {held.x, held.y, held.z};
  }
  return m;
}

struct AtContact {
  double potential;
  Eigen::Vector3d gamma;
  Eigen::Matrix3d hessian;
};

template <class Model>
AtContact evaluate(const ModelPoint<double>& m, const Eigen::Vector3d& v) {
  const Eigen::Vector3d n(m.n.x, m.n.y, m.n.z);
  const double vn = n.dot(v);
  Eigen::Vector3d x = v - vn * n;
  if constexpr (requires { Model::origin(m); }) {
    const Triple<double> origin = Model::origin(m);
    x -= Eigen::Vector3d(origin.x, origin.y, origin.z);
  }
  const auto e = Model::evaluate(m, vn, Triple<double>{x.x(), x.y(), x.z()});
  const Eigen::Vector3d t = e.inverse_slip * x, along = n - e.coupling * t;
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  return {e.potential, e.normal_impulse * n - e.slip_damping * x,
          e.slip_damping * (one - n * n.transpose() - t * t.transpose()) +
              e.slope * along * along.transpose()};
}

AtContact at_contact(const PreparedProblem& q, int i, const Eigen::Vector3d& v) {
  const ContactProblem& p = q.problem();
  const ModelPoint<double> m = point_of(q, i);
  return dispatch_law(p.law_of(i), [&]<class Law>() {
    switch (p.model) {
      case ContactModel::sap:
      case ContactModel::ncp:
      case ContactModel::ccp:
      case ContactModel::lcp:
      case ContactModel::raisim: break;
      case ContactModel::lagged: return evaluate<Lagged<Law>>(m, v);
      case ContactModel::similar: return evaluate<Similar<Law>>(m, v);
      case ContactModel::anchored: return evaluate<Anchored<Law>>(m, v);
    }
    return evaluate<Sap>(m, v);
  });
}

/// Of one scalar constraint at c: by the pieces of its potential, a quadratic between straight
/// lines.
struct AtScalar {
  double potential, gamma, slope;
};

AtScalar at_scalar(const ScalarTerms& s, int i, double c) {
  const double R = s.regularization[i], y = (s.target[i] - c) / R;
  if (y <= s.lower[i]) return {R * s.lower[i] * (y - 0.5 * s.lower[i]), s.lower[i], 0};
  if (y >= s.upper[i]) return {R * s.upper[i] * (y - 0.5 * s.upper[i]), s.upper[i], 0};
  return {0.5 * R * y * y, y, 1 / R};
}

}  // namespace

DenseProblem::DenseProblem(const PreparedProblem& problem) : q(problem), p(problem.problem()) {
  const int n = p.dofs(), m = 3 * p.contacts.size();
  A = Matrix::Zero(n, n);
  J = Matrix::Zero(m, n);
  v_star = Eigen::Map<const Vector>(p.free_velocity.data(), n);
  bias = Vector::Zero(m);
  for (const Tree& t : p.trees) {
    if (t.kind == TreeKind::rigid_body) {
      A.block(t.first_dof, t.first_dof, 3, 3) = t.mass * Eigen::Matrix3d::Identity();
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) A(t.first_dof + 3 + r, t.first_dof + 3 + c) = t.inertia(r, c);
      }
    } else if (t.kind == TreeKind::sparse) {
      p.sparse_matrices.for_each_block(t, [&](int row, int column, const double* a) {
        for (int k = 0; k < 9; ++k) {
          const int r = t.first_dof + 3 * row + k / 3, c = t.first_dof + 3 * column + k % 3;
          A(r, c) = A(c, r) = a[k];
        }
      });
    } else {
      for (int r = 0; r < t.size; ++r) {
        for (int c = 0; c < t.size; ++c) {
          A(t.first_dof + r, t.first_dof + c) = p.matrices[t.first_element + r * t.size + c];
        }
      }
    }
  }
  // columns of J by unit velocities
  Vector e = Vector::Zero(n);
  for (int k = 0; k < n; ++k) {
    e[k] = 1;
    for (const Patch& patch : p.patches) {
      const PatchMotion motion(p, patch, e.data());
      for (int i = patch.begin; i < patch.end; ++i) {
        const Vec3 v = motion.of(i) - p.contacts.bias[i];
        J.block(3 * i, k, 3, 1) = Eigen::Vector3d(v.x, v.y, v.z);
      }
    }
    e[k] = 0;
  }
  scalar_J = Matrix::Zero(p.scalars.size(), n);
  for (int i = 0; i < p.scalars.size(); ++i) {
    for (const RowEntry& entry : p.scalars.row(i)) {
      scalar_J(i, p.trees[entry.tree].first_dof + entry.dof) += entry.value;
    }
  }
  for (int i = 0; i < p.contacts.size(); ++i) {
    const Vec3& b = p.contacts.bias[i];
    bias.segment(3 * i, 3) = Eigen::Vector3d(b.x, b.y, b.z);
  }
}

double DenseProblem::cost(const Vector& v) const {
  double sum = 0.5 * (v - v_star).dot(A * (v - v_star));
  const Vector vc = J * v + bias;
  for (int i = 0; i < p.contacts.size(); ++i) {
    sum += at_contact(q, i, vc.segment<3>(3 * i)).potential;
  }
  const Vector c = scalar_J * v;
  for (int i = 0; i < p.scalars.size(); ++i) sum += at_scalar(q.scalars(), i, c[i]).potential;
  return sum;
}

Vector DenseProblem::gradient(const Vector& v) const {
  Vector gamma(J.rows());
  const Vector vc = J * v + bias;
  for (int i = 0; i < p.contacts.size(); ++i) {
    gamma.segment<3>(3 * i) = at_contact(q, i, vc.segment<3>(3 * i)).gamma;
  }
  Vector scalar = scalar_J * v;
  for (int i = 0; i < p.scalars.size(); ++i) scalar[i] = at_scalar(q.scalars(), i, scalar[i]).gamma;
  return A * (v - v_star) - J.transpose() * gamma - scalar_J.transpose() * scalar;
}

Matrix DenseProblem::hessian(const Vector& v) const {
  Matrix h = A;
  const Vector vc = J * v + bias;
  for (int i = 0; i < p.contacts.size(); ++i) {
    const auto j = J.middleRows<3>(3 * i);
    h += j.transpose() * at_contact(q, i, vc.segment<3>(3 * i)).hessian * j;
  }
  const Vector c = scalar_J * v;
  for (int i = 0; i < p.scalars.size(); ++i) {
    const auto j = scalar_J.row(i);
    h += at_scalar(q.scalars(), i, c[i]).slope * j.transpose() * j;
  }
  return h;
}

Vector DenseProblem::minimize() const {
  Vector v = v_star;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    const Vector g = gradient(v), dv = -hessian(v).llt().solve(g);
    // the minimum along the step, by bisection of the slope
    double low = 0, high = 1;
    if (gradient(v + dv).dot(dv) <= 0) {
      low = 1;
    } else {
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (gradient(v + middle * dv).dot(dv) < 0 ? low : high) = middle;
      }
    }
    const Vector next = v + low * dv;
    const double change = (next - v).norm();
    v = next;
    if (change <= 1e-15 * v.norm()) break;
  }
  return v;
}

}  // namespace abut
