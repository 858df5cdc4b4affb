#pragma once

#include <functional>
#include <span>

namespace abut {

/// The largest eigenvalue of a symmetric matrix with n rows, n > 0, of which only the product
/// x := A x is known: by Lanczos' method with full reorthogonalization, until it no longer changes
/// by more than 1e-9 of it, and for n or 500 products at most. For analyses: it allocates, and
/// keeps a vector per product.
double largest_eigenvalue(int n, const std::function<void(std::span<double> x)>& multiply);

}  // namespace abut
