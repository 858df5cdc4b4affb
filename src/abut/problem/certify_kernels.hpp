#pragma once

// The judge's loops that are compiled once per instruction set, and their data.

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

struct JudgeKernels {
  /// Writes the verdicts of all contacts of the packs, on a 64-byte boundary.
  void (*judge_sap)(double* contacts, int packs, double time_step);
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
