// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Blocks of elements as functions of blocks see them.

#include "tessera/core/index.hpp"
#include "tessera/core/strided_copy.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

[[noreturn]] void throw_not_dense(std::span<const index_t> extents,
                                  std::span<const index_t> strides);

/// Throw shape_error unless a block of `extents` has as many elements as `count` says, or the shape
/// `others`.
void check_block_size(std::span<const index_t> extents, std::size_t count);
void check_block_shape(std::span<const index_t> extents, std::span<const index_t> others);

/// Goes through the elements of a block in row-major order.
template <class T, std::size_t N>
class element_iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = std::remove_const_t<T>;
  using reference = T&;
  using pointer = T*;
  using iterator_category = std::forward_iterator_tag;

  element_iterator() = default;
  element_iterator(T* first, const std::array<index_t, N>& shape,
                   const std::array<index_t, N>& strides, index_t count)
      : element_(first), shape_(shape), strides_(strides), count_(count) {}

  [[nodiscard]] T& operator*() const { return *element_; }
  [[nodiscard]] T* operator->() const { return element_; }
  element_iterator& operator++() {
    ++count_;
    for (std::size_t k = N; k-- > 0;) {
      element_ += strides_[k];
      if (++position_[k] < shape_[k]) break;
      element_ -= shape_[k] * strides_[k];
      position_[k] = 0;
    }
    return *this;
  }
  element_iterator operator++(int) {
    element_iterator before = *this;
    ++*this;
    return before;
  }
  [[nodiscard]] bool operator==(const element_iterator& rhs) const { return count_ == rhs.count_; }

 private:
  T* element_ = nullptr;
  std::array<index_t, N> shape_{};
  std::array<index_t, N> strides_{};
  std::array<index_t, N> position_{};
  index_t count_ = 0;
};

/// The blocks that are at the indices of a block's first axis.
template <class Block>
class block_rows {
 public:
  class iterator {
   public:
    using difference_type = index_t;
    using value_type = decltype(std::declval<const Block&>()[0]);

    iterator(const Block& block, index_t index) : block_(block), index_(index) {}
    [[nodiscard]] auto operator*() const { return block_[index_]; }
    iterator& operator++() { return ++index_, *this; }
    iterator operator++(int) { return {block_, index_++}; }
    [[nodiscard]] bool operator==(const iterator& rhs) const { return index_ == rhs.index_; }

   private:
    Block block_;
    index_t index_;
  };

  explicit block_rows(const Block& block) : block_(block) {}
  [[nodiscard]] iterator begin() const { return {block_, 0}; }
  [[nodiscard]] iterator end() const { return {block_, block_.shape()[0]}; }

 private:
  Block block_;
};

}  // namespace detail

/// A block of an array of `N` axes, which it refers to; `const T` if it is only read.
///
/// Elements need not lie densely: a chunk at the end of an array, a part of an array in memory, an
/// operand that is broadcast do not. Iteration, rows, `fill`, `copy_to` and `copy_from` take them
/// wherever they lie, as standard algorithms do then: `std::ranges::transform(x, y.begin(), f)`;
/// `eigen(block)` sees those of one or two axes. `span()` is for dense blocks alone.
template <class T, std::size_t N>
class block_view {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr std::size_t rank = N;

  /// Strides in elements.
  block_view(T* data, const std::array<index_t, N>& shape, const std::array<index_t, N>& strides,
             const std::array<index_t, N>& start)
      : data_(data), shape_(shape), strides_(strides), start_(start) {}

