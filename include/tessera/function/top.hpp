// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The k greatest or least elements along an axis.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/positions.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/fold_top.hpp"
#include "tessera/kernel/kernel.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace op {

struct topk {
  static constexpr std::string_view name = "topk";
  static constexpr fold_rule rule = fold_rule::ordered;
  template <element T>
  using result = T;

  /// The number of elements; of the least ones if it is negative.
  index_t number = 1;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::top_fold<topk, T, false>>();
  }
  [[nodiscard]] kernel_parameters parameters() const { return {number, detail::bytes_of(number)}; }
};

struct argtopk {
  static constexpr std::string_view name = "argtopk";
  static constexpr fold_rule rule = fold_rule::ordered;
  static constexpr bool takes_positions = true;
  template <element T>
  using result = std::int64_t;

  /// As of `topk`.
  index_t number = 1;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::top_fold<argtopk, T, true>>();
  }
  [[nodiscard]] kernel_parameters parameters() const { return {number, detail::bytes_of(number)}; }
};

}  // namespace op

namespace detail {

/// Tells whether options are one axis of `X`, or none for an `X` of rank 1.
template <class X, class... Options>
inline constexpr bool names_one_axis =
    sizeof...(Options) <= 1 && (is_axes<Options> && ...) &&
    axes_fit<X::rank, axes_of<Options...>>&& axes_rule<X::rank, axes_of<Options...>>::count == 1;

/// Returns the node of `fold`, which keeps `k` elements of an axis.
template <class Fold, class X, class... Options>
auto reduce_to_vectors(const Fold& fold, const X& x, const Options&... options) {
  if constexpr (!names_one_axis<X, Options...> || !dims_fit<X, Options...> ||
                !fold_takes<Fold, typename X::value_type>) {
    return x;
  } else if constexpr (have_names<X>) {
    return along_names([&fold](const auto&... args) { return reduce_to_vectors(fold, args...); }, x,
                       options...);
  } else {
    const axis_mask reduced = reduced_axes<X::rank>(Fold::name, options...);
    require_state_length(Fold::name, x.layout(), reduced, fold.number);
    using op_type = op::reduce<Fold, 1, 1>;
    return expression<op_type, X>(op_type{fold, reduced, {std::abs(fold.number)}}, x);
  }
}

}  // namespace detail

/// Returns the `k` greatest elements along an axis in descending order, or, for a negative `k`, the
/// `-k` least in ascending order. NaN is greater than all numbers, as in NumPy's sorts.
///
/// Shape:    that of `x`, with `k` elements along the axis.
/// Dtype:    that of `x`. Memory: a task keeps `k` elements for each that stays.
/// Requires: one axis; elements that have an order.
/// Throws:   shape_error <- `k` is 0, or beyond the extent of the axis.
/// Source:   dask.array.topk.
template <array_argument X, class... Options>
[[nodiscard]] auto topk(const X& x, index_t k, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::topk(x, dim<...>): requires a dimension that x has");
  static_assert(detail::names_one_axis<X, Options...>,
                "tessera::topk(x, k, axis<...>): requires one axis of x: topk(x, 5, axis<0>)");
  static_assert(fold_takes<op::topk, typename X::value_type>,
                "tessera::topk(x, k): requires elements that have an order; complex numbers have "
                "none");
  return detail::reduce_to_vectors(op::topk{k}, x, options...);
}

/// As `topk`, but the positions of these elements along the axis; of equals the first come first.
///
/// Dtype: int64. Source: dask.array.argtopk.
template <array_argument X, class... Options>
[[nodiscard]] auto argtopk(const X& x, index_t k, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::argtopk(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::names_one_axis<X, Options...>,
      "tessera::argtopk(x, k, axis<...>): requires one axis of x: argtopk(x, 5, axis<0>)");
  static_assert(
      fold_takes<op::argtopk, typename X::value_type>,
      "tessera::argtopk(x, k): requires elements that have an order; complex numbers have "
      "none");
  return detail::reduce_to_vectors(op::argtopk{k}, x, options...);
}

namespace function {

/// The folds of this family, and their families. They are apart from other families, as each keeps
/// several elements.
using top_folds = boost::hana::tuple<op::topk, op::argtopk>;
using vector_fold_families = boost::hana::tuple<top_folds>;

}  // namespace function
}  // namespace tessera
