// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elementwise functions of arrays of a dtype and rank that are known at run time alone.
///
/// ```cpp
/// ts::any_array celsius = ts::open_any("era5.zarr/t2m") - 273.15;
/// ts::store(ts::elementwise("maximum", {celsius, 0}), "warm.zarr");
/// ```
/// Shape, chunks and dtypes are as of the functions of typed arrays, and so are the values. Nothing
/// runs before `store`, or before `as` or `visit` give it a type with which it is computed. Each
/// function is a kernel of the library, picked by dtype: nothing is compiled for it in a program.
/// Kernels that follow each other are fused, as kernels of typed arrays are.

#include "tessera/array/any_array.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/elementwise_node.hpp"

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

/// Returns the dtype that arrays of `types`, at least one, have in common: as `promote_t`.
[[nodiscard]] dtype result_type(const std::vector<dtype>& types);

/// An operand of a function of arrays of a dtype known at run time alone: an array, or a C++
/// number, which takes the dtype of the arrays.
class any_operand {
 public:
  template <std::convertible_to<any_array> X>
  any_operand(const X& x) : value_(any_array(x)) {}
  template <weak_scalar S>
  any_operand(S value) : value_(number_of(value)) {}

  [[nodiscard]] const any_array* array() const { return std::get_if<any_array>(&value_); }
  /// The number, if the operand is no array.
  [[nodiscard]] const any_number& number() const { return std::get<any_number>(value_); }

 private:
  template <class S>
  static any_number number_of(S value) {
    if constexpr (complex_element<S>) {
      return complex128(value);
    } else if constexpr (std::same_as<S, bool>) {
      return value;
    } else if constexpr (std::unsigned_integral<S>) {
      return static_cast<std::uint64_t>(value);
    } else if constexpr (std::integral<S>) {
      return static_cast<std::int64_t>(value);
    } else {
      return static_cast<double>(value);
    }
  }

  std::variant<any_array, any_number> value_;
};

/// Returns the elementwise function called `name` of `xs`: `elementwise("hypot", {u, v})`.
///
/// All functions of typed arrays are known, except `astype`, `map`, `ldexp` and functions with
/// several results.
/// Throws: value_error <- there is no such function, or it takes another number of operands; none
/// of them is an array; a number does not fit into its dtype, or specs differ. dtype_error <- it
/// does not take these dtypes. shape_error <- extents do not broadcast.
[[nodiscard]] any_array elementwise(std::string_view name, const std::vector<any_operand>& xs);

/// Returns `x` with elements of dtype `to`, converted as the `astype` of typed arrays does.
///
/// Throws: dtype_error <- complex numbers would become real ones.
[[nodiscard]] any_array astype(const any_array& x, dtype to);

namespace detail {

template <class X>
inline constexpr bool is_any_array = std::same_as<X, any_array>;
/// Tells whether an operator of `A` and `B` is one of arrays of a dtype known at run time.
template <class A, class B>
inline constexpr bool have_any_array = (is_any_array<A> && (is_any_array<B> || weak_scalar<B>)) ||
                                       (weak_scalar<A> && is_any_array<B>);

}  // namespace detail

// clang-format off
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator+(const A& a, const B& b) { return elementwise("add", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator-(const A& a, const B& b) { return elementwise("subtract", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator*(const A& a, const B& b) { return elementwise("multiply", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator/(const A& a, const B& b) { return elementwise("divide", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator%(const A& a, const B& b) { return elementwise("remainder", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator&(const A& a, const B& b) { return elementwise("bitwise_and", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator|(const A& a, const B& b) { return elementwise("bitwise_or", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator^(const A& a, const B& b) { return elementwise("bitwise_xor", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator==(const A& a, const B& b) { return elementwise("equal", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator!=(const A& a, const B& b) { return elementwise("not_equal", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator<(const A& a, const B& b) { return elementwise("less", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator<=(const A& a, const B& b) { return elementwise("less_equal", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator>(const A& a, const B& b) { return elementwise("greater", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator>=(const A& a, const B& b) { return elementwise("greater_equal", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator&&(const A& a, const B& b) { return elementwise("logical_and", {a, b}); }
template <class A, class B> requires detail::have_any_array<A, B> [[nodiscard]] any_array operator||(const A& a, const B& b) { return elementwise("logical_or", {a, b}); }
[[nodiscard]] inline any_array operator-(const any_array& x) { return elementwise("negative", {x}); }
[[nodiscard]] inline any_array operator~(const any_array& x) { return elementwise("bitwise_invert", {x}); }
[[nodiscard]] inline any_array operator!(const any_array& x) { return elementwise("logical_not", {x}); }
// clang-format on

}  // namespace tessera
