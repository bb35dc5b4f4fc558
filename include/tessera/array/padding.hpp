// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements beyond the ends of an array: `pad` and `roll`. Both are assemblies of views, which are
/// fused into the operations that read them: nothing is stored between.

#include "tessera/array/creation.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/assemble.hpp"
#include "tessera/meta/axes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace tessera {

/// Returns `x` with `widths[k]`, a pair, of elements more before and behind axis `k`:
/// `pad(x, {{1, 1}, {0, 0}}, boundary::reflect)`. Without a boundary they are zeros, or `value`.
///
/// Chunks: the chunks of `x`.
/// Throws: shape_error <- a width is negative, or more than the boundary can show.
/// Source: NumPy's `numpy.pad`.
template <array_expression X, std::size_t M>
[[nodiscard]] auto pad(const X& x, const index_t (&widths)[M][2],
                       boundary beyond = boundary::constant,
                       std::type_identity_t<typename X::value_type> value = {}) {
  static_assert(
      rank_is<M, X::rank>,
      "tessera::pad(x, widths, boundary): requires one pair of widths for each axis of x");
  if constexpr (rank_is<M, X::rank>) {
    std::array<std::array<index_t, 2>, M> pairs{};
    for (std::size_t axis = 0; axis < M; ++axis) pairs[axis] = std::to_array(widths[axis]);
    return make_assembly<X::rank>("pad", assemble_padded(x.layout(), pairs, beyond), x,
                                  full(std::array<index_t, 0>{}, value));
  } else {
    return x;
  }
}
/// As above, with as many elements before and behind each axis, or with `{before, behind}` for
/// each.
template <array_expression X>
[[nodiscard]] auto pad(const X& x, index_t width, boundary beyond = boundary::constant,
                       std::type_identity_t<typename X::value_type> value = {}) {
  std::array<std::array<index_t, 2>, X::rank> pairs{};
  pairs.fill({width, width});
  return make_assembly<X::rank>("pad", assemble_padded(x.layout(), pairs, beyond), x,
                                full(std::array<index_t, 0>{}, value));
}
template <array_expression X>
[[nodiscard]] auto pad(const X& x, const index_t (&widths)[2], boundary beyond = boundary::constant,
                       std::type_identity_t<typename X::value_type> value = {}) {
  index_t pairs[X::rank][2];
  for (auto& pair : pairs) std::copy(widths, widths + 2, pair);
  return pad(x, pairs, beyond, value);
}
/// Returns `x` with its elements moved on by `shifts` along the axes; elements that leave at one
/// end come in at the other.
///
/// Source: the Python Array API standard.
template <array_expression X, int... Axes>
[[nodiscard]] auto roll(const X& x, const std::array<index_t, sizeof...(Axes)>& shifts,
                        axis_list<Axes...>) {
  static_assert(
      axes_in_range<X::rank, Axes...>,
      "tessera::roll(x, shifts, axis<...>): requires every axis to be in [-rank, rank) of "
      "x");
  static_assert(!axes_in_range<X::rank, Axes...> || axes_distinct<X::rank, Axes...>,
                "tessera::roll(x, shifts, axis<...>): requires axes that differ from each other");
  if constexpr (axes_in_range<X::rank, Axes...> && axes_distinct<X::rank, Axes...>) {
    const std::array<std::size_t, sizeof...(Axes)> axes{normalised_axis(Axes, X::rank)...};
    return make_assembly<X::rank>("roll", assemble_rolled(x.layout(), axes, shifts), x);
  } else {
    return x;
  }
}
template <array_expression X, int Axis>
[[nodiscard]] auto roll(const X& x, index_t shift, axis_list<Axis> along) {
  return roll(x, std::array{shift}, along);
}

}  // namespace tessera
