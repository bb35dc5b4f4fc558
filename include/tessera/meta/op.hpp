// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tags of the Array API standard's elementwise functions: a name, the number of operands and a
/// label to print. What each computes stands in `kernel/elementwise.hpp`; which dtypes it takes and
/// gives, in `meta/op_rules.hpp`.

#include <cstddef>
#include <string_view>

namespace tessera::op {

// clang-format off
struct negative { static constexpr std::string_view name = "negative"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "-{0}"; };
struct positive { static constexpr std::string_view name = "positive"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "+{0}"; };
struct logical_not { static constexpr std::string_view name = "logical_not"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "!{0}"; };
struct bitwise_invert { static constexpr std::string_view name = "bitwise_invert"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "~{0}"; };
struct add { static constexpr std::string_view name = "add"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} + {1})"; };
struct subtract { static constexpr std::string_view name = "subtract"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} - {1})"; };
struct multiply { static constexpr std::string_view name = "multiply"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} * {1})"; };
struct divide { static constexpr std::string_view name = "divide"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} / {1})"; };
struct equal { static constexpr std::string_view name = "equal"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} == {1})"; };
struct not_equal { static constexpr std::string_view name = "not_equal"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} != {1})"; };
struct less { static constexpr std::string_view name = "less"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} < {1})"; };
struct less_equal { static constexpr std::string_view name = "less_equal"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} <= {1})"; };
struct greater { static constexpr std::string_view name = "greater"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} > {1})"; };
struct greater_equal { static constexpr std::string_view name = "greater_equal"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} >= {1})"; };
struct logical_and { static constexpr std::string_view name = "logical_and"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} && {1})"; };
struct logical_or { static constexpr std::string_view name = "logical_or"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} || {1})"; };
struct bitwise_and { static constexpr std::string_view name = "bitwise_and"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} & {1})"; };
struct bitwise_or { static constexpr std::string_view name = "bitwise_or"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} | {1})"; };
struct bitwise_xor { static constexpr std::string_view name = "bitwise_xor"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} ^ {1})"; };
struct bitwise_left_shift { static constexpr std::string_view name = "bitwise_left_shift"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} << {1})"; };
struct bitwise_right_shift { static constexpr std::string_view name = "bitwise_right_shift"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "({0} >> {1})"; };
struct real { static constexpr std::string_view name = "real"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "real({0})"; };
struct imag { static constexpr std::string_view name = "imag"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "imag({0})"; };
struct conj { static constexpr std::string_view name = "conj"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "conj({0})"; };
struct abs { static constexpr std::string_view name = "abs"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "abs({0})"; };
struct sqrt { static constexpr std::string_view name = "sqrt"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "sqrt({0})"; };
struct square { static constexpr std::string_view name = "square"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "square({0})"; };
struct reciprocal { static constexpr std::string_view name = "reciprocal"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "reciprocal({0})"; };
struct exp { static constexpr std::string_view name = "exp"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "exp({0})"; };
struct expm1 { static constexpr std::string_view name = "expm1"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "expm1({0})"; };
struct log { static constexpr std::string_view name = "log"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "log({0})"; };
struct log1p { static constexpr std::string_view name = "log1p"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "log1p({0})"; };
struct log2 { static constexpr std::string_view name = "log2"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "log2({0})"; };
struct log10 { static constexpr std::string_view name = "log10"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "log10({0})"; };
struct sin { static constexpr std::string_view name = "sin"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "sin({0})"; };
struct cos { static constexpr std::string_view name = "cos"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "cos({0})"; };
struct tan { static constexpr std::string_view name = "tan"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "tan({0})"; };
struct asin { static constexpr std::string_view name = "asin"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "asin({0})"; };
struct acos { static constexpr std::string_view name = "acos"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "acos({0})"; };
struct atan { static constexpr std::string_view name = "atan"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "atan({0})"; };
struct sinh { static constexpr std::string_view name = "sinh"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "sinh({0})"; };
struct cosh { static constexpr std::string_view name = "cosh"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "cosh({0})"; };
struct tanh { static constexpr std::string_view name = "tanh"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "tanh({0})"; };
struct asinh { static constexpr std::string_view name = "asinh"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "asinh({0})"; };
struct acosh { static constexpr std::string_view name = "acosh"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "acosh({0})"; };
struct atanh { static constexpr std::string_view name = "atanh"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "atanh({0})"; };
struct ceil { static constexpr std::string_view name = "ceil"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "ceil({0})"; };
struct floor { static constexpr std::string_view name = "floor"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "floor({0})"; };
struct round { static constexpr std::string_view name = "round"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "round({0})"; };
struct trunc { static constexpr std::string_view name = "trunc"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "trunc({0})"; };
struct sign { static constexpr std::string_view name = "sign"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "sign({0})"; };
struct signbit { static constexpr std::string_view name = "signbit"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "signbit({0})"; };
struct isnan { static constexpr std::string_view name = "isnan"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "isnan({0})"; };
struct isinf { static constexpr std::string_view name = "isinf"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "isinf({0})"; };
struct isfinite { static constexpr std::string_view name = "isfinite"; static constexpr std::size_t arity = 1; static constexpr std::string_view label = "isfinite({0})"; };
struct floor_divide { static constexpr std::string_view name = "floor_divide"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "floor_divide({0}, {1})"; };
struct remainder { static constexpr std::string_view name = "remainder"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "remainder({0}, {1})"; };
struct pow { static constexpr std::string_view name = "pow"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "pow({0}, {1})"; };
struct atan2 { static constexpr std::string_view name = "atan2"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "atan2({0}, {1})"; };
struct hypot { static constexpr std::string_view name = "hypot"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "hypot({0}, {1})"; };
struct logaddexp { static constexpr std::string_view name = "logaddexp"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "logaddexp({0}, {1})"; };
struct logical_xor { static constexpr std::string_view name = "logical_xor"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "logical_xor({0}, {1})"; };
struct copysign { static constexpr std::string_view name = "copysign"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "copysign({0}, {1})"; };
struct nextafter { static constexpr std::string_view name = "nextafter"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "nextafter({0}, {1})"; };
struct maximum { static constexpr std::string_view name = "maximum"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "maximum({0}, {1})"; };
struct minimum { static constexpr std::string_view name = "minimum"; static constexpr std::size_t arity = 2; static constexpr std::string_view label = "minimum({0}, {1})"; };
struct where { static constexpr std::string_view name = "where"; static constexpr std::size_t arity = 3; static constexpr std::string_view label = "where({0}, {1}, {2})"; };
struct clip { static constexpr std::string_view name = "clip"; static constexpr std::size_t arity = 3; static constexpr std::string_view label = "clip({0}, {1}, {2})"; };
// clang-format on

/// Converts to element type `T` as C++'s `static_cast` does.
template <class T>
struct astype {
  using value_type = T;
  static constexpr std::string_view name = "astype";
  static constexpr std::size_t arity = 1;
  static constexpr std::string_view label = "astype({0})";
};

/// Calls a user's scalar function on each element.
template <class F, std::size_t Arity>
struct map {
  F function;
  static constexpr std::string_view name = "map";
  static constexpr std::size_t arity = Arity;
};

}  // namespace tessera::op
