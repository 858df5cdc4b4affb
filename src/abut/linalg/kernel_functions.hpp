#pragma once

// The functions behind LinalgKernels, once per instruction set; see there for what they do.

#include "abut/linalg/kernels.hpp"

namespace abut::ABUT_ISA {

int factor(const BlockFactorView& s, FrontRange range, double* values, double* inverse, double* x,
           const ApartSums& apart);
void update_columns(const BlockFactorView& s, const Front& f, int member, int members,
                    double* values, double* apart);
void update_panel(const BlockFactorView& s, const Front& f, UpdateRange range, int member,
                  int members, const double* values, double* panel);
void add_apart(const BlockFactorView& s, const Front& f, int begin, int end, double* values,
               const double* apart);
bool factor_pivots(const BlockFactorView& s, const Front& f, int strip, double* values,
                   double* inverse);
void factor_rows(const BlockFactorView& s, const Front& f, int strip, int begin, int end,
                 double* values, const double* inverse);
void solve_forward(const BlockFactorView& s, FrontRange range, const double* values,
                   const double* inverse, double* x, double* x_apart);
void solve_backward(const BlockFactorView& s, FrontRange range, const double* values,
                    const double* inverse, double* x);
void solve_inside(const BlockFactorView& s, FrontRange range, const std::int32_t* outside,
                  const double* values, const double* inverse, double* x);
void solve_outside(const BlockFactorView& s, FrontRange range, const std::int32_t* outside,
                   const double* values, const double* inverse, double* x, double* x_apart);
void use_up(const BlockFactorView& s, FrontRange range, double* values, const double* inverse,
            double* x);
void order_by_bits(int nodes, std::uint64_t* bits, std::int32_t* key, std::int32_t* order);
bool invert_factor(int n, const double* matrix, double* factor);
void add_inverse_times(int n, const double* factor, const double* x, double* y, double* work);
bool solve_definite(int n, const double* matrix, double* x, double* work);
void multiply_by_factor(int rows, int n, const double* jacobian, std::span<const IndexRun> runs,
                        const double* factor, double* result);
void multiply_rows(int rows, int columns, int width, const double* a, const double* b,
                   double* product);
void multiply_by_transpose(int rows, int width, const double* a, double* product);
void relative_mobility(int width, const BodyRows& b, const BodyRows& a, const double* d,
                       double* matrix);
void multiply_by_runs(int n, const double* rows, const double* columns, const IndexRun* runs,
                      const std::int32_t* run_end, double* product);
void multiply_symmetric(int n, const double* matrix, const double* x, double* y);
void copy_lower(int n, const double* matrix, double* to, std::ptrdiff_t leading);
void copy_symmetric(int n, const double* lower, double* matrix);
void point_mobilities(int count, const Vec3* points, const Vec3* normals,
                      const TwistMobility* const* sides, int side_count,
                      const PointMobilities& result);
void be_rigid_bodies(int count, const double* first, std::ptrdiff_t stride,
                     TwistMobility* mobilities);
void pair_mobilities(int count, const Vec3* points, const Vec3* normals,
                     const TwistMobility* bodies, const BodyPair* pairs,
                     const PointMobilities& result);
bool factor_lu(const LuFactorView& s, double* values, double* inverse);
void solve_lu(const LuFactorView& s, const double* values, const double* inverse, double* x);
std::int64_t append_to_qr(const QrView& v, const double* column, const double* row, double* work);
std::int64_t remove_from_qr(const QrView& v, int place);
void solve_qr(const QrView& v, const double* b, double* x);
void add_columns(int rows, int count, const std::int32_t* column, const double* factor,
                 const double* matrix, std::ptrdiff_t lead, double* y);

}  // namespace abut::ABUT_ISA
