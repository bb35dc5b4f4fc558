// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Indices, extents and strides of a rank that is known at run time.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tessera {

/// A position, an extent or a stride along one axis, in elements.
using index_t = std::int64_t;

/// The greatest rank of an array, as in NumPy and in Zarr version 2.
inline constexpr std::size_t max_rank = 32;

/// One `index_t` per axis, at most `max_rank` of them; allocates above `num_inside`.
class index_vector {
 public:
  using value_type = index_t;

  /// The most values that need no memory of their own; the object is a line of the cache with them.
  static constexpr std::size_t num_inside = 6;

  index_vector() noexcept {}
  /// Throws: shape_error <- more than `max_rank` values.
  explicit index_vector(std::size_t size, index_t value = 0) {
    std::fill_n(grown_to(size), size, value);
  }
  index_vector(std::initializer_list<index_t> values)
      : index_vector(values.begin(), values.end()) {}
  template <std::forward_iterator Iterator>
  index_vector(Iterator first, Iterator last) {
    std::copy(first, last, grown_to(static_cast<std::size_t>(std::distance(first, last))));
  }
  explicit index_vector(std::span<const index_t> values)
      : index_vector(values.begin(), values.end()) {}
  index_vector(const index_vector& rhs) : size_(rhs.size_), inside_(rhs.inside_) {
    if (rhs.outside_) [[unlikely]]
      copy_outside(rhs);
  }
  /// Leaves `rhs` empty.
  index_vector(index_vector&& rhs) noexcept
      : size_(std::exchange(rhs.size_, 0)),
        inside_(rhs.inside_),
        outside_(std::move(rhs.outside_)) {}
  index_vector& operator=(const index_vector& rhs) {
    if (outside_ || rhs.outside_) [[unlikely]]
      copy_outside(rhs);
    size_ = rhs.size_;
    inside_ = rhs.inside_;
    return *this;
  }
  index_vector& operator=(index_vector&& rhs) noexcept {
    size_ = std::exchange(rhs.size_, 0);
    inside_ = rhs.inside_;
    outside_ = std::move(rhs.outside_);
    return *this;
  }
  ~index_vector() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] index_t* data() noexcept { return outside_ ? outside_.get() : inside_.data(); }
  [[nodiscard]] const index_t* data() const noexcept {
    return outside_ ? outside_.get() : inside_.data();
  }
  [[nodiscard]] index_t* begin() noexcept { return data(); }
  [[nodiscard]] const index_t* begin() const noexcept { return data(); }
  [[nodiscard]] index_t* end() noexcept { return data() + size_; }
  [[nodiscard]] const index_t* end() const noexcept { return data() + size_; }
  [[nodiscard]] index_t& operator[](std::size_t axis) noexcept {
    assert(axis < size_);
    return data()[axis];
  }
  [[nodiscard]] index_t operator[](std::size_t axis) const noexcept {
    assert(axis < size_);
    return data()[axis];
  }
  [[nodiscard]] index_t& back() noexcept { return (*this)[size_ - 1]; }
  [[nodiscard]] index_t back() const noexcept { return (*this)[size_ - 1]; }
  void push_back(index_t value) { grown_to(size() + 1)[size() - 1] = value; }
  [[nodiscard]] bool operator==(const index_vector& rhs) const noexcept {
    return std::equal(begin(), end(), rhs.begin(), rhs.end());
  }

 private:
  /// Returns the values once there are `size` of them, no fewer than there were, and the new ones
  /// still to be set.
  index_t* grown_to(std::size_t size) {
    if (size > num_inside) [[unlikely]]
      return grown_outside_to(size);
    size_ = static_cast<std::uint32_t>(size);
    return data();
  }
  index_t* grown_outside_to(std::size_t size);
  void copy_outside(const index_vector& rhs);

  // No `std::size_t`, so that a write to the values cannot alias the size.
  std::uint32_t size_ = 0;
  std::array<index_t, num_inside> inside_{};
  /// Room for `max_rank` values, which are all here if there have been more than fit inside.
  std::unique_ptr<index_t[]> outside_;
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

/// Returns the offset of the element at `position` of an array with `strides`: their dot product.
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
