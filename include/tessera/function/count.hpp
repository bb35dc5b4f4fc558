// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts of elements along axes.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cstdint>
#include <string_view>

namespace tessera {

namespace op {

struct count {
  static constexpr std::string_view name = "count";
  static constexpr fold_rule rule = fold_rule::any;
  template <element T>
  using result = std::int64_t;

  template <element T>
  static const fold_kernel& kernel() {
    return monoid_fold<detail::named_monoid<detail::num_elements_taken<T>, count>, T>();
  }
  template <element T, detail::counting How>
  static const fold_kernel& counted_kernel() {
    using counter = detail::named_monoid<detail::num_elements_taken<T>, count>;
    return detail::counted_monoid_fold<counter, How, T>();
  }
};

}  // namespace op

/// Returns the number of elements along some axes that are no NaN.
///
/// Dtype:  int64. Options as of `sum`.
/// Source: xarray's count.
template <array_argument X, class... Options>
[[nodiscard]] auto count(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::count(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::are_right_options<X, Options...>,
      "tessera::count(x, options...): requires each option to be axis<k>, of axes of x that "
      "differ, keepdims or where(valid): count(x, axis<0>)");
  return detail::reduce_right(op::count{}, x, options...);
}

namespace function {

/// The folds of this family.
using count_folds = boost::hana::tuple<op::count>;

}  // namespace function
}  // namespace tessera
