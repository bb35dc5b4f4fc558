// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused braces of reductions: axes, or options that NumPy has by name. One sentence gives the
/// remedy.

#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

namespace tessera {
namespace detail {

/// Axes between braces, or options that NumPy has by name.
struct braced_options {
  any_option axis = 0;
  any_option ddof = 0;
  any_option correction = 0;
  any_option keepdims = 0;
};

}  // namespace detail

template <array_argument X>
const X& sum(const X& x, const detail::braced_options&) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::sum(x, axis<...>): requires options without braces: sum(x, axis<0, 1>, keepdims)");
  return x;
}
template <array_argument X>
const X& prod(const X& x, const detail::braced_options&) {
  static_assert(detail::is_allowed<X>,
                "tessera::prod(x, axis<...>): requires options without braces: prod(x, axis<0, 1>, "
                "keepdims)");
  return x;
}
template <array_argument X>
const X& mean(const X& x, const detail::braced_options&) {
  static_assert(detail::is_allowed<X>,
                "tessera::mean(x, axis<...>): requires options without braces: mean(x, axis<0, 1>, "
                "keepdims)");
  return x;
}
template <array_argument X>
const X& max(const X& x, const detail::braced_options&) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::max(x, axis<...>): requires options without braces: max(x, axis<0, 1>, keepdims)");
  return x;
}
template <array_argument X>
const X& min(const X& x, const detail::braced_options&) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::min(x, axis<...>): requires options without braces: min(x, axis<0, 1>, keepdims)");
  return x;
}
template <array_argument X>
const X& var(const X& x, const detail::braced_options&) {
  static_assert(detail::is_allowed<X>,
                "tessera::var(x, axis<...>): requires options without braces: var(x, axis<0, 1>, "
                "correction(1))");
  return x;
}
template <array_argument X>
const X& stddev(const X& x, const detail::braced_options&) {
  static_assert(detail::is_allowed<X>,
                "tessera::stddev(x, axis<...>): requires options without braces: stddev(x, axis<0, "
                "1>, correction(1))");
  return x;
}
template <array_argument X>
const X& any(const X& x, const detail::braced_options&) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::any(x, axis<...>): requires options without braces: any(x, axis<0, 1>, keepdims)");
  return x;
}
template <array_argument X>
const X& all(const X& x, const detail::braced_options&) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::all(x, axis<...>): requires options without braces: all(x, axis<0, 1>, keepdims)");
  return x;
}

}  // namespace tessera
