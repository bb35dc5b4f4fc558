// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Filters: weighted sums of neighbours along axes.

#include "tessera/array/array.hpp"
#include "tessera/array/detail/along.hpp"
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
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
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

/// Weights in memory, as a `std::vector`, a span and an `ndarray` of rank 1 hold them.
template <class R>
concept weight_list =
    std::ranges::contiguous_range<R> && element<std::remove_cv_t<std::ranges::range_value_t<R>>>;

/// Returns weights of elements of type `T`, integers as `weight_t` of them.
template <element T, weight_list R>
[[nodiscard]] auto float_weights(const R& weights) {
  using given = std::remove_cv_t<std::ranges::range_value_t<R>>;
  using type = std::conditional_t<std::integral<given>, weight_t<T>, given>;
  return std::vector<type>(std::ranges::begin(weights), std::ranges::end(weights));
}

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

/// Returns `x` smoothed along one axis; with a `sigma` of 0, as it is.
template <std::size_t Axis, element T, std::size_t N>
[[nodiscard]] array<T, N> smoothed(const array<T, N>& x, double sigma, double truncate,
                                   boundary beyond) {
  const std::vector<double> weights = gaussian_weights(sigma, truncate);
  if (sigma == 0) return x;
  const auto radius = static_cast<index_t>(weights.size() / 2);
  return weighted_windows<Axis>(pad_axis(x, Axis, radius, radius, beyond),
                                std::vector<T>(weights.begin(), weights.end()));
}

template <std::size_t Axis, element T, std::size_t N>
[[nodiscard]] array<T, N> averaged(const array<T, N>& x, index_t length, boundary beyond) {
  require_weights("uniform_filter", length, length, overlap::valid);
  if (length == 1) return x;
  return rolling_mean(pad_axis(x, Axis, length / 2, length - 1 - length / 2, beyond), length,
                      axis<static_cast<int>(Axis)>);
}

/// Returns `filter.operator()<axis>(x, widths[i])`, along one of the axes after the other.
template <class Filter, array_expression X, class Width, int... Axes>
[[nodiscard]] auto filter_along(const X& x, const std::array<Width, sizeof...(Axes)>& widths,
                                axis_list<Axes...>, const Filter& filter) {
  array<typename X::value_type, X::rank> filtered(x);
  std::size_t i = 0;
  ((filtered = filter.template operator()<normalised_axis(Axes, X::rank)>(filtered, widths[i++])),
   ...);
  return filtered;
}

template <array_expression X>
inline constexpr bool has_float_elements = std::floating_point<typename X::value_type>;

template <std::size_t Rank, std::size_t NumWidths, int... Axes>
consteval bool widths_fit(axis_list<Axes...>) {
  if constexpr (NumWidths == sizeof...(Axes) && axes_in_range<Rank, Axes...>) {
    return axes_distinct<Rank, Axes...>;
  } else {
    return false;
  }
}

/// As `gaussian_filter`, with a sigma for each of the axes.
template <array_expression X, std::size_t K, class Axes>
[[nodiscard]] auto smooth(const X& x, const std::array<double, K>& sigmas, Axes along,
                          boundary beyond, double truncate) {
  constexpr bool is_float = has_float_elements<X>;
  static_assert(is_float,
                "tessera::gaussian_filter(x, sigma): requires elements that are float32 or "
                "float64; astype<double>(x) converts them");
  constexpr bool fits = widths_fit<X::rank, K>(along);
  static_assert(fits,
                "tessera::gaussian_filter(x, {sigma, ...}, axis<...>): requires one sigma for each "
                "axis, and axes in [-rank, rank) of x that differ");
  if constexpr (is_float && fits) {
    return filter_along(x, sigmas, along, [&]<std::size_t Axis>(const auto& y, double sigma) {
      return smoothed<Axis>(y, sigma, truncate, beyond);
    });
  } else {
    return x;
  }
}

/// As `uniform_filter`, with a length for each of the axes.
template <array_expression X, std::size_t K, class Axes>
[[nodiscard]] auto average_windows(const X& x, const std::array<index_t, K>& lengths, Axes along,
                                   boundary beyond) {
  constexpr bool is_float = has_float_elements<X>;
  static_assert(is_float,
                "tessera::uniform_filter(x, length): requires elements that are float32 or "
                "float64; astype<double>(x) converts them");
  constexpr bool fits = widths_fit<X::rank, K>(along);
  static_assert(fits,
                "tessera::uniform_filter(x, {length, ...}, axis<...>): requires one length for "
                "each axis, and axes in [-rank, rank) of x that differ");
  if constexpr (is_float && fits) {
    return filter_along(x, lengths, along, [&]<std::size_t Axis>(const auto& y, index_t length) {
      return averaged<Axis>(y, length, beyond);
    });
  } else {
    return x;
  }
}

template <std::size_t N, class T>
[[nodiscard]] std::array<T, N> repeated(const T& value) {
  std::array<T, N> values{};
  values.fill(value);
  return values;
}

}  // namespace detail

