// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Quantiles: elements in the middle of the sorted elements, or at another position.

#include "tessera/core/dtype.hpp"
#include "tessera/function/detail/line_functions.hpp"
#include "tessera/kernel/line_kernel.hpp"
#include "tessera/meta/dims.hpp"
#include "tessera/meta/promotion.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

namespace op {

struct quantile {
  static constexpr std::string_view name = "quantile";
  template <element T>
  using result = floating_t<T>;

  line::quantile_query sought;

  static const block_kernel& kernel(dtype type) { return line::quantile(type); }
  [[nodiscard]] kernel_parameters parameters() const { return line::quantile_parameters(sought); }
};

struct median : quantile {
  static constexpr std::string_view name = "median";
};

struct mode {
  static constexpr std::string_view name = "mode";
  template <element T>
  using result = T;

  static const block_kernel& kernel(dtype type) { return line::mode(type); }
};

}  // namespace op

namespace detail {

template <class Option>
inline constexpr bool is_line_option = is_axes<Option> || std::same_as<Option, keepdims_t>;

/// Tells whether options are axes of `X` that differ, `keepdims`, and options of type `More`.
template <class X, class More, class... Options>
inline constexpr bool are_line_options =
    ((is_line_option<Options> || std::same_as<Options, More>)&&...) &&
    axes_fit<X::rank, axes_of<Options...>>&& axes_differ<X::rank, axes_of<Options...>>;

template <class Option>
void note_method(quantile_method& method, const Option& option) {
  if constexpr (std::same_as<Option, quantile_method>) method = option;
}

/// Returns the node of `function` of the lines of `x`, with one result for each line, or with an
/// axis of `count` results. Options may be axes, `keepdims`, and options of type `More`.
template <bool HasAxis, class More, class Line, class X, class... Options>
auto shorten_lines(const Line& function, index_t count, const X& x, const Options&... options) {
  using rule = axes_rule<X::rank, axes_of<Options...>>;
  lazy(x);
  constexpr bool are_options = are_line_options<X, More, Options...>;
  static_assert(are_options,
                "tessera::quantile(x, q, options...), median, mode: requires options to be axes in "
                "[-rank, rank) of x that differ, keepdims, and, for quantiles, a quantile_method");
  static_assert(has_order<typename X::value_type>,
                "tessera::quantile(x, q), median, mode: requires elements that have an order; "
                "complex numbers have none");
  if constexpr (!are_operands<X>) {
    return x;
  } else if constexpr (!are_options || !dims_fit<X, Options...> ||
                       !has_order<typename X::value_type>) {
    return x;
  } else if constexpr (have_names<X>) {
    using front = std::conditional_t<HasAxis, dims<"quantile">, dims<>>;
    return along_names<front>(
        [&](const auto&... args) { return shorten_lines<HasAxis, More>(function, count, args...); },
        x, options...);
  } else if constexpr (rule::count == 0) {
    // A line needs an axis: one of extent 1 changes nothing.
    return shorten_lines<HasAxis, More>(
        function, count, add_axes<X::rank + 1>(Line::name, x, axis_mask{1} << X::rank), axis<-1>);
  } else {
    const axis_mask lined = reduced_axes<X::rank>(Line::name, options...);
    line_output line_result{.is_first = true};
    if constexpr (HasAxis) line_result.length = count;
    const auto result =
        make_lines_node<X::rank - rule::count + (HasAxis ? 1 : 0)>(function, x, lined, line_result);
    if constexpr ((std::same_as<Options, keepdims_t> || ...)) {
      return add_axes<X::rank + (HasAxis ? 1 : 0)>(Line::name, result, lined << (HasAxis ? 1 : 0));
    } else {
      return result;
    }
  }
}

template <bool HasAxis, class X, class... Options>
auto find_quantiles(std::vector<double> q, bool skips_nan, const X& x, const Options&... options) {
  const auto count = static_cast<index_t>(q.size());
  line::quantile_query sought{.q = std::move(q), .has_axis = HasAxis, .skips_nan = skips_nan};
  (note_method(sought.method, options), ...);
  // Refused here, by the call that asks for it.
  static_cast<void>(line::quantile_parameters(sought));
  return shorten_lines<HasAxis, quantile_method>(op::quantile{std::move(sought)}, count, x,
                                                 options...);
}

inline std::vector<double> of_percents(std::vector<double> percents) {
  for (double& percent : percents) percent /= 100;
  return percents;
}

template <class X, class... Options>
auto find_median(bool skips_nan, const X& x, const Options&... options) {
  return shorten_lines<false, void>(
      op::median{{{.q = {0.5}, .is_median = true, .skips_nan = skips_nan}}}, 1, x, options...);
}

}  // namespace detail

