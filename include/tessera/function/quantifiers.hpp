// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether any or all elements along axes are not zero.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/logical.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/kernel.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <string_view>

namespace tessera {

namespace op {

struct any {
  static constexpr std::string_view name = "any";
  static constexpr fold_rule rule = fold_rule::any;
  template <element T>
  using result = bool;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::simple_fold<any, T>>();
  }
  template <element T>
  static constexpr T neutral() {
    return T(0);
  }
  template <element T>
  static constexpr bool identity() {
    return false;
  }
  static bool combine(bool a, bool b) { return logical_or::value(a, b); }
};

}  // namespace op

/// Tells whether any element along some axes is not zero.
///
/// Dtype:    bool. Of nothing: false.
template <array_argument X, class... Options>
[[nodiscard]] auto any(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::any(x, dim<...>): requires a dimension that x has");
  static_assert(
      are_reduction_options<Options...>,
      "tessera::any(x, options...): requires each option to be axis<k>, keepdims, where(valid): "
      "any(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::any(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::any(x, axis<...>): requires axes that differ from each other");
  return detail::reduce(op::any{}, x, options...);
}

namespace op {

struct all {
  static constexpr std::string_view name = "all";
  static constexpr fold_rule rule = fold_rule::any;
  template <element T>
  using result = bool;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::simple_fold<all, T>>();
  }
  template <element T>
  static constexpr T neutral() {
    return T(1);
  }
  template <element T>
  static constexpr bool identity() {
    return true;
  }
  static bool combine(bool a, bool b) { return logical_and::value(a, b); }
};

}  // namespace op

/// Tells whether all elements along some axes are not zero.
///
/// Dtype:    bool. Of nothing: true.
template <array_argument X, class... Options>
[[nodiscard]] auto all(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::all(x, dim<...>): requires a dimension that x has");
  static_assert(
      are_reduction_options<Options...>,
      "tessera::all(x, options...): requires each option to be axis<k>, keepdims, where(valid): "
      "all(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::all(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::all(x, axis<...>): requires axes that differ from each other");
  return detail::reduce(op::all{}, x, options...);
}

/// Refused, with the remedy, as an index: see `refused_index`. It is not defined.
detail::index_of_all all(detail::index_of_all);

namespace function {

/// The folds of this family.
using quantifier_folds = boost::hana::tuple<op::any, op::all>;

}  // namespace function
}  // namespace tessera
