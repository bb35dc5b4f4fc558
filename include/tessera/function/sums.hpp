// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sums, products and means along axes.
///
/// Sums and means of float64 are added plainly in short groups, pairwise within a strip, and
/// compensated (Knuth's TwoSum) between groups. Sums of float32 are kept in float64. No precision
/// is lost with the number of elements.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/powers.hpp"
#include "tessera/kernel/detail/fold_counted.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/detail/monoid_sums.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/tree.hpp"
#include "tessera/meta/promotion.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tessera {

namespace op {

/// The dtype of sums and products: floats and complex numbers keep theirs, integers get 64 bits.
template <element T>
using accumulated_t =
    std::conditional_t<floating_element<T> || complex_element<T>, T, detail::accumulator<T>>;

}  // namespace op

namespace detail {

/// The monoid of a fold by the sum of `T`: float64 compensated, float32 in float64.
template <class T>
using sum_of = std::conditional_t<
    complex_element<T>, complex_sum<T>,
    std::conditional_t<std::same_as<T, double>, compensated_sum<T>, plain_sum<T>>>;

/// As `sum_of`, but integers compensated: their exact sum may exceed 64 bits.
template <class T>
using sum_for_mean =
    std::conditional_t<floating_element<T> || complex_element<T>, sum_of<T>, compensated_sum<T>>;

/// Returns the sum of products `takes`, which takes two elements, as sums of `x * y` and of
/// `square(x)`.
template <element T>
std::vector<fused_take> fused_products(const fused_take& takes) {
  using x = tree_operand<T, 0>;
  using y = tree_operand<T, 1>;
  return takes_of_kernels(takes, typeid(tree_node<op::multiply, x, y>).name(),
                          typeid(tree_node<op::square, x>).name());
}

}  // namespace detail

namespace op {

struct sum {
  static constexpr std::string_view name = "sum";
  static constexpr fold_rule rule = fold_rule::any;
  template <element T>
  using result = accumulated_t<T>;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::sum_fold<sum, T, detail::sum_of<T>>>();
  }
  template <element T>
  static constexpr T neutral() {
    return T(0);
  }
  template <element T>
  static std::vector<fused_take> products(const fused_take& takes) {
    return detail::fused_products<T>(takes);
  }
  static constexpr bool needs_count = false;
  template <class Sum>
  static Sum finish(Sum sum, double /*count*/) {
    return sum;
  }
};

}  // namespace op

/// Returns the sum of the elements along some axes.
///
/// Dtype:    floats and complex numbers keep theirs; signed integers and bool give int64, unsigned
/// ones uint64. Of nothing: 0.
template <array_argument X, class... Options>
[[nodiscard]] auto sum(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::sum(x, dim<...>): requires a dimension that x has");
  static_assert(
      are_reduction_options<Options...>,
      "tessera::sum(x, options...): requires each option to be axis<k>, keepdims, where(valid): "
      "sum(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::sum(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::sum(x, axis<...>): requires axes that differ from each other");
  return detail::reduce(op::sum{}, x, options...);
}
/// As `sum` of `astype<T>(x)`, with elements of `T`: integers wrap.
template <element T, array_argument X, class... Options>
[[nodiscard]] auto sum(const X& x, Options... options) {
  return astype<T>(sum(astype<T>(x), options...));
}

namespace op {

struct prod {
  static constexpr std::string_view name = "prod";
  static constexpr fold_rule rule = fold_rule::any;
  template <element T>
  using result = accumulated_t<T>;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::simple_fold<prod, T>>();
  }
  template <element T>
  static constexpr T neutral() {
    return T(1);
  }
  template <element T>
  static constexpr detail::accumulator<T> identity() {
    return {1};
  }
  template <element T>
  static T combine(T a, T b) {
    return multiply::value(a, b);
  }
};

}  // namespace op

/// Returns the product of the elements along some axes.
///
/// Dtype:    as `sum`. Of nothing: 1.
template <array_argument X, class... Options>
[[nodiscard]] auto prod(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::prod(x, dim<...>): requires a dimension that x has");
  static_assert(
      are_reduction_options<Options...>,
      "tessera::prod(x, options...): requires each option to be axis<k>, keepdims, where(valid): "
      "prod(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::prod(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::prod(x, axis<...>): requires axes that differ from each other");
  return detail::reduce(op::prod{}, x, options...);
}
/// As `prod` of `astype<T>(x)`, with elements of `T`: integers wrap.
template <element T, array_argument X, class... Options>
[[nodiscard]] auto prod(const X& x, Options... options) {
  return astype<T>(prod(astype<T>(x), options...));
}

namespace op {

struct mean {
  static constexpr std::string_view name = "mean";
  static constexpr fold_rule rule = fold_rule::any;
  template <element T>
  using result = floating_t<T>;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::sum_fold<mean, T, detail::sum_for_mean<T>>>();
  }
  template <element T>
  static std::vector<fused_take> products(const fused_take& takes) {
    return detail::fused_products<T>(takes);
  }
  static constexpr bool needs_count = true;
  template <element T, detail::counting How>
  static const fold_kernel& counted_kernel() {
    using sum = detail::sum_for_mean<T>;
    if constexpr (How == detail::counting::every_element) {
      return detail::known_fold<detail::counted_sum_fold<mean, T, sum>>();
    } else {
      return detail::known_fold<detail::valid_sum_fold<mean, T, sum, How>>();
    }
  }
  template <class Sum>
  static auto finish(Sum sum, double count) {
    if constexpr (std::integral<Sum>) {
      return static_cast<double>(sum) / count;
    } else {
      return sum / count;
    }
  }
};

}  // namespace op

/// Returns the arithmetic mean of the elements along some axes.
///
/// Dtype:    floats and complex numbers keep theirs; integers give float64, and bool, of which the
///           mean is the part that is true. Of nothing: NaN.
template <array_argument X, class... Options>
[[nodiscard]] auto mean(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::mean(x, dim<...>): requires a dimension that x has");
  static_assert(
      are_reduction_options<Options...>,
      "tessera::mean(x, options...): requires each option to be axis<k>, keepdims, where(valid): "
      "mean(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::mean(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::mean(x, axis<...>): requires axes that differ from each other");
  return detail::reduce(op::mean{}, x, options...);
}

namespace function {

/// The folds of this family.
using sum_folds = boost::hana::tuple<op::sum, op::prod, op::mean>;

}  // namespace function
}  // namespace tessera
