#include "abut/linalg/kernel_functions.hpp"

namespace abut::ABUT_ISA {

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const LinalgKernels linalg_table = {factor,
                                              update_columns,
                                              update_panel,
                                              add_apart,
                                              factor_pivots,
                                              factor_rows,
                                              solve_forward,
                                              solve_backward,
                                              solve_inside,
                                              solve_outside,
                                              use_up,
                                              order_by_bits,
                                              invert_factor,
                                              add_inverse_times,
                                              solve_definite,
                                              multiply_by_factor,
                                              multiply_rows,
                                              multiply_by_transpose,
                                              relative_mobility,
                                              multiply_by_runs,
                                              multiply_symmetric,
                                              copy_lower,
                                              copy_symmetric,
                                              point_mobilities,
                                              be_rigid_bodies,
                                              pair_mobilities,
                                              factor_lu,
                                              solve_lu,
                                              append_to_qr,
                                              remove_from_qr,
                                              solve_qr,
                                              add_columns};

}  // namespace abut::ABUT_ISA
