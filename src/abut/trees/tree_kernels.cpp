#include "abut/trees/tree_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const TreeKernels& tree_kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(tree_table));
  return table.get();
}

}  // namespace abut
