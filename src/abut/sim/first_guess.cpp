#include "abut/sim/first_guess.hpp"

#include <algorithm>

#include "abut/sim/course_kernels.hpp"

namespace abut {
namespace {

constexpr int width = Course::width;
constexpr int least_per_range = 64;

}  // namespace

FirstGuess::FirstGuess(std::span<const std::int32_t> dofs) {
  std::int32_t first = 0;
  for (std::int32_t tree = 0; tree < std::ssize(dofs); ++tree) {
    begin_.push_back(courses());
    for (std::int32_t i = 0; i < dofs[tree]; i += width) {
      parts_.push_back({tree, first + i, std::min(width, dofs[tree] - i)});
    }
    first += dofs[tree];
  }
  begin_.push_back(courses());
}

void FirstGuess::forget(int tree, std::span<Course> all) const {
  std::fill(all.begin() + begin_[tree], all.begin() + begin_[tree + 1], Course{});
}

void FirstGuess::put(std::span<const Course> all, double dt, std::span<const double> last,
                     std::span<double> guess, ThreadPool* pool) const {
  const CourseKernels& kernels = course_kernels();
  for_ranges(pool, courses(), least_per_range, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const auto [tree, first, dofs] = parts_[i];
      if (all[i].is_known == 0) {
        std::copy_n(last.begin() + first, dofs, guess.begin() + first);
      } else {
        kernels.predict(all[i], dofs, dt, guess.data() + first);
      }
    }
  });
}

void FirstGuess::extend(const ContactProblem& problem, const ContactSolution& solution,
                        std::span<Course> all, ThreadPool* pool) const {
  const double dt = problem.time_step;
  const CourseKernels& kernels = course_kernels();
  const auto island_of = solution.partition.island_of_tree();
  const auto extend_one = [&](const Part& part, Course& c) {
    const int island = island_of[part.tree];
    if (island < 0 || solution.islands[island].contacts == 0) {
      if (c.is_known != 0) c = {};
      return;
    }
    if (c.is_known == 0) {
      std::copy_n(problem.velocity.begin() + part.first, part.dofs, c.mean);
      c.is_known = 1;
    }
    const bool is_node = solution.islands[island].iterations > 0;
    const auto go = is_node ? kernels.go_to_node : kernels.go_on;
    go(c, solution.velocity.data() + part.first, part.dofs, dt);
  };
  for_ranges(pool, courses(), least_per_range, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) extend_one(parts_[i], all[i]);
  });
}

}  // namespace abut
