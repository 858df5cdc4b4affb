// Twists, loads and Hessian blocks of bodies of dense trees, whose Jacobians have three or six rows
// padded with zeros to packs: what packs add beyond a block's rows is zero, beyond its diagonal is
// not read.

#include "abut/linalg/simd.hpp"

#include "abut/solvers/primal/contact_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

/// Calls f(q) for the packs of J's columns that are not zero, from `first` on.
template <class F>
ABUT_INLINE void for_packs(const LinkedBody& b, int first, const F& f) {
  for (std::uint64_t bits = b.packs; bits != 0; bits &= bits - 1) {
    const int q = 8 * __builtin_ctzll(bits);
    if (q >= b.padded) return;
    if (q >= first) f(q);
  }
  for (int q = 512; q < b.padded; q += 8) {
    if (q >= first) f(q);
  }
}

template <int rows>
ABUT_INLINE void find_twist(const LinkedBody& b, const double* j, const double* x, double* twist) {
  Pack sums[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
  for_packs(b, 0, [&](int q) {
    const Pack v = loadu(x + q);
    for (int r = 0; r < rows; ++r) sums[r] = fma(load(j + r * b.padded + q), v, sums[r]);
  });
  store(twist, sums6(sums));
}

template <int rows>
ABUT_INLINE void add_load(const LinkedBody& b, const double* j, const double* load_on, double* y) {
  Pack factors[rows];
  for (int r = 0; r < rows; ++r) factors[r] = Pack(load_on[r]);
  for_packs(b, 0, [&](int q) {
    Pack sum = load(y + q);
    for (int r = 0; r < rows; ++r) sum = fma(factors[r], load(j + r * b.padded + q), sum);
    store(y + q, sum);
  });
}

/// work = M J, of `columns` rows of J, where these are not zero.
template <int rows, int columns>
ABUT_INLINE void multiply(const double* m, const LinkedBody& b, const double* j, double* work) {
  const int width = b.padded;
  for_packs(b, 0, [&](int q) {
    Pack x[columns];
    for (int k = 0; k < columns; ++k) x[k] = load(j + k * width + q);
    for (int r = 0; r < rows; ++r) {
      Pack sum(0);
      for (int k = 0; k < columns; ++k) sum = fma(Pack(m[r + 6 * k]), x[k], sum);
      store(work + r * width + q, sum);
    }
  });
}

template <int row_rows, int column_rows>
ABUT_INLINE void add_block(const LinkedBody& rows, const LinkedBody& columns,
                           const double* jacobians, const double* m, bool lower, double* work,
                           double* to, std::int64_t leading) {
  const double *left = jacobians + rows.first_element, *right = jacobians + columns.first_element;
  const int width = columns.padded, height = rows.padded;
  multiply<row_rows, column_rows>(m, columns, right, work);
  for_packs(columns, 0, [&](int first) {
    for (int c = first; c < first + 8 && c < columns.size; ++c) {
      bool moves = false;  // else a joint that does not move the body
      for (int r = 0; r < column_rows; ++r) moves = moves || right[r * width + c] != 0;
      if (!moves) continue;
      Pack factors[row_rows];
      for (int r = 0; r < row_rows; ++r) factors[r] = Pack(work[r * width + c]);
      double* column = to + c * leading;
      for_packs(rows, lower ? first : 0, [&](int q) {
        Pack sum = loadu(column + q);
        for (int r = 0; r < row_rows; ++r) sum = fma(factors[r], load(left + r * height + q), sum);
        storeu(column + q, sum);
      });
    }
  });
}

}  // namespace

void linked_twists(const LinkedBody* bodies, int count, const double* jacobians, const double* x,
                   double* twists) {
  for (const LinkedBody* b = bodies; b != bodies + count; ++b, twists += 8) {
    const double* j = jacobians + b->first_element;
    b->rows == 3 ? find_twist<3>(*b, j, x + b->offset, twists)
                 : find_twist<6>(*b, j, x + b->offset, twists);
  }
}

void linked_loads(const LinkedBody* bodies, int count, const double* jacobians, const double* loads,
                  double* y) {
  for (const LinkedBody* b = bodies; b != bodies + count; ++b, loads += 8) {
    const double* j = jacobians + b->first_element;
    b->rows == 3 ? add_load<3>(*b, j, loads, y + b->offset)
                 : add_load<6>(*b, j, loads, y + b->offset);
  }
}

void add_linked(const LinkedBody& rows, const LinkedBody& columns, const double* jacobians,
                const double* m, bool lower, double* work, double* to, std::int64_t leading) {
  if (rows.rows == 3) {
    columns.rows == 3 ? add_block<3, 3>(rows, columns, jacobians, m, lower, work, to, leading)
                      : add_block<3, 6>(rows, columns, jacobians, m, lower, work, to, leading);
  } else {
    columns.rows == 3 ? add_block<6, 3>(rows, columns, jacobians, m, lower, work, to, leading)
                      : add_block<6, 6>(rows, columns, jacobians, m, lower, work, to, leading);
  }
}

}  // namespace abut::ABUT_ISA
