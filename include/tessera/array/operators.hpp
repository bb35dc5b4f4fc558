// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operators: other spellings of the elementwise functions. At least one operand is an array.

#include "tessera/array/arithmetic.hpp"
#include "tessera/array/bitwise.hpp"
#include "tessera/array/detail/print.hpp"
#include "tessera/array/logical.hpp"
#include "tessera/array/predicates.hpp"

namespace tessera {

// clang-format off
template <array_argument X> [[nodiscard]] auto operator-(const X& x) { return negative(x); }
template <array_argument X> [[nodiscard]] auto operator+(const X& x) { return positive(x); }
template <array_argument X> [[nodiscard]] auto operator!(const X& x) { return logical_not(x); }
template <array_argument X> [[nodiscard]] auto operator~(const X& x) { return bitwise_invert(x); }

template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator+(const A& a, const B& b) { return add(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator-(const A& a, const B& b) { return subtract(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator*(const A& a, const B& b) { return multiply(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator/(const A& a, const B& b) { return divide(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator%(const A& a, const B& b) { return remainder(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator==(const A& a, const B& b) { return equal(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator!=(const A& a, const B& b) { return not_equal(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator<(const A& a, const B& b) { return less(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator<=(const A& a, const B& b) { return less_equal(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator>(const A& a, const B& b) { return greater(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator>=(const A& a, const B& b) { return greater_equal(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator&&(const A& a, const B& b) { return logical_and(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator||(const A& a, const B& b) { return logical_or(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator&(const A& a, const B& b) { return bitwise_and(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator|(const A& a, const B& b) { return bitwise_or(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator^(const A& a, const B& b) { return bitwise_xor(a, b); }
template <class A, class B> requires (has_array<A, B> && !is_stream<A>) [[nodiscard]] auto operator<<(const A& a, const B& b) { return bitwise_left_shift(a, b); }
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator>>(const A& a, const B& b) { return bitwise_right_shift(a, b); }
// clang-format on

/// Prints what is known of `x` before it is computed: dtype, shape and chunks, and what prints its
/// elements. Nothing is computed.
template <class Stream, array_expression X>
requires is_stream<Stream> std::ostream& operator<<(Stream& out, const X& x) {
  return detail::print_layout(out, dtype_of<typename X::value_type>, x.layout());
}

}  // namespace tessera
