#include "abut/io/fclib_file.hpp"

#include <Eigen/Dense>
#include <functional>

#include "abut/io/hdf5_file.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "io/files_testing.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Integers = std::vector<std::int32_t>;

enum class Kind { columns, rows, triplets, triplets_of_siconos };
constexpr Kind kinds[] = {Kind::columns, Kind::rows, Kind::triplets, Kind::triplets_of_siconos};

/// The datasets of a file, by their names: tests replace what is to be wrong.
struct Datasets {
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, Integers> integers;

  void add(const std::string& name, const Vector& v) {
    numbers[name] = {v.data(), v.data() + v.size()};
  }
  void add(const std::string& name, int value) { integers[name] = {value}; }
  void add(const std::string& name, const Dense& matrix, Kind kind) {
    const int m = static_cast<int>(matrix.rows()), n = static_cast<int>(matrix.cols());
    const bool by_rows = kind == Kind::rows;
    Integers start{0}, line, index;
    std::vector<double> value;
    for (int a = 0; a < (by_rows ? m : n); ++a) {
      for (int b = 0; b < (by_rows ? n : m); ++b) {
        const double x = by_rows ? matrix(a, b) : matrix(b, a);
        if (x == 0) continue;
        line.push_back(a), index.push_back(b), value.push_back(x);
      }
      start.push_back(static_cast<int>(index.size()));
    }
    const int count = static_cast<int>(index.size());
    add(name + "/m", m), add(name + "/n", n), add(name + "/nzmax", count);
    if (kind == Kind::columns || kind == Kind::rows) {
      add(name + "/nz", by_rows ? -2 : -1);
      integers[name + "/p"] = start, integers[name + "/i"] = index;
    } else {
      add(name + "/nz", count);
      const bool is_siconos = kind == Kind::triplets_of_siconos;
      integers[name + "/p"] = is_siconos ? line : index;  // a column, or as FCLIB says a row
      integers[name + "/i"] = is_siconos ? index : line;
    }
    numbers[name + "/x"] = value;
  }
  std::string write(const TemporaryFolder& folder) const {
    Hdf5Writer file;
    for (const auto& [name, values] : numbers) file.add(name, values);
    for (const auto& [name, values] : integers) file.add(name, values);
    file.write(folder / "p.hdf5");
    return folder / "p.hdf5";
  }
};

Dense random_matrix(int rows, int columns) {
  return Dense::Random(rows, columns);  // of the C library's generator, seeded by its default
}

Dense random_mass(int n) {
  const Dense a = random_matrix(n, n);
  return a * a.transpose() + Dense::Identity(n, n);
}

/// Velocities of a problem under impulses, both with normals first.
Vector velocity_of(const FrictionProblem& p, const Vector& r) {
  std::vector<Vec3> impulse, velocity(p.contacts());
  for (int i = 0; i < p.contacts(); ++i) impulse.push_back({r[3 * i + 1], r[3 * i + 2], r[3 * i]});
  p.delassus.multiply(impulse, velocity);
  Vector u(r.size());
  for (int i = 0; i < p.contacts(); ++i) {
    const Vec3 v = velocity[i] + p.velocity[i];
    u.segment<3>(3 * i) << v.z, v.x, v.y;
  }
  return u;
}

Datasets local_problem(const Dense& w, const Vector& q, Kind kind = Kind::columns) {
  Datasets d;
  d.add("/fclib_local/spacedim", 3);
  d.add("/fclib_local/W", w, kind);
  d.add("/fclib_local/vectors/q", q);
  d.add("/fclib_local/vectors/mu", Vector::Constant(q.size() / 3, 0.4));
  return d;
}

TEST(FclibFile, ReadsAllKindsOfMatrices) {
  const TemporaryFolder folder;
  Dense w = random_mass(9);
  w(0, 4) += 0.1;  // not symmetric: as it is
  w.block(3, 6, 3, 3).setZero(), w.block(6, 3, 3, 3).setZero();
  const Vector q = Vector::Random(9), r = Vector::Random(9);
  for (const Kind kind : kinds) {
    if (kind == Kind::triplets_of_siconos) w = 0.5 * (w + w.transpose()).eval();  // cannot be told
    const std::string path = local_problem(w, q, kind).write(folder);
    EXPECT_TRUE(is_friction_file(path));
    const FrictionProblem p = load_friction_file(path).problem;
    EXPECT_LT((velocity_of(p, r) - (w * r + q)).norm(), 1e-14);
    EXPECT_EQ(p.delassus.find(1, 2), -1);
  }
}

