// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A computed array: its elements, owned, in row-major order.

#include "tessera/array/detail/print.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/index.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

/// `N` nested braces around values of `T`.
template <class T, std::size_t N>
struct nested_braces {
  using type = std::initializer_list<typename nested_braces<T, N - 1>::type>;
};
template <class T>
struct nested_braces<T, 0> {
  using type = T;
};

/// Writes the extents of `braces`, as its first elements tell them.
template <class T>
void brace_extents(const T&, index_t*) {}
template <class Braces>
void brace_extents(const std::initializer_list<Braces>& braces, index_t* extents) {
  *extents = static_cast<index_t>(braces.size());
  if (braces.size() != 0) brace_extents(*braces.begin(), extents + 1);
}

/// Writes the values of `braces` to `out` and returns the position after the last.
template <class T>
T* copy_braces(const T& value, const index_t*, T* out) {
  *out = value;
  return out + 1;
}
template <class Braces, class T>
T* copy_braces(const std::initializer_list<Braces>& braces, const index_t* extents, T* out) {
  if (static_cast<index_t>(braces.size()) != *extents) {
    throw shape_error("ndarray::of: rows of " + std::to_string(*extents) + " and of " +
                      std::to_string(braces.size()) +
                      " values stand side by side; rows of one axis must have equal lengths");
  }
  for (const Braces& inner : braces) out = copy_braces(inner, extents + 1, out);
  return out;
}

}  // namespace detail

/// A computed array: its elements, owned, in row-major order.
///
/// A value: copies have elements of their own. A moved-from array may only be assigned to or
/// destroyed.
template <element T, std::size_t N>
class ndarray {
 public:
  using value_type = T;
  static constexpr std::size_t rank = N;

  /// Makes an array without elements, or one zero if `N` is 0.
  ndarray() : ndarray(std::array<index_t, N>{}) {}

  /// Makes an array of zeros.
  ///
  /// Throws: shape_error <- an extent is negative.
  explicit ndarray(const std::array<index_t, N>& shape)
      : shape_(shape), data_(std::make_shared<T[]>(count(shape))) {}

  /// Makes an array of `values`, given in row-major order.
  ///
  /// Throws: shape_error <- `shape` does not have as many elements as there are values.
  ndarray(const std::array<index_t, N>& shape, std::span<const T> values) : ndarray(shape) {
    detail::check_num_values(shape, values.size());
    std::copy(values.begin(), values.end(), begin());
  }
  ndarray(const std::array<index_t, N>& shape, std::initializer_list<T> values)
      : ndarray(shape, std::span<const T>(values.begin(), values.size())) {}

  /// Takes over a buffer that holds the elements; nothing is copied.
  ///
  /// Requires: `buffer` is aligned for `T`, holds all elements, and is written by nobody else.
  ndarray(const std::array<index_t, N>& shape, const std::shared_ptr<std::byte[]>& buffer)
      : shape_(shape), data_(buffer, reinterpret_cast<T*>(buffer.get())) {}

  /// Makes the array of the one element `value`.
  explicit ndarray(T value) requires(N == 0) : ndarray() { *data() = value; }

  /// Makes an array from nested braces: `ndarray<int, 2>::of({{1, 2}, {3, 4}})`.
  ///
  /// Throws: shape_error <- rows of one axis differ in length.
  [[nodiscard]] static ndarray of(typename detail::nested_braces<T, N>::type values) {
    std::array<index_t, N> shape{};
    detail::brace_extents(values, shape.data());
    ndarray result(shape);
    detail::copy_braces(values, shape.data(), result.data());
    return result;
  }

  ndarray(const ndarray& other) : ndarray(other.shape_, other.span()) {}
  ndarray(ndarray&&) noexcept = default;
  ndarray& operator=(const ndarray& other) {
    if (this != &other) *this = ndarray(other);
    return *this;
  }
  ndarray& operator=(ndarray&&) noexcept = default;
  ~ndarray() = default;

  [[nodiscard]] const std::array<index_t, N>& shape() const { return shape_; }
  /// Returns the number of elements.
  [[nodiscard]] index_t size() const { return static_cast<index_t>(count(shape_)); }

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] T* end() { return data() + size(); }
  [[nodiscard]] const T* end() const { return data() + size(); }
  [[nodiscard]] std::span<T> span() { return {data(), count(shape_)}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), count(shape_)}; }

  /// Returns the element at `indices`, which are not checked.
  template <std::integral... Index>
  requires(sizeof...(Index) == N) [[nodiscard]] T& operator()(Index... indices) {
    return data()[offset(indices...)];
  }
  template <std::integral... Index>
  requires(sizeof...(Index) == N) [[nodiscard]] const T& operator()(Index... indices) const {
    return data()[offset(indices...)];
  }

  /// Returns the element at `indices`.
  ///
  /// Throws: shape_error <- an index is not in [0, extent).
  template <std::integral... Index>
  requires(sizeof...(Index) == N) [[nodiscard]] T& at(Index... indices) {
    return data()[checked_offset(indices...)];
  }
  template <std::integral... Index>
  requires(sizeof...(Index) == N) [[nodiscard]] const T& at(Index... indices) const {
    return data()[checked_offset(indices...)];
  }

  /// Returns the only element.
  [[nodiscard]] operator T() const requires(N == 0) { return *data(); }

  /// Tells whether shapes and all elements are equal; a NaN is equal to nothing.
  [[nodiscard]] friend bool operator==(const ndarray& a, const ndarray& b) {
    return a.shape_ == b.shape_ && std::equal(a.begin(), a.end(), b.begin());
  }

  /// Prints as NumPy prints: `[[1 2]\n [3 4]]`.
  friend std::ostream& operator<<(std::ostream& out, const ndarray& array) {
    const auto* elements = reinterpret_cast<const std::byte*>(array.data());
    return detail::print_array(out, dtype_of<T>, elements, array.shape_);
  }

 private:
  [[nodiscard]] static std::size_t count(const std::array<index_t, N>& shape) {
    return static_cast<std::size_t>(num_elements(shape));
  }

  template <class... Index>
  [[nodiscard]] std::size_t offset(Index... indices) const {
    index_t result = 0;
    [[maybe_unused]] std::size_t axis = 0;
    ((result = result * shape_[axis++] + static_cast<index_t>(indices)), ...);
    return static_cast<std::size_t>(result);
  }

  template <class... Index>
  [[nodiscard]] std::size_t checked_offset(Index... indices) const {
    detail::check_index(shape_, std::array<index_t, N>{static_cast<index_t>(indices)...});
    return offset(indices...);
  }

  std::array<index_t, N> shape_;
  std::shared_ptr<T[]> data_;
};

}  // namespace tessera