  [[nodiscard]] const std::array<index_t, N>& shape() const { return shape_; }
  /// Returns how many elements apart neighbours along axis `k` are.
  [[nodiscard]] index_t stride(std::size_t k) const { return strides_[k]; }
  /// Returns the begin of the block along axis `k` of the result's array.
  [[nodiscard]] index_t start(std::size_t k) const { return start_[k]; }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] index_t size() const {
    index_t count = 1;
    for (const index_t extent : shape_) count *= extent;
    return count;
  }

  template <std::integral... I>
  requires(sizeof...(I) == N) [[nodiscard]] T& operator()(I... indices) const {
    const std::array<index_t, N> position{static_cast<index_t>(indices)...};
    index_t offset = 0;
    for (std::size_t k = 0; k < N; ++k) offset += position[k] * strides_[k];
    return data_[offset];
  }

  /// Returns the block at one index of the first axis.
  [[nodiscard]] auto operator[](index_t index) const requires(N > 1) {
    return block_view<T, N - 1>(data_ + index * strides_[0], without_first(shape_),
                                without_first(strides_), without_first(start_));
  }
  [[nodiscard]] T& operator[](index_t index) const requires(N == 1) {
    return data_[index * strides_[0]];
  }
  /// Returns the blocks along the first axis: `for (auto row : x.rows())`.
  [[nodiscard]] auto rows() const requires(N > 1) { return detail::block_rows<block_view>(*this); }

  /// Iterates over all elements in row-major order.
  [[nodiscard]] auto begin() const {
    return detail::element_iterator<T, N>(data_, shape_, strides_, 0);
  }
  [[nodiscard]] auto end() const {
    return detail::element_iterator<T, N>(data_, shape_, strides_, size());
  }

  /// Sets all elements to `value`.
  void fill(const value_type& value) const requires(!std::is_const_v<T>) {
    detail::strided_fill(bytes(), strides_, shape_, std::as_bytes(std::span(&value, 1)).data(),
                         sizeof(T));
  }
  /// Copies the elements to `to` in row-major order, or from there.
  ///
  /// Throws: shape_error <- there are not as many elements.
  void copy_to(std::span<value_type> to) const {
    detail::check_block_size(shape_, to.size());
    detail::strided_copy(std::as_writable_bytes(to).data(), row_major_strides(shape_), bytes(),
                         strides_, shape_, sizeof(T));
  }
  void copy_from(std::span<const value_type> from) const requires(!std::is_const_v<T>) {
    detail::check_block_size(shape_, from.size());
    detail::strided_copy(bytes(), strides_, std::as_bytes(from).data(), row_major_strides(shape_),
                         shape_, sizeof(T));
  }
  /// Copies the elements of `from`. Requires: the two do not overlap. Throws: shape_error <- shapes
  /// differ.
  template <class U>
  requires(std::same_as<std::remove_const_t<U>, value_type> && !std::is_const_v<T>)  //
      void copy_from(const block_view<U, N>& from) const {
    detail::check_block_shape(shape_, from.shape());
    detail::strided_copy(bytes(), strides_, from.bytes(), from.strides_, shape_, sizeof(T));
  }

  /// Tells whether elements follow each other in row-major order.
  [[nodiscard]] bool is_dense() const {
    index_t dense = 1;
    for (std::size_t k = N; k-- > 0;) {
      if (shape_[k] != 1 && strides_[k] != dense) return false;
      dense *= shape_[k];
    }
    return true;
  }

  /// Returns the elements in row-major order. Throws: value_error <- the block is not dense.
  [[nodiscard]] std::span<T> span() const {
    if (!is_dense()) detail::throw_not_dense(shape_, strides_);
    return {data_, static_cast<std::size_t>(size())};
  }

 private:
  template <class, std::size_t>
  friend class block_view;

  static std::array<index_t, N - 1> without_first(const std::array<index_t, N>& values) requires(
      N > 1) {
    std::array<index_t, N - 1> rest;
    std::copy(values.begin() + 1, values.end(), rest.begin());
    return rest;
  }
  [[nodiscard]] auto* bytes() const {
    using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return reinterpret_cast<byte*>(data_);
  }

  T* data_;
  std::array<index_t, N> shape_;
  std::array<index_t, N> strides_;
  std::array<index_t, N> start_;
};

namespace detail {

template <class T>
inline constexpr bool is_block_view = false;
template <class T, std::size_t N>
inline constexpr bool is_block_view<block_view<T, N>> = true;

}  // namespace detail
}  // namespace tessera
