// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A lazy array: where an expression loses its type.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/lower/lower.hpp"

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

namespace tessera {

namespace detail {

/// What an array shows, and how it is laid out.
struct shown_array {
  array_view view;
  array_layout layout;
};

/// Returns what copies of an array share.
[[nodiscard]] std::shared_ptr<const shown_array> show(array_view view, const array_layout& layout);

}  // namespace detail

/// Tells whether an array of dtype `T` and rank `N` can be made from the expression `E`.
template <class E, class T, std::size_t N>
inline constexpr bool expression_is = std::same_as<typename E::value_type, T>&& E::rank == N;

/// A lazy array of element type `T` and rank `N`: a shared, immutable handle on an array of a plan,
/// a Zarr array, memory, or a virtual array.
///
/// Itself an expression. Copying is cheap; nothing is ever computed, read or written before
/// `compute` or `store` asks for it.
/// A variable that takes other values needs it, as in loops: `auto r = a + b;` is an expression,
/// whose type says how it is computed, so that `r = r * 2` does not compile. Example:
/// `array<double, 2> x = a + b; for (int i = 0; i < 3; ++i) x = x * 2 + y;`, `x += y;`.
template <element T, std::size_t N>
class array final : public array_interface<array<T, N>, T, N> {
 public:
  // clang-format off
  array() = delete;  // tessera::array: there is no empty array: array<double, 2> x = zeros({m, n})
  template <weak_scalar V>
  array& operator=(V) = delete;  // tessera::array: x = full_like(x, value) is a lazy array of one value
  // clang-format on

  /// Makes a handle on what `view` shows.
  array(array_view view, const array_layout& layout)
      : shown_(detail::show(std::move(view), layout)) {}
  explicit array(std::shared_ptr<const detail::shown_array> shown) : shown_(std::move(shown)) {}

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

  [[nodiscard]] const array_view& view() const { return shown_->view; }
  [[nodiscard]] const array_layout& layout() const { return shown_->layout; }

 private:
  std::shared_ptr<const detail::shown_array> shown_;
};

template <array_expression E>
array(const E&) -> array<typename E::value_type, E::rank>;

}  // namespace tessera
