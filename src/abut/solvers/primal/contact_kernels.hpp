#pragma once

// The loops over contacts that are compiled once per instruction set, and their data: one island's
// contacts in structure-of-arrays form but for their moments, eight at a time. Vectors are in world
// axes.

#include <cstdint>
#include <optional>

#include "abut/laws/law_kind.hpp"
#include "abut/linalg/block_symbolic.hpp"

namespace abut {

struct ForceTable;

/// Of a contact, a patch or a body: the columns of K, B = [r] K and C = B [r]^T, of four numbers
/// each, the fourth zero.
constexpr std::int32_t moment_size = 36;

/// One row of eight-aligned doubles per field, `stride` apart; `arms` and `moments` are as many
/// rows as one block.
enum class ContactField : std::int32_t {
  // constants of the step
  normal_x,
  normal_y,
  normal_z,  ///< n
  arms,      ///< points relative to their patches' first bodies [m]: four numbers, the fourth zero
  mu = arms + 4,
  v_hat,
  linear,
  quadratic,
  offset,
  per_speed,       ///< NormalStep; SAP: v_hat, 1/R_n, 1/R_s
  law,             ///< number of its NormalLawKind
  tangential,      ///< SAP: 1/R_t; Anchored: h^2 k_t
  slip_tolerance,  ///< eps
  lagged,          ///< gamma_n0
  anchor_x,
  anchor_y,
  anchor_z,  ///< Anchored: h T0
  // the iterate and what follows from it
  velocity_x,
  velocity_y,
  velocity_z,  ///< v_c
  direction_x,
  direction_y,
  direction_z,  ///< J dv
  impulse_x,
  impulse_y,
  impulse_z,  ///< gamma
  dual_x,
  dual_y,
  dual_z,       ///< w, the dual direction of friction, |w| <= 1
  dual_normal,  ///< the dual normal impulse
  // Hessian, symmetric 3x3, and its moments about the patch's first body, r the arm
  k_xx,
  k_yx,
  k_zx,
  k_yy,
  k_zy,
  k_zz,
  moments,  ///< moment_size numbers, contact after contact
  count = moments + moment_size
};

/// The normal laws of an island's contacts.
struct LawMix {
  std::optional<NormalLawKind> only;  ///< that of all of them
  bool is_pointwise;                  ///< some law is not evaluated in packs

  explicit LawMix(NormalLawKind law) : only(law), is_pointwise(traits(law).is_pointwise) {}

  void add(NormalLawKind law) {
    if (only != law) only.reset();
    is_pointwise = is_pointwise || traits(law).is_pointwise;
  }
};

struct ContactArrays {
  double* data = nullptr;
  std::int64_t stride = 0;  ///< doubles per field, a multiple of 8; surplus contacts are inert
  const ForceTable* const* tables = nullptr;  ///< by contact, where some law looks up
  double time_step = 0;                       ///< h [s]

  double* operator[](ContactField f) const { return data + static_cast<int>(f) * stride; }
};

/// Contacts of two bodies, or of one with the world. Offsets are those of the bodies' twists, 8
/// doubles each (linear; angular; padding), -1 for the world; the first body is the one that arms
/// refer to.
struct BodyPatch {
  std::int32_t begin = 0, end = 0;
  std::int32_t first = 0;    ///< offset of its twist
  std::int32_t second = -1;  ///< or -1: a patch with the world
  double sign = 1;           ///< of the first body in v_c: +1 as B (with the world), -1 as A
  double shift[3] = {};      ///< center of the first minus center of the second body [m]
  /// Where its block (first, second) of the Hessian in the bodies' twists goes: of two rigid bodies
  /// into the factor's values, else among the couplings.
  std::int64_t slot = -1;
  std::int32_t leading = 0;
  bool transposed = false;
  bool is_coupling = false;
};

/// What a node of the pattern gives to the twist of a body on which contacts act: J x with the
/// node's part of x. Where all of them act at the body's center, the velocity there is all that
/// counts: the first three rows.
struct LinkedBody {
  std::int32_t rows = 6;              ///< 6 or 3
  std::int32_t offset = 0;            ///< of the node's velocities
  std::int32_t size = 0, padded = 0;  ///< the node's dofs, and rounded up to 8
  std::int64_t first_element = 0;     ///< of its padded rows among the Jacobians
  /// Packs of eight of the node's dofs that move it, one bit each; those from the 64th on always
  /// count: of a mechanism a body moves with few of the joints.
  std::uint64_t packs = ~std::uint64_t{0};
};

/// The Jacobians of an island's contacts, three rows each; on a 64-byte boundary.
struct ContactRows {
  const double* jacobian = nullptr;
  std::int32_t contacts = 0;
  std::int32_t size = 0, padded = 0;  ///< of a row, and rounded up to 8
};

/// The rigid bodies of an island, 8 doubles each per vector; the vectors are those of the whole
/// island.
struct RigidBodies {
  std::int32_t count = 0;
  const double* inertia = nullptr;        ///< 4 packs a body: (m, m, m, 0...), columns of (0; I_W)
  const double* scale2 = nullptr;         ///< D^2 = 1/diag(A), 0 in the padding
  const double* free_velocity = nullptr;  ///< v*
  const double* free_momentum = nullptr;  ///< A v*
};

/// Where a rigid body of an island comes from: I_W by columns, v0 and v*, in a problem.
struct RigidSource {
  double mass;
  const double *inertia, *velocity, *free_velocity;
};

/// Where what RigidBodies shows is written, and of each body |D A (v* - v0)|^2.
struct RigidRoom {
  double *inertia, *scale2, *free_velocity, *free_momentum, *change;
};

/// Sums of squares that the stopping test needs, and the energy of v - v*.
struct BodySums {
  double energy = 0;    ///< |v - v*|_A^2 / 2 [J]
  double error = 0;     ///< |D (A (v - v*) - J^T gamma)|^2
  double momentum = 0;  ///< |D A v|^2
  double impulse = 0;   ///< |D J^T gamma|^2

