#include "abut/linalg/kernel_functions.hpp"

namespace abut::ABUT_ISA {

const LinalgKernels linalg_table = {factor, solve, order_by_bits};

}  // namespace abut::ABUT_ISA
