// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Indices, extents and strides whose number is known at run time.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>

namespace tessera {

/// A position, an extent or a stride along one axis, in elements.
using index_t = std::int64_t;

/// The greatest rank of an array, as in NumPy and in Zarr version 2.
inline constexpr std::size_t max_rank = 32;

/// One `index_t` per axis, at most `max_rank` of them; never allocates.
class index_vector {
 public:
  using value_type = index_t;

  constexpr index_vector() noexcept {}
  /// Throws: shape_error <- more than `max_rank` values.
  constexpr explicit index_vector(std::size_t size, index_t value = 0) : size_(checked(size)) {
    std::fill_n(values_.begin(), size_, value);
  }
  constexpr index_vector(std::initializer_list<index_t> values)
      : index_vector(values.begin(), values.end()) {}
  template <std::forward_iterator Iterator>
  constexpr index_vector(Iterator first, Iterator last)
      : size_(checked(static_cast<std::size_t>(std::distance(first, last)))) {
    std::copy(first, last, values_.begin());
  }
  constexpr explicit index_vector(std::span<const index_t> values)
      : index_vector(values.begin(), values.end()) {}
  constexpr index_vector(const index_vector& other) noexcept : size_(other.size_) {
    std::copy_n(other.values_.begin(), size_, values_.begin());
  }
  constexpr index_vector& operator=(const index_vector& other) noexcept {
    size_ = other.size_;
    std::copy_n(other.values_.begin(), size_, values_.begin());
    return *this;
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr index_t* data() noexcept { return values_.data(); }
  [[nodiscard]] constexpr const index_t* data() const noexcept { return values_.data(); }
  [[nodiscard]] constexpr index_t* begin() noexcept { return data(); }
  [[nodiscard]] constexpr const index_t* begin() const noexcept { return data(); }
  [[nodiscard]] constexpr index_t* end() noexcept { return data() + size_; }
  [[nodiscard]] constexpr const index_t* end() const noexcept { return data() + size_; }
  [[nodiscard]] constexpr index_t& operator[](std::size_t axis) noexcept { return values_[axis]; }
  [[nodiscard]] constexpr index_t operator[](std::size_t axis) const noexcept {
    return values_[axis];
  }
  [[nodiscard]] constexpr index_t& back() noexcept { return values_[size_ - 1]; }
  [[nodiscard]] constexpr index_t back() const noexcept { return values_[size_ - 1]; }
  constexpr void push_back(index_t value) {
    checked(size_ + 1);
    values_[size_++] = value;
  }
  [[nodiscard]] constexpr bool operator==(const index_vector& other) const noexcept {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  static constexpr std::size_t checked(std::size_t size) {
    if (size > max_rank) throw_rank_above_limit(size);
    return size;
  }
  [[noreturn]] static void throw_rank_above_limit(std::size_t rank);

  std::size_t size_ = 0;
  // Only the first `size_` values are ever read, so the others stay uninitialised.
  std::array<index_t, max_rank> values_;
};

/// Returns the product of `extents`, 1 for rank zero.
///
/// Throws: shape_error <- an extent is negative or the product exceeds 2^63 - 1.
[[nodiscard]] index_t num_elements(std::span<const index_t> extents);

/// Returns the strides, in elements, of a dense array in row-major (C) order.
///
/// Throws: shape_error <- a stride exceeds 2^63 - 1.
[[nodiscard]] index_vector row_major_strides(std::span<const index_t> extents);

/// Returns `a * b`. Throws: shape_error <- the product exceeds 2^63 - 1.
[[nodiscard]] index_t checked_multiply(index_t a, index_t b);

/// Returns the least integer that is at least `a / b`, for `a >= 0` and `b > 0`.
[[nodiscard]] constexpr index_t ceil_divide(index_t a, index_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// Returns extents as Python prints a tuple: `()`, `(4,)`, `(4, 5)`.
[[nodiscard]] std::string format_shape(std::span<const index_t> extents);

/// Returns how far `position` is from the origin of something that `strides` walk: their dot
/// product.
[[nodiscard]] constexpr index_t offset_of(std::span<const index_t> position,
                                          std::span<const index_t> strides) {
  index_t offset = 0;
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    offset += position[axis] * strides[axis];
  }
  return offset;
}

/// Advances `position` by one in row-major order within `extents`; returns false after the last.
[[nodiscard]] bool next_position(index_vector& position, std::span<const index_t> extents);

}  // namespace tessera
