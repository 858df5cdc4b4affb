#pragma once

namespace abut {

/// Inverse of a symmetric positive definite n x n matrix (row-major, both triangles read as
/// symmetric from the lower one) into `inverse`, which may not overlap it. False if a pivot is not
/// positive. For the small A of one tree; O(n^3).
bool invert_spd(int n, const double* matrix, double* inverse);

/// y = A x for a symmetric A, n x n.
void multiply_symmetric(int n, const double* matrix, const double* x, double* y);

}  // namespace abut
