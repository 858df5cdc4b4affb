// A solver allocates nothing for problems that it has solved before.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "abut/solvers/dual/friction_solver.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

/// Easy and hard ones, with scalar constraints or without, a lone contact; of one island or many.
std::vector<FrictionProblem> problems() {
  std::mt19937 random(61);
  std::vector<FrictionProblem> all{box_on_ground(0.1, 0.5, {1, 0, 0}, 0.01)};
  for (const double spread : {0.0, 2.0}) {
    for (const int scalars : {0, 12}) {
      for (int k = 0; k < 10; ++k) {
        all.push_back(make_friction_problem(random, {.most_contacts = 24,
                                                     .mass_spread = spread,
                                                     .rests = k % 2 == 0,
                                                     .most_scalars = scalars,
                                                     .compliance = 1e-3}));
      }
    }
  }
  return all;
}

TEST(FrictionAllocation, NoneForProblemsSolvedBefore) {
  const std::vector<FrictionProblem> all = problems();
  for (const std::string_view name : {"interior-point", "gauss-seidel"}) {
    const auto solver = make_friction_solver(name);
    // whole problems as if of one island; short, as Gauss-Seidel may take long
    std::vector<std::vector<Vec3>> impulse(all.size());
    const auto solve_all = [&] {
      int factorizations = 0;
      for (std::size_t k = 0; k < all.size(); ++k) {
        std::ranges::fill(impulse[k], Vec3{});
        const FrictionOptions options{.tolerance = 1e-9,
                                      .iteration_limit = name == "gauss-seidel" ? 50 : 0};
        factorizations += solver->solve_island(all[k], options, impulse[k]).factorizations;
      }
      return factorizations;
    };
    for (std::size_t k = 0; k < all.size(); ++k) impulse[k].resize(all[k].velocity.size());
    for (int k = 0; k < 3; ++k) solve_all();
    const std::uint64_t before = allocation_count();
    const int factorizations = solve_all();
    EXPECT_EQ(allocation_count() - before, 0u) << name;
    EXPECT_EQ(factorizations > 100, name == "interior-point") << "hard ones among them";
  }
}

TEST(FrictionAllocation, OfManyIslandsOnlyTheCertificate) {
  for (const FrictionProblem& p : problems()) {
    const auto solver = make_friction_solver("interior-point");
    std::vector<Vec3> x;
    solver->solve(p, {}, x);
    std::uint64_t before = allocation_count();
    certify(p, RigidModel::ncp, x);
    const std::uint64_t of_certificate = allocation_count() - before;
    before = allocation_count();
    solver->solve(p, {}, x);
    EXPECT_LE(allocation_count() - before, of_certificate);
  }
}

}  // namespace
}  // namespace abut
