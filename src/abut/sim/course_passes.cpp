// Guesses from courses, six dofs at a time; the same bits for every instruction set.

#include "abut/linalg/simd.hpp"

#include "abut/sim/course_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

static_assert(Course::width == 6);

ABUT_INLINE Pack abs(const Pack& a) {
  return max(a, -a);
}

void predict(const Course& c, int dofs, double dt, double* velocity) {
  const double t = c.since + dt;
  const double t2 = t * (t + c.spans[0]);
  const double t3 = t2 * (t + c.spans[0] + c.spans[1]);
  const double t4 = t3 * (t + c.spans[0] + c.spans[1] + c.spans[2]);
  const Pack zero = 0.0, two = 2.0, mean = load6(c.mean);
  const Pack first = Pack(t) * mean, second = Pack(t2) * load6(c.second);
  const Pack third = Pack(t3) * load6(c.third), fourth = Pack(t4) * load6(c.fourth);
  const PackMask goes_on = two * abs(third) < abs(second);
  const Pack last = select(goes_on, third, second), next = select(goes_on, fourth, third);
  const Pack sum = first + second + select(goes_on, third, zero);
  // What is not added as it is: alternating terms are taken for a geometric series, as of a motion
  // that dies away; of others one more is added if it is the smaller one, else the last one is
  // taken back.
  const Pack product = last * next;
  const Pack all_others = product / (last - next);
  const Pack one_more = select(abs(next) < abs(last), next, -last);
  const Pack rest = select(product < zero, all_others, one_more);
  const Pack place = sum + select(two * abs(next) < abs(last), next, rest);
  // what comes to rest seldom turns back
  const Pack ahead = select(place * mean < zero, zero, place);
  store_first(velocity, (ahead - load6(c.moved)) * Pack(1 / dt), dofs);
}

/// Where it has come to since the last node.
ABUT_INLINE Pack moved_on(const Course& c, const double* velocity, int dofs, double dt) {
  return load6(c.moved) + Pack(dt) * load_first(velocity, dofs);
}

void go_on(Course& c, const double* velocity, int dofs, double dt) {
  store6(c.moved, moved_on(c, velocity, dofs, dt));
  c.since += dt;
}

void go_to_node(Course& c, const double* velocity, int dofs, double dt) {
  const double since = c.since + dt;
  const double per1 = 1 / since;
  const double per2 = 1 / (since + c.spans[0]);
  const double per3 = 1 / (since + c.spans[0] + c.spans[1]);
  const double per4 = 1 / (since + c.spans[0] + c.spans[1] + c.spans[2]);
  const Pack mean = moved_on(c, velocity, dofs, dt) * Pack(per1);
  const Pack second = (mean - load6(c.mean)) * Pack(per2);
  const Pack third = (second - load6(c.second)) * Pack(per3);
  store6(c.fourth, (third - load6(c.third)) * Pack(per4));
  store6(c.third, third);
  store6(c.second, second);
  store6(c.mean, mean);
  store6(c.moved, Pack(0));
  c.spans[2] = c.spans[1];
  c.spans[1] = c.spans[0];
  c.spans[0] = since;
  c.since = 0;
}

}  // namespace

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const CourseKernels course_table = {predict, go_on, go_to_node};

}  // namespace abut::ABUT_ISA