/// Returns the quantile `q`, from 0 to 1, of the elements along the axes, by default along all: the
/// element at the fraction `q` of the sorted elements, or an interpolation of two.
///
/// Options:  axes, `keepdims`, a `quantile_method`: `linear` unless another is given.
/// Dtype:    floats as they are, of integers and bool float64.
/// NaN:      gives NaN, as do no elements.
/// Memory:   whole lines: as many at once as are allowed. If chunks cut lines so that they would be
///           read again and again, a copy in other chunks is read.
/// Complexity: lines that no task holds are read once for each 16 bits of an element, or for fewer
///             bits if memory is short: each pass counts elements by these bits. The plan tells.
/// Throws:   value_error <- `q` is not in [0, 1].
/// Source:   numpy.quantile.
template <array_argument X, class... Options>
[[nodiscard]] auto quantile(const X& x, double q, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::quantile(x, dim<...>): requires a dimension that x has");
  return detail::find_quantiles<false>({q}, false, x, options...);
}
/// As above, of several `q`, which become the first axis: the dimension "quantile" of arrays with
/// names.
template <array_argument X, class... Options>
[[nodiscard]] auto quantile(const X& x, std::vector<double> q, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::quantile(x, dim<...>): requires a dimension that x has");
  return detail::find_quantiles<true>(std::move(q), false, x, options...);
}

/// Return `quantile` of `percent / 100`. Source: numpy.percentile.
template <array_argument X, class... Options>
[[nodiscard]] auto percentile(const X& x, double percent, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::percentile(x, dim<...>): requires a dimension that x has");
  return detail::find_quantiles<false>({percent / 100}, false, x, options...);
}
template <array_argument X, class... Options>
[[nodiscard]] auto percentile(const X& x, std::vector<double> percents, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::percentile(x, dim<...>): requires a dimension that x has");
  return detail::find_quantiles<true>(detail::of_percents(std::move(percents)), false, x,
                                      options...);
}

/// Return `quantile` and `percentile` of the elements that are no NaN; NaN if there are none.
///
/// Source: numpy.nanquantile, numpy.nanpercentile.
template <array_argument X, class... Options>
[[nodiscard]] auto nanquantile(const X& x, double q, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanquantile(x, dim<...>): requires a dimension that x has");
  return detail::find_quantiles<false>({q}, true, x, options...);
}
template <array_argument X, class... Options>
[[nodiscard]] auto nanquantile(const X& x, std::vector<double> q, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanquantile(x, dim<...>): requires a dimension that x has");
  return detail::find_quantiles<true>(std::move(q), true, x, options...);
}
template <array_argument X, class... Options>
[[nodiscard]] auto nanpercentile(const X& x, double percent, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanpercentile(x, dim<...>): requires a dimension that x has");
  return detail::find_quantiles<false>({percent / 100}, true, x, options...);
}
template <array_argument X, class... Options>
[[nodiscard]] auto nanpercentile(const X& x, std::vector<double> percents, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanpercentile(x, dim<...>): requires a dimension that x has");
  return detail::find_quantiles<true>(detail::of_percents(std::move(percents)), true, x,
                                      options...);
}

/// Returns the middle of the sorted elements along the axes: the mean of two if their number is
/// even.
///
/// Options: axes, `keepdims`. Otherwise as `quantile`. Source: numpy.median.
template <array_argument X, class... Options>
[[nodiscard]] auto median(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::median(x, dim<...>): requires a dimension that x has");
  return detail::find_median(false, x, options...);
}

/// Returns `median` of the elements that are no NaN; NaN if there are none.
///
/// Source: numpy.nanmedian.
template <array_argument X, class... Options>
[[nodiscard]] auto nanmedian(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanmedian(x, dim<...>): requires a dimension that x has");
  return detail::find_median(true, x, options...);
}

/// Returns the most frequent of the elements along the axes, the least of several. NaN is the
/// result only if all elements are NaN.
///
/// Dtype: that of `x`. Otherwise as `median`. Source: scipy.stats.mode with nan_policy="omit".
/// Throws: shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto mode(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::mode(x, dim<...>): requires a dimension that x has");
  if constexpr (have_names<X> && dims_fit<X, Options...>) {
    return detail::along_names([](const auto&... args) { return mode(args...); }, x, options...);
  } else {
    if constexpr (detail::are_line_options<X, void, Options...> && are_operands<X> &&
                  dims_fit<X, Options...>) {
      require_elements("mode", x.layout(), detail::reduced_axes<X::rank>("mode", options...));
    }
    return detail::shorten_lines<false, void>(op::mode{}, 1, x, options...);
  }
}

namespace function {

using quantile_lines = boost::hana::tuple<op::quantile, op::median, op::mode>;

}  // namespace function
}  // namespace tessera
