// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays with parts replaced, inserted or left out, and arrays put side by side. Nothing is
/// changed: each function returns another array.

#include "tessera/array/array.hpp"
#include "tessera/array/broadcasting.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/detail/along.hpp"
#include "tessera/array/joining.hpp"
#include "tessera/core/region.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {

/// The indices of a part of an array; the result of `at`.
template <class... Indices>
struct selection {
  std::tuple<Indices...> indices;
};

/// Returns the part that `x(indices...)` shows, for `with`.
///
/// Indices: integers, slices of step 1, `whole`.
template <class... Indices>
[[nodiscard]] selection<Indices...> at(const Indices&... indices) {
  return {{indices...}};
}

/// Tells whether `Indices` select a part of an array of rank `Rank` that can be replaced.
template <std::size_t Rank, class... Indices>
inline constexpr bool are_replaceable = (detail::takes_axis<Indices> && ...) &&
                                        sizeof...(Indices) <= Rank;

namespace detail {

/// Returns the elements of an array of `shape` that `indices`, one for each axis, select.
///
/// Throws: shape_error <- an integer is out of range. value_error <- a step is not 1.
[[nodiscard]] region selected_region(std::string_view function, const index_vector& shape,
                                     std::span<const any_index> indices);

/// Returns the array that is `y` in the region `box` and `x` outside.
[[nodiscard]] array_view replaced(const array_view& x, const array_layout& layout,
                                  const array_view& y, const region& box);

/// Returns an index in `[0, extent]`. Throws: shape_error <- it is out of range.
[[nodiscard]] index_t insertion_index(const index_vector& shape, std::size_t axis, index_t index);

/// Returns `y`, an array or number, as an array of type `T` that is broadcast to `shape`.
template <element T, class Y, std::size_t N>
auto filling(const Y& y, const std::array<index_t, N>& shape) {
  if constexpr (array_expression<Y>) {
    return broadcast_to(astype<T>(y), shape);
  } else {
    return broadcast_to(full<T>(std::array<index_t, 0>{}, fit<T>("with", y).value), shape);
  }
}

template <class... Indices, std::size_t... I>
axis_mask dropped_axes(std::index_sequence<I...>) {
  return (axis_mask{0} | ... | (is_integer_index<Indices> ? axis_mask{1} << I : axis_mask{0}));
}

}  // namespace detail

/// Returns `x` with `y` in place of a part: a copy of `x` after NumPy's `x[indices] = y`.
///
/// Example: `auto z = ts::with(x, ts::at(3, ts::slice(10, 20)), 0.0);`
/// Dtype:   that of `x`, to which `y` is converted.
/// Throws:  shape_error <- an integer is out of range, or `y` does not broadcast to the part.
///          value_error <- a step is not 1, or specs differ.
template <array_expression X, class... Indices, elementwise_operand Y>
[[nodiscard]] auto with(const X& x, const selection<Indices...>& part, const Y& y) {
  using value_type = typename X::value_type;
  constexpr std::size_t rank = X::rank;
  constexpr bool are_indices = are_replaceable<rank, Indices...>;
  static_assert(are_indices,
                "tessera::with(x, at(indices...), y): requires at most as many indices as x has "
                "axes, each an integer, tessera::slice or whole");
  if constexpr (are_indices) {
    const std::array<any_index, sizeof...(Indices)> indices = std::apply(
        [](const auto&... index) {
          return std::array<any_index, sizeof...(Indices)>{detail::index_alternative(index)...};
        },
        part.indices);
    const array_layout& layout = x.layout();
    const region box = detail::selected_region("with", layout.shape, indices);
    constexpr std::size_t part_rank = detail::indexed_rank<rank, Indices...>;
    const auto mapped = map_indexed(layout.shape, indices);
    const axis_mask dropped =
        detail::dropped_axes<Indices...>(std::index_sequence_for<Indices...>{});
    const auto filling = detail::filling<value_type>(y, detail::to_array<part_rank>(mapped.shape));
    array_layout result = layout;
    if constexpr (array_expression<Y>) {
      const std::array<const array_layout*, 2> layouts{&layout, &y.layout()};
      result.spec = common_spec("with", layouts);
    }
    const array<value_type, rank> of_x = x;
    const array<value_type, rank> of_y = add_axes<rank>("with", filling, dropped);
    return array<value_type, rank>(detail::replaced(of_x.view(), result, of_y.view(), box), result);
  } else {
    return x;
  }
}

