// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of elements, of arrays whose axes have names: those of the same names for arrays
/// without, called by `by_names`.
///
/// Shape:    all dimensions of the operands, in the order in which they come first; `u - mean` is
///           right whatever the order of their axes. Extents of one name are broadcast as ever.
/// Requires: names of all axes; scalars and arrays of rank 0 have none.
/// Throws:   as the functions.

#include "tessera/function/elementwise.hpp"
#include "tessera/labelled/detail/call.hpp"
#include "tessera/labelled/labelled.hpp"

namespace tessera {

// clang-format off
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator+(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x + y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator-(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x - y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator*(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x * y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator/(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x / y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator%(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x % y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator&(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x & y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator|(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x | y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator^(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x ^ y; }, a, b); }
template <class A, class B> requires (have_names<A, B> && !is_stream<A>) [[nodiscard]] auto operator<<(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x << y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator>>(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x >> y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator==(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x == y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator!=(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x != y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator<(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x < y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator<=(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x <= y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator>(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x > y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator>=(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x >= y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator&&(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x && y; }, a, b); }
template <class A, class B> requires have_names<A, B> [[nodiscard]] auto operator||(const A& a, const B& b) { return detail::by_names([](const auto& x, const auto& y) { return x || y; }, a, b); }
template <labelled_array X> [[nodiscard]] auto operator-(const X& x) { return detail::by_names([](const auto& y) { return -y; }, x); }
template <labelled_array X> [[nodiscard]] auto operator+(const X& x) { return detail::by_names([](const auto& y) { return +y; }, x); }
template <labelled_array X> [[nodiscard]] auto operator~(const X& x) { return detail::by_names([](const auto& y) { return ~y; }, x); }
template <labelled_array X> [[nodiscard]] auto operator!(const X& x) { return detail::by_names([](const auto& y) { return !y; }, x); }

template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto deg2rad(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::deg2rad(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rad2deg(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::rad2deg(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto radians(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::radians(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto degrees(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::degrees(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto angle(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::angle(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto add(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::add(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto subtract(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::subtract(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto multiply(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::multiply(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fma(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::fma(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto exp2(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::exp2(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto logaddexp2(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::logaddexp2(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto bitwise_invert(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::bitwise_invert(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto bitwise_and(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::bitwise_and(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto bitwise_or(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::bitwise_or(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto bitwise_xor(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::bitwise_xor(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto bitwise_left_shift(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::bitwise_left_shift(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto bitwise_right_shift(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::bitwise_right_shift(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto select(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::select(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto choose(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::choose(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto piecewise(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::piecewise(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto clip(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::clip(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto where(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::where(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto maximum(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::maximum(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto minimum(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::minimum(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fmax(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::fmax(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fmin(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::fmin(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto equal(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::equal(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto not_equal(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::not_equal(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto less(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::less(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto less_equal(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::less_equal(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto greater(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::greater(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto greater_equal(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::greater_equal(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isclose(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::isclose(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto real(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::real(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto imag(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::imag(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto conj(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::conj(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto divide(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::divide(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto reciprocal(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::reciprocal(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto floor_divide(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::floor_divide(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto remainder(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::remainder(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fmod(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::fmod(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto divmod(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::divmod(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto gcd(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::gcd(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto lcm(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::lcm(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto exp(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::exp(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto expm1(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::expm1(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto log(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::log(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto log1p(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::log1p(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto log2(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::log2(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto log10(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::log10(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto logaddexp(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::logaddexp(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto modf(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::modf(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto frexp(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::frexp(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ldexp(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::ldexp(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto sinh(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::sinh(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto cosh(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::cosh(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto tanh(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::tanh(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto asinh(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::asinh(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto acosh(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::acosh(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto atanh(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::atanh(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto logical_not(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::logical_not(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto logical_and(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::logical_and(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto logical_or(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::logical_or(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto logical_xor(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::logical_xor(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nan_to_num(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::nan_to_num(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fillna(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::fillna(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isnull(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::isnull(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto notnull(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::notnull(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto square(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::square(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto sqrt(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::sqrt(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto pow(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::pow(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto cbrt(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::cbrt(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto float_power(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::float_power(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isnan(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::isnan(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isinf(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::isinf(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isfinite(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::isfinite(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isposinf(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::isposinf(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isneginf(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::isneginf(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto isreal(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::isreal(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto iscomplex(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::iscomplex(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ceil(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::ceil(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto floor(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::floor(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto round(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::round(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto trunc(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::trunc(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nextafter(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::nextafter(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rint(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::rint(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fix(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::fix(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto negative(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::negative(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto positive(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::positive(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto abs(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::abs(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto sign(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::sign(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto signbit(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::signbit(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto copysign(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::copysign(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fabs(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::fabs(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto erf(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::erf(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto erfc(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::erfc(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto tgamma(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::tgamma(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto lgamma(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::lgamma(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto sinc(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::sinc(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto heaviside(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::heaviside(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto sin(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::sin(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto cos(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::cos(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto tan(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::tan(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto asin(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::asin(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto acos(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::acos(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto atan(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::atan(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto atan2(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::atan2(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto hypot(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::hypot(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto map(const Xs&... xs) { return detail::by_names([](const auto&... x) { return tessera::map(x...); }, xs...); }
template <element T, labelled_array X> [[nodiscard]] auto astype(const X& x) { return detail::by_names([](const auto& y) { return tessera::astype<T>(y); }, x); }
// clang-format on

}  // namespace tessera
