// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// `x += y` and its like, of variables with names: `x` keeps the order of its axes.
///
/// Requires: that `x + y` has the names and the dtype of `x`.
/// Throws:   shape_error <- it has another shape.

#include "tessera/array/array.hpp"
#include "tessera/array/assignment.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/labelled/labelled.hpp"

#include <cstddef>
#include <string_view>

namespace tessera {

namespace detail {

template <class X, class R>
X& assign_by_name(std::string_view assignment, X& x, const R& result) {
  const X next(result);
  check_same_shape(assignment, x.array().layout(), next.array().layout());
  return x = next;
}

}  // namespace detail

// clang-format off
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator+=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x += y", x, x + b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator-=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x -= y", x, x - b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator*=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x *= y", x, x * b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator/=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x /= y", x, x / b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator%=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x %= y", x, x % b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator&=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x &= y", x, x & b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator|=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x |= y", x, x | b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator^=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x ^= y", x, x ^ b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator<<=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x <<= y", x, x << b); }
template <element T, std::size_t N, class D, class B> labelled<array<T, N>, D>& operator>>=(labelled<array<T, N>, D>& x, const B& b) { return detail::assign_by_name("x >>= y", x, x >> b); }
// clang-format on

}  // namespace tessera
