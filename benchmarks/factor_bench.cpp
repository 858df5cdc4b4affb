// One numeric factorization and one solve of contact Hessians: ours against Eigen's SimplicialLLT
// on the same matrices. States of piles at rest, k = 1e7 N/m, 2 ms, all contacts sticking with
// SAP's regularization.
//
// factor_bench STATE.txt ... prints a line of JSON for each state.

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "abut/core/isa.hpp"
#include "abut/linalg/block_cholesky.hpp"

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

struct Hessian {
  abut::BlockPattern pattern;
  std::vector<Matrix6> diagonal, off_diagonal;  // off-diagonal blocks have the rows of edge.a
};

Eigen::Matrix3d skew(const Eigen::Vector3d& r) {
  Eigen::Matrix3d s;
  s << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return s;
}

Hessian read_state(const std::string& path) {
  std::ifstream in(path);
  int bodies = 0, contacts = 0;
  in >> bodies >> contacts;
  Hessian h;
  h.pattern.sizes.assign(bodies, 6);
  h.diagonal.assign(bodies, Matrix6::Zero());
  std::vector<Eigen::Vector3d> center(bodies);
  for (int i = 0; i < bodies; ++i) {
    double mass = 0;
    in >> mass;
    h.diagonal[i].topLeftCorner<3, 3>().diagonal().setConstant(mass);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) in >> h.diagonal[i](3 + r, 3 + c);
    }
    for (int c = 0; c < 3; ++c) in >> center[i][c];
  }
  const std::vector<Matrix6> mass = h.diagonal;
  std::map<std::pair<int, int>, int> edges;
  constexpr double dt = 2e-3, k = 1e7, tau = 1e-4, pi = 3.14159265358979;
  for (int i = 0; i < contacts; ++i) {
    int body[2];
    Eigen::Vector3d point, normal;
    double distance = 0;
    in >> body[0] >> body[1];
    for (int c = 0; c < 3; ++c) in >> point[c];
    for (int c = 0; c < 3; ++c) in >> normal[c];
    in >> distance;
    Eigen::Matrix<double, 3, 6> j[2];
    Eigen::Matrix3d w = Eigen::Matrix3d::Zero();
    for (int s = 0; s < 2; ++s) {
      if (body[s] < 0) continue;
      const double sign = s == 0 ? -1 : 1;
      j[s].leftCols<3>() = sign * Eigen::Matrix3d::Identity();
      j[s].rightCols<3>() = -sign * skew(point - center[body[s]]);
      w += j[s] * mass[body[s]].inverse() * j[s].transpose();
    }
    const double w_i = w.norm() / 3;
    const double r_n = std::max(w_i / (4 * pi * pi), 1 / (dt * (dt + tau) * k)), r_t = 1e-3 * w_i;
    const Eigen::Matrix3d nn = normal * normal.transpose();
    const Eigen::Matrix3d g = nn / r_n + (Eigen::Matrix3d::Identity() - nn) / r_t;
    for (int s = 0; s < 2; ++s) {
      if (body[s] >= 0) h.diagonal[body[s]] += j[s].transpose() * g * j[s];
    }
    if (body[0] < 0 || body[1] < 0) continue;
    const auto [it, added] = edges.try_emplace({body[0], body[1]}, static_cast<int>(edges.size()));
    if (added) {
      h.pattern.edges.push_back({body[0], body[1]});
      h.off_diagonal.push_back(Matrix6::Zero());
    }
    h.off_diagonal[it->second] += j[0].transpose() * g * j[1];
  }
  return h;
}