  BodySums& operator+=(const BodySums& s) {
    energy += s.energy, error += s.error, momentum += s.momentum, impulse += s.impulse;
    return *this;
  }
};

/// Along a step dv.
struct StepSums {
  double slope = 0;      ///< dv . gradient
  double linear = 0;     ///< dv . A (v - v*)
  double quadratic = 0;  ///< dv . A dv

  StepSums& operator+=(const StepSums& s) {
    slope += s.slope, linear += s.linear, quadratic += s.quadratic;
    return *this;
  }
};

/// What an evaluation at v_c + alpha J dv adds up.
struct ContactSums {
  double potential = 0;     ///< sum of l [J]
  double impulse_work = 0;  ///< sum of gamma . J dv [J]
  double curvature = 0;     ///< sum of (J dv)^T hess l (J dv) [J]

  friend ContactSums operator+(const ContactSums& a, const ContactSums& b) {
    return {a.potential + b.potential, a.impulse_work + b.impulse_work, a.curvature + b.curvature};
  }
};

/// What sweeps over contacts need besides, a row as long as a field each.
struct SweepArrays {
  const double *normal_mobility = nullptr, *tangential_mobility = nullptr;  ///< [1/kg]
  const double* shares = nullptr;                                           ///< that multiply them
  const double* slip_tolerance_slope = nullptr;                             ///< LonePoint's
  const double* weight = nullptr;                                           ///< w
  double stiction_tolerance = 0;
  bool own_limit = false;
};

/// Of a sweep from gamma to gamma': sums of w |.|^2.
struct SweepSums {
  double changed = 0;  ///< |gamma' - gamma|^2
  double size = 0;     ///< |gamma'|^2
};

struct HessianOptions {
  bool primal_dual_friction = false;
  bool dual_normal = false;
};

/// The functions of one model.
struct ModelKernels {
  /// gamma at v_c, and its potential [J].
  double (*evaluate_here)(const ContactArrays&);

  /// gamma at v_c + alpha J dv, and its sums but for the curvature.
  ContactSums (*evaluate)(const ContactArrays&, double alpha);

  /// Work and curvature of gamma at v_c + alpha J dv, nothing written.
  ContactSums (*line)(const ContactArrays&, double alpha);

  /// K = hess l at v_c, or its primal-dual form.
  void (*hessian)(const ContactArrays&, HessianOptions);

  /// Dual variables after the step alpha, then v_c += alpha J dv.
  void (*advance)(const ContactArrays&, double alpha, HessianOptions);

  /// Solves every contact alone, from gamma and the velocities that all gamma give (in the fields
  /// of the direction): both become its answer, velocity and gamma; dual_normal the latter's normal
  /// part.
  SweepSums (*solve_alone)(const ContactArrays&, const SweepArrays&);
};

/// Of a model that takes any normal law.
struct LawKernels {
  ModelKernels by_law[3];  ///< those evaluated in packs, which are the first of NormalLawKind
  ModelKernels mixed;      ///< for contacts of different ones of these
  ModelKernels pointwise;  ///< for contacts of any laws
};

struct ContactKernels {
  ModelKernels sap;
  LawKernels lagged, similar, anchored;

  /// J x of all patches, to the fields x, y, z from `first_field` on, with the bodies' twists x.
  void (*velocities)(const ContactArrays&, const BodyPatch*, int count, const double* x,
                     ContactField first_field);

  /// y += J^T gamma, loads in the layout of twists.
  void (*impulses)(const ContactArrays&, const BodyPatch*, int count, double* y);

  /// The last eight become contacts that never touch anything, but for the Hessian. Before arms are
  /// set: some of these are lost.
  void (*make_inert)(const ContactArrays&);

  /// What the laws have under SAP: v_hat = -gap/(h + tau_d), 1/R_n, 1/R_s and 1/R_t, of gap, tau_d,
  /// R_n and R_t in the fields of v_hat, per_speed, linear and tangential.
  void (*load_sap)(const ContactArrays&, double time_step);

