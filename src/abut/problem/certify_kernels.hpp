#pragma once

// The judge's loops that are compiled once per instruction set, and their data.

#include <cstddef>

namespace abut::judging {

/// Where one side of a patch is and how it moves: three numbers each, zeros of the world.
struct SapSide {
  const double* center = nullptr;                      ///< [m]
  const double *linear = nullptr, *angular = nullptr;  ///< [m/s, rad/s]
};

/// Contacts [begin, end) of a block, between the same two sides.
struct SapPatch {
  SapSide a, b;
  int begin = 0, end = 0;
  int row_a = 0, row_b = 0;  ///< of SapTrees: where loads on the sides are summed
  int row = 0;               ///< and the rest
};

/// Contacts of SAP with the same friction in all directions: of each array so many.
struct SapContacts {
  int count = 0;
  double time_step = 0;                            ///< [s]
  const double *point, *normal, *bias, *impulse;   ///< three of each contact; the answer's
  const double *gap, *friction, *relaxation_time;  ///< [m], mu, [s]
  const double* mobility;                          ///< w [1/kg]
  const double *normal_regularization, *tangential_regularization;  ///< [1/kg]
};

/// What the contacts of a patch come to.
struct SapVerdict {
  double force[4];                  ///< sum of the law's impulses on B [N s]
  double moment_a[4], moment_b[4];  ///< of these about the sides' centers [N m s]
  /// Sums: w |law's - answer's|^2, w |law's|^2, |sap_slack()|.
  double mismatch, gross, slack, unused;
  /// Largest: NcpErrors, and the stiffness as raise_by_stiffness() has it.
  double primal, dual, complementarity, stiffness;
  bool is_linked;  ///< some law's impulse is not zero
};

/// What the patches at a tree come to, of SapVerdicts: the loads if it is a rigid body, the others
/// of the patches whose B it is.
struct alignas(64) SapTree {
  double force[4], moment[4];
  double mismatch, gross, slack, unused;
  double primal, dual, complementarity, stiffness;
};

/// Room that judge_sap() needs for so many contacts, on a 64-byte boundary.
constexpr std::size_t sap_work(std::size_t contacts) {
  return 16 * ((contacts + 7) / 8 * 8);
}

/// A tree with a dense mass matrix A (row-major, both triangles are read), and how it moves.
struct DenseTree {
  int size = 0;
  const double* matrix = nullptr;
  const double *velocity = nullptr, *free_velocity = nullptr, *before = nullptr;  ///< v, v*, v0
  const double* impulse = nullptr;  ///< j = J^T gamma of the law
};

/// A rigid body, likewise.
struct RigidTree {
  double mass = 0;
  const double* inertia = nullptr;  ///< three columns of three
  const double *velocity = nullptr, *free_velocity = nullptr, *before = nullptr;
  const double* impulse = nullptr;
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
  void (*judge_sap)(const SapContacts& contacts, const SapPatch* patches, int count, double* work,
                    SapVerdict* verdicts);
  /// Adds the verdicts of patches to their rows, one after the other.
  void (*add_verdicts)(const SapPatch* patches, int count, const SapVerdict* verdicts,
                       SapTree* rows);
  MomentumSquares (*weigh_tree)(const DenseTree& tree, double* work);
  void (*weigh_rigid_bodies)(const RigidTree* trees, int count, MomentumSquares* sums);
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
