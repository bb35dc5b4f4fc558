// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Histograms: elements counted by the bins that they lie in.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/groupby.hpp"
#include "tessera/function/map.hpp"
#include "tessera/kernel/detail/bins.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {

/// Bins of one width over a range: `bins{100, -5.0, 5.0}`. The last holds the end of the range.
struct bins {
  index_t count;
  double low;
  double high;

  /// Returns the edges of the bins, as numpy.linspace does.
  [[nodiscard]] std::vector<double> edges() const {
    return detail::even_bins(count, low, high).edges();
  }
};

/// The option that lets `digitize` count the right end of a bin to it, instead of the left one.
struct right_t {
  explicit right_t() = default;
};
inline constexpr right_t right{};

/// Returns the bin of each element, for bins that begin at `edges`: `i` if
/// `edges[i - 1] <= x < edges[i]`, 0 below all and their number beyond all, and of NaN. With
/// `right`, `i` if `edges[i - 1] < x <= edges[i]`. Edges may descend; then the relations are the
/// other way round.
///
/// Dtype:    int64.
/// Requires: elements that are real numbers.
/// Throws:   value_error <- edges neither ascend nor descend.
/// Source:   numpy.digitize.
template <unnamed_argument X>
[[nodiscard]] auto digitize(const X& x, std::span<const double> edges) {
  static_assert(real_element<typename X::value_type>,
                "tessera::digitize(x, edges): requires elements that are real numbers; "
                "astype<T>(x) converts them");
  if constexpr (real_element<typename X::value_type>) {
    return map(detail::digits(edges, false), x);
  } else {
    return x;
  }
}
template <unnamed_argument X>
[[nodiscard]] auto digitize(const X& x, std::span<const double> edges, right_t) {
  static_assert(real_element<typename X::value_type>,
                "tessera::digitize(x, edges): requires elements that are real numbers; "
                "astype<T>(x) converts them");
  if constexpr (real_element<typename X::value_type>) {
    return map(detail::digits(edges, true), x);
  } else {
    return x;
  }
}
template <unnamed_argument X, std::same_as<right_t>... Right>
[[nodiscard]] auto digitize(const X& x, std::initializer_list<double> edges, Right... from_right) {
  return digitize(x, std::span<const double>(edges.begin(), edges.size()), from_right...);
}

/// The weights of elements in a histogram: the option `weights(w)`.
template <array_expression W>
struct histogram_weights {
  W weights;
};
template <array_expression W>
[[nodiscard]] auto weights(const W& w) {
  return histogram_weights<W>{w};
}

namespace detail {

inline auto binning(const bins& given) { return even_bins(given.count, given.low, given.high); }
inline auto binning(std::span<const double> edges) { return uneven_bins(edges); }

template <class Option>
inline constexpr bool is_weights = false;
template <class W>
inline constexpr bool is_weights<histogram_weights<W>> = true;

/// Returns the node that counts labels of the whole of an array, or sums weights.
template <std::size_t N, class Label, class... Options>
auto histogram_of(const std::array<index_t, N>& counts, const Label& label,
                  const Options&... options) {
  require_groups("histogram", counts);
  if constexpr (sizeof...(Options) == 0) {
    using op_type = op::reduce<label_count, Label::rank, N>;
    return expression<op_type, Label>(op_type{{}, axis_mask_of<Label::rank>, counts}, label);
  } else {
    return reduce_groups<Label::rank>(op::sum{}, options.weights..., label, counts,
                                      axis_mask_of<Label::rank>);
  }
}

/// Tells whether options are weights of arrays of rank `Rank`, or none.
template <std::size_t Rank, class... Options>
inline constexpr bool are_histogram_options = sizeof...(Options) == 0;
template <std::size_t Rank, class W>
inline constexpr bool are_histogram_options<Rank, histogram_weights<W>> = W::rank == Rank;

template <class X>
inline constexpr bool has_bins = real_element<typename X::value_type> && (X::rank > 0);

template <class X, class Bins, class... Options>
auto histogram(const X& x, const Bins& given, const Options&... options) {
  if constexpr (has_bins<X> && are_histogram_options<X::rank, Options...>) {
    const auto by = binning(given);
    return histogram_of(std::array{by.count()}, map(by, x), options...);
  } else {
    return x;
  }
}

/// As `histogram` of several arrays, element by element.
template <class... Xs, class... Bins, std::size_t... I, class... Options>
auto histogram_of_several(const std::tuple<Xs...>& xs, const std::tuple<Bins...>& given,
                          std::index_sequence<I...>, const Options&... options) {
  const auto by = std::tuple(binning(std::get<I>(given))...);
  const std::array counts{std::get<I>(by).count()...};
  const auto label =
      one_label<sizeof...(I) - 1>(std::tuple(map(std::get<I>(by), std::get<I>(xs))...), counts);
  return histogram_of(counts, label, options...);
}

}  // namespace detail