/// Returns the sums of `weights` times the elements that they lie on, for each place along an axis:
/// `c[i] = sum over k of x[i + k] * conj(weights[k])`. Weights are braces, or a vector, span or
/// ndarray.
///
/// Shape:  `n - k + 1` along the axis, of `k` weights; `n` for `overlap::same`, `n + k - 1` for
///         `overlap::full`.
/// Dtype:  that of `x` times weights; weights in braces, and integers, are of the type of `x`, and
///         float64 where that holds integers.
/// Throws: shape_error <- there are no weights, or more than elements, unless the overlap is full.
/// Source: numpy.correlate.
template <array_expression X, class W = std::vector<detail::weight_t<typename X::value_type>>,
          int Axis>
[[nodiscard]] auto correlate(const X& x, const W& weights, axis_list<Axis>,
                             overlap where = overlap::valid) {
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
                            where);
    if constexpr (complex_element<typename decltype(used)::value_type>) {
      for (auto& weight : used) weight = std::conj(weight);
    }
    return detail::correlated<axis>(x, used, where);
  } else {
    return x;
  }
}

/// Returns the convolution of an axis with weights: `c[i] = sum over k of x[i - k] * weights[k]`.
///
/// Otherwise as `correlate`. Source: numpy.convolve, whose overlap is full where none is given.
template <array_expression X, class W = std::vector<detail::weight_t<typename X::value_type>>,
          int Axis>
[[nodiscard]] auto convolve(const X& x, const W& weights, axis_list<Axis>,
                            overlap where = overlap::full) {
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
                            where);
    std::reverse(used.begin(), used.end());
    return detail::correlated<axis>(x, used, where);
  } else {
    return x;
  }
}

/// Returns `x` smoothed by a Gaussian of `sigma` elements along axes, all where none are given, cut
/// off `truncate` sigmas from its centre: `gaussian_filter(x, 2.0, axis<1, 2>)`.
///
/// With several, each axis has a sigma of its own: `gaussian_filter(x, {2.0, 1.0, 0.0})`,
/// `gaussian_filter(x, {2.0, 1.0}, axis<1, 2>)`. One of 0 leaves its axis as it is.
/// Throws: value_error <- `sigma` is negative, `truncate` is not positive. shape_error <- the
///         Gaussian is wider than the boundary can show.
/// Source: scipy.ndimage.gaussian_filter, whose mode "reflect" is `boundary::symmetric` here.
template <array_expression X>
[[nodiscard]] auto gaussian_filter(const X& x, double sigma, boundary beyond = boundary::symmetric,
                                   double truncate = 4) {
  return detail::smooth(x, detail::repeated<X::rank>(sigma), detail::axes_or_all<X::rank>{}, beyond,
                        truncate);
}
template <array_expression X, int... Axes>
[[nodiscard]] auto gaussian_filter(const X& x, double sigma, axis_list<Axes...> along,
                                   boundary beyond = boundary::symmetric, double truncate = 4) {
  return detail::smooth(x, detail::repeated<sizeof...(Axes)>(sigma), along, beyond, truncate);
}
template <array_expression X, std::size_t K>
requires(K > 1)  //
    [[nodiscard]] auto gaussian_filter(const X& x, const double (&sigmas)[K],
                                       boundary beyond = boundary::symmetric, double truncate = 4) {
  return detail::smooth(x, std::to_array(sigmas), detail::axes_or_all<X::rank>{}, beyond, truncate);
}
template <array_expression X, std::size_t K, int... Axes>
requires(K > 1)  //
    [[nodiscard]] auto gaussian_filter(const X& x, const double (&sigmas)[K],
                                       axis_list<Axes...> along,
                                       boundary beyond = boundary::symmetric, double truncate = 4) {
  return detail::smooth(x, std::to_array(sigmas), along, beyond, truncate);
}

/// Returns the mean of `length` elements around each along axes, all where none are given:
/// `uniform_filter(x, 3, axis<1, 2>)`.
///
/// With several, each axis has a length of its own: `uniform_filter(x, {3, 5}, axis<1, 2>)`. One of
/// 1 leaves its axis as it is.
/// Throws: shape_error <- `length` is below 1, or wider than the boundary can show.
/// Source: scipy.ndimage.uniform_filter, whose mode "reflect" is `boundary::symmetric` here.
template <array_expression X>
[[nodiscard]] auto uniform_filter(const X& x, index_t length,
                                  boundary beyond = boundary::symmetric) {
  return detail::average_windows(x, detail::repeated<X::rank>(length),
                                 detail::axes_or_all<X::rank>{}, beyond);
}
template <array_expression X, int... Axes>
[[nodiscard]] auto uniform_filter(const X& x, index_t length, axis_list<Axes...> along,
                                  boundary beyond = boundary::symmetric) {
  return detail::average_windows(x, detail::repeated<sizeof...(Axes)>(length), along, beyond);
}
template <array_expression X, std::size_t K>
requires(K > 1)  //
    [[nodiscard]] auto uniform_filter(const X& x, const index_t (&lengths)[K],
                                      boundary beyond = boundary::symmetric) {
  return detail::average_windows(x, std::to_array(lengths), detail::axes_or_all<X::rank>{}, beyond);
}
template <array_expression X, std::size_t K, int... Axes>
requires(K > 1)  //
    [[nodiscard]] auto uniform_filter(const X& x, const index_t (&lengths)[K],
                                      axis_list<Axes...> along,
                                      boundary beyond = boundary::symmetric) {
  return detail::average_windows(x, std::to_array(lengths), along, beyond);
}

}  // namespace tessera
