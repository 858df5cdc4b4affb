// Contact forces without friction by pivoting, beside one dense solve of the same size: Eigen's LU
// with partial pivoting, and Gaussian elimination as a textbook has it.
//
// direct_bench prints a line of JSON per size: least times of repeats [us], pivots, and the times
// of one append and one removal of the factors at that size.

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "abut/core/isa.hpp"
#include "abut/linalg/updatable_qr.hpp"
#include "abut/solvers/direct/pivoting.hpp"
#include "bench_main.hpp"

namespace {

using namespace abut;

/// Least time of many runs [us].
template <class F>
double time_of(const F& run) {
  double least = 1e300;
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 2000; ++k) {
    const auto before = std::chrono::steady_clock::now();
    run();
    const auto after = std::chrono::steady_clock::now();
    least = std::min(least, std::chrono::duration<double, std::micro>(after - before).count());
    if (after - start > std::chrono::milliseconds(300)) break;
  }
  return least;
}

Eigen::VectorXd eliminate(Eigen::MatrixXd a, Eigen::VectorXd b) {
  const auto n = b.size();
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    }
    a.row(k).swap(a.row(best));
    std::swap(b[k], b[best]);
    for (int j = k + 1; j < n; ++j) {
      const double factor = a(k, j) / a(k, k);
      for (int i = k + 1; i < n; ++i) a(i, j) -= factor * a(i, k);
    }
    for (int i = k + 1; i < n; ++i) b[i] -= a(i, k) / a(k, k) * b[k];
  }
  for (auto k = n - 1; k >= 0; --k) {
    b[k] /= a(k, k);
    for (int i = 0; i < k; ++i) b[i] -= a(i, k) * b[k];
  }
  return b;
}

struct Problem {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
};

/// n contacts of random directions at random points of so many bodies, at random accelerations.
Problem make_problem(int n, int bodies) {
  std::mt19937 random(n);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(n, 6 * bodies);
  for (int i = 0; i < n; ++i) {
    const int a = static_cast<int>(random() % bodies), b = static_cast<int>(random() % bodies);
    for (int k = 0; k < 6; ++k) {
      j(i, 6 * b + k) += normal(random);
      if (a != b) j(i, 6 * a + k) -= normal(random);
    }
  }
  const Eigen::VectorXd c =
      Eigen::VectorXd::NullaryExpr(6 * bodies, [&] { return normal(random); });
  return {j * j.transpose(), j * c};
}

void bench_size(int n, int bodies) {
  const Problem p = make_problem(n, bodies);
  Pivoting pivoting;
  const auto solve = [&] {
    pivoting.reset(n);
    for (int j = 0; j < n; ++j) {
      std::copy_n(p.a.col(j).data(), n, pivoting.column(j));
      pivoting.bias(j) = p.b[j];
    }
    pivoting.run();
  };
  const double pivot_time = time_of(solve);
  const auto bearing = std::ranges::count_if(pivoting.forces(), [](double f) { return f > 0; });
  const Eigen::MatrixXd regular = p.a + Eigen::MatrixXd::Identity(n, n);
  double sink = 0;
  const double lu_time = time_of([&] { sink += regular.partialPivLu().solve(p.b)[0]; });
  const double textbook_time = time_of([&] { sink += eliminate(regular, p.b)[0]; });
  // one change of the factors at full size
  UpdatableQr qr;
  qr.reset(n);
  std::vector<double> column, row;
  double append_time = 1e300, remove_time = 1e300;
  const auto append = [&](int i) {
    column.assign(p.a.col(i).data(), p.a.col(i).data() + i + 1);
    row.resize(i);
    for (int j = 0; j < i; ++j) row[j] = p.a(i, j);
    qr.append(column, row);
  };
  for (int i = 0; i < n; ++i) append(i);  // of any rank
  for (int k = 0; k < 200; ++k) {
    const auto start = std::chrono::steady_clock::now();
    qr.remove(n - 1);
    const auto middle = std::chrono::steady_clock::now();
    append(n - 1);
    const auto end = std::chrono::steady_clock::now();
    remove_time =
        std::min(remove_time, std::chrono::duration<double, std::micro>(middle - start).count());
    append_time =
        std::min(append_time, std::chrono::duration<double, std::micro>(end - middle).count());
  }
  std::printf(
      "{\"isa\": \"%s\", \"rows\": %d, \"bodies\": %d, \"bearing\": %d, \"pivots\": %d, "
      "\"forces_us\": %.1f, \"lu_us\": %.1f, \"elimination_us\": %.1f, "
      "\"over_lu\": %.2f, \"over_elimination\": %.2f, \"us_per_pivot\": %.2f, "
      "\"append_us\": %.2f, \"remove_last_us\": %.2f}%s\n",
      to_string(active_isa()), n, bodies, static_cast<int>(bearing), pivoting.counts().pivots,
      pivot_time, lu_time, textbook_time, pivot_time / lu_time, pivot_time / textbook_time,
      pivot_time / pivoting.counts().pivots, append_time, remove_time,
      std::isfinite(sink) ? "" : " ");
}

int bench(int argc, char** /*argv*/) {
  if (argc != 1) {
    std::fprintf(stderr, "usage: direct_bench\n");
    return 2;
  }
  for (const int contacts_per_body : {4, 12}) {  // A of full rank; of rank n/2
    for (const int n : {50, 100, 150, 200, 400}) bench_size(n, n / contacts_per_body);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return abut::run_bench("direct_bench", bench, argc, argv);
}
