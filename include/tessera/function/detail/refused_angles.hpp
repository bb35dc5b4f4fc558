// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused calls with the axis between angle brackets. One sentence gives the remedy.

#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

namespace tessera {

template <int Axis, int... Axes, array_argument X, class... Options>
const X& sum(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::sum<0>(x): requires the axis behind the array: sum(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& prod(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::prod<0>(x): requires the axis behind the array: prod(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& mean(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::mean<0>(x): requires the axis behind the array: mean(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& var(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::var<0>(x): requires the axis behind the array: var(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& stddev(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::stddev<0>(x): requires the axis behind the array: stddev(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& max(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::max<0>(x): requires the axis behind the array: max(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& min(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::min<0>(x): requires the axis behind the array: min(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& argmax(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::argmax<0>(x): requires the axis behind the array: argmax(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& argmin(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::argmin<0>(x): requires the axis behind the array: argmin(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& median(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::median<0>(x): requires the axis behind the array: median(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& sort(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::sort<0>(x): requires the axis behind the array: sort(x, axis<0>)");
  return x;
}
template <int Axis, int... Axes, array_argument X, class... Options>
const X& argsort(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::argsort<0>(x): requires the axis behind the array: argsort(x, axis<0>)");
  return x;
}
namespace other_names {

template <int Axis, int... Axes, array_argument X, class... Options>
const X& cumsum(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::cumsum<0>(x): requires the axis behind the array: cumsum(x, axis<0>)");
  return x;
}

}  // namespace other_names

template <int Axis, int... Axes, array_argument X, class... Options>
const X& flip(const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::flip<0>(x): requires the axis behind the array: flip(x, axis<0>)");
  return x;
}

}  // namespace tessera
