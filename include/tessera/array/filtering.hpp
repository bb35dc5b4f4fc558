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
#include "tessera/function/sums.hpp"
#include "tessera/meta/axes.hpp"

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// The overlap of weights and array that a sum needs; names follow NumPy.
enum class overlap : std::uint8_t {
  valid,  ///< all weights lie on elements
  same,   ///< as many sums as elements, with zeros beyond the ends
  full,   ///< a weight lies on an element, with zeros beyond the ends
};

namespace detail {

/// The weights of elements of type `T`: of integers they are float64.
template <element T>
using weight_t = std::conditional_t<floating_element<T> || complex_element<T>, T, double>;

/// Weights in memory, as a `std::vector`, a span and an `ndarray` of rank 1 hold them.
template <class R>
concept weight_list = !array_expression<R> && std::ranges::contiguous_range<R> &&
                      element<std::remove_cv_t<std::ranges::range_value_t<R>>>;

/// Returns weights of elements of type `T`, integers as `weight_t` of them.
template <element T, weight_list R>
[[nodiscard]] auto float_weights(const R& weights) {
  using given = std::remove_cv_t<std::ranges::range_value_t<R>>;
  using type = std::conditional_t<std::integral<given>, weight_t<T>, given>;
  return std::vector<type>(std::ranges::begin(weights), std::ranges::end(weights));
}

/// Throws shape_error if there are no weights, or more than elements along an axis.
void require_weights(const char* function, index_t num_weights, index_t extent, overlap mode);

/// Returns `x` with `before` and `after` elements more at the ends of one axis.
template <array_expression X>
[[nodiscard]] auto pad_axis(const X& x, std::size_t axis, index_t before, index_t after,
                            boundary beyond) {
  index_t widths[X::rank][2] = {};
  widths[axis][0] = before;
  widths[axis][1] = after;
  return pad(x, widths, beyond);
}

template <std::size_t Axis, array_expression X, element W>
[[nodiscard]] auto weighted_windows(const X& x, const std::vector<W>& weights) {
  const auto length = static_cast<index_t>(weights.size());
  return sum(sliding_window_view(x, length, axis<static_cast<int>(Axis)>) * asarray(weights),
             axis<-1>);
}

template <std::size_t Axis, array_expression X, element W>
[[nodiscard]] auto correlated(const X& x, const std::vector<W>& weights, overlap mode) {
  const auto count = static_cast<index_t>(weights.size());
  const index_t before = mode == overlap::valid ? 0 : mode == overlap::same ? count / 2 : count - 1;
  const index_t after = mode == overlap::valid  ? 0
                        : mode == overlap::same ? count - 1 - count / 2
                                                : count - 1;
  return weighted_windows<Axis>(pad_axis(x, Axis, before, after, boundary::constant), weights);
}

}  // namespace detail

/// Returns the sums of `weights` times the elements that they lie on, for each place along an axis:
/// `c[i] = sum over k of x[i + k] * conj(weights[k])`. Weights are braces, or a vector, span or
/// ndarray.
///
/// Shape:  `n - k + 1` along the axis, of `k` weights; `n` for `overlap::same`, `n + k - 1` for
///         `overlap::full`.
/// Dtype:  that of `x` times weights; weights in braces, and integers, are of the type of `x`, and
///         float64 if `x` holds integers.
/// Throws: shape_error <- there are no weights, or more than elements, unless the overlap is full.
/// Source: numpy.correlate.
template <array_expression X, class W = std::vector<detail::weight_t<typename X::value_type>>,
          int Axis>
[[nodiscard]] auto correlate(const X& x, const W& weights, axis_list<Axis>,
                             overlap mode = overlap::valid) {
  constexpr bool is_axis = axes_in_range<X::rank, Axis>;
  static_assert(is_axis,
                "tessera::correlate(x, weights, axis<k>): requires an axis in [-rank, rank) of x");
  constexpr bool are_weights = detail::weight_list<W>;
  static_assert(are_weights,
                "tessera::correlate(x, weights, axis<k>): requires weights in braces, in a "
                "std::vector, a span or an ndarray of rank 1");
  if constexpr (is_axis && are_weights) {
    constexpr std::size_t axis = normalised_axis(Axis, X::rank);
    auto used = detail::float_weights<typename X::value_type>(weights);
    detail::require_weights("correlate", static_cast<index_t>(used.size()), x.layout().shape[axis],
                            mode);
    if constexpr (complex_element<typename decltype(used)::value_type>) {
      for (auto& weight : used) weight = std::conj(weight);
    }
    return detail::correlated<axis>(x, used, mode);
  } else {
    return x;
  }
}
/// As above, along the one axis that `x` has.
template <array_expression X, class W = std::vector<detail::weight_t<typename X::value_type>>>
[[nodiscard]] auto correlate(const X& x, const W& weights, overlap mode = overlap::valid) {
  static_assert(rank_is<X::rank, 1>,
                "tessera::correlate(x, weights, axis<k>): requires an axis where x has several");
  if constexpr (X::rank == 1) {
    return correlate(x, weights, axis<0>, mode);
  } else {
    return x;
  }
}

/// Returns the convolution of an axis with weights: `c[i] = sum over k of x[i - k] * weights[k]`.
///
/// Otherwise as `correlate`, with full overlap by default, as NumPy. Source: numpy.convolve.
template <array_expression X, class W = std::vector<detail::weight_t<typename X::value_type>>,
          int Axis>
[[nodiscard]] auto convolve(const X& x, const W& weights, axis_list<Axis>,
                            overlap mode = overlap::full) {
  constexpr bool is_axis = axes_in_range<X::rank, Axis>;
  static_assert(is_axis,
                "tessera::convolve(x, weights, axis<k>): requires an axis in [-rank, rank) of x");
  constexpr bool are_weights = detail::weight_list<W>;
  static_assert(are_weights,
                "tessera::convolve(x, weights, axis<k>): requires weights in braces, in a "
                "std::vector, a span or an ndarray of rank 1");
  if constexpr (is_axis && are_weights) {
    constexpr std::size_t axis = normalised_axis(Axis, X::rank);
    auto used = detail::float_weights<typename X::value_type>(weights);
    detail::require_weights("convolve", static_cast<index_t>(used.size()), x.layout().shape[axis],
                            mode);
    std::reverse(used.begin(), used.end());
    return detail::correlated<axis>(x, used, mode);
  } else {
    return x;
  }
}
/// As above, along the one axis that `x` has.
template <array_expression X, class W = std::vector<detail::weight_t<typename X::value_type>>>
[[nodiscard]] auto convolve(const X& x, const W& weights, overlap mode = overlap::full) {
  static_assert(rank_is<X::rank, 1>,
                "tessera::convolve(x, weights, axis<k>): requires an axis where x has several");
  if constexpr (X::rank == 1) {
    return convolve(x, weights, axis<0>, mode);
  } else {
    return x;
  }
}

}  // namespace tessera
