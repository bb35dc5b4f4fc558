// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A lazy array, which hides the type of its expression.

#include "tessera/core/dtype.hpp"
#include "tessera/core/shared_state.hpp"
#include "tessera/expr/elementwise_node.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/lower/lower.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The view of an array, and its layout.
struct shown_array {
  array_view view;
  array_layout layout;
};

/// Returns the state that copies of an array share.
[[nodiscard]] shared_state<shown_array> show(array_view view, const array_layout& layout);

}  // namespace detail

/// Tells whether an array of dtype `T` and rank `N` can be made from the expression `E`.
template <class E, class T, std::size_t N>
inline constexpr bool expression_is = std::same_as<typename E::value_type, T>&& E::rank == N;

/// A lazy array of element type `T` and rank `N`: a shared, immutable handle on an array of a plan,
/// a Zarr array, memory, or a virtual array.
///
/// An array is an expression, and a copy is cheap. Nothing is computed, read or written before
/// `compute` or `store`.
/// A variable that is assigned again, as in a loop, must be an `array`. With `auto r = a + b;` the
/// type of `r` is that of the expression, so `r = r * 2` does not compile. Example:
/// `array<double, 2> x = a + b; for (int i = 0; i < 3; ++i) x = x * 2 + y;`, `x += y;`.
template <element T, std::size_t N>
class array final : public array_interface<array<T, N>, T, N> {
 public:
  // clang-format off
  array() = delete;  // tessera::array: there is no empty array: array<double, 2> x = zeros({m, n})
  template <weak_scalar V>
  array& operator=(V) = delete;  // tessera::array: x = full_like(x, value) is a lazy array of one value
  // clang-format on

  /// Makes a handle on the elements of `view`.
  array(array_view view, const array_layout& layout)
      : shown_(detail::show(std::move(view), layout)) {}
  explicit array(detail::shared_state<detail::shown_array> shown) : shown_(std::move(shown)) {}

  /// Lowers `e` into the plan.
  ///
  /// Requires: `e` has the same dtype and rank.
  template <array_expression E>
  requires(!std::same_as<E, array>) array(const E& e) {
    static_assert(expression_is<E, T, N>,
                  "tessera::array<T, N>(expression): requires an expression of dtype T and rank N; "
                  "astype<T>(x) converts elements");
    if constexpr (expression_is<E, T, N>) shown_ = detail::show(lower_view(e), e.layout());
  }

  /// Refused, with the remedy: an array of these elements is made by a function.
  template <weak_scalar V>
  array(std::initializer_list<V>) {
    static_assert(detail::is_allowed<V>,
                  "tessera::array({1.0, 2.0}): requires the function: asarray({1.0, 2.0})");
  }
  template <weak_scalar V>
  array(std::initializer_list<std::initializer_list<V>>) {
    static_assert(detail::is_allowed<V>,
                  "tessera::array({{1, 2}, {3, 4}}): requires the function: asarray({{1, 2}, {3, "
                  "4}})");
  }
  template <element V>
  array(const std::vector<V>&) {
    static_assert(detail::is_allowed<V>,
                  "tessera::array(v): requires the function: asarray(v) of a vector or an ndarray");
  }
  template <std::integral... I>
  requires(sizeof...(I) > 1) explicit array(I...) {
    static_assert(detail::is_allowed<I...>,
                  "tessera::array<T, N>(m, n): requires a function that fills it: zeros<T>({m, "
                  "n}), full<T>({m, n}, value)");
  }

  [[nodiscard]] const array_view& view() const { return shown_->view; }
  [[nodiscard]] const array_layout& layout() const { return shown_->layout; }

 private:
  detail::shared_state<detail::shown_array> shown_;
};

template <array_expression E>
array(const E&) -> array<typename E::value_type, E::rank>;
/// For the refused constructors.
template <weak_scalar V>
array(std::initializer_list<V>) -> array<V, 1>;
template <weak_scalar V>
array(std::initializer_list<std::initializer_list<V>>) -> array<V, 2>;
template <element V>
array(const std::vector<V>&) -> array<V, 1>;

}  // namespace tessera
