// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A part of a computed array: a slice, a row or a column.

#include "tessera/core/error.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/shape_array.hpp"
#include "tessera/expr/indexing.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

/// Throws shape_error unless both shapes are equal.
void check_assigned_shape(std::span<const index_t> to, std::span<const index_t> from);

/// Walks along the first axis of an array: `x(0)`, `x(1)`, ...
template <class Array>
class row_iterator {
 public:
  using difference_type = index_t;
  using reference = decltype(std::declval<const Array&>()(index_t{0}));
  using value_type = std::remove_cvref_t<reference>;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;

  row_iterator() = default;
  row_iterator(const Array& array, index_t position)
      : array_(std::make_shared<const Array>(array)), position_(position) {}

  [[nodiscard]] reference operator*() const { return (*array_)(position_); }
  row_iterator& operator++() { return ++position_, *this; }
  row_iterator operator++(int) { return row_iterator(array_, position_++); }
  [[nodiscard]] bool operator==(const row_iterator& rhs) const {
    return position_ == rhs.position_;
  }

 private:
  row_iterator(std::shared_ptr<const Array> array, index_t position)
      : array_(std::move(array)), position_(position) {}

  // Behind a pointer, because assignment to a view assigns to its elements.
  std::shared_ptr<const Array> array_;
  index_t position_ = 0;
};

}  // namespace detail

/// A part of an `ndarray<T, N>` or all of it, seen without a copy: `m(whole, 3)`, `m[0]`.
///
/// Refers to the elements, as NumPy's views and Eigen's blocks do: assignment to the view writes
/// the elements. The view keeps them alive, so it never dangles; if the `ndarray` is given other
/// elements as a whole, it keeps the old ones. `ndarray<T, N> copy = view` copies. `T` is const if
/// elements cannot be written. Reading and writing are as safe from threads as for pointers.
template <class T, std::size_t N>
class ndarray_view {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr std::size_t rank = N;

  /// Sees the elements at `data`, which `owner` keeps, `strides` apart.
  ndarray_view(std::shared_ptr<T> data, const std::array<index_t, N>& shape,
               const std::array<index_t, N>& strides)
      : data_(std::move(data)), shape_(shape), strides_(strides) {}

  ndarray_view(const ndarray_view&) = default;
  ndarray_view(ndarray_view&&) noexcept = default;
  ~ndarray_view() = default;

  /// Copies the elements of `from`, an array or view of the same shape, to the elements of the
  /// view.
  ///
  /// Throws: shape_error <- shapes differ.
  ndarray_view& operator=(const ndarray_view& from) { return assign(from), *this; }
  template <class From>
  ndarray_view& operator=(const From& from) {
    constexpr bool is_array = requires {
      requires std::same_as<typename From::value_type, value_type> && From::rank == N;
    };
    static_assert(
        is_array && !std::is_const_v<T>,
        "tessera: m(...) = a: requires an array of the dtype and rank of the part, and an m "
        "that is not const; m(...).fill(value) sets all its elements");
    if constexpr (is_array && !std::is_const_v<T>) {
      if constexpr (array_expression<From>) {
        assign(from.compute().view());
      } else {
        assign(from.view());
      }
    }
    return *this;
  }

  [[nodiscard]] const shape_array<N>& shape() const { return shape_; }
  [[nodiscard]] index_t size() const { return num_elements(shape_); }
  /// Returns the first element, and the distances of neighbours along each axis, in elements.
  [[nodiscard]] T* data() const { return data_.get(); }
  [[nodiscard]] const std::array<index_t, N>& strides() const { return strides_; }
  /// Returns itself, as `ndarray::view` does.
  [[nodiscard]] const ndarray_view& view() const { return *this; }

  /// Returns the element at `indices`, which are not checked, or, with slices or fewer indices than
  /// axes, the part that they select. See `array_interface::operator()`.
  template <class... Indices>
  [[nodiscard]] decltype(auto) operator()(const Indices&... indices) const {
    if constexpr (sizeof...(Indices) == N && (detail::is_integer_index<Indices> && ...)) {
      const std::array<index_t, N> position{static_cast<index_t>(indices)...};
      return (data_.get()[offset_of(position, strides_)]);
    } else if constexpr (detail::may_index<N, Indices...>()) {
      const mapped_shape mapped =
          detail::map_of_indices({shape_.begin(), shape_.end()}, indices...);
      const index_vector strides = mapped.map.strides(strides_);
      const index_vector first = mapped.map(index_vector(mapped.shape.size()));
      // Of no elements, none is first.
      const index_t begin = num_elements(mapped.shape) == 0 ? 0 : offset_of(first, strides_);
      constexpr std::size_t part_rank = detail::indexed_rank<N, Indices...>;
      return ndarray_view<T, part_rank>(std::shared_ptr<T>(data_, data_.get() + begin),
                                        detail::to_array<part_rank>(mapped.shape),
                                        detail::to_array<part_rank>(strides));
    } else {
      return ndarray_view(*this);
    }
  }
  /// Returns the element (of rank 1) or the row at one index of the first axis.
  template <class Index>
  [[nodiscard]] decltype(auto) operator[](const Index& index) const {
    return (*this)(index);
  }

  /// Iterates over the first axis, as in NumPy: over elements of rank 1, else over rows.
  [[nodiscard]] auto begin() const requires(N > 0) { return detail::row_iterator(*this, 0); }
  [[nodiscard]] auto end() const requires(N > 0) { return detail::row_iterator(*this, shape_[0]); }

  /// Sets all elements to `value`.
  void fill(const value_type& value) const requires(!std::is_const_v<T>) {
    for_each([&](T& element, const index_vector&) { element = value; });
  }

  /// Calls `f(element, position)` for each element, in row-major order.
  template <class F>
  void for_each(F&& f) const {
    if (size() == 0) return;
    index_vector position(N);
    do {
      f(data_.get()[offset_of(position, strides_)], std::as_const(position));
    } while (next_position(position, shape_));
  }

  /// Prints as NumPy prints.
  friend std::ostream& operator<<(std::ostream& out, const ndarray_view& part) {
    return out << ndarray<value_type, N>(part);
  }

  /// The only element.
  [[nodiscard]] operator value_type() const requires(N == 0) { return *data_; }

 private:
  template <class From>
  void assign(const From& from) {
    detail::check_assigned_shape(shape_, from.shape());
    // `from` may be another part of the same elements.
    const ndarray<value_type, N> copy(from);
    const value_type* next = copy.data();
    for_each([&](T& element, const index_vector&) { element = *next++; });
  }

  std::shared_ptr<T> data_;
  shape_array<N> shape_;
  std::array<index_t, N> strides_;
};

/// Tells whether shapes and all elements are equal; a NaN is equal to nothing.
template <class T, class U, std::size_t N>
requires std::same_as<std::remove_const_t<T>, std::remove_const_t<U>>
[[nodiscard]] bool operator==(const ndarray_view<T, N>& a, const ndarray_view<U, N>& b) {
  using copy = ndarray<std::remove_const_t<T>, N>;
  return copy(a) == copy(b);
}
template <class T, element U, std::size_t N>
requires std::same_as<std::remove_const_t<T>, U>
[[nodiscard]] bool operator==(const ndarray_view<T, N>& a, const ndarray<U, N>& b) {
  return a == b.view();
}

}  // namespace tessera