  /// The dual variables that belong to the impulses in the fields of the dual: w = -gamma_t /
  /// (mu gamma_n), at most 1 long, and gamma_n; of contacts that have none there 0 and the normal
  /// part of the impulses at v_c.
  void (*start_duals)(const ContactArrays&);

  /// v_c and the velocities in the fields of the direction d: d from these to v_c, v_c these.
  void (*change_places)(const ContactArrays&);

  /// v_c += d, gamma -= K d.
  void (*extend_linearly)(const ContactArrays&);

  /// gamma goes on by `ahead` of its way from `before`, which becomes what it was.
  void (*extrapolate)(const ContactArrays&, double ahead, double* before);

  /// Of each contact K again and its moments, B = [r] K and C = B [r]^T.
  void (*moments)(const ContactArrays&);

  /// Sums K, B and C over each patch, adds them to the bodies' sums (each about its own center,
  /// moment_size numbers at offset / 8) and writes the off-diagonal blocks.
  void (*assemble)(const ContactArrays&, const BodyPatch*, int count, double* body_sums,
                   double* values, double* couplings);

  /// All of RigidRoom for bodies from there; zeros in the padding.
  void (*gather_bodies)(const RigidSource*, std::int32_t count, const RigidRoom&);

  /// x = rest + A^-1 y of rigid bodies, A^-1 in the layout of RigidBodies::inertia.
  void (*move_bodies)(std::int32_t count, const double* inverse_inertia, const double* rest,
                      const double* y, double* x);

  /// momentum = A (v - v*), gradient = momentum - impulse, for the bodies' part of the vectors.
  BodySums (*residual)(const RigidBodies&, const double* v, const double* impulse, double* momentum,
                       double* gradient);
  StepSums (*step_terms)(const RigidBodies&, const double* step, const double* momentum,
                         const double* gradient);

  /// The same of other trees, [begin, end) of the vectors, with A (v - v*) as momentum and A dv as
  /// product at hand. |D p|^2 of any momentum p.
  BodySums (*part_residual)(const RigidBodies&, std::int32_t begin, std::int32_t end,
                            const double* v, const double* impulse, const double* momentum,
                            double* gradient);
  StepSums (*part_step_terms)(std::int32_t begin, std::int32_t end, const double* step,
                              const double* momentum, const double* gradient,
                              const double* product);
  double (*scaled_square)(const RigidBodies&, std::int32_t begin, std::int32_t end,
                          const double* momentum);

  /// Writes A plus the contacts' sums to the lower triangles of the bodies' diagonal blocks.
  void (*write_diagonals)(const RigidBodies&, const double* body_sums, const BlockSlot* slots,
                          double* values);

  // Linked bodies, vectors and Jacobians on a 64-byte boundary: twists = J x, 8 doubles each;
  // y += J^T loads.
  void (*linked_twists)(const LinkedBody*, int count, const double* jacobians, const double* x,
                        double* twists);
  void (*linked_loads)(const LinkedBody*, int count, const double* jacobians, const double* loads,
                       double* y);

  /// to += J_rows^T M J_columns, M 6 x 6 column-major; only its lower triangle if `lower`. `work`
  /// has room for six padded rows of the columns. Whole packs of rows are written: beyond a block's
  /// rows zero is added.
  void (*add_linked)(const LinkedBody& rows, const LinkedBody& columns, const double* jacobians,
                     const double* m, bool lower, double* work, double* to, std::int64_t leading);

  // Contacts by rows of their own, fields `stride` apart: J x; y += J^T gamma; to += J^T K J, its
  // lower triangle by columns, K as six fields; as add_linked() has blocks. `work`: three rows.
  void (*row_velocities)(const ContactRows&, const double* x, double* out, std::int64_t stride);
  void (*row_loads)(const ContactRows&, const double* gamma, std::int64_t stride, double* y);
  void (*row_hessian)(const ContactRows&, const double* k, std::int64_t stride, double* work,
                      double* to, std::int64_t leading);

  const ModelKernels& model(ContactModel m, const LawMix& laws) const {
    const auto choose = [&](const LawKernels& kernels) -> const ModelKernels& {
      if (laws.is_pointwise) return kernels.pointwise;
      return laws.only ? kernels.by_law[static_cast<int>(*laws.only)] : kernels.mixed;
    };
    switch (m) {
      case ContactModel::sap:
      case ContactModel::ncp:
      case ContactModel::ccp:
      case ContactModel::lcp:
      case ContactModel::raisim: break;  // rigid models are not solved by these
      case ContactModel::lagged: return choose(lagged);
      case ContactModel::similar: return choose(similar);
      case ContactModel::anchored: return choose(anchored);
    }
    return sap;
  }
};

/// The table for active_isa().
const ContactKernels& contact_kernels();

namespace isa_baseline {
extern const ContactKernels contact_table;
}
namespace isa_avx2 {
extern const ContactKernels contact_table;
}
namespace isa_avx512 {
extern const ContactKernels contact_table;
}

}  // namespace abut
