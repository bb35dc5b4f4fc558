// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A computed array: its elements, owned, in row-major order.

#include "tessera/array/detail/nested_braces.hpp"
#include "tessera/array/detail/print.hpp"
#include "tessera/array/ndarray_view.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/shape_array.hpp"
#include "tessera/expr/elementwise_node.hpp"

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

/// Calls `tessera::eigen`; its header includes Eigen.
template <class Array>
auto eigen_of(Array& array) {
  static_assert(
      requires { eigen(array); },
      "tessera::ndarray::eigen(): requires #include <tessera/kernel/eigen.hpp>");
  return eigen(array);
}

/// Returns the rank of an ndarray of elements between parentheses and braces; refused, as these
/// hold a shape.
template <class V, std::size_t N>
constexpr std::size_t refused_rank() {
  static_assert(is_allowed<V>,
                "tessera::ndarray({1.0, 2.0}): requires the type and the rank: ndarray<double, "
                "1>::of({1.0, 2.0})");
  return N;
}

}  // namespace detail

/// A computed array: its elements, owned, in row-major order.
///
/// A value: copies have elements of their own; `view()`, slices and rows refer to them. A
/// moved-from array may only be assigned to or destroyed. It has no arithmetic: that is for lazy
/// arrays, and `asarray(m)` is one of an ndarray.
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
    std::copy(values.begin(), values.end(), data());
  }
  ndarray(const std::array<index_t, N>& shape, std::initializer_list<T> values)
      : ndarray(shape, std::span<const T>(values.begin(), values.size())) {}

  /// Makes an array of its rows: `ndarray<double, 2>{{1, 0}, {0, 1}}`, or of its elements, at least
  /// two: `ndarray<double, 1>{1, 0}`. Parentheses hold a shape: `ndarray<double, 1>({2})`.
  ///
  /// Throws: shape_error <- rows of one axis differ in length.
  ndarray(std::initializer_list<typename detail::nested_braces<T, N>::inner> rows) requires(N > 1)
      : ndarray(of(rows)) {}
  template <std::convertible_to<T>... V>
  requires(N == 1 && sizeof...(V) > 1) ndarray(const V&... values)
      : ndarray({static_cast<index_t>(sizeof...(V))}, {static_cast<T>(values)...}) {}

  /// Takes over a buffer that holds the elements; nothing is copied.
  ///
  /// Requires: `buffer` is aligned for `T`, holds all elements, and has no other writer.
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

  /// Copies the elements that `part` sees.
  template <class U>
  requires std::same_as<std::remove_const_t<U>, T> ndarray(const ndarray_view<U, N>& part)
      : ndarray(part.shape()) {
    part.for_each([out = data()](const T& value, const index_vector&) mutable { *out++ = value; });
  }

  /// Computes `e`: `ndarray<double, 2> m = x * 2;` and `m = x + 1;`.
  ///
  /// Requires: an expression of dtype `T` and rank `N`. Throws: as `compute`.
  template <array_expression E>
  ndarray(const E& e) : ndarray(computed(e)) {}

  ndarray(const ndarray& source) : ndarray(source.shape_, source.span()) {}
  ndarray(ndarray&&) noexcept = default;
  ndarray& operator=(const ndarray& source) {
    if (this != &source) *this = ndarray(source);
    return *this;
  }
  ndarray& operator=(ndarray&&) noexcept = default;
  // clang-format off
  template <weak_scalar V>
  ndarray& operator=(V) = delete;  // tessera::ndarray: m.view().fill(value) sets all elements
  // clang-format on
  ~ndarray() = default;

  [[nodiscard]] const shape_array<N>& shape() const { return shape_; }
  /// Returns the number of elements.
  [[nodiscard]] index_t size() const { return static_cast<index_t>(count(shape_)); }

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  /// Returns the distances of neighbours along each axis, in elements.
  [[nodiscard]] std::array<index_t, N> strides() const {
    return detail::to_array<N>(row_major_strides(shape_));
  }
  /// Iterates over the first axis, as in NumPy: over elements of rank 1, else over rows, which are
  /// views. `span()` iterates over all elements.
  [[nodiscard]] auto begin() requires(N > 0) { return first_of(*this); }
  [[nodiscard]] auto begin() const requires(N > 0) { return first_of(*this); }
  [[nodiscard]] auto end() requires(N > 0) { return last_of(*this); }
  [[nodiscard]] auto end() const requires(N > 0) { return last_of(*this); }
  [[nodiscard]] std::span<T> span() { return {data(), count(shape_)}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), count(shape_)}; }

  /// Returns all of it as a view.
  [[nodiscard]] ndarray_view<T, N> view() { return {data_as<T>(), shape_, strides()}; }
  [[nodiscard]] ndarray_view<const T, N> view() const {
    return {data_as<const T>(), shape_, strides()};
  }

  /// Returns the element at `indices`, which are not checked, or, with slices or fewer indices than
  /// axes, a view of the part that they select: `m(whole, 3)`, `m(slice(0, 10, 2), whole)`, `m(0)`.
  ///
  /// Throws: for a part: shape_error <- an index is out of range. value_error <- a step is zero.
  template <class... Indices>
  [[nodiscard]] decltype(auto) operator()(const Indices&... indices) {
    return select(*this, indices...);
  }
  template <class... Indices>
  [[nodiscard]] decltype(auto) operator()(const Indices&... indices) const {
    return select(*this, indices...);
  }
  /// Refused, with the remedy: braces are neither a range nor a list of indices, `all` no index.
  [[nodiscard]] ndarray operator()(detail::refused_index, detail::adjacent_index = 0,
                                   detail::adjacent_index = 0, detail::adjacent_index = 0) const {
    return detail::refuse_as_index(*this);
  }
  template <class First>
  [[nodiscard]] ndarray operator()(const First&, detail::refused_index, detail::adjacent_index = 0,
                                   detail::adjacent_index = 0) const {
    return detail::refuse_as_index(*this);
  }
  /// Returns the element (of rank 1) or the row at one index of the first axis.
  template <class Index>
  [[nodiscard]] decltype(auto) operator[](const Index& index) {
    return select(*this, index);
  }
  template <class Index>
  [[nodiscard]] decltype(auto) operator[](const Index& index) const {
    return select(*this, index);
  }

  /// Returns an Eigen map of an array of rank 1 or 2; see `tessera::eigen`.
  [[nodiscard]] auto eigen() requires(N == 1 || N == 2) { return detail::eigen_of(*this); }
  [[nodiscard]] auto eigen() const requires(N == 1 || N == 2) { return detail::eigen_of(*this); }

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
    return a.shape_ == b.shape_ && std::equal(a.data(), a.data() + a.size(), b.data());
  }

  /// Prints as NumPy prints: `[[1 2]\n [3 4]]`.
  friend std::ostream& operator<<(std::ostream& out, const ndarray& array) {
    const auto* elements = reinterpret_cast<const std::byte*>(array.data());
    return detail::print_array(out, dtype_of<T>, elements, array.shape_);
  }

 private:
  template <class E>
  [[nodiscard]] static ndarray computed(const E& e) {
    constexpr bool fits = std::same_as<typename E::value_type, T> && E::rank == N;
    static_assert(
        fits,
        "tessera::ndarray<T, N>(expression): requires an expression of dtype T and rank N; "
        "astype<T>(x) converts elements");
    if constexpr (fits) {
      return e.compute();
    } else {
      return {};
    }
  }

  template <class Self>
  [[nodiscard]] static auto first_of(Self& self) {
    if constexpr (N == 1) {
      return self.data();
    } else {
      return detail::row_iterator(self.view(), 0);
    }
  }
  template <class Self>
  [[nodiscard]] static auto last_of(Self& self) {
    if constexpr (N == 1) {
      return self.data() + self.size();
    } else {
      return detail::row_iterator(self.view(), self.shape_[0]);
    }
  }

  template <class Self, class... Indices>
  [[nodiscard]] static decltype(auto) select(Self& self, const Indices&... indices) {
    if constexpr (sizeof...(Indices) == N && (detail::is_integer_index<Indices> && ...)) {
      return (self.data()[self.offset(indices...)]);
    } else {
      return self.view()(indices...);
    }
  }

  template <class U>
  [[nodiscard]] std::shared_ptr<U> data_as() const {
    return {data_, data_.get()};
  }
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

  shape_array<N> shape_;
  std::shared_ptr<T[]> data_;
};

/// For the refused elements.
template <weak_scalar V, std::size_t N>
ndarray(const V (&)[N]) -> ndarray<V, detail::refused_rank<V, (N > 1 ? 1 : 0)>()>;
template <weak_scalar V>
ndarray(std::initializer_list<std::initializer_list<V>>)
    -> ndarray<V, detail::refused_rank<V, 2>()>;

}  // namespace tessera
