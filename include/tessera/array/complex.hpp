// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The parts of complex numbers.

#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/meta/op.hpp"

namespace tessera {

/// Returns the real part of each element.
///
/// Dtype: float32 of complex64, float64 of complex128; that of `x` where it is real.
template <array_argument X>
[[nodiscard]] auto real(const X& x) {
  static_assert(dtypes_accepted<op::real, X>,
                "tessera::real(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::real{}, x);
}

/// Returns the imaginary part of each element, 0 of real ones. Otherwise as `real`.
template <array_argument X>
[[nodiscard]] auto imag(const X& x) {
  static_assert(dtypes_accepted<op::imag, X>,
                "tessera::imag(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::imag{}, x);
}

/// Returns the complex conjugate of each element.
template <array_argument X>
[[nodiscard]] auto conj(const X& x) {
  static_assert(dtypes_accepted<op::conj, X>,
                "tessera::conj(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::conj{}, x);
}

}  // namespace tessera
