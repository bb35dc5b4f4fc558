// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Filters that smooth: weighted and plain means of neighbours along axes, one after the other.

#include "tessera/array/array.hpp"
#include "tessera/array/detail/along.hpp"
#include "tessera/array/detail/shape_argument.hpp"
#include "tessera/array/filtering.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/expr/assemble.hpp"
#include "tessera/function/rolling.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <vector>

namespace tessera {
namespace detail {

/// Returns the weights in the order of a correlation.
[[nodiscard]] std::vector<double> gaussian_weights(double sigma, double truncate);

/// Returns `x` smoothed along one axis; with a `sigma` of 0, `x` itself.
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

/// Returns `x` smoothed by a Gaussian of `sigma` elements along axes, by default all, cut off
/// `truncate` sigmas from its centre: `gaussian_filter(x, 2.0, axis<1, 2>)`.
///
/// With several, each axis has a sigma of its own: `gaussian_filter(x, {2.0, 1.0, 0.0})`,
/// `gaussian_filter(x, {2.0, 1.0}, axis<1, 2>)`. A sigma of 0 leaves its axis unchanged.
/// Throws: value_error <- `sigma` is negative, `truncate` is not positive. shape_error <- the
///         Gaussian is wider than the boundary can show.
/// Source: scipy.ndimage.gaussian_filter; its mode "reflect" is `boundary::symmetric` here.
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

/// Returns the mean of `length` elements around each along axes, by default all:
/// `uniform_filter(x, 3, axis<1, 2>)`.
///
/// With several, each axis has a length of its own: `uniform_filter(x, {3, 5}, axis<1, 2>)`. A
/// length of 1 leaves its axis unchanged.
/// Throws: shape_error <- `length` is below 1, or wider than the boundary can show.
/// Source: scipy.ndimage.uniform_filter; its mode "reflect" is `boundary::symmetric` here.
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
    [[nodiscard]] auto uniform_filter(const X& x, const index_argument (&lengths)[K],
                                      boundary beyond = boundary::symmetric) {
  return detail::average_windows(x, detail::to_indices(lengths), detail::axes_or_all<X::rank>{},
                                 beyond);
}
template <array_expression X, fixed_extents Lengths>
[[nodiscard]] auto uniform_filter(const X& x, const Lengths& lengths,
                                  boundary beyond = boundary::symmetric) {
  return detail::average_windows(x, detail::extents_of("uniform_filter", lengths),
                                 detail::axes_or_all<X::rank>{}, beyond);
}
template <array_expression X, std::size_t K, int... Axes>
requires(K > 1)  //
    [[nodiscard]] auto uniform_filter(const X& x, const index_argument (&lengths)[K],
                                      axis_list<Axes...> along,
                                      boundary beyond = boundary::symmetric) {
  return detail::average_windows(x, detail::to_indices(lengths), along, beyond);
}

template <array_expression X, fixed_extents Lengths, int... Axes>
[[nodiscard]] auto uniform_filter(const X& x, const Lengths& lengths, axis_list<Axes...> along,
                                  boundary beyond = boundary::symmetric) {
  return detail::average_windows(x, detail::extents_of("uniform_filter", lengths), along, beyond);
}

}  // namespace tessera
