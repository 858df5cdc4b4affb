#include "abut/solvers/primal/contact_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const ContactKernels& contact_kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(contact_table));
  return table.get();
}

}  // namespace abut
