#include "abut/solvers/primal/contact_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const ContactKernels& contact_kernels() {
  return ABUT_ACTIVE_TABLE(contact_table);
}

}  // namespace abut
