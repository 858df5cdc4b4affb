#include "abut/trees/tree_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const TreeKernels& tree_kernels() {
  return ABUT_ACTIVE_TABLE(tree_table);
}

}  // namespace abut
