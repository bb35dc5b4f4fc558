// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Filters: weighted sums of neighbours along axes.

#include "tessera/array/array.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/padding.hpp"
#include "tessera/array/windows.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/assemble.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/rolling.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/meta/axes.hpp"

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// Where weights and an array must overlap for a sum of theirs; names are those of NumPy.
enum class overlap : std::uint8_t {
  valid,  ///< all weights lie on elements
  same,   ///< as many sums as elements, with zeros beyond the ends
  full,   ///< a weight lies on an element, with zeros beyond the ends
};

namespace detail {

/// The weights of elements of type `T`: of integers they are float64.
template <element T>
using weight_t = std::conditional_t<floating_element<T> || complex_element<T>, T, double>;

/// Throws shape_error where there are no weights, or more than elements along an axis.
void require_weights(const char* function, index_t num_weights, index_t extent, overlap where);

/// Return the weights as a correlation takes them.
[[nodiscard]] std::vector<double> gaussian_weights(double sigma, double truncate);

/// Returns `x` with `before` and `behind` elements more at the ends of one axis.
template <array_expression X>
[[nodiscard]] auto pad_axis(const X& x, std::size_t axis, index_t before, index_t behind,
                            boundary beyond) {
  index_t widths[X::rank][2] = {};
  widths[axis][0] = before;
  widths[axis][1] = behind;
  return pad(x, widths, beyond);
}

template <std::size_t Axis, array_expression X, element W>
[[nodiscard]] auto weighted_windows(const X& x, const std::vector<W>& weights) {
  const auto length = static_cast<index_t>(weights.size());
  return sum(sliding_window_view(x, length, axis<static_cast<int>(Axis)>) * asarray(weights),
             axis<-1>);
}

template <std::size_t Axis, array_expression X, element W>
[[nodiscard]] auto correlated(const X& x, const std::vector<W>& weights, overlap where) {
  const auto count = static_cast<index_t>(weights.size());
  const index_t before = where == overlap::valid  ? 0
                         : where == overlap::same ? count / 2
                                                  : count - 1;
  const index_t behind = where == overlap::valid  ? 0
                         : where == overlap::same ? count - 1 - count / 2
                                                  : count - 1;
  return weighted_windows<Axis>(pad_axis(x, Axis, before, behind, boundary::constant), weights);
}

/// Returns `x` filtered along axis `Axis` and those behind it, with as many elements.
template <std::size_t Axis, element T, std::size_t N>
[[nodiscard]] array<T, N> filtered(const array<T, N>& x, const std::vector<T>& weights,
                                   boundary beyond) {
  if constexpr (Axis == N) {
    return x;
  } else {
    const auto radius = static_cast<index_t>(weights.size() / 2);
    const array<T, N> once =
        weighted_windows<Axis>(pad_axis(x, Axis, radius, radius, beyond), weights);
    return filtered<Axis + 1>(once, weights, beyond);
  }
}

template <std::size_t Axis, element T, std::size_t N>
[[nodiscard]] array<T, N> averaged(const array<T, N>& x, index_t length, boundary beyond) {
  if constexpr (Axis == N) {
    return x;
  } else {
    const array<T, N> once =
        rolling_mean(pad_axis(x, Axis, length / 2, length - 1 - length / 2, beyond), length,
                     axis<static_cast<int>(Axis)>);
    return averaged<Axis + 1>(once, length, beyond);
  }
}

}  // namespace detail

/// Returns the sums of `weights` times the elements that they lie on, for each place along an axis:
/// `c[i] = sum over k of x[i + k] * conj(weights[k])`.
///
/// Shape:  `n - k + 1` along the axis, of `k` weights; `n` for `overlap::same`, `n + k - 1` for
///         `overlap::full`.
/// Dtype:  that of `x` times weights: float64 where `x` holds integers.
/// Throws: shape_error <- there are no weights, or more than elements, unless the overlap is full.
/// Source: numpy.correlate.
template <array_expression X, int Axis>
[[nodiscard]] auto correlate(
    const X& x, std::type_identity_t<std::vector<detail::weight_t<typename X::value_type>>> weights,
    axis_list<Axis>, overlap where = overlap::valid) {
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::correlate(x, weights, axis<k>): requires an axis in [-rank, rank) of x");
  if constexpr (axes_in_range<X::rank, Axis>) {
    constexpr std::size_t axis = normalised_axis(Axis, X::rank);
    detail::require_weights("correlate", static_cast<index_t>(weights.size()),
                            x.layout().shape[axis], where);
    if constexpr (complex_element<typename X::value_type>) {
      for (auto& weight : weights) weight = std::conj(weight);
    }
    return detail::correlated<axis>(x, weights, where);
  } else {
    return x;
  }
}

/// Returns the convolution of an axis with weights: `c[i] = sum over k of x[i - k] * weights[k]`.
///
/// Otherwise as `correlate`. Source: numpy.convolve, whose overlap is full where none is given.
template <array_expression X, int Axis>
[[nodiscard]] auto convolve(
    const X& x, std::type_identity_t<std::vector<detail::weight_t<typename X::value_type>>> weights,
    axis_list<Axis>, overlap where = overlap::full) {
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::convolve(x, weights, axis<k>): requires an axis in [-rank, rank) of x");
  if constexpr (axes_in_range<X::rank, Axis>) {
    constexpr std::size_t axis = normalised_axis(Axis, X::rank);
    detail::require_weights("convolve", static_cast<index_t>(weights.size()),
                            x.layout().shape[axis], where);
    std::reverse(weights.begin(), weights.end());
    return detail::correlated<axis>(x, weights, where);
  } else {
    return x;
  }
}

/// Returns `x` smoothed by a Gaussian of `sigma` elements along every axis, cut off `truncate`
/// sigmas from its centre.
///
/// Throws: value_error <- `sigma` or `truncate` is not positive. shape_error <- the Gaussian is
///         wider than the boundary can show.
/// Source: scipy.ndimage.gaussian_filter, whose mode "reflect" is `boundary::symmetric` here.
template <array_expression X>
requires std::floating_point<typename X::value_type>
[[nodiscard]] auto gaussian_filter(const X& x, double sigma, boundary beyond = boundary::symmetric,
                                   double truncate = 4) {
  using type = typename X::value_type;
  std::vector<type> weights;
  for (const double weight : detail::gaussian_weights(sigma, truncate)) {
    weights.push_back(static_cast<type>(weight));
  }
  return detail::filtered<0>(array<type, X::rank>(x), weights, beyond);
}

/// Returns the mean of `length` elements around each along every axis.
///
/// Throws: shape_error <- `length` is below 1, or wider than the boundary can show.
/// Source: scipy.ndimage.uniform_filter, whose mode "reflect" is `boundary::symmetric` here.
template <array_expression X>
requires std::floating_point<typename X::value_type>
[[nodiscard]] auto uniform_filter(const X& x, index_t length,
                                  boundary beyond = boundary::symmetric) {
  detail::require_weights("uniform_filter", length, length, overlap::valid);
  return detail::averaged<0>(array<typename X::value_type, X::rank>(x), length, beyond);
}

}  // namespace tessera
