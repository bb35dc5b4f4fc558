// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays over memory.

#include "tessera/array/array.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/array/strided_elements.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/lower/nodes.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {
namespace detail {

/// Returns the node of an array over memory; neighbours are `strides` apart.
[[nodiscard]] array_handle memory_node(dtype type, const array_layout& layout,
                                       std::shared_ptr<const void> owner, const std::byte* data,
                                       index_vector strides);

/// Throws value_error unless `available` elements are as many as `shape` has.
void check_num_elements(std::string_view function, const index_vector& shape,
                        std::size_t available);

/// Returns the array of `shape` over `data`. `owner` keeps the memory; it may be null.
template <element T, std::size_t N>
array<T, N> array_over(std::shared_ptr<const void> owner, const T* data,
                       const std::array<index_t, N>& shape, std::string_view function,
                       const creation_options& options) {
  const index_vector extents = to_vector(shape);
  array_layout layout = new_layout(function, extents, sizeof(T), options);
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  array_handle handle =
      memory_node(dtype_of<T>, layout, std::move(owner), bytes, row_major_strides(extents));
  return {whole_of(std::move(handle)), std::move(layout)};
}

/// Returns the array over elements that are strides apart. `owner` keeps the memory; it may be
/// null.
template <element T, std::size_t N>
array<T, N> array_over(std::shared_ptr<const void> owner, const strided_elements<T, N>& elements,
                       const creation_options& options) {
  array_layout layout = new_layout("from_memory", to_vector(elements.shape), sizeof(T), options);
  const auto* bytes = reinterpret_cast<const std::byte*>(elements.data);
  array_handle handle =
      memory_node(dtype_of<T>, layout, std::move(owner), bytes, to_vector(elements.strides));
  return {whole_of(std::move(handle)), std::move(layout)};
}

}  // namespace detail