/// M v = H r + G l + f, 0 = G^T v + b for given r: all unknowns at once.
Vector solve_kkt(const Dense& m, const Dense& g, const Vector& force, const Vector& b) {
  const auto n = m.rows(), p = g.cols();
  Dense kkt = Dense::Zero(n + p, n + p);
  kkt.topLeftCorner(n, n) = m;
  kkt.topRightCorner(n, p) = -g;
  kkt.bottomLeftCorner(p, n) = g.transpose();
  Vector right(n + p);
  right << force, -b;
  return Eigen::CompleteOrthogonalDecomposition<Dense>(kkt).solve(right).head(n);
}

TEST(FclibFile, EliminatesVelocitiesOfGlobalProblems) {
  const TemporaryFolder folder;
  // two parts of M, one of which G links to a third
  Dense m = Dense::Zero(14, 14);
  m.block(0, 0, 6, 6) = random_mass(6);
  m.block(6, 6, 5, 5) = random_mass(5);
  m.block(11, 11, 3, 3) = random_mass(3);
  Dense h = random_matrix(14, 9);
  h.block(0, 0, 6, 3).setZero();
  const Vector f = Vector::Random(14), w = Vector::Random(9), r = Vector::Random(9);
  for (const int constraints : {0, 2, 3}) {  // the third repeats the others
    Dense g = Dense::Zero(14, constraints);
    if (constraints > 0) g.block(6, 0, 8, 2) = random_matrix(8, 2);
    if (constraints == 3) g.col(2) = g.col(0) - 2 * g.col(1);
    const Vector b = g.transpose() * Vector::Random(14);
    const Vector expected = h.transpose() * solve_kkt(m, g, h * r + f, b) + w;
    for (const Kind kind : kinds) {
      for (const bool has_both : {true, false}) {
        Datasets d;
        d.add("/fclib_global/spacedim", 3);
        d.add("/fclib_global/M", has_both ? m : Dense(m.triangularView<Eigen::Upper>()), kind);
        d.add("/fclib_global/H", h, kind);
        if (constraints > 0) d.add("/fclib_global/G", g, kind);
        if (constraints > 0) d.add("/fclib_global/vectors/b", b);
        d.add("/fclib_global/vectors/f", f);
        d.add("/fclib_global/vectors/w", w);
        d.add("/fclib_global/vectors/mu", Vector::Constant(3, 0.4));
        const FrictionProblem p = load_fclib(d.write(folder)).problem;
        EXPECT_LT((velocity_of(p, r) - expected).norm(), 1e-10) << constraints << " constraints";
      }
    }
  }
}

TEST(FclibFile, EliminatesMultipliersOfMixedProblems) {
  const TemporaryFolder folder;
  const Dense w = random_mass(6), v = random_matrix(6, 2), r = -random_mass(2);
  const Vector q = Vector::Random(6), s = Vector::Random(2), impulse = Vector::Random(6);
  Datasets d = local_problem(w, q);
  d.add("/fclib_local/V", v, Kind::columns);
  d.add("/fclib_local/R", r, Kind::columns);
  d.add("/fclib_local/vectors/s", s);
  const Vector multiplier = r.inverse() * (-v.transpose() * impulse - s);
  const FrictionProblem p = load_fclib(d.write(folder)).problem;
  EXPECT_LT((velocity_of(p, impulse) - (w * impulse + v * multiplier + q)).norm(), 1e-12);
}

