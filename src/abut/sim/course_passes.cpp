// Guesses from courses, eight dofs at a time; the same bits for every instruction set.

#include "abut/linalg/simd.hpp"

#include "abut/sim/course_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

static_assert(sizeof(Pack) == sizeof(Course::Row));

ABUT_INLINE Pack abs(const Pack& a) {
  return max(a, -a);
}

void predict(const Course& c, double dt, double* velocity) {
  const double t = c.since + dt;
  const double t2 = t * (t + c.spans[0]);
  const double t3 = t2 * (t + c.spans[0] + c.spans[1]);
  const double t4 = t3 * (t + c.spans[0] + c.spans[1] + c.spans[2]);
  const Pack zero = 0.0, two = 2.0, mean = loadu(c.mean);
  const Pack first = Pack(t) * mean, second = Pack(t2) * loadu(c.second);
  const Pack third = Pack(t3) * loadu(c.third), fourth = Pack(t4) * loadu(c.fourth);
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
  storeu(velocity, (ahead - loadu(c.moved)) * Pack(1 / dt));
}

void go_on(Course& c, const double* velocity, int dofs, double dt) {
  storeu(c.moved, loadu(c.moved) + Pack(dt) * load_first(velocity, dofs));
  c.since += dt;
}

void add_node(Course& c) {
  const double per1 = 1 / c.since;
  const double per2 = 1 / (c.since + c.spans[0]);
  const double per3 = 1 / (c.since + c.spans[0] + c.spans[1]);
  const double per4 = 1 / (c.since + c.spans[0] + c.spans[1] + c.spans[2]);
  const Pack mean = loadu(c.moved) * Pack(per1);
  const Pack second = (mean - loadu(c.mean)) * Pack(per2);
  const Pack third = (second - loadu(c.second)) * Pack(per3);
  storeu(c.fourth, (third - loadu(c.third)) * Pack(per4));
  storeu(c.third, third);
  storeu(c.second, second);
  storeu(c.mean, mean);
  storeu(c.moved, 0.0);
  c.spans[2] = c.spans[1];
  c.spans[1] = c.spans[0];
  c.spans[0] = c.since;
  c.since = 0;
}

}  // namespace

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const CourseKernels course_table = {predict, go_on, add_node};

}  // namespace abut::ABUT_ISA
