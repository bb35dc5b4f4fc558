// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Positions of the least and the greatest elements, and the first and the last elements, along an
/// axis.
///
/// Each works along one axis, `argmax(x, axis<0>)`, or, without one, over the whole array. The
/// elements are counted in row-major order.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cstdint>
#include <string_view>

namespace tessera {

namespace detail {

/// The base of tags of positions; `Monoid<T>` folds elements of `T`.
template <class Op, template <class> class Monoid>
struct position_fold {
  static constexpr bool takes_positions = true;

  template <element T>
  static const fold_kernel& kernel() {
    return monoid_fold<named_monoid<Monoid<T>, Op>, T, std::int64_t>();
  }
  template <element T, counting How>
  static const fold_kernel& counted_kernel() {
    return counted_monoid_fold<named_monoid<Monoid<T>, Op>, How, T, std::int64_t>();
  }
};

template <class T>
using least_position = extreme_position<T, false, false>;
template <class T>
using greatest_position = extreme_position<T, true, false>;
template <class T>
using least_number_position = extreme_position<T, false, true>;
template <class T>
using greatest_number_position = extreme_position<T, true, true>;
template <class T>
using first_element = end_element<T, false>;
template <class T>
using last_element = end_element<T, true>;

/// Tells whether options of a fold of positions are right: at most one axis, which `x` has.
template <class X, class... Options>
inline constexpr bool takes_one_axis =
    are_reduction_options<Options...>&& axes_fit<X::rank, axes_of<Options...>> &&
    (std::is_void_v<axes_of<Options...>> || axes_rule<X::rank, axes_of<Options...>>::count == 1);

/// As `reduce` of a fold of positions; `x` itself if its options are wrong.
template <class Fold, class X, class... Options>
auto reduce_positions(const Fold& fold, const X& x, const Options&... options) {
  if constexpr (takes_one_axis<X, Options...>) {
    return reduce(fold, x, options...);
  } else {
    return x;
  }
}

}  // namespace detail

namespace op {

struct argmin : detail::position_fold<argmin, detail::least_position> {
  static constexpr std::string_view name = "argmin";
  static constexpr fold_rule rule = fold_rule::ordered;
  static constexpr bool needs_elements = true;
  template <element T>
  using result = std::int64_t;
};

struct argmax : detail::position_fold<argmax, detail::greatest_position> {
  static constexpr std::string_view name = "argmax";
  static constexpr fold_rule rule = fold_rule::ordered;
  static constexpr bool needs_elements = true;
  template <element T>
  using result = std::int64_t;
};

struct nanargmin : detail::position_fold<nanargmin, detail::least_number_position> {
  static constexpr std::string_view name = "nanargmin";
  static constexpr fold_rule rule = fold_rule::ordered;
  static constexpr bool needs_elements = true;
  template <element T>
  using result = std::int64_t;
};

struct nanargmax : detail::position_fold<nanargmax, detail::greatest_number_position> {
  static constexpr std::string_view name = "nanargmax";
  static constexpr fold_rule rule = fold_rule::ordered;
  static constexpr bool needs_elements = true;
  template <element T>
  using result = std::int64_t;
};

struct first : detail::position_fold<first, detail::first_element> {
  static constexpr std::string_view name = "first";
  static constexpr fold_rule rule = fold_rule::any;
  static constexpr bool needs_elements = true;
  template <element T>
  using result = T;
};

struct last : detail::position_fold<last, detail::last_element> {
  static constexpr std::string_view name = "last";
  static constexpr fold_rule rule = fold_rule::any;
  static constexpr bool needs_elements = true;
  template <element T>
  using result = T;
};

}  // namespace op

/// Returns the position of the least element; the first of several, and the first NaN if there is
/// one.
///
/// Dtype:    int64; -1 if `where(valid)` lets nothing count.
/// Requires: elements that have an order, not complex numbers; at most one axis.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto argmin(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::argmin(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::takes_one_axis<X, Options...>,
      "tessera::argmin(x, options...): requires each option to be axis<k>, one axis of x or "
      "none for all, keepdims or where(valid): argmin(x, axis<0>)");
  static_assert(
      fold_takes<op::argmin, typename X::value_type>,
      "tessera::argmin(x): requires elements that have an order; complex numbers have none");
  return detail::reduce_positions(op::argmin{}, x, options...);
}

/// Returns the position of the greatest element; the first of several, and the first NaN if there
/// is one.
///
/// Dtype:    int64; -1 if `where(valid)` lets nothing count.
/// Requires: elements that have an order, not complex numbers; at most one axis.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto argmax(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::argmax(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::takes_one_axis<X, Options...>,
      "tessera::argmax(x, options...): requires each option to be axis<k>, one axis of x or "
      "none for all, keepdims or where(valid): argmax(x, axis<0>)");
  static_assert(
      fold_takes<op::argmax, typename X::value_type>,
      "tessera::argmax(x): requires elements that have an order; complex numbers have none");
  return detail::reduce_positions(op::argmax{}, x, options...);
}

/// Returns the position of the least element that is no NaN; the first of several, -1 if all are
/// NaN.
///
/// Dtype:    int64; -1 if `where(valid)` lets nothing count.
/// Requires: elements that have an order, not complex numbers; at most one axis.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto nanargmin(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanargmin(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::takes_one_axis<X, Options...>,
      "tessera::nanargmin(x, options...): requires each option to be axis<k>, one axis of x or "
      "none for all, keepdims or where(valid): nanargmin(x, axis<0>)");
  static_assert(
      fold_takes<op::nanargmin, typename X::value_type>,
      "tessera::nanargmin(x): requires elements that have an order; complex numbers have none");
  return detail::reduce_positions(op::nanargmin{}, x, options...);
}

/// Returns the position of the greatest element that is no NaN; the first of several, -1 if all are
/// NaN.
///
/// Dtype:    int64; -1 if `where(valid)` lets nothing count.
/// Requires: elements that have an order, not complex numbers; at most one axis.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto nanargmax(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanargmax(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::takes_one_axis<X, Options...>,
      "tessera::nanargmax(x, options...): requires each option to be axis<k>, one axis of x or "
      "none for all, keepdims or where(valid): nanargmax(x, axis<0>)");
  static_assert(
      fold_takes<op::nanargmax, typename X::value_type>,
      "tessera::nanargmax(x): requires elements that have an order; complex numbers have none");
  return detail::reduce_positions(op::nanargmax{}, x, options...);
}

/// Returns the first element along an axis, with `where(valid)` the first that counts.
///
/// Dtype:    that of `x`; NaN if nothing counts, or 0 for dtypes without NaN.
/// Requires: at most one axis.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto first(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::first(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::takes_one_axis<X, Options...>,
      "tessera::first(x, options...): requires each option to be axis<k>, one axis of x or "
      "none for all, keepdims or where(valid): first(x, axis<0>)");
  return detail::reduce_positions(op::first{}, x, options...);
}

/// Returns the last element along an axis, with `where(valid)` the last that counts.
///
/// Dtype:    that of `x`; NaN if nothing counts, or 0 for dtypes without NaN.
/// Requires: at most one axis.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto last(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::last(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::takes_one_axis<X, Options...>,
      "tessera::last(x, options...): requires each option to be axis<k>, one axis of x or "
      "none for all, keepdims or where(valid): last(x, axis<0>)");
  return detail::reduce_positions(op::last{}, x, options...);
}

namespace function {

/// The folds of this family.
using position_folds =
    boost::hana::tuple<op::argmin, op::argmax, op::nanargmin, op::nanargmax, op::first, op::last>;

}  // namespace function
}  // namespace tessera
