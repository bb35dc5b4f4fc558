// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Powers of matrices.

#include "tessera/array/array.hpp"
#include "tessera/array/broadcasting.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/solving.hpp"
#include "tessera/core/index.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/meta/promotion.hpp"

#include <cstdint>
#include <cstdlib>

namespace tessera {

namespace detail {

/// Throws: as `matrix_power`.
void check_power(const index_vector& shape, int n, bool are_integers);

}  // namespace detail

/// Returns the product of `n` times the matrix in the last two axes of `x`; the identity for 0, and
/// of a negative `n` the power `-n` of the inverse, see `inv`.
///
/// Requires:   elements that are numbers; a rank of at least 2.
/// Throws:     shape_error <- the last two extents differ. value_error <- `n` is negative, and
///             elements are integers, which inverses have not.
/// Complexity: at most `2 log2 n` products of matrices.
/// Source:     the Python Array API standard, numpy.linalg.matrix_power.
template <array_expression X>
[[nodiscard]] auto matrix_power(const X& x, int n) {
  constexpr bool are_matrices =
      rank_at_least<X::rank, 2> && numeric_element<typename X::value_type>;
  static_assert(are_matrices,
                "tessera::matrix_power(x, n): requires an array of rank 2 or more, of numbers");
  if constexpr (are_matrices) {
    using type = typename X::value_type;
    using powers = array<type, X::rank>;
    const index_vector& shape = x.layout().shape;
    detail::check_power(shape, n, integer_element<type>);
    if (n == 0) return powers(broadcast_to(identity<type>(shape.back()), x.shape()));
    powers power = x;
    if constexpr (!integer_element<type>) {
      if (n < 0) power = converted<type>(inv(x));
    }
    std::int64_t exponent = std::abs(std::int64_t{n});
    for (; exponent % 2 == 0; exponent /= 2) power = matmul(power, power);
    powers product = power;
    for (exponent /= 2; exponent > 0; exponent /= 2) {
      power = matmul(power, power);
      if (exponent % 2 == 1) product = matmul(product, power);
    }
    return product;
  } else {
    return x;
  }
}

}  // namespace tessera
