// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Data, extents and strides of other libraries' arrays. Their headers are not needed here: a type
/// is recognised by its members.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

/// Elements in memory: a pointer to the first, and for each axis its extent and the distance of
/// neighbours, in elements.
template <element T, std::size_t N>
struct strided_elements {
  const T* data = nullptr;
  std::array<index_t, N> shape{};
  std::array<index_t, N> strides{};
};

namespace detail {

/// Returns the pointer to the first element.
template <class A>
auto data_of(const A& values) {
  if constexpr (requires { values.data_handle(); }) {
    return values.data_handle();
  } else if constexpr (requires { values.data_offset(); }) {
    return values.data() + values.data_offset();
  } else {
    return values.data();
  }
}

/// As `std::mdspan` and Kokkos's views: `extent(k)`, `stride(k)`, and a rank that is known.
template <class A>
concept has_extents = requires(const A& values) {
  { values.extent(0) } -> std::convertible_to<std::size_t>;
  { values.stride(0) } -> std::convertible_to<std::ptrdiff_t>;
  data_of(values);
};
/// As xtensor's containers and views, and `ndarray`: a `shape()` of known length, and `strides()`.
template <class A>
concept has_shape_and_strides = requires(const A& values) {
  std::tuple_size<std::remove_cvref_t<decltype(values.shape())>>::value;
  { values.strides()[0] } -> std::convertible_to<std::ptrdiff_t>;
  data_of(values);
};
/// As Eigen's matrices, vectors, maps and blocks.
template <class A>
concept has_rows = requires(const A& values) {
  { values.rowStride() } -> std::convertible_to<std::ptrdiff_t>;
  { values.colStride() } -> std::convertible_to<std::ptrdiff_t>;
  { A::IsVectorAtCompileTime } -> std::convertible_to<bool>;
  values.data();
};
/// As Eigen's tensors and maps of them, which are dense, in one order or the other.
template <class A>
concept has_dimensions = requires(const A& values) {
  { A::NumDimensions } -> std::convertible_to<int>;
  { A::Layout } -> std::convertible_to<int>;
  values.dimensions()[0];
  values.data();
};

template <class A>
consteval std::size_t rank_of_strided() {
  if constexpr (has_rows<A>) {
    return A::IsVectorAtCompileTime ? 1 : 2;
  } else if constexpr (has_dimensions<A>) {
    return static_cast<std::size_t>(A::NumDimensions);
  } else if constexpr (has_shape_and_strides<A>) {
    return std::tuple_size_v<std::remove_cvref_t<decltype(std::declval<const A&>().shape())>>;
  } else if constexpr (requires { A::rank(); }) {
    return static_cast<std::size_t>(A::rank());
  } else {
    return static_cast<std::size_t>(A::rank);
  }
}

/// Writes extents and strides of axis `k`, from 0 on: `extent(k)` and `stride(k)`.
template <class Strided, class Extent, class Stride>
void note_axes(Strided& strided, const Extent& extent, const Stride& stride) {
  for (std::size_t axis = 0; axis < strided.shape.size(); ++axis) {
    strided.shape[axis] = static_cast<index_t>(extent(axis));
    strided.strides[axis] = static_cast<index_t>(stride(axis));
  }
}

/// Writes the strides of elements that are dense, the first axis innermost or outermost.
template <class Strided>
void note_dense(Strided& strided, bool is_first_inner) {
  index_t stride = 1;
  for (std::size_t i = 0; i < strided.shape.size(); ++i) {
    const std::size_t axis = is_first_inner ? i : strided.shape.size() - 1 - i;
    strided.strides[axis] = stride;
    stride *= strided.shape[axis];
  }
}

/// Returns pointer, extents and strides of `values`.
template <class A>
auto strided_view_of(const A& values) {
  using T = std::remove_cvref_t<decltype(*data_of(values))>;
  constexpr std::size_t rank = rank_of_strided<A>();
  strided_elements<T, rank> strided{data_of(values), {}, {}};
  if constexpr (has_rows<A>) {
    if constexpr (rank == 1) {
      strided.shape = {static_cast<index_t>(values.size())};
      strided.strides = {static_cast<index_t>(values.innerStride())};
    } else {
      strided.shape = {static_cast<index_t>(values.rows()), static_cast<index_t>(values.cols())};
      strided.strides = {static_cast<index_t>(values.rowStride()),
                         static_cast<index_t>(values.colStride())};
    }
  } else if constexpr (has_dimensions<A>) {
    constexpr int first_is_inner = 0;  // Eigen::ColMajor
    for (std::size_t axis = 0; axis < rank; ++axis) {
      strided.shape[axis] = static_cast<index_t>(values.dimensions()[axis]);
    }
    note_dense(strided, static_cast<int>(A::Layout) == first_is_inner);
  } else if constexpr (has_shape_and_strides<A>) {
    note_axes(
        strided, [&](std::size_t axis) { return values.shape()[axis]; },
        [&](std::size_t axis) { return values.strides()[axis]; });
  } else {
    note_axes(
        strided, [&](std::size_t axis) { return values.extent(axis); },
        [&](std::size_t axis) { return values.stride(axis); });
  }
  return strided;
}

template <class A>
concept is_strided = (has_extents<A> || has_shape_and_strides<A> || has_rows<A> ||
                      has_dimensions<A>)&&requires(const A& values) {
  requires element<std::remove_cvref_t<decltype(*data_of(values))>>;
  requires rank_of_strided<A>()
  <= 32;
};

}  // namespace detail

/// Tells whether an `A` has data, extents and strides, of a rank that the compiler knows: an
/// `mdspan`, a view of Kokkos, an array of xtensor or Eigen, an `ndarray` or a part of one.
template <class A>
inline constexpr bool has_strides = detail::is_strided<A>;

}  // namespace tessera
