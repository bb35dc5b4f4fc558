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
#include <initializer_list>
#include <string_view>

namespace tessera {

template <unnamed_argument X>
const X& flip(const X& x, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::flip(x, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& expand_dims(const X& x, index_t = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::expand_dims(x, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& squeeze(const X& x, index_t = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::squeeze(x, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& swapaxes(const X& x, index_t, index_t = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::swapaxes(x, axis<a>, axis<b>): requires the axes as axis<0>, axis<1>");
  return x;
}
template <unnamed_argument X>
const X& moveaxis(const X& x, index_t, index_t) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::moveaxis(x, axis<...>, axis<...>): requires the axes as axis<0>, axis<1>");
  return x;
}
template <unnamed_argument X, std::size_t N>
const X& transpose(const X& x, const index_t (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::transpose(x): requires no axes; permute_dims(x, axis<1, 0>) takes them");
  return x;
}
template <unnamed_argument X>
const X& roll(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::roll(x, shifts, axis<...>): requires the number of elements that x is "
                "shifted by: roll(x, 1, axis<0>)");
  return x;
}
template <unnamed_argument X, std::same_as<int>... Axis>
requires(sizeof...(Axis) <= 1)  //
    const X& roll(const X& x, const detail::any_braces&, Axis...) {
  static_assert(detail::is_allowed<X>,
                "tessera::roll(x, shifts, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& repeat(const X& x, const detail::any_argument&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::repeat(x, counts, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& repeat(const X& x, std::initializer_list<index_t>) {
  static_assert(detail::is_allowed<X>,
                "tessera::repeat(x, counts, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X, int... Axes>
const X& diff(const X& x, axis_list<Axes...>, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::diff(x, n, axis<k>): requires n before the axis: diff(x, 2, axis<0>)");
  return x;
}
template <unnamed_argument X>
const X& diff(const X& x, index_t, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::diff(x, n, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
/// Refused, with the remedy: the compiler is to know an axis.
template <unnamed_argument X, std::integral... Axes>
requires(sizeof...(Axes) > 0) const X& transpose(const X& x, Axes...) {
  static_assert(detail::is_allowed<X>,
                "tessera::transpose(x): requires no axes; permute_dims(x, axis<1, 0>) takes them");
  return x;
}
template <unnamed_argument X, int... Axes>
const X& transpose(const X& x, axis_list<Axes...>) {
  static_assert(detail::is_allowed<X>,
                "tessera::transpose(x): requires no axes; permute_dims(x, axis<1, 0>) takes them");
  return x;
}
template <unnamed_argument X, std::integral... Axes>
requires(sizeof...(Axes) > 0) const X& permute_dims(const X& x, Axes...) {
  static_assert(detail::is_allowed<X>,
                "tessera::permute_dims(x, axis<...>): requires the axes as axis<...>, as in "
                "axis<1, 0>");
  return x;
}
template <unnamed_argument X, std::size_t N>
const X& permute_dims(const X& x, const index_t (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::permute_dims(x, axis<...>): requires the axes as axis<...>, as in "
                "axis<1, 0>");
  return x;
}
template <unnamed_argument X, int A, int B>
const X& swapaxes(const X& x, axis_list<A, B>) {
  static_assert(detail::is_allowed<X>,
                "tessera::swapaxes(x, axis<a>, axis<b>): requires the axes as axis<0>, axis<1>");
  return x;
}
template <unnamed_argument X, std::size_t N>
requires(N > 1) const X& flip(const X& x, const index_t (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::flip(x, axis<...>): requires the axes as axis<...>, as in axis<0, 1>");
  return x;
}
template <unnamed_argument X, std::size_t N>
requires(N > 1) const X& expand_dims(const X& x, const index_t (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::expand_dims(x, axis<...>): requires the axes as axis<...>, as in "
                "axis<0, 1>");
  return x;
}
template <unnamed_argument X, std::size_t N>
requires(N > 1) const X& squeeze(const X& x, const index_t (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::squeeze(x, axis<...>): requires the axes as axis<...>, as in axis<0, 1>");
  return x;
}
template <unnamed_argument X, std::size_t N>
const X& rot90(const X& x, index_t, const index_t (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::rot90(x, k, axis<a, b>): requires the axes as axis<0, 1>");
  return x;
}
template <unnamed_argument X, std::size_t N>
const X& roll(const X& x, const detail::any_braces&, const index_t (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::roll(x, shifts, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& split(const X& x, const detail::any_braces&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::split(x, sections, axis<k>): requires the axis as axis<k>, as in "
                "axis<0>");
  return x;
}
template <unnamed_argument X>
const X& array_split(const X& x, const detail::any_braces&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::array_split(x, {indices}, axis<k>): requires the axis as axis<k>, as in "
                "axis<0>");
  return x;
}
template <unnamed_argument X>
const X& array_split(const X& x, index_t, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::array_split(x, sections, axis<k>): requires the axis as axis<k>, as in "
                "axis<0>");
  return x;
}
template <unnamed_argument X>
const X& unstack(const X& x, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::unstack(x, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& take(const X& x, const detail::any_braces&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::take(x, indices, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& take_along_axis(const X& x, const detail::any_argument&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::take_along_axis(x, indices, axis<k>): requires the axis as axis<k>, as "
                "in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& insert(const X& x, index_t, const detail::any_argument&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::insert(x, index, values, axis<k>): requires the axis as axis<k>, as in "
                "axis<0>");
  return x;
}
template <unnamed_argument X>
const X& erase(const X& x, const detail::any_braces&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::erase(x, index, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& diagonal(const X& x, index_t, index_t, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::diagonal(x, offset, axis<a, b>): requires the axes as axis<0, 1>");
  return x;
}
template <unnamed_argument X>
const X& vecdot(const X& x, const detail::any_argument&, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::vecdot(a, b, axis<k>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& fftshift(const X& x, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::fftshift(x, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X>
const X& ifftshift(const X& x, index_t) {
  static_assert(detail::is_allowed<X>,
                "tessera::ifftshift(x, axis<...>): requires the axis as axis<k>, as in axis<0>");
  return x;
}
template <unnamed_argument X, std::same_as<int>... Axis>
requires(sizeof...(Axis) <= 1)  //
    const X& sliding_window_view(const X& x, const detail::any_braces&, Axis...) {
  static_assert(detail::is_allowed<X>,
                "tessera::sliding_window_view(x, lengths, axis<...>): requires the axes as "
                "axis<...>, as in sliding_window_view(x, {2, 2}, axis<0, 1>)");
  return x;
}

/// Refused, with the remedy.
template <array_argument X>
const X& clip(const X& x, const detail::any_option& = 0) {
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
template <unnamed_argument X>
const X& einsum(std::string_view, const X& x, const detail::any_argument& = 0,
                const detail::any_argument& = 0, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::einsum<signature>(xs...): requires the signature in angle brackets, as "
                "the compiler is to know it");
  return x;
}

}  // namespace tessera
