#pragma once

#include <span>

#include "abut/linalg/block_symbolic.hpp"
#include "abut/linalg/index_run.hpp"
#include "abut/linalg/lu_structure.hpp"
#include "abut/linalg/qr_view.hpp"

namespace abut {

struct BodyRows;
struct BodyPair;
struct PointMobilities;
struct TwistMobility;
struct Vec3;

/// The symbolic factor as the kernels see it.
struct BlockFactorView {
  const Front* fronts;
  const Strip* strips;
  const FrontUpdate* updates;
  const std::int32_t* targets;
};
inline BlockFactorView view(const BlockSymbolic& s) {
  return {s.fronts.data(), s.strips.data(), s.updates.data(), s.targets.data()};
}

/// The linear algebra that is compiled once per instruction set.
struct LinalgKernels {
  /// Factors a range of fronts in place, after all that update them. `values` holds the matrix in
  /// the slots of the symbolic factor, zero elsewhere; `inverse` receives the inverted pivot
  /// blocks. Returns the index of the first front whose pivot is not positive (what was factored
  /// before it stays), or -1. Unless x is null, it becomes L^-1 x as far as these fronts go.
  int (*factor)(const BlockFactorView&, FrontRange, double* values, double* inverse, double* x,
                const ApartSums&);

  // The same of one front in pieces, which may go to several threads. First all members of a team
  // make all updates of columns, each its own, which leaves nothing apart. Or they make some of the
  // updates, to the panel or apart, of all columns or of a member's; what is apart, which stays, is
  // then added by rows that begin and end at multiples of 8. Then factor_pivots(strip) needs
  // factor_rows() of all earlier strips for the packs of rows that have the strip's pivots; nobody
  // else may be at these columns. factor_rows(strip), by rows as above, needs factor_pivots(strip),
  // and what that needs.
  void (*update_columns)(const BlockFactorView&, const Front&, int member, int members,
                         double* values, double* apart);
  void (*update_panel)(const BlockFactorView&, const Front&, UpdateRange, int member, int members,
                       const double* values, double* panel);
  void (*add_apart)(const BlockFactorView&, const Front&, int begin, int end, double* values,
                    const double* apart);
  bool (*factor_pivots)(const BlockFactorView&, const Front&, int strip, double* values,
                        double* inverse);
  void (*factor_rows)(const BlockFactorView&, const Front&, int strip, int begin, int end,
                      double* values, const double* inverse);

  /// x := L^-1 x, and x := L^-T x, as far as these fronts go. The padding of x is not touched.
  /// `x_apart` is as ApartSums says.
  void (*solve_forward)(const BlockFactorView&, FrontRange, const double* values,
                        const double* inverse, double* x, double* x_apart);
  void (*solve_backward)(const BlockFactorView&, FrontRange, const double* values,
                         const double* inverse, double* x);
  /// solve_forward() in two parts, to the same bits (SharingPlan::outside): what subtrees have
  /// inside of themselves, each of which may be another thread's, and of which nothing is apart;
  /// then, of all fronts, in SharingPlans::order, the rest.
  void (*solve_inside)(const BlockFactorView&, FrontRange subtree, const std::int32_t* outside,
                       const double* values, const double* inverse, double* x);
  void (*solve_outside)(const BlockFactorView&, FrontRange, const std::int32_t* outside,
                        const double* values, const double* inverse, double* x, double* x_apart);
  /// solve_backward(), and clears these fronts' values, whose last use it is, while they are at
  /// hand.
  void (*use_up)(const BlockFactorView&, FrontRange, double* values, const double* inverse,
                 double* x);

  /// Least-fill order of a graph of at most 1023 nodes given as a row of bits per node, which is
  /// used up: node j is in row i if bit j % 64 of word j / 64 is set. `key` is room for a number
  /// per node. Ties go to the node that no elimination has touched for longest, then to the
  /// smallest.
  void (*order_by_bits)(int nodes, std::uint64_t* bits, std::int32_t* key, std::int32_t* order);

  // dense_spd.hpp
  bool (*invert_factor)(int n, const double* matrix, double* factor);
  void (*add_inverse_times)(int n, const double* factor, const double* x, double* y, double* work);
  bool (*solve_definite)(int n, const double* matrix, double* x, double* work);
  void (*multiply_by_factor)(int rows, int n, const double* jacobian,
                             std::span<const IndexRun> runs, const double* factor, double* result);
  void (*multiply_rows)(int rows, int columns, int width, const double* a, const double* b,
                        double* product);
  void (*multiply_by_transpose)(int rows, int width, const double* a, double* product);
  void (*relative_mobility)(int width, const BodyRows& b, const BodyRows& a, const double* d,
                            double* matrix);
  void (*multiply_by_runs)(int n, const double* rows, const double* columns, const IndexRun* runs,
                           const std::int32_t* run_end, double* product);
  void (*multiply_symmetric)(int n, const double* matrix, const double* x, double* y);
  void (*copy_lower)(int n, const double* matrix, double* to, std::ptrdiff_t leading);
  void (*copy_symmetric)(int n, const double* lower, double* matrix);

  // twist_mobility.hpp
  void (*point_mobilities)(int count, const Vec3* points, const Vec3* normals,
                           const TwistMobility* const* sides, int side_count,
                           const PointMobilities& result);
  void (*be_rigid_bodies)(int count, const double* first, std::ptrdiff_t stride,
                          TwistMobility* mobilities);
  void (*pair_mobilities)(int count, const Vec3* points, const Vec3* normals,
                          const TwistMobility* bodies, const BodyPair* pairs,
                          const PointMobilities& result);

  /// Of BlockLu: factors in place; `inverse` receives the inverted diagonal blocks. False if one is
  /// singular or not finite.
  bool (*factor_lu)(const LuFactorView&, double* values, double* inverse);
  /// x := A^-1 x, in the factors' order.
  void (*solve_lu)(const LuFactorView&, const double* values, const double* inverse, double* x);

  /// Of UpdatableQr, for a view of the new size: `column` has that size, `row` one less; both, and
  /// `work`, have room for a whole pack. Returns the number of multiplications and additions.
  std::int64_t (*append_to_qr)(const QrView&, const double* column, const double* row,
                               double* work);
  /// For a view of the old size. The first slot is free afterwards, its row no part of Q^T and R.
  std::int64_t (*remove_from_qr)(const QrView&, int place);
  /// x = A^-1 b, zero in the rest of its last pack; that of b must be.
  void (*solve_qr)(const QrView&, const double* b, double* x);
  /// y += sum of factor[k] times the column of that number of a matrix stored by columns, each with
  /// `rows` numbers, a multiple of 8, `lead` apart.
  void (*add_columns)(int rows, int count, const std::int32_t* column, const double* factor,
                      const double* matrix, std::ptrdiff_t lead, double* y);
};

/// The table for active_isa().
const LinalgKernels& linalg_kernels();

namespace isa_baseline {
extern const LinalgKernels linalg_table;
}
namespace isa_avx2 {
extern const LinalgKernels linalg_table;
}
namespace isa_avx512 {
extern const LinalgKernels linalg_table;
}

}  // namespace abut