/// Returns `x` without the elements that `index`, an integer or slice of step 1, selects along an
/// axis. The first axis is the default.
///
/// Throws: shape_error <- an integer is out of range. value_error <- a step is not 1.
/// Source: numpy.delete, which is no name in C++.
template <array_expression X, class Index, int Axis = 0>
requires(detail::takes_axis<Index>)
    [[nodiscard]] auto erase(const X& x, const Index& index, axis_list<Axis> = {}) {
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::erase(x, index, axis<k>): requires an axis in [-rank, rank) of x");
  if constexpr (axes_in_range<X::rank, Axis>) {
    constexpr std::size_t along = normalised_axis(Axis, X::rank);
    std::vector<any_index> indices(X::rank, whole);
    indices[along] = detail::index_alternative(index);
    const region erased = detail::selected_region("erase", x.layout().shape, indices);
    return concat(detail::slice_along(x, along, slice(0, erased.start[along])),
                  detail::slice_along(x, along, slice(erased.stop[along], none)),
                  axis<static_cast<int>(along)>);
  } else {
    return x;
  }
}

/// Returns `x` with `values` in front of the index `index` along an axis, the first one unless
/// another is given: an array of the rank of `x`, or, for one index, of the rank below or a number.
///
/// Dtype:  that of `x`, to which `values` are converted.
/// Throws: shape_error <- `index` is not in [-extent, extent], or `values` do not broadcast.
/// Source: numpy.insert.
template <array_expression X, elementwise_operand Values, int Axis = 0>
[[nodiscard]] auto insert(const X& x, index_t index, const Values& values, axis_list<Axis> = {}) {
  using value_type = typename X::value_type;
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::insert(x, index, values, axis<k>): requires an axis in [-rank, rank) of "
                "x");
  if constexpr (axes_in_range<X::rank, Axis>) {
    constexpr std::size_t along = normalised_axis(Axis, X::rank);
    const index_t position = detail::insertion_index(x.layout().shape, along, index);
    auto shape = x.shape();
    shape[along] = 1;
    const auto inserted = [&] {
      if constexpr (!array_expression<Values>) {
        return detail::filling<value_type>(values, shape);
      } else if constexpr (Values::rank == X::rank) {
        shape[along] = values.shape()[along];
        return detail::filling<value_type>(values, shape);
      } else {
        std::array<index_t, X::rank - 1> below{};
        for (std::size_t axis = 0; axis + 1 < X::rank; ++axis) {
          below[axis] = shape[axis + (axis >= along ? 1 : 0)];
        }
        return add_axes<X::rank>("insert", detail::filling<value_type>(values, below),
                                 axis_mask{1} << along);
      }
    }();
    return concat(detail::slice_along(x, along, slice(0, position)), inserted,
                  detail::slice_along(x, along, slice(position, none)),
                  axis<static_cast<int>(along)>);
  } else {
    return x;
  }
}

/// Returns `x` with `y` behind it along an axis, the first one unless another is given. As
/// `concat(x, y, axis<k>)`.
///
/// Source: numpy.append with an axis.
template <array_expression X, array_expression Y, int Axis = 0>
[[nodiscard]] auto append(const X& x, const Y& y, axis_list<Axis> along = {}) {
  return concat(x, y, along);
}

/// Returns the arrays side by side: joined along axis 1, or along axis 0 if they have rank 1.
///
/// Source: numpy.hstack.
template <array_expression X, array_expression... Xs>
[[nodiscard]] auto hstack(const X& x, const Xs&... xs) {
  return concat(atleast_1d(x), atleast_1d(xs)..., axis<(X::rank > 1 ? 1 : 0)>);
}

/// Returns the arrays one under the other: joined along axis 0; arrays of rank 1 are rows.
///
/// Source: numpy.vstack.
template <array_expression X, array_expression... Xs>
[[nodiscard]] auto vstack(const X& x, const Xs&... xs) {
  return concat(atleast_2d(x), atleast_2d(xs)..., axis<0>);
}

/// Returns the arrays one behind the other: joined along axis 2; arrays of less axes are extended
/// by `atleast_3d`.
///
/// Source: numpy.dstack.
template <array_expression X, array_expression... Xs>
[[nodiscard]] auto dstack(const X& x, const Xs&... xs) {
  return concat(atleast_3d(x), atleast_3d(xs)..., axis<2>);
}

/// Returns the matrix, or stack of them, that consists of rows of blocks: `block({{a, b}, {c,
/// d}})`, all of one type.
///
/// Throws: as `concat`.
/// Source: numpy.block.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> block(const std::vector<std::vector<array<T, N>>>& rows) {
  static_assert(rank_at_least<N, 2>,
                "tessera::block({{a, b}, ...}): requires arrays of rank 2 or "
                "more");
  std::vector<array<T, N>> joined;
  for (const auto& row : rows) joined.push_back(concat(row, axis<static_cast<int>(N) - 1>));
  return concat(joined, axis<static_cast<int>(N) - 2>);
}
template <array_expression X>
[[nodiscard]] auto block(std::initializer_list<std::initializer_list<X>> rows) {
  using array_type = array<typename X::value_type, X::rank>;
  std::vector<std::vector<array_type>> lists;
  for (const auto& row : rows) lists.emplace_back(row.begin(), row.end());
  return block(lists);
}

}  // namespace tessera