TEST(FclibFile, PlaneProblemsSlideAlongTheirOneTangent) {
  const TemporaryFolder folder;
  Datasets d;
  d.add("/fclib_local/spacedim", 2);
  d.add("/fclib_local/W", Dense(Vector({{1.0, 3.0}}).asDiagonal()), Kind::columns);
  d.add("/fclib_local/vectors/q", Vector({{-0.1, 0.3}}));
  d.add("/fclib_local/vectors/mu", Vector({{0.2}}));
  d.add("/solution/r", Vector({{0.1, -0.02}}));
  const FrictionFile file = load_fclib(d.write(folder));
  EXPECT_EQ(file.stored_impulse[0], (Vec3{-0.02, 0, 0.1}));
  EXPECT_EQ(file.problem.mobility(0).x, 2);
  EXPECT_LT(certify(file.problem, RigidModel::ncp, file.stored_impulse).natural_error, 1e-15);
}

TEST(FclibFile, KeepsWhatItWrote) {
  const TemporaryFolder folder;
  std::mt19937 random(5);
  FrictionProblem p = make_friction_problem(random, {.mass_spread = 2});
  p.time_step = 0.01;
  std::vector<Vec3> impulse(p.contacts());
  for (Vec3& g : impulse) g = {0.1 * static_cast<double>(random() % 7), 1.0 / 3, 2};
  save_fclib(folder / "a.hdf5", p, impulse);
  const FrictionFile file = load_friction_file(folder / "a.hdf5");
  EXPECT_EQ(file.problem.delassus.column, p.delassus.column);
  for (std::size_t k = 0; k < p.delassus.block.size(); ++k) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(file.problem.delassus.block[k].col[c], p.delassus.block[k].col[c]);
    }
  }
  EXPECT_EQ(file.problem.velocity, p.velocity);
  EXPECT_EQ(file.problem.friction, p.friction);
  EXPECT_EQ(file.problem.time_step, p.time_step);
  EXPECT_EQ(file.stored_impulse, impulse);
  save_fclib(folder / "b.hdf5", file.problem, file.stored_impulse);
  EXPECT_EQ(read_bytes(folder / "a.hdf5"), read_bytes(folder / "b.hdf5"));
  const Hdf5Reader raw(folder / "a.hdf5");
  const std::vector<double> u = raw.numbers("/solution/u"), r = raw.numbers("/solution/r");
  const Vector expected = velocity_of(p, Eigen::Map<const Vector>(r.data(), std::ssize(r)));
  EXPECT_LT((Eigen::Map<const Vector>(u.data(), std::ssize(u)) - expected).norm(), 1e-12);
}

TEST(FclibFile, RefusesToWriteScalarConstraints) {
  const TemporaryFolder folder;
  FrictionProblem p = box_on_ground(0.1, 0.4, {8, 0, 0}, 0.01);
  p.bounds.resize(1);
  EXPECT_EQ(failure_of([&] { save_fclib(folder / "p.hdf5", p); }),
            "FCLIB has no scalar constraints, and the problem has some");
  EXPECT_TRUE(!std::filesystem::exists(folder / "p.hdf5"));
}

