// SPDX-License-Identifier: Apache-2.0
#include "zarr/v2/fill_value.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/values.hpp"

#include <charconv>
#include <cmath>
#include <complex>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

namespace tessera::detail {

namespace {

using json = nlohmann::json;

template <class T>
std::optional<T> from_text(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// Returns `value` as a `T` if it is a whole number in the range of `T`, else nullopt.
template <class T>
std::optional<T> from_whole(double value) {
  // Both limits are powers of two (or zero), so they are doubles exactly; T's maximum need not be.
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double begin = std::is_signed_v<T> ? -end : 0.0;
  if (!(value >= begin && value < end) || std::trunc(value) != value) return std::nullopt;
  return static_cast<T>(value);
}

template <class T>
std::optional<T> integer_from(const json& value) {
  if (value.is_number_integer()) return fields::integer_of_type<T>(value);
  if (value.is_number_float()) return from_whole<T>(value.get<double>());
  if (value.is_string()) return from_text<T>(value.get_ref<const std::string&>());
  return std::nullopt;
}

template <class T>
std::optional<T> float_from(const json& value) {
  double number = 0;
  if (value.is_number()) {
    number = value.get<double>();
  } else if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<T>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<T>::infinity();
    return from_text<T>(text);
  } else {
    return std::nullopt;
  }
  // The text of the greatest value of a narrower type may be above it, and rounds to it.
  const auto nearest = static_cast<T>(number);
  if (!std::isfinite(nearest)) return std::nullopt;
  return nearest;
}

std::optional<bool> boolean_from(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (number != 0.0 && number != 1.0) return std::nullopt;
  return number == 1.0;
}

std::optional<float16> half_from(const json& value) {
  const std::optional<double> number = float_from<double>(value);
  if (!number) return std::nullopt;
  const float16 nearest(*number);
  if (std::isfinite(*number) && !std::isfinite(nearest)) return std::nullopt;
  return nearest;
}

template <class T>
std::optional<std::complex<T>> complex_from(const json& value) {
  if (!value.is_array()) return float_from<T>(value);
  if (value.size() != 2) return std::nullopt;
  const std::optional<T> real = float_from<T>(value[0]);
  const std::optional<T> imaginary = float_from<T>(value[1]);
  if (!real || !imaginary) return std::nullopt;
  return std::complex<T>(*real, *imaginary);
}

template <class T>
auto element_from(const json& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return boolean_from(value);
  } else if constexpr (std::is_same_v<T, float16>) {
    return half_from(value);
  } else if constexpr (is_complex(dtype_of<T>)) {
    return complex_from<typename T::value_type>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return float_from<T>(value);
  } else {
    return integer_from<T>(value);
  }
}

template <class T>
std::string format_float(T value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// Returns the shortest decimal text that rounds to `value`. Five digits are always enough.
std::string format_half(float16 value) {
  if (!std::isfinite(value)) return format_float(float{value});
  for (int digits = 1; digits < 5; ++digits) {
    const double shorter = std::stod(fmt::format("{:.{}g}", float{value}, digits));
    if (float16(shorter) == value) return format_float(shorter);
  }
  return format_float(std::stod(fmt::format("{:.5g}", float{value})));
}

}  // namespace

std::optional<element_bytes> parse_fill_value(const json& value, dtype type) {
  if (value.is_null()) return std::nullopt;
  return visit_dtype(type, [&]<class T>(type_tag<T>) {
    const auto element = element_from<T>(value);
    if (!element) {
      throw zarr_error(fmt::format("\"fill_value\" must be null or a value of dtype {}, found {}",
                                   name_of(type), shown(value)));
    }
    return element_bytes(*element);
  });
}

std::string format_fill_value(const std::optional<element_bytes>& value, dtype type) {
  if (!value) return "null";
  return visit_dtype(type, [&]<class T>(type_tag<T>) -> std::string {
    if constexpr (std::is_same_v<T, float16>) {
      return format_half(value->as<T>());
    } else if constexpr (is_complex(dtype_of<T>)) {
      const T element = value->as<T>();
      return fmt::format("[{}, {}]", format_float(element.real()), format_float(element.imag()));
    } else if constexpr (std::is_floating_point_v<T>) {
      return format_float(value->as<T>());
    } else if constexpr (std::is_same_v<T, bool>) {
      return value->as<T>() ? "true" : "false";
    } else {
      return std::to_string(value->as<T>());
    }
  });
}

}  // namespace tessera::detail
