// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Numbers in the configurations of codecs, which are written as fill values are.

#include "codec/number_type.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::detail {

/// Returns the floating-point number of a text: "NaN", "Infinity", "-Infinity", or "0x" and all of
/// its bits. Returns nullopt for another text.
template <class T>
[[nodiscard]] std::optional<T> float_from_text(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
  // The registry of extensions writes a plus in an example.
  if (text == "Infinity" || text == "+Infinity") return std::numeric_limits<T>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<T>::infinity();
  if (text.size() != 2 + 2 * sizeof(T) || !text.starts_with("0x")) return std::nullopt;
  bits_of<T> bits = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + 2, end, bits, 16);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return std::bit_cast<T>(bits);
}

/// Returns the number of type `T` that `value` states, or nullopt if it states none. A decimal
/// number is the nearest floating-point number; integers are exact, "7.0" among them.
template <class T>
[[nodiscard]] std::optional<T> scalar_from(const nlohmann::json& value) {
  constexpr bool is_integer = std::is_integral_v<T>;
  if constexpr (!is_integer) {
    if (value.is_string()) return float_from_text<T>(value.get_ref<const std::string&>());
    if (!value.is_number()) return std::nullopt;
    const auto nearest = static_cast<T>(value.get<double>());
    if (!std::isfinite(static_cast<double>(nearest))) return std::nullopt;
    return nearest;
  } else if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
  } else if (value.is_number_float()) {
    const auto number = value.get<double>();
    constexpr double greatest_exact = 0x1p53;
    if (std::trunc(number) != number || std::abs(number) > greatest_exact) return std::nullopt;
    const auto integer = static_cast<std::int64_t>(number);
    return std::in_range<T>(integer) ? std::optional(static_cast<T>(integer)) : std::nullopt;
  } else {
    return std::nullopt;
  }
}

/// Calls `f` with a value of the C++ type of `type`, an integer or a floating-point number.
template <class F>
decltype(auto) visit_scalar(const number_type& type, F f) {
  number_type number = type;
  if (number.kind == 'b') number.kind = 'u';
  return visit_number(number, [&]<class T>(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return f(std::uint8_t{});
    } else {
      return f(value);
    }
  });
}

}  // namespace tessera::detail
