// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Discrete Fourier transforms.

#include "tessera/function/complex.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/fft.hpp"
#include "tessera/meta/axes.hpp"

#include <boost/hana/fwd/tuple.hpp>

namespace tessera {

/// Returns the discrete Fourier transform along an axis, the last one unless another is given:
/// `y_k = sum over j of x_j exp(-2 pi i j k / n)`.
///
/// Options:  an axis; `points(n)`; a `fft_norm`, `backward` unless another is given.
/// Dtype:    complex64 of float16, float32 and complex64, else complex128.
/// Memory:   whole lines: as many at once as are allowed, as of `sort`. If a task holds none, parts
///           of some lines of n1 and of n2 elements, with n = n1 * n2.
/// Complexity: n log n for a line, whatever n. A line that no task holds is read once, or twice in
///           part, and written and read three times in between.
/// Throws:   shape_error <- the axis has no elements, or there are no points. memory_error <- no
///           task holds a line, and n has no such factors; the message names a number of points
///           that has.
/// Source:   the Python Array API standard; numpy.fft.fft, which returns complex128 for all dtypes.
template <array_argument X, class... Options>
[[nodiscard]] auto fft(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::fft(x, dim<...>): requires a dimension that x has");
  return detail::transform_line<op::fft, detail::transformed_t<typename X::value_type>, false>(
      x, options...);
}

/// Returns the inverse of `fft`, as which it is otherwise.
template <array_argument X, class... Options>
[[nodiscard]] auto ifft(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::ifft(x, dim<...>): requires a dimension that x has");
  return detail::transform_line<op::fft, detail::transformed_t<typename X::value_type>, true>(
      x, options...);
}

/// Returns the `n / 2 + 1` coefficients of `fft` of real elements that are not conjugates of
/// earlier ones.
///
/// Requires: elements that are real. Otherwise as `fft`.
template <array_argument X, class... Options>
[[nodiscard]] auto rfft(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::rfft(x, dim<...>): requires a dimension that x has");
  return detail::transform_line<op::rfft, detail::transformed_real_t<typename X::value_type>,
                                false>(x, options...);
}

/// Returns the inverse of `rfft`, real elements: `2 (m - 1)` of `m` coefficients, unless
/// `points(n)` states it.
///
/// Memory: whole lines. If a task holds none: take the real part of `ifft` of all coefficients.
template <array_argument X, class... Options>
[[nodiscard]] auto irfft(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::irfft(x, dim<...>): requires a dimension that x has");
  return detail::transform_line<op::irfft, detail::transformed_t<typename X::value_type>, true>(
      x, options...);
}

/// Returns the real spectrum of a Hermitian sequence, of which `x` is the half: `irfft` of the
/// conjugate, with the factor in the other direction.
template <array_argument X, class... Options>
[[nodiscard]] auto hfft(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::hfft(x, dim<...>): requires a dimension that x has");
  using value = detail::transformed_t<typename X::value_type>;
  return detail::transform_line<op::irfft, value, true, true>(conj(converted<value>(x)),
                                                              options...);
}

/// Returns the inverse of `hfft`, a half spectrum: the conjugate of `rfft`, with the factor in the
/// other direction.
template <array_argument X, class... Options>
[[nodiscard]] auto ihfft(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::ihfft(x, dim<...>): requires a dimension that x has");
  using value = detail::transformed_real_t<typename X::value_type>;
  return conj(detail::transform_line<op::rfft, value, false, true>(x, options...));
}

/// Return `fft`, and its inverse, along several axes, by default along all.
///
/// Options: axes, a `fft_norm`. Each axis is transformed by itself, the last one first.
/// Source:  the Python Array API standard; numpy.fft.fftn.
template <array_argument X, class... Options>
[[nodiscard]] auto fftn(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::fftn(x, dim<...>): requires a dimension that x has");
  return detail::multi_axis_transform<detail::transform_kind::complex, false,
                                      detail::all_axes_of<X::rank>>(x, options...);
}
template <array_argument X, class... Options>
[[nodiscard]] auto ifftn(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::ifftn(x, dim<...>): requires a dimension that x has");
  return detail::multi_axis_transform<detail::transform_kind::complex, true,
                                      detail::all_axes_of<X::rank>>(x, options...);
}

/// Returns `fftn` of real elements: along the last of the axes `rfft`.
template <array_argument X, class... Options>
[[nodiscard]] auto rfftn(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::rfftn(x, dim<...>): requires a dimension that x has");
  return detail::multi_axis_transform<detail::transform_kind::from_real, false,
                                      detail::all_axes_of<X::rank>>(x, options...);
}

/// Returns the inverse of `rfftn`; `points(n)` is the number of points of the last axis.
template <array_argument X, class... Options>
[[nodiscard]] auto irfftn(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::irfftn(x, dim<...>): requires a dimension that x has");
  return detail::multi_axis_transform<detail::transform_kind::to_real, true,
                                      detail::all_axes_of<X::rank>>(x, options...);
}

/// Return the transforms of several axes, by default along the last two axes.
template <array_argument X, class... Options>
[[nodiscard]] auto fft2(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::fft2(x, dim<...>): requires a dimension that x has");
  return detail::multi_axis_transform<detail::transform_kind::complex, false, axis_list<-2, -1>>(
      x, options...);
}
template <array_argument X, class... Options>
[[nodiscard]] auto ifft2(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::ifft2(x, dim<...>): requires a dimension that x has");
  return detail::multi_axis_transform<detail::transform_kind::complex, true, axis_list<-2, -1>>(
      x, options...);
}
template <array_argument X, class... Options>
[[nodiscard]] auto rfft2(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::rfft2(x, dim<...>): requires a dimension that x has");
  return detail::multi_axis_transform<detail::transform_kind::from_real, false, axis_list<-2, -1>>(
      x, options...);
}
template <array_argument X, class... Options>
[[nodiscard]] auto irfft2(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::irfft2(x, dim<...>): requires a dimension that x has");
  return detail::multi_axis_transform<detail::transform_kind::to_real, true, axis_list<-2, -1>>(
      x, options...);
}

namespace function {

using fourier_lines = boost::hana::tuple<op::fft, op::rfft, op::irfft>;

}  // namespace function
}  // namespace tessera