Eigen::SparseMatrix<double> to_sparse(const Hessian& h) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int a, int b, const Matrix6& m) {
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < 6; ++c) entries.emplace_back(6 * a + r, 6 * b + c, m(r, c));
    }
  };
  for (int i = 0; i < h.pattern.nodes(); ++i) add(i, i, h.diagonal[i]);
  for (std::size_t e = 0; e < h.pattern.edges.size(); ++e) {
    const auto [a, b] = h.pattern.edges[e];
    add(a, b, h.off_diagonal[e]);
    add(b, a, h.off_diagonal[e].transpose());
  }
  const int n = 6 * h.pattern.nodes();
  Eigen::SparseMatrix<double> m(n, n);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

void write(const Hessian& h, abut::BlockCholesky& cholesky) {
  using RowMajor6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  for (int i = 0; i < h.pattern.nodes(); ++i) {
    const RowMajor6 m = h.diagonal[i];
    cholesky.add_diagonal(i, 6, {m.data(), 36});
  }
  for (std::size_t e = 0; e < h.pattern.edges.size(); ++e) {
    const RowMajor6 m = h.off_diagonal[e];
    cholesky.add_off_diagonal(static_cast<int>(e), 6, 6, {m.data(), 36});
  }
}

/// Best time of one call [us], `prepare` not counted.
template <class Prepare, class Work>
double best_us(const Prepare& prepare, const Work& work) {
  double best = 1e30, total = 0;
  for (int i = 0; i < 2000 && (i < 20 || total < 4e5); ++i) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> t = std::chrono::steady_clock::now() - start;
    best = std::min(best, t.count());
    total += t.count();
  }
  return best;
}

void run(const std::string& path) {
  const Hessian h = read_state(path);
  const Eigen::SparseMatrix<double> sparse = to_sparse(h);
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> eigen;
  eigen.analyzePattern(sparse);
  const double eigen_factor = best_us([] {}, [&] { eigen.factorize(sparse); });
  const Eigen::VectorXd rhs = Eigen::VectorXd::Random(sparse.rows());
  Eigen::VectorXd x;
  const double eigen_solve = best_us([] {}, [&] { x = eigen.solve(rhs); });

  abut::SymbolicAnalysis analysis;
  abut::BlockSymbolic symbolic;
  const double symbolic_us = best_us([] {}, [&] { analysis.analyze(h.pattern, symbolic); });
  abut::BlockCholesky cholesky;
  const double factor = best_us(
      [&] {
        cholesky.reset(symbolic);
        write(h, cholesky);
      },
      [&] { cholesky.factor(); });
  abut::AlignedBuffer<double> y;
  y.resize(symbolic.vector_size);
  const auto fill = [&] {
    y.fill_zero();
    for (int i = 0; i < h.pattern.nodes(); ++i) {
      for (int k = 0; k < 6; ++k) y[symbolic.vector_offset[i] + k] = rhs[6 * i + k];
    }
  };
  const double solve = best_us(fill, [&] { cholesky.solve(y.span()); });
  double error = 0;
  for (int i = 0; i < h.pattern.nodes(); ++i) {
    for (int k = 0; k < 6; ++k) {
      error = std::max(error, std::abs(y[symbolic.vector_offset[i] + k] - x[6 * i + k]));
    }
  }
  const std::string name = path.substr(path.find_last_of('/') + 1);
  std::printf(
      "{\"state\": \"%s\", \"bodies\": %d, \"factor_blocks\": %lld, \"mflop\": %.3f, "
      "\"isa\": \"%s\", \"factor_us\": %.2f, \"eigen_factor_us\": %.2f, "
      "\"ratio\": %.2f, \"solve_us\": %.2f, \"eigen_solve_us\": %.2f, "
      "\"symbolic_us\": %.2f, \"difference\": %.1e}\n",
      name.substr(0, name.find('.')).c_str(), h.pattern.nodes(),
      static_cast<long long>(symbolic.factor_blocks), symbolic.flops / 1e6,
      std::string(abut::to_string(abut::active_isa())).c_str(), factor, eigen_factor,
      eigen_factor / factor, solve, eigen_solve, symbolic_us, error / x.cwiseAbs().maxCoeff());
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) run(argv[i]);
}
