#include "abut/problem/certify_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut::judging {

const JudgeKernels& judge_kernels() {
  return ABUT_ACTIVE_TABLE(judge_table);
}

}  // namespace abut::judging
