// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions by groups, of arrays with names. Labels have names, or are along one named axis.

#include "tessera/core/index.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/groupby.hpp"
#include "tessera/labelled/labelled.hpp"
#include "tessera/meta/dims.hpp"
#include "tessera/meta/fixed_string.hpp"

#include <cstddef>
#include <type_traits>

namespace tessera {

namespace detail {

/// The number of dimensions that an option names.
template <class Option>
inline constexpr std::size_t num_dims = 0;
template <fixed_string... Names>
inline constexpr std::size_t num_dims<dim_list<Names...>> = sizeof...(Names);

}  // namespace detail

/// As `groupby_reduce` of arrays without names. The groups of one dimension have its name.
template <class X, class... Args>
requires have_names<X, Args...>
[[nodiscard]] auto groupby_reduce(const X& x, const Args&... args) {
  static_assert(dims_fit<X, Args...>,
                "tessera::groupby_reduce(x, dim<...>): requires a dimension that x has");
  if constexpr (!dims_fit<X, Args...>) {
    return x;
  } else {
    const auto result =
        detail::along_names([](const auto&... xs) { return groupby_reduce(xs...); }, x, args...);
    if constexpr (have_names<std::remove_const_t<decltype(result)>> &&
                  (std::size_t{0} + ... + detail::num_dims<Args>) != 1) {
      return result.array();
    } else {
      return result;
    }
  }
}
/// As above, with labels of several kinds.
template <class X, class Labels, class F, std::size_t N, class... Options>
requires have_names<X>
[[nodiscard]] auto groupby_reduce(const X& x, const Labels& labels, const F& fold,
                                  const index_t (&counts)[N], const Options&... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::groupby_reduce(x, dim<...>): requires a dimension that x has");
  if constexpr (dims_fit<X, Options...>) {
    return detail::along_names(
        [&counts](const auto& y, const auto& by, const auto& tag, const auto&... args) {
          return groupby_reduce(y, by, tag, counts, args...);
        },
        x, labels, fold, options...);
  } else {
    return x;
  }
}

}  // namespace tessera
