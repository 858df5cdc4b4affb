#include "abut/problem/certify_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut::judging {

const JudgeKernels& judge_kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(judge_table));
  return table.get();
}

}  // namespace abut::judging
