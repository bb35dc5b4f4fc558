// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The dtypes of operands and results of each function, from the Python Array API standard and
/// the documentation, for the rules of the tags to agree with.

#include <array>
#include <string_view>

namespace tessera::testing {

/// The dtype of a function's result for operands that are all of dtype `T`.
enum class gives {
  same,         ///< `T`
  boolean,      ///< bool
  floating,     ///< `T`; float64 for integers and bool
  part,         ///< `T`, and for complex numbers the dtype of their parts
  deviation,    ///< as `floating`, and for complex numbers the dtype of their parts
  exponent,     ///< int32
  accumulated,  ///< `T`; for integers and bool 64 bits of their signedness
  position,     ///< int64
};

struct dtype_row {
  std::string_view name;
  /// Kinds as NumPy abbreviates them: b bool, i int, u uint, f float, c complex.
  std::string_view takes;
  gives result;
};

// clang-format off
inline constexpr std::array dtype_table{
    dtype_row{"add", "iufc", gives::same},
    dtype_row{"subtract", "iufc", gives::same},
    dtype_row{"multiply", "iufc", gives::same},
    dtype_row{"divide", "iufc", gives::floating},
    dtype_row{"reciprocal", "iufc", gives::floating},
    dtype_row{"floor_divide", "iuf", gives::same},
    dtype_row{"remainder", "iuf", gives::same},
    dtype_row{"negative", "iufc", gives::same},
    dtype_row{"positive", "iufc", gives::same},
    dtype_row{"abs", "iufc", gives::part},
    dtype_row{"sign", "iufc", gives::same},
    dtype_row{"signbit", "iuf", gives::boolean},
    dtype_row{"copysign", "iuf", gives::floating},
    dtype_row{"square", "iufc", gives::same},
    dtype_row{"sqrt", "iufc", gives::floating},
    dtype_row{"pow", "iufc", gives::same},
    dtype_row{"exp", "iufc", gives::floating},
    dtype_row{"expm1", "iufc", gives::floating},
    dtype_row{"log", "iufc", gives::floating},
    dtype_row{"log1p", "iufc", gives::floating},
    dtype_row{"log2", "iufc", gives::floating},
    dtype_row{"log10", "iufc", gives::floating},
    dtype_row{"logaddexp", "iuf", gives::floating},
    dtype_row{"sin", "iufc", gives::floating},
    dtype_row{"cos", "iufc", gives::floating},
    dtype_row{"tan", "iufc", gives::floating},
    dtype_row{"asin", "iufc", gives::floating},
    dtype_row{"acos", "iufc", gives::floating},
    dtype_row{"atan", "iufc", gives::floating},
    dtype_row{"atan2", "iuf", gives::floating},
    dtype_row{"hypot", "iuf", gives::floating},
    dtype_row{"sinh", "iufc", gives::floating},
    dtype_row{"cosh", "iufc", gives::floating},
    dtype_row{"tanh", "iufc", gives::floating},
    dtype_row{"asinh", "iufc", gives::floating},
    dtype_row{"acosh", "iufc", gives::floating},
    dtype_row{"atanh", "iufc", gives::floating},
    dtype_row{"ceil", "iuf", gives::same},
    dtype_row{"floor", "iuf", gives::same},
    dtype_row{"round", "iufc", gives::same},
    dtype_row{"trunc", "iuf", gives::same},
    dtype_row{"nextafter", "iuf", gives::floating},
    dtype_row{"real", "iufc", gives::part},
    dtype_row{"imag", "iufc", gives::part},
    dtype_row{"conj", "iufc", gives::same},
    dtype_row{"bitwise_invert", "biu", gives::same},
    dtype_row{"bitwise_and", "biu", gives::same},
    dtype_row{"bitwise_or", "biu", gives::same},
    dtype_row{"bitwise_xor", "biu", gives::same},
    dtype_row{"bitwise_left_shift", "iu", gives::same},
    dtype_row{"bitwise_right_shift", "iu", gives::same},
    dtype_row{"logical_not", "b", gives::boolean},
    dtype_row{"logical_and", "b", gives::boolean},
    dtype_row{"logical_or", "b", gives::boolean},
    dtype_row{"logical_xor", "b", gives::boolean},
    dtype_row{"equal", "biufc", gives::boolean},
    dtype_row{"not_equal", "biufc", gives::boolean},
    dtype_row{"less", "biuf", gives::boolean},
    dtype_row{"less_equal", "biuf", gives::boolean},
    dtype_row{"greater", "biuf", gives::boolean},
    dtype_row{"greater_equal", "biuf", gives::boolean},
    dtype_row{"isnan", "iufc", gives::boolean},
    dtype_row{"isinf", "iufc", gives::boolean},
    dtype_row{"isfinite", "iufc", gives::boolean},
    dtype_row{"maximum", "biuf", gives::same},
    dtype_row{"minimum", "biuf", gives::same},
    dtype_row{"clip", "biuf", gives::same},
    dtype_row{"where", "biufc", gives::same},
    dtype_row{"cbrt", "iuf", gives::floating},
    dtype_row{"exp2", "iuf", gives::floating},
    dtype_row{"logaddexp2", "iuf", gives::floating},
    dtype_row{"fma", "iuf", gives::floating},
    dtype_row{"deg2rad", "iuf", gives::floating},
    dtype_row{"rad2deg", "iuf", gives::floating},
    dtype_row{"erf", "iuf", gives::floating},
    dtype_row{"erfc", "iuf", gives::floating},
    dtype_row{"tgamma", "iuf", gives::floating},
    dtype_row{"lgamma", "iuf", gives::floating},
    dtype_row{"heaviside", "iuf", gives::floating},
    dtype_row{"modf", "iuf", gives::floating},
    dtype_row{"frexp", "iuf", gives::floating},
    dtype_row{"frexp_exponent", "iuf", gives::exponent},
    dtype_row{"ldexp", "iu", gives::floating},
    dtype_row{"sinc", "iufc", gives::floating},
    dtype_row{"isclose", "iufc", gives::boolean},
    dtype_row{"isposinf", "iuf", gives::boolean},
    dtype_row{"isneginf", "iuf", gives::boolean},
    dtype_row{"isreal", "biufc", gives::boolean},
    dtype_row{"iscomplex", "biufc", gives::boolean},
    dtype_row{"nan_to_num", "iufc", gives::same},
    dtype_row{"fillna", "iufc", gives::same},
    dtype_row{"fmax", "biuf", gives::same},
    dtype_row{"fmin", "biuf", gives::same},
    dtype_row{"fmod", "iuf", gives::same},
    dtype_row{"gcd", "iu", gives::same},
    dtype_row{"lcm", "iu", gives::same},
    dtype_row{"sum", "biufc", gives::accumulated},
    dtype_row{"prod", "biufc", gives::accumulated},
    dtype_row{"mean", "biufc", gives::floating},
    dtype_row{"min", "biuf", gives::same},
    dtype_row{"max", "biuf", gives::same},
    dtype_row{"var", "biufc", gives::deviation},
    dtype_row{"stddev", "biufc", gives::deviation},
    dtype_row{"any", "biufc", gives::boolean},
    dtype_row{"all", "biufc", gives::boolean},
    dtype_row{"argmin", "biuf", gives::position},
    dtype_row{"argmax", "biuf", gives::position},
    dtype_row{"nanargmin", "biuf", gives::position},
    dtype_row{"nanargmax", "biuf", gives::position},
    dtype_row{"first", "biufc", gives::same},
    dtype_row{"last", "biufc", gives::same},
    dtype_row{"skew", "iuf", gives::floating},
    dtype_row{"kurtosis", "iuf", gives::floating},
    dtype_row{"count", "biufc", gives::position}};
// clang-format on

}  // namespace tessera::testing
