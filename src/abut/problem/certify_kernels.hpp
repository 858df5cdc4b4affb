#pragma once

// The judge's loops that are compiled once per instruction set, and their data.

#include <cstddef>
#include <cstdint>

namespace abut::judging {

/// Of a contact of SAP with the same friction in all directions.
enum class SapField : std::int32_t {
  normal_x,
  normal_y,
  normal_z,  ///< n
  velocity_x,
  velocity_y,
  velocity_z,  ///< v_c [m/s]
  impulse_x,
  impulse_y,
  impulse_z,                  ///< the answer's [N s]
  gap,                        ///< [m]
  friction,                   ///< mu
  horizon,                    ///< h + tau_d [s]
  w,                          ///< [1/kg]
  tangential_regularization,  ///< R_t [1/kg]
  normal_regularization,      ///< R_n [1/kg]
  target,                     ///< v_hat [m/s]
  // the verdict
  law_x,
  law_y,
  law_z,            ///< the law's impulse at v_c [N s]
  mismatch,         ///< w |law's - answer's|^2
  gross,            ///< w |law's|^2
  stiffness,        ///< as raise_by_stiffness() has it
  slack,            ///< |sap_slack()|
  primal,           ///< NcpErrors
  dual,             ///< NcpErrors
  complementarity,  ///< NcpErrors
  count
};

/// Contacts of SAP lie in packs of eight; a pack has field after field.
constexpr int sap_lanes = 8, sap_pack_size = sap_lanes * static_cast<int>(SapField::count);

/// A tree with a dense mass matrix A (row-major, both triangles are read), and how it moves.
struct DenseTree {
  int size = 0;
  const double* matrix = nullptr;
  const double *velocity = nullptr, *free_velocity = nullptr, *before = nullptr;  ///< v, v*, v0
  const double* impulse = nullptr;  ///< j = J^T gamma of the law
};

/// Squares of generalized momenta, each over its diagonal element of A, summed [kg m^2/s^2].
struct MomentumSquares {
  double residual = 0;  ///< of A (v - v*) - j
  double momentum = 0;  ///< of A v
  double impulse = 0;   ///< of j
  double change = 0;    ///< of A (v* - v0)
};

/// What weigh_tree() needs of a tree of that size.
constexpr std::size_t tree_work(std::size_t size) {
  return 4 * ((size + 7) / 8 * 8);
}

struct JudgeKernels {
  /// Writes the verdicts of all contacts of the packs, on a 64-byte boundary.
  void (*judge_sap)(double* contacts, int packs, double time_step);
  MomentumSquares (*weigh_tree)(const DenseTree& tree, double* work);
};

/// The table for active_isa().
const JudgeKernels& judge_kernels();

}  // namespace abut::judging

namespace abut {
namespace isa_baseline {
extern const judging::JudgeKernels judge_table;
}
namespace isa_avx2 {
extern const judging::JudgeKernels judge_table;
}
namespace isa_avx512 {
extern const judging::JudgeKernels judge_table;
}
}  // namespace abut
