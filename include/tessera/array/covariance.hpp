// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Covariances and correlations of variables.

#include "tessera/array/linear_algebra.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/complex.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/division.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/powers.hpp"
#include "tessera/function/selection.hpp"
#include "tessera/function/sign.hpp"
#include "tessera/function/sums.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

namespace tessera {

namespace detail {

/// Tells whether `X` holds variables: rows of observations that are numbers.
template <class X>
inline constexpr bool are_variables = rank_is<X::rank, 2>&& numeric_element<typename X::value_type>;

/// Returns the observations of each variable less their mean, in double precision.
template <class X>
auto centred(const X& x) {
  using value_type = typename X::value_type;
  using wide_type = std::conditional_t<complex_element<value_type>, std::complex<double>, double>;
  const auto wide = converted<wide_type>(x);
  return wide - mean(wide, axis<1>, keepdims);
}

/// Returns the divisor of sums over the observations of `x`.
template <class X>
double degrees_of_freedom(const X& x, const correction& less) {
  return std::max(static_cast<double>(x.layout().shape[1]) - less.value, 0.0);
}

/// Returns correlations with parts that rounding has carried beyond 1 in [-1, 1].
template <class C>
auto in_unit_range(const C& correlations) {
  using type = typename C::value_type;
  if constexpr (complex_element<type>) {
    constexpr type unit{0.0, 1.0};
    return astype<type>(clip(real(correlations), -1.0, 1.0)) +
           unit * astype<type>(clip(imag(correlations), -1.0, 1.0));
  } else {
    return clip(correlations, -1.0, 1.0);
  }
}

}  // namespace detail

/// Returns the covariance of each variable with each: rows of `x` are variables, columns
/// observations.
///
/// Shape:    (rows, rows). Dtype: that of `x`; float64 for integers. Computed in double precision.
/// Requires: an array of rank 2 of numbers, not bool.
/// Source:   numpy.cov; the correction is its `ddof`.
template <unnamed_argument X>
[[nodiscard]] auto cov(const X& x, correction less = correction(1)) {
  static_assert(
      detail::are_variables<X>,
      "tessera::cov(x): requires an array of rank 2 of numbers, not bool: variables along "
      "axis 0, observations along axis 1");
  if constexpr (detail::are_variables<X>) {
    const auto d = detail::centred(x);
    return converted<floating_t<typename X::value_type>>(matmul(d, matrix_transpose(conj(d))) /
                                                         detail::degrees_of_freedom(x, less));
  } else {
    return x;
  }
}

/// Returns the correlation of each variable with each: their covariance over the product of their
/// standard deviations, NaN if a deviation is zero. Parts of it are in [-1, 1].
///
/// Otherwise as `cov`. Source: numpy.corrcoef.
template <unnamed_argument X>
[[nodiscard]] auto corrcoef(const X& x) {
  static_assert(detail::are_variables<X>,
                "tessera::corrcoef(x): requires an array of rank 2 of numbers, not bool: variables "
                "along axis 0, observations along axis 1");
  if constexpr (detail::are_variables<X>) {
    const auto d = detail::centred(x);
    const auto length = sqrt(sum(square(abs(d)), axis<1>, keepdims));
    return converted<floating_t<typename X::value_type>>(detail::in_unit_range(
        matmul(d, matrix_transpose(conj(d))) / (length * matrix_transpose(length))));
  } else {
    return x;
  }
}

}  // namespace tessera