/// Returns an array over the elements at `data`, in row-major order, which are not copied.
///
/// Requires: the elements live, and do not change, as long as the array or a result is computed.
/// Throws:   as `full`; value_error <- a span does not have as many elements as `shape`.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> from_memory(const T* data, const std::array<index_t, N>& shape,
                                      creation_options options = {}) {
  return detail::array_over(nullptr, data, shape, "from_memory", options);
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> from_memory(const T* data, const index_t (&shape)[N],
                                      creation_options options = {}) {
  return from_memory<T, N>(data, std::to_array(shape), std::move(options));
}

/// Tells whether a `V`, which may be a reference, holds elements side by side, as a span, a
/// `std::vector` or a `std::array` does; that of bool does not.
template <class V>
inline constexpr bool holds_elements = requires(std::remove_cvref_t<V>& values) {
  requires element<std::remove_cvref_t<decltype(*std::data(values))>>;
  { std::size(values) } -> std::convertible_to<std::size_t>;
};
/// Tells whether other owners keep the elements alive; elements of a temporary object die.
template <class V>
inline constexpr bool outlives_call = std::is_lvalue_reference_v<V>;
template <class T, std::size_t Extent>
inline constexpr bool outlives_call<std::span<T, Extent>> = true;
template <class T, std::size_t Extent>
inline constexpr bool outlives_call<const std::span<T, Extent>> = true;

/// Returns an array over the elements of `values`, which are not copied: of a span, `std::vector`
/// or `std::array`. A temporary one is taken over, and lives as long as the array.
///
/// Throws: shape_error <- there are not as many elements as `shape` has. Otherwise as above.
template <class Values, std::size_t N>
requires(!std::is_pointer_v<std::remove_cvref_t<Values>>)
    [[nodiscard]] auto from_memory(Values&& values, const std::array<index_t, N>& shape,
                                   creation_options options = {}) {
  static_assert(
      holds_elements<Values>,
      "tessera::from_memory(values, shape): requires a pointer, or a span, std::vector or "
      "std::array of elements; those of a std::vector<bool> are bits, which have no place "
      "in memory");
  if constexpr (holds_elements<Values>) {
    detail::check_num_elements("from_memory", detail::to_vector(shape),
                               static_cast<std::size_t>(std::size(values)));
    if constexpr (outlives_call<Values>) {
      return from_memory(std::data(values), shape, std::move(options));
    } else {
      const auto owner =
          std::make_shared<const std::remove_cvref_t<Values>>(std::forward<Values>(values));
      return detail::array_over(owner, std::data(*owner), shape, "from_memory", options);
    }
  } else {
    return array<double, N>(zeros<double>(shape));
  }
}
template <class Values, std::size_t N>
requires(!std::is_pointer_v<std::remove_cvref_t<Values>>)
    [[nodiscard]] auto from_memory(Values&& values, const index_t (&shape)[N],
                                   creation_options options = {}) {
  return from_memory(std::forward<Values>(values), std::to_array(shape), std::move(options));
}
/// The same with dtype and rank named: `from_memory<double, 2>(values, {m, n})`.
template <element T, std::size_t N, class Values>
requires holds_elements<Values> &&(!std::is_pointer_v<std::remove_cvref_t<Values>>)
    [[nodiscard]] array<T, N> from_memory(Values&& values, const index_t (&shape)[N],
                                          creation_options options = {}) {
  return from_memory(std::forward<Values>(values), std::to_array(shape), std::move(options));
}
/// Returns an array of rank 1 over all elements of `values`.
template <class Values>
requires(holds_elements<Values> && !has_strides<std::remove_cvref_t<Values>>)
    [[nodiscard]] auto from_memory(Values&& values) {
  const std::array<index_t, 1> shape{static_cast<index_t>(std::size(values))};
  return from_memory(std::forward<Values>(values), shape);
}

/// Returns an array over the elements of `values`, which are not copied.
///
/// `values` has data, extents and strides: it is an `mdspan`, a view of Kokkos, a matrix, map,
/// block or tensor of Eigen, a container or view of xtensor, or a part of an `ndarray`. A temporary
/// object is taken over, and lives as long as the array.
///
/// Example:  `auto x = ts::from_memory(matrix); Eigen::MatrixXd y = (x * 2).compute().eigen();`
/// Requires: as above.
template <class Values>
requires has_strides<std::remove_cvref_t<Values>>
[[nodiscard]] auto from_memory(Values&& values, const creation_options& options = {}) {
  if constexpr (std::is_lvalue_reference_v<Values>) {
    return detail::array_over(nullptr, detail::strided_view_of(values), options);
  } else {
    const auto owner =
        std::make_shared<const std::remove_cvref_t<Values>>(std::forward<Values>(values));
    return detail::array_over(owner, detail::strided_view_of(*owner), options);
  }
}

/// Returns an array of the elements of `values`, which it takes over.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> asarray(ndarray<T, N> values, creation_options options = {}) {
  const auto owner = std::make_shared<const ndarray<T, N>>(std::move(values));
  return detail::array_over(owner, owner->data(), owner->shape(), "asarray", options);
}
template <element T>
requires(!std::same_as<T, bool>)
    [[nodiscard]] array<T, 1> asarray(std::vector<T> values, creation_options options = {}) {
  const std::array<index_t, 1> shape{static_cast<index_t>(values.size())};
  return from_memory(std::move(values), shape, std::move(options));
}
/// Returns an array of the numbers in braces: `asarray({1.0, 2.0})`, `asarray({{1, 2}, {3, 4}})`.
///
/// Throws: shape_error <- rows differ in length.
template <element T>
[[nodiscard]] array<T, 1> asarray(std::initializer_list<T> values, creation_options options = {}) {
  return asarray(ndarray<T, 1>::of(values), std::move(options));
}
template <element T>
[[nodiscard]] array<T, 2> asarray(std::initializer_list<std::initializer_list<T>> rows,
                                  creation_options options = {}) {
  return asarray(ndarray<T, 2>::of(rows), std::move(options));
}

/// Returns `x`, which is an array already.
template <array_expression X>
[[nodiscard]] X asarray(const X& x) {
  return x;
}

}  // namespace tessera
