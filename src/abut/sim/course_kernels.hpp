#pragma once

// The arithmetic of courses, which is compiled once per instruction set.

#include "abut/sim/course.hpp"

namespace abut {

struct CourseKernels {
  /// The velocities of a step of `dt` [s] to where the polynomials lead, as long as their terms get
  /// smaller, but not back; of its `dofs`, 1 to 6.
  void (*predict)(const Course& course, int dofs, double dt, double* velocity);
  /// After a step of `dt` [s] with the velocities of its `dofs`, 1 to 6.
  void (*go_on)(Course& course, const double* velocity, int dofs, double dt);
  /// The same, and the place it comes to is the last node then.
  void (*go_to_node)(Course& course, const double* velocity, int dofs, double dt);
};

/// The table for active_isa().
const CourseKernels& course_kernels();

namespace isa_baseline {
extern const CourseKernels course_table;
}
namespace isa_avx2 {
extern const CourseKernels course_table;
}
namespace isa_avx512 {
extern const CourseKernels course_table;
}

}  // namespace abut
