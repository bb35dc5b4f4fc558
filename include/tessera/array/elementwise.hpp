// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elementwise functions: those of the Python Array API standard, `where`, `clip`, `astype`,
/// and `map` for a function of one's own.
///
/// Shape:  operands broadcast as in NumPy.
/// Chunks: those of the operand whose chunk holds the most elements.
/// Dtype:  as NumPy promotes; functions of real numbers make float64 of integers. A C++ scalar
/// takes
///         the dtype of the arrays: `float_array * 2.0` stays float.
/// Throws: shape_error <- extents do not broadcast. value_error <- a scalar does not fit into its
///         dtype, or specs differ.

#include "tessera/array/arithmetic.hpp"
#include "tessera/array/assignment.hpp"
#include "tessera/array/bitwise.hpp"
#include "tessera/array/complex.hpp"
#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/array/exponential.hpp"
#include "tessera/array/logical.hpp"
#include "tessera/array/operators.hpp"
#include "tessera/array/predicates.hpp"
#include "tessera/array/rounding.hpp"
#include "tessera/array/trigonometric.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tessera {

/// Returns the elements of `a` where `condition` is true and those of `b` elsewhere.
///
/// Dtype: the promotion of `a` and `b`.
template <class Condition, class A, class B>
requires has_array<Condition, A, B>
[[nodiscard]] auto where(const Condition& condition, const A& a, const B& b) {
  static_assert(are_operands<Condition, A, B>,
                "tessera::where(condition, a, b): requires each "
                "operand to be an array expression or a C++ number");
  static_assert(dtypes_accepted<op::where, Condition, A, B>,
                "tessera::where(condition, a, b): requires a condition of dtype bool");
  return detail::apply_elementwise(op::where{}, condition, a, b);
}

/// Returns `minimum(maximum(x, low), high)`.
template <array_expression X, class Low, class High>
[[nodiscard]] auto clip(const X& x, const Low& low, const High& high) {
  static_assert(are_operands<X, Low, High>,
                "tessera::clip(x, low, high): requires each bound to be "
                "an array expression or a C++ number");
  static_assert(
      dtypes_accepted<op::clip, X, Low, High>,
      "tessera::clip(x, low, high): requires elements that have an order; complex numbers "
      "have none");
  return detail::apply_elementwise(op::clip{}, x, low, high);
}

/// Returns `x` with elements of type `T`, converted as NumPy does on x86-64: every value is
/// defined, and the same on every engine and machine.
///
/// Floats are rounded to the nearest `T`, or towards zero where `T` is an integer; integers wrap;
/// what is not zero, as NaN, is true. Where floats are NaN or beyond what `T` can hold:
///
/// - int64 and int32 are the least `T`.
/// - int8, int16, uint8 and uint16 are the low bits of the int32: 300.0 is 44 as uint8, 3e9 is 0.
/// - uint32 is the low bits of the int64: -1.0 is 2^32 - 1, NaN is 0.
/// - uint64 is the int64 that wraps: -1.0 is 2^64 - 1; 0 from 2^64 on, 2^63 for NaN.
///
/// Requires: a complex `T`, or bool, where elements are complex.
/// Source:   NumPy 1.24, where it converts one by one; of its dense arrays of uint32 some differ.
template <element T, array_expression X>
[[nodiscard]] auto astype(const X& x) {
  static_assert(
      dtypes_accepted<op::astype<T>, X>,
      "tessera::astype<T>(x): requires a complex T where elements are complex; real(x) and "
      "imag(x) are their parts");
  if constexpr (dtypes_accepted<op::astype<T>, X>) {
    return converted<T>(x);
  } else {
    return x;
  }
}

/// Tells whether a function object of type `F` can be called with one element of each operand.
template <class F, class... Args>
inline constexpr bool callable_with_elements =
    std::is_invocable_v<const F&, detail::argument_t<op::map<F, sizeof...(Args)>, void, Args>...>;

namespace detail {

template <class F, class... Args>
consteval bool returns_element() {
  if constexpr (callable_with_elements<F, Args...>) {
    return element<std::remove_cvref_t<
        std::invoke_result_t<const F&, argument_t<op::map<F, sizeof...(Args)>, void, Args>...>>>;
  } else {
    return true;
  }
}

}  // namespace detail

/// Tells whether a function object of type `F`, called with elements, returns an element type.
template <class F, class... Args>
inline constexpr bool returns_element = detail::returns_element<F, Args...>();

/// Returns `f` of the elements of `args`, which may be arrays or C++ scalars.
///
/// Dtype:    what `f` returns.
/// Requires: `f` takes one scalar for each of `args`, and depends on nothing else. It is copied,
/// and
///           called by several threads at once. Executors in other processes take it where its
///           bytes are its value, without padding, pointers and references, and where it has the
///           members `std::string save() const` and `static F load(std::string_view)`.
template <class F, class... Args>
requires has_array<Args...>
[[nodiscard]] auto map(const F& f, const Args&... args) {
  // Worked out here, before a lambda comes into a tuple: see there.
  static_cast<void>(detail::is_plain_bytes<F>);
  static_assert(are_operands<Args...>,
                "tessera::map(f, xs...): requires each of xs to be an array "
                "expression or a C++ number");
  if constexpr (are_operands<Args...>) {
    static_assert(callable_with_elements<F, Args...>,
                  "tessera::map(f, xs...): requires f to take one element of each of xs");
    static_assert(returns_element<F, Args...>,
                  "tessera::map(f, xs...): requires f to return an element type: bool, a number");
    if constexpr (callable_with_elements<F, Args...> && returns_element<F, Args...>) {
      return make_elementwise(op::map<F, sizeof...(Args)>{f}, args...);
    } else {
      return detail::first_array(args...);
    }
  } else {
    return detail::first_array(args...);
  }
}

}  // namespace tessera
