// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Assignment operators: `x += y` is `x = x + y` for a `ts::array<T, N>`, in its dtype and shape.
///
/// Copies of the old array `x` do not change.
/// Requires: a result of the dtype and rank of `x`.
/// Throws:   shape_error <- the result has another shape. Otherwise as the function.

#include "tessera/array/array.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/bitwise.hpp"
#include "tessera/function/division.hpp"

#include <string_view>
#include <type_traits>

namespace tessera {

/// Tells whether `x += y` can make `X` another array: it is a `ts::array<T, N>` that can be
/// assigned.
template <class X>
inline constexpr bool is_assignable_array = false;
template <element T, std::size_t N>
inline constexpr bool is_assignable_array<array<T, N>&> = true;

namespace detail {

/// Throws shape_error if the result of `x op= ...` has another shape than `x`.
void check_same_shape(std::string_view assignment, const array_layout& x,
                      const array_layout& result);

/// The result of `x += y` if `x` cannot be assigned.
template <class X>
struct refused_assignment {
  static_assert(is_allowed<X>,
                "tessera: x += y: requires x to be a tessera::array<T, N> that can be assigned; "
                "neither an expression nor an ndarray is one");
};

/// Makes `x` a handle on `f(x, y)`.
template <element T, std::size_t N, class B, class F>
array<T, N>& assign_result(std::string_view assignment, array<T, N>& x, const B& y, F f) {
  const auto result = f(x, y);
  using result_type = std::remove_cvref_t<decltype(result)>;
  static_assert(expression_is<result_type, T, N>,
                "tessera: x += y: requires x + y to have the dtype and rank of x; "
                "write auto z = x + y, or x += astype<T>(y)");
  if constexpr (expression_is<result_type, T, N>) {
    check_same_shape(assignment, x.layout(), result.layout());
    x = array<T, N>(result);
  }
  return x;
}

}  // namespace detail

/// Tells whether `x += y` would be ours, and is refused.
template <class X>
concept unassignable_array = unnamed_argument<std::remove_cvref_t<X>> && !is_assignable_array<X>;

// clang-format off
template <element T, std::size_t N, class B> array<T, N>& operator+=(array<T, N>& x, const B& b) { return detail::assign_result("x += y", x, b, [](const auto& v, const auto& w) { return v + w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator-=(array<T, N>& x, const B& b) { return detail::assign_result("x -= y", x, b, [](const auto& v, const auto& w) { return v - w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator*=(array<T, N>& x, const B& b) { return detail::assign_result("x *= y", x, b, [](const auto& v, const auto& w) { return v * w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator/=(array<T, N>& x, const B& b) { return detail::assign_result("x /= y", x, b, [](const auto& v, const auto& w) { return v / w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator%=(array<T, N>& x, const B& b) { return detail::assign_result("x %= y", x, b, [](const auto& v, const auto& w) { return v % w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator&=(array<T, N>& x, const B& b) { return detail::assign_result("x &= y", x, b, [](const auto& v, const auto& w) { return v & w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator|=(array<T, N>& x, const B& b) { return detail::assign_result("x |= y", x, b, [](const auto& v, const auto& w) { return v | w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator^=(array<T, N>& x, const B& b) { return detail::assign_result("x ^= y", x, b, [](const auto& v, const auto& w) { return v ^ w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator<<=(array<T, N>& x, const B& b) { return detail::assign_result("x <<= y", x, b, [](const auto& v, const auto& w) { return v << w; }); }
template <element T, std::size_t N, class B> array<T, N>& operator>>=(array<T, N>& x, const B& b) { return detail::assign_result("x >>= y", x, b, [](const auto& v, const auto& w) { return v >> w; }); }

template <unassignable_array X, class B> detail::refused_assignment<X> operator+=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator-=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator*=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator/=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator%=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator&=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator|=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator^=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator<<=(X&&, const B&);
template <unassignable_array X, class B> detail::refused_assignment<X> operator>>=(X&&, const B&);
// clang-format on

}  // namespace tessera
