// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parts of an array along one axis, by that axis's number.

#include "tessera/expr/slice.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// Returns `x(whole, ..., part, ...)` with `part` at the place of `axis`.
template <array_expression X>
auto slice_along(const X& x, std::size_t axis, const slice& part) {
  return make_view<X::rank>("index", x, map_slice(x.layout().shape, axis, part));
}

/// Returns `x(whole, ..., index, ...)` with `index` at the place of `axis`.
template <array_expression X>
auto index_along(const X& x, std::size_t axis, index_t index) {
  return make_view<X::rank - 1>("index", x, map_index(x.layout().shape, axis, index));
}

/// Returns `x`, of rank 1, as an array of rank `N` that has extents of 1 along all axes but `axis`.
template <std::size_t N, array_expression X>
auto stand_along(std::string_view function, const X& x, std::size_t axis) {
  constexpr auto all_axes = static_cast<axis_mask>((std::uint64_t{1} << N) - 1);
  return add_axes<N>(function, x, all_axes & ~(axis_mask{1} << axis));
}

template <int... Axis>
axis_list<Axis...> all_axes(std::integer_sequence<int, Axis...>);

/// The axes among the options; all axes of an array of rank `N` by default.
template <std::size_t N, class... Options>
using axes_or_all =
    std::conditional_t<std::is_void_v<axes_of<Options...>>,
                       decltype(all_axes(std::make_integer_sequence<int, static_cast<int>(N)>{})),
                       axes_of<Options...>>;

}  // namespace tessera::detail