TEST(FclibFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const Dense w = Dense::Identity(6, 6);
  const auto failure = [&](const std::function<void(Datasets&)>& change,
                           Kind kind = Kind::columns) {
    Datasets d = local_problem(w, Vector::Ones(6), kind);
    change(d);
    const std::string path = d.write(folder);
    return folder.relative(failure_of([&] { load_friction_file(path); }));
  };
  EXPECT_EQ(failure([](Datasets&) {}), "");
  EXPECT_EQ(failure([](Datasets& d) { d.integers["/fclib_local/spacedim"] = {4}; }),
            "p.hdf5: dataset '/fclib_local/spacedim': is 4, must be 2 or 3");
  EXPECT_EQ(failure([](Datasets& d) { d.integers.erase("/fclib_local/W/nz"); }),
            "p.hdf5: dataset '/fclib_local/W/nz': is missing");
  EXPECT_EQ(failure([](Datasets& d) { d.integers["/fclib_local/W/nz"] = {-3}; }),
            "p.hdf5: dataset '/fclib_local/W/nz': is -3, must be -1 (compressed columns), -2 "
            "(compressed rows) or the number of entries");
  EXPECT_EQ(failure([](Datasets& d) { d.integers["/fclib_local/W/m"] = {-1}; }),
            "p.hdf5: dataset '/fclib_local/W/m': is -1, must be 0 to 2147483644");
  EXPECT_EQ(failure([](Datasets& d) { d.integers["/fclib_local/W/n"] = {5}; }),
            "p.hdf5: dataset '/fclib_local/W/p': has 7 numbers, must have 6");
  EXPECT_EQ(failure([](Datasets& d) { d.integers["/fclib_local/W/p"][2] = 5; }),
            "p.hdf5: dataset '/fclib_local/W/p': entry 3 is 3, must not be below 5");
  EXPECT_EQ(failure([](Datasets& d) { d.integers["/fclib_local/W/p"][6] = 60; }),
            "p.hdf5: dataset '/fclib_local/W/i': has 6 numbers, '/fclib_local/W/p' needs 60");
  EXPECT_EQ(failure([](Datasets& d) { d.integers["/fclib_local/W/i"][4] = 6; }),
            "p.hdf5: dataset '/fclib_local/W/i': entry 4 is 6, must be 0 to 5");
  EXPECT_EQ(failure([](Datasets& d) { d.integers["/fclib_local/W/p"][1] = -2; }, Kind::triplets),
            "p.hdf5: dataset '/fclib_local/W/p': entry 1 is -2, must be 0 to 5");
  EXPECT_EQ(failure([](Datasets& d) { d.numbers["/fclib_local/W/x"].pop_back(); }),
            "p.hdf5: dataset '/fclib_local/W/x': has 5 numbers, must have 6");
  EXPECT_EQ(failure([](Datasets& d) { d.numbers["/fclib_local/vectors/q"][1] = HUGE_VAL; }),
            "p.hdf5: dataset '/fclib_local/vectors/q': entry 1 is inf, must be finite");
  EXPECT_EQ(failure([](Datasets& d) { d.numbers["/fclib_local/vectors/mu"][1] = -0.1; }),
            "p.hdf5: contact 1: friction = -0.1, must not be negative");
  EXPECT_EQ(failure([](Datasets& d) { d.numbers["/fclib_local/vectors/mu"] = {1}; }),
            "p.hdf5: dataset '/fclib_local/vectors/mu': has 1 numbers, must have 2");
  EXPECT_EQ(failure([](Datasets& d) {
              d.numbers["/fclib_local/W/m"] = {6}, d.integers.erase("/fclib_local/W/m");
            }),
            "p.hdf5: dataset '/fclib_local/W/m': must hold integers");
  EXPECT_EQ(failure([](Datasets& d) { d = {}, d.add("/other", 1); }),
            "p.hdf5: has neither a group 'fclib_local' nor 'fclib_global': is no problem of FCLIB");
}

TEST(FclibFile, SaysWhichGlobalProblemsHaveNoLocalForm) {
  const TemporaryFolder folder;
  const auto failure = [&](const Dense& m, const Dense& g, const Vector& b) {
    Datasets d;
    d.add("/fclib_global/spacedim", 3);
    d.add("/fclib_global/M", m, Kind::columns);
    d.add("/fclib_global/H", Dense::Identity(6, 6), Kind::columns);
    d.add("/fclib_global/G", g, Kind::columns);
    for (const char* name : {"f", "w"}) {
      d.add(std::string("/fclib_global/vectors/") + name, Vector::Ones(6));
    }
    d.add("/fclib_global/vectors/b", b);
    d.add("/fclib_global/vectors/mu", Vector::Ones(2));
    return folder.relative(failure_of([&, path = d.write(folder)] { load_fclib(path); }));
  };
  Dense m = random_mass(6), g = Dense::Zero(6, 2);
  g(0, 0) = 1, g(0, 1) = 2;  // v_0 = -b_0 = -b_1 / 2
  EXPECT_EQ(failure(m, g, Vector({{1.0, 2.0}})), "");
  EXPECT_EQ(failure(m, g, Vector({{1.0, 3.0}})),
            "p.hdf5: group '/fclib_global': G: its constraints contradict each other");
  EXPECT_EQ(failure(-m, g, Vector({{1.0, 2.0}})),
            "p.hdf5: group '/fclib_global': M: must be positive definite");
  m(0, 1) += 1;
  EXPECT_EQ(failure(m, g, Vector({{1.0, 2.0}})),
            "p.hdf5: group '/fclib_global': M: must be symmetric");
}

}  // namespace
}  // namespace abut
