// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused names of Eigen and xtensor, and of NumPy's standard deviation, as `refused_names.hpp`.

#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/detail/refused_names.hpp"

namespace tessera::other_names {

template <class... Args>
requires has_array<Args...>
auto std(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::std(x): requires its name here: stddev(x, axis<0>)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto variance(const Args&... args) {
  static_assert(
      detail::is_allowed<Args...>,
      "tessera::variance(x): requires the name in the Array API standard: var(x, axis<0>)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto eval(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::eval(x): requires its name here: x.compute()");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto adapt(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::adapt(v): requires its name here: asarray(v)");
  return detail::first_array(args...);
}

}  // namespace tessera::other_names