/// Returns the count of elements in each of the bins between `edges`:
/// `edges[i] <= x < edges[i + 1]`, and in the last bin also its end. With `weights(w)`, the sum of
/// the weights.
///
/// Shape:    `(n)` for `n + 1` edges. Dtype: int64; with weights that of their sum.
/// Requires: elements that are real numbers; weights of the rank of `x`.
/// Throws:   value_error <- there are fewer than two edges, or they do not ascend.
/// Source:   numpy.histogram.
template <unnamed_argument X, class... Options>
[[nodiscard]] auto histogram(const X& x, std::span<const double> edges, Options... options) {
  static_assert(detail::has_bins<X>,
                "tessera::histogram(x, edges): requires an array of real numbers; astype<T>(x) "
                "converts them");
  static_assert(detail::are_histogram_options<X::rank, Options...>,
                "tessera::histogram(x, edges, weights(w)): requires weights of the rank of x");
  return detail::histogram(x, edges, options...);
}
/// As above, with bins of one width: `histogram(x, bins{100, 0, 1})`.
template <unnamed_argument X, class... Options>
[[nodiscard]] auto histogram(const X& x, const bins& given, Options... options) {
  static_assert(detail::has_bins<X>,
                "tessera::histogram(x, bins): requires an array of real numbers; astype<T>(x) "
                "converts them");
  static_assert(detail::are_histogram_options<X::rank, Options...>,
                "tessera::histogram(x, bins, weights(w)): requires weights of the rank of x");
  return detail::histogram(x, given, options...);
}

/// As `histogram` of the elements of several arrays at the same places, each with its bins:
/// `histogramdd(std::tuple{x, y}, std::tuple{bins{10, 0, 1}, bins{20, 0, 2}})`.
///
/// Shape: one axis for each array. Source: numpy.histogramdd.
template <class... Xs, class... Bins, class... Options>
[[nodiscard]] auto histogramdd(const std::tuple<Xs...>& xs, const std::tuple<Bins...>& given,
                               Options... options) {
  constexpr bool are_right = [] {
    if constexpr ((array_expression<Xs> && ...)) {
      return sizeof...(Xs) > 0 && sizeof...(Xs) == sizeof...(Bins) && (detail::has_bins<Xs> && ...);
    } else {
      return false;
    }
  }();
  static_assert(
      are_right,
      "tessera::histogramdd({x, ...}, {bins, ...}): requires lazy arrays of real numbers, "
      "and bins or edges for each");
  if constexpr (are_right) {
    static_assert(
        detail::are_histogram_options<std::max({Xs::rank...}), Options...>,
        "tessera::histogramdd(xs, bins, weights(w)): requires weights of the rank of the arrays");
    return detail::histogram_of_several(xs, given, std::index_sequence_for<Xs...>{}, options...);
  } else {
    return std::get<0>(xs);
  }
}

/// As `histogramdd` of two arrays. Source: numpy.histogram2d.
template <unnamed_argument X, unnamed_argument Y, class XBins, class YBins, class... Options>
[[nodiscard]] auto histogram2d(const X& x, const Y& y, const XBins& x_bins, const YBins& y_bins,
                               Options... options) {
  return histogramdd(std::tuple(x, y), std::tuple(x_bins, y_bins), options...);
}

}  // namespace tessera
