// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused calls: an axis, a shape or a signature as a value that the compiler does not know. One
/// sentence gives the remedy.

#include "tessera/array/array.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace tessera {

template <array_argument X>
const X& flip(const X& x, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::flip(x, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <array_argument X>
const X& expand_dims(const X& x, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::expand_dims(x, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <array_argument X>
const X& squeeze(const X& x, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::squeeze(x, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <array_argument X>
const X& swapaxes(const X& x, index_t, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::swapaxes(x, axis<a>, axis<b>): requires the axes as axis<0>, axis<1>");
  return x;
}
template <array_argument X>
const X& moveaxis(const X& x, index_t, index_t) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::moveaxis(x, axis<...>, axis<...>): requires the axes as axis<0>, axis<1>");
  return x;
}
template <array_argument X, std::size_t N>
const X& transpose(const X& x, const index_t (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::transpose(x): requires no axes; permute_dims(x, axis<1, 0>) takes them");
  return x;
}
template <array_argument X, class Shifts = std::array<index_t, X::rank>, std::same_as<int>... Axis>
requires(sizeof...(Axis) <= 1) const X& roll(const X& x, const Shifts&, Axis...) {
  static_assert(detail::is_allowed<X>,
                "tessera::roll(x, shifts, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <array_argument X, class Counts>
const X& repeat(const X& x, const Counts&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::repeat(x, counts, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <array_argument X>
const X& diff(const X& x, index_t, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::diff(x, n, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <array_argument X>
const X& clip(const X& x, double) {
  static_assert(detail::is_allowed<X>,
                "tessera::clip(x, low, high): requires both bounds, or none for one that there is "
                "not: clip(x, 0, none)");
  return x;
}
template <element T = double, std::integral I>
array<T, 1> zeros(I, I) {
  static_assert(detail::is_allowed<T>,
                "tessera::zeros<T>(shape): requires the shape in braces: zeros<T>({m, n})");
  return zeros<T>(I{});
}
template <element T = double, std::integral I>
array<T, 1> ones(I, I) {
  static_assert(detail::is_allowed<T>,
                "tessera::ones<T>(shape): requires the shape in braces: ones<T>({m, n})");
  return ones<T>(I{});
}
template <array_argument X, class... Xs>
const X& einsum(std::string_view, const X& x, const Xs&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::einsum<signature>(xs...): requires the signature in angle brackets, as "
                "the compiler is to know it");
  return x;
}

}  // namespace tessera
