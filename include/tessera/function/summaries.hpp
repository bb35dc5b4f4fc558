// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions that combine other reductions, which share one pass over the array.

#include "tessera/expr/reduction.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/division.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/nan_statistical.hpp"
#include "tessera/function/sums.hpp"

#include <cstddef>
#include <type_traits>

namespace tessera {

/// Returns the number of elements along some axes that are not zero.
///
/// Dtype: int64. Options as of `sum`.
template <array_argument X, class... Options>
[[nodiscard]] auto count_nonzero(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::count_nonzero(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::are_right_options<X, Options...>,
      "tessera::count_nonzero(x, options...): requires each option to be axis<k>, of axes "
      "of x that differ, keepdims or where(valid): count_nonzero(x, axis<0>)");
  using T = typename X::value_type;
  if constexpr (!detail::options_fit<X, Options...>) {
    return x;
  } else if constexpr (boolean_element<T>) {
    return sum(x, options...);
  } else {
    return sum(x != T(0), options...);
  }
}

/// Returns the greatest less the least element along some axes; NaN if any is.
///
/// Dtype:    that of `x`; integers wrap. Options as of `max`.
/// Requires: elements that are real numbers, not bool or complex.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto ptp(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::ptp(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::are_right_options<X, Options...>,
      "tessera::ptp(x, options...): requires each option to be axis<k>, of axes of x that "
      "differ, keepdims or where(valid): ptp(x, axis<0>)");
  static_assert(real_element<typename X::value_type>,
                "tessera::ptp(x): requires elements that are real numbers, not bool or complex; "
                "astype<T>(x) converts them");
  if constexpr (detail::options_fit<X, Options...> && real_element<typename X::value_type>) {
    return max(x, options...) - min(x, options...);
  } else {
    return x;
  }
}

namespace detail {

/// Returns weights, of one axis or of all, as an array of the shape of `x`.
template <class X, class W, class... Options>
auto weights_over(const X& x, const W& weights, const Options&... options) {
  if constexpr (W::rank < X::rank) {
    const axis_mask reduced = reduced_axes<X::rank>("average", options...);
    return weights_over(x, add_axes<X::rank>("average", weights, axis_mask_of<X::rank> & ~reduced));
  } else {
    const index_vector& from = weights.layout().shape;
    return make_view<X::rank>(
        "average", weights,
        map_broadcast(from, broadcast_shapes("average", x.layout().shape, from)));
  }
}

/// Tells whether weights have the rank of `X`, or one axis if one is folded.
template <class X, class W, class... Options>
inline constexpr bool are_weights = have_names<X, W> || W::rank == X::rank ||
                                    (W::rank == 1 &&
                                     axes_rule<X::rank, axes_of<Options...>>::count == 1);

}  // namespace detail

/// Returns the mean of the elements along some axes, each with its weight:
/// `sum(x * weights) / sum(weights)`, in one pass over both.
///
/// Dtype:    the promotion of that of `mean(x)` and that of the weights.
/// Requires: weights of the rank of `x`, or of one axis, the one that is folded.
/// Source:   numpy.average.
template <array_argument X, array_argument W, class... Options>
[[nodiscard]] auto average(const X& x, const W& weights, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::average(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_right_options<X, Options...>,
                "tessera::average(x, weights, options...): requires each option to be axis<k>, of "
                "axes of x that differ, keepdims or where(valid): average(x, w, axis<0>)");
  static_assert(detail::are_weights<X, W, Options...>,
                "tessera::average(x, weights, options...): requires weights of the rank of x, or "
                "weights of rank 1 and the one axis that they are along");
  if constexpr (!detail::options_fit<X, Options...> || !detail::are_weights<X, W, Options...>) {
    return x;
  } else if constexpr (have_names<X, W>) {
    return detail::along_names([](const auto&... args) { return average(args...); }, x, weights,
                               options...);
  } else {
    using T = promote_t<floating_t<typename X::value_type>, typename W::value_type>;
    // Products and sums of small floats may exceed their range even if the quotient does not.
    using wide = promote_t<T, double>;
    const auto full_weights = astype<wide>(detail::weights_over(x, weights, options...));
    return astype<T>(sum(astype<wide>(x) * full_weights, options...) /
                     sum(full_weights, options...));
  }
}

/// Returns the mean of the elements, which all weigh the same. As `mean`.
template <array_argument X>
[[nodiscard]] auto average(const X& x) {
  return mean(x);
}
template <array_argument X, class First, class... Options>
requires(!array_argument<First>)
    [[nodiscard]] auto average(const X& x, First first, Options... options) {
  constexpr bool are_options = !has_array<Options...>;
  static_assert(are_options,
                "tessera::average(x, weights, options...): requires weights before the axis: "
                "average(x, w, axis<0>)");
  if constexpr (are_options) {
    return mean(x, first, options...);
  } else {
    return x;
  }
}

}  // namespace tessera
