// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Selections: the elements themselves decide how many are selected. Positions are found at once,
/// part by part, and are held in memory; the selected elements stay lazy.

#include "tessera/array/detail/blocks_in_memory.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/expr/gathered.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/summaries.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {
namespace detail {

/// Appends, in row-major order of an array of `shape`, the numbers of the elements of `box` that
/// are true.
void append_true(std::vector<index_t>& numbers, const index_vector& shape, const region& box,
                 std::span<const bool> elements);

/// Returns indices for the row-major `numbers` of elements of `shape`: a list of indices for each
/// axis, one list behind the other, or, if `is_by_element`, all indices of an element together.
[[nodiscard]] std::vector<std::int64_t> indices_of_numbers(const std::vector<index_t>& numbers,
                                                           const index_vector& shape,
                                                           bool is_by_element);

template <array_expression X>
auto is_nonzero(const X& x) {
  if constexpr (std::same_as<typename X::value_type, bool>) {
    return x;
  } else {
    return not_equal(x, typename X::value_type{});
  }
}

/// Returns the numbers, in row-major order, of the elements of `x` that are not zero.
template <array_expression X>
std::vector<index_t> true_numbers(std::string_view function, const X& x) {
  const index_t count = count_nonzero(x).compute();
  require_room(function, x.layout(), count, sizeof(index_t) * std::max<std::size_t>(1, X::rank));
  std::vector<index_t> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for_each_block(is_nonzero(x), sizeof(bool), [&](const region& box, const auto& elements) {
    append_true(numbers, x.layout().shape, box, elements.span());
    return true;
  });
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

template <std::size_t N>
ndarray<std::int64_t, N> as_ndarray(const std::array<index_t, N>& shape,
                                    std::span<const std::int64_t> values) {
  ndarray<std::int64_t, N> result(shape);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

/// Throws shape_error unless a mask has the shape of the array that it selects from.
void require_mask(std::string_view function, const index_vector& mask, const index_vector& shape);

/// Throws shape_error if `x` has no element; value_error if `value` is NaN.
void require_coordinates(std::string_view function, std::size_t count, double value);

/// Returns the slice with `low <= x <= high` in coordinates that ascend or descend.
///
/// Throws: value_error <- they do neither.
[[nodiscard]] slice between_of(std::span<const double> x, double low, double high);
[[nodiscard]] index_t nearest_of(std::span<const double> x, double value);
[[nodiscard]] std::vector<index_t> nearest_to_each(std::span<const double> x,
                                                   std::span<const double> values);

/// Returns coordinates, lazy or in memory, as numbers.
template <class C>
std::vector<double> coordinates_of(const C& coordinates) {
  if constexpr (array_expression<C>) {
    return coordinates_of(coordinates.compute());
  } else {
    std::vector<double> values;
    for (const auto& value : coordinates) values.push_back(static_cast<double>(value));
    return values;
  }
}

template <class C>
inline constexpr bool are_coordinates = false;
template <array_expression C>
inline constexpr bool are_coordinates<C> = C::rank == 1 && real_element<typename C::value_type>;
template <class C>
requires(!array_expression<C> &&
         std::ranges::input_range<const C>) inline constexpr bool are_coordinates<C> =
    std::is_arithmetic_v<std::ranges::range_value_t<const C>>;

}  // namespace detail

/// Returns the indices of the elements that are not zero: for each axis an array of the indices
/// along it, in row-major order of the elements.
///
/// Memory:  `8 rank` bytes for each such element, in memory; parts of `x` in an eighth of the
///          allowed memory. `x` is computed twice: to count, and to find them.
/// Throws:  memory_error <- the host's memory does not hold them.
/// Source:  the Array API's `nonzero`, NumPy's.
template <array_expression X>
[[nodiscard]] std::array<ndarray<std::int64_t, 1>, X::rank> nonzero(const X& x) {
  static_assert(rank_at_least<X::rank, 1>,
                "tessera::nonzero(x): requires an array of at least one axis");
  const std::vector<index_t> numbers = detail::true_numbers("nonzero", x);
  const auto indices = detail::indices_of_numbers(numbers, x.layout().shape, false);
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    const std::span all_indices(indices);
    return std::array<ndarray<std::int64_t, 1>, X::rank>{
        detail::as_ndarray<1>({static_cast<index_t>(numbers.size())},
                              all_indices.subspan(K * numbers.size(), numbers.size()))...};
  }
  (std::make_index_sequence<X::rank>());
}

/// Returns the indices of the elements that are not zero, one row for each. As `nonzero`.
///
/// Source: numpy.argwhere.
template <array_expression X>
[[nodiscard]] ndarray<std::int64_t, 2> argwhere(const X& x) {
  const std::vector<index_t> numbers = detail::true_numbers("argwhere", x);
  return detail::as_ndarray<2>({static_cast<index_t>(numbers.size()), index_t{X::rank}},
                               detail::indices_of_numbers(numbers, x.layout().shape, true));
}

/// Returns the numbers, in row-major order, of the elements that are not zero. As `nonzero`.
///
/// Source: numpy.flatnonzero.
template <array_expression X>
[[nodiscard]] ndarray<std::int64_t, 1> flatnonzero(const X& x) {
  const std::vector<index_t> numbers = detail::true_numbers("flatnonzero", x);
  return detail::as_ndarray<1>({static_cast<index_t>(numbers.size())}, numbers);
}

/// Returns the elements of `x` where `mask` is true, in row-major order; `x(mask)` is the same.
///
/// The mask is computed at once, so that the shape is known; the elements stay lazy.
/// Memory: as `nonzero` of the mask; a task holds its block, one chunk and its encoding, and 8
///         bytes for each element of the block.
/// Throws: shape_error <- the shapes differ. memory_error <- as `nonzero`.
/// Source: numpy.extract.
template <array_expression Mask, array_expression X>
[[nodiscard]] auto extract(const Mask& mask, const X& x) {
  static_assert(is_mask_of<Mask, X>,
                "tessera::extract(mask, x): requires a mask of dtype bool and of the rank of x");
  if constexpr (is_mask_of<Mask, X>) {
    const index_vector& shape = x.layout().shape;
    detail::require_mask("extract", mask.layout().shape, shape);
    std::vector<index_t> numbers = detail::true_numbers("extract", mask);
    const index_vector count{static_cast<index_t>(numbers.size())};
    return make_gathered<1>("extract", x,
                            map_taken("extract", shape, {}, std::move(numbers), count));
  } else {
    return x;
  }
}

/// Returns the parts of `x` along an axis where `mask`, which has one element for each, is true.
///
/// Throws: shape_error <- the mask is not as long as the axis.
/// Source: numpy.compress.
template <class Mask, array_expression X, int Axis>
[[nodiscard]] auto compress(const Mask& mask, const X& x, axis_list<Axis>) {
  constexpr bool is_right = [] {
    if constexpr (array_expression<Mask>) {
      return Mask::rank == 1 && std::same_as<typename Mask::value_type, bool>;
    } else if constexpr (std::ranges::input_range<const Mask>) {
      return std::same_as<std::ranges::range_value_t<const Mask>, bool>;
    } else {
      return false;
    }
  }();
  static_assert(is_right && axes_in_range<X::rank, Axis>,
                "tessera::compress(mask, x, axis<k>): requires a mask of bool of rank 1, and an "
                "axis in [-rank, rank) of x");
  if constexpr (!is_right || !axes_in_range<X::rank, Axis>) {
    return x;
  } else if constexpr (array_expression<Mask>) {
    return compress(mask.compute(), x, axis<Axis>);
  } else {
    std::vector<any_index> indices(X::rank, whole);
    indices[normalised_axis(Axis, X::rank)] = index(mask);
    return make_gathered<X::rank>("compress", x, map_indexed(x.layout().shape, indices));
  }
}

/// Returns the elements of `x` at `indices` along an axis, at the positions of the indices:
/// `result(i, j) = x(indices(i, j), j)` along axis 0.
///
/// Indices: of a computed array, or a lazy one: `take_along_axis(x, argsort(x, axis<0>), axis<0>)`.
/// Shape:   as `indices`, which has the extents of `x` along the other axes; if it is lazy, one of
///          both may be 1 there.
/// Chunks:  of lazy indices, along the axis as the indices, along other axes the greater chunks. No
///          chunk has more elements than the greatest of both arrays.
/// Memory:  8 bytes for each index, in memory; a task holds its block, one chunk and its encoding.
///          Of lazy ones it holds its block, that of the indices, 4 bytes for each, and one chunk.
/// Throws:  shape_error <- an index is out of range, or extents differ. task_error <- an index of a
///          lazy array is out of range.
/// Complexity: for lazy indices as `take`.
/// Source:  the Array API's `take_along_axis`, NumPy's.
template <array_expression X, std::integral I, std::size_t N, int Axis>
[[nodiscard]] auto take_along_axis(const X& x, const ndarray<I, N>& indices, axis_list<Axis>) {
  constexpr bool is_right = N == X::rank && axes_in_range<X::rank, Axis> && !std::same_as<I, bool>;
  static_assert(is_right,
                "tessera::take_along_axis(x, indices, axis<k>): requires integers of the rank of "
                "x, and an axis in [-rank, rank) of x");
  if constexpr (is_right) {
    auto [list, shape] = detail::listed(indices);
    return make_gathered<N>(
        "take_along_axis", x,
        map_taken_along(x.layout().shape, normalised_axis(Axis, X::rank), std::move(list), shape));
  } else {
    return x;
  }
}

template <array_expression X, array_expression I, int Axis>
[[nodiscard]] auto take_along_axis(const X& x, const I& indices, axis_list<Axis>) {
  constexpr bool is_right =
      I::rank == X::rank && axes_in_range<X::rank, Axis> && is_lazy_indices<I>;
  static_assert(is_right,
                "tessera::take_along_axis(x, indices, axis<k>): requires integers of the rank of "
                "x, and an axis in [-rank, rank) of x");
  if constexpr (is_right) {
    return detail::make_taking<X::rank>(
        "take_along_axis",
        [](const detail::taking_operands& operands) {
          return detail::taking_along("take_along_axis", normalised_axis(Axis, X::rank), operands);
        },
        x, indices);
  } else {
    return x;
  }
}

/// Returns the index of the coordinate that is nearest to `value`, of two as near the greater
/// index: `x(nearest(latitudes, 52.5), whole)`.
///
/// Requires: coordinates of rank 1, lazy or in memory, which are computed at once.
/// Throws:   shape_error <- there are none. value_error <- `value` is NaN.
/// Source:   xarray's `sel(method="nearest")`.
template <class C>
[[nodiscard]] index_t nearest(const C& coordinates, double value) {
  static_assert(detail::are_coordinates<C>,
                "tessera::nearest(coordinates, value): requires real numbers along one axis");
  if constexpr (detail::are_coordinates<C>) {
    return detail::nearest_of(detail::coordinates_of(coordinates), value);
  } else {
    return 0;
  }
}

/// Returns the indices of the coordinates that are nearest to several values, as `index` does:
/// `x(nearest(latitudes, {52.5, 48.1}), whole)`.
template <class C, class V>
requires(detail::are_coordinates<C>&& detail::are_coordinates<V>)  //
    [[nodiscard]] index_list nearest(const C& coordinates, const V& values) {
  return index_list(
      detail::nearest_to_each(detail::coordinates_of(coordinates), detail::coordinates_of(values)));
}
template <class C>
[[nodiscard]] index_list nearest(const C& coordinates, std::initializer_list<double> values) {
  return nearest(coordinates, std::vector<double>(values));
}

/// Returns the slice of the coordinates from `low` to `high`, both included:
/// `x(between(latitudes, 40, 60), whole)`. Coordinates may descend.
///
/// Requires: as `nearest`.
/// Throws:   value_error <- they neither ascend nor descend, or a bound is NaN.
/// Source:   xarray's `sel` of a slice.
template <class C>
[[nodiscard]] slice between(const C& coordinates, double low, double high) {
  static_assert(detail::are_coordinates<C>,
                "tessera::between(coordinates, low, high): requires real numbers along one axis");
  if constexpr (detail::are_coordinates<C>) {
    return detail::between_of(detail::coordinates_of(coordinates), low, high);
  } else {
    return slice(0, 0);
  }
}

}  // namespace tessera
