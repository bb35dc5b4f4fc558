// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements in order along an axis.

#include "tessera/core/dtype.hpp"
#include "tessera/function/detail/line_functions.hpp"
#include "tessera/kernel/line_kernel.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace tessera {

/// The type of `descending`.
struct descending_t {
  explicit descending_t() = default;
};

/// Asks for the greatest elements first.
inline constexpr descending_t descending{};

namespace op {

struct sort {
  static constexpr std::string_view name = "sort";
  template <element T>
  using result = T;

  bool is_descending = false;

  static const block_kernel& kernel(dtype type) { return line::sort(type); }
  [[nodiscard]] kernel_parameters parameters() const {
    return line::sort_parameters(is_descending);
  }
};

struct argsort {
  static constexpr std::string_view name = "argsort";
  template <element T>
  using result = std::int64_t;

  bool is_descending = false;

  static const block_kernel& kernel(dtype type) { return line::argsort(type); }
  [[nodiscard]] kernel_parameters parameters() const {
    return line::sort_parameters(is_descending);
  }
};

}  // namespace op

namespace detail {

/// Tells whether each of `Options` is one of a sort.
template <class... Options>
inline constexpr bool are_sort_options = ((is_axes<Options> ||
                                           std::same_as<Options, descending_t>)&&...);

template <class Sort, class X, class... Options>
auto sort_lines(const X& x, const Options&... options) {
  lazy(x);
  constexpr bool are_options = are_sort_options<Options...>;
  constexpr bool is_axis = line_axis<X::rank, Options...>::is_right;
  static_assert(are_options,
                "tessera::sort(x, options...), argsort: requires options to be an axis and "
                "descending: sort(x, axis<0>, descending)");
  static_assert(is_axis,
                "tessera::sort(x, axis<k>), argsort: requires one axis in [-rank, rank) of x");
  static_assert(has_order<typename X::value_type>,
                "tessera::sort(x), argsort: requires elements that have an order; complex numbers "
                "have none");
  if constexpr (!are_operands<X>) {
    return x;
  } else if constexpr (!are_options || !is_axis || !dims_fit<X, Options...> ||
                       !has_order<typename X::value_type>) {
    return x;
  } else if constexpr (have_names<X>) {
    return along_names([](const auto&... args) { return sort_lines<Sort>(args...); }, x,
                       options...);
  } else {
    constexpr bool is_descending = (std::same_as<Options, descending_t> || ...);
    return keep_lines(Sort{is_descending}, x,
                      line_axis<X::rank, Options...>::of(Sort::name, options...));
  }
}

}  // namespace detail

/// Returns `x` with the elements along an axis, the last one unless another is given, in ascending
/// order; in descending order by `sort(x, descending)`. NaN is greater than all numbers.
///
/// Chunks:   as `x`.
/// Memory:   whole lines: as many at once as are allowed. If chunks cut lines so that they would be
///           read again and again, a copy in other chunks is read.
/// Complexity: an array of rank 1 that no task holds is read once for each 16 bits of an element,
///             to find runs that a task holds. Then it is read once for each run.
/// Requires: elements that have an order.
/// Throws:   memory_error <- one line of several is too long for the allowed memory.
/// Source:   the Python Array API standard; numpy.sort.
template <array_argument X, class... Options>
[[nodiscard]] auto sort(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::sort(x, dim<...>): requires a dimension that x has");
  return detail::sort_lines<op::sort>(x, options...);
}

/// Returns the positions along the axis of the elements of `sort`; of equals the first come first.
///
/// Dtype: int64. Otherwise as `sort`. Source: the Python Array API standard; numpy.argsort.
template <array_argument X, class... Options>
[[nodiscard]] auto argsort(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::argsort(x, dim<...>): requires a dimension that x has");
  return detail::sort_lines<op::argsort>(x, options...);
}

namespace function {

using sorting_lines = boost::hana::tuple<op::sort, op::argsort>;

}  // namespace function
}  // namespace tessera
