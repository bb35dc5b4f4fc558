// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/fill_value.hpp"

#include "tessera/core/error.hpp"

#include "codec/api/v3_filters.hpp"
#include "core/api/base64.hpp"
#include "json/document.hpp"
#include "json/scanner.hpp"
#include "json/values.hpp"
#include "zarr/v2/element_json.hpp"
#include "zarr/v2/fill_value.hpp"
#include "zarr/v3/data_type_json.hpp"
#include "zarr/v3/extension.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <type_traits>

namespace tessera::detail::v3 {

namespace {

using json = nlohmann::json;

constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

template <class T>
using bits_of =
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

/// The bits of the NaN that is written "NaN".
template <class T>
constexpr bits_of<T> quiet_nan = sizeof(T) == 2   ? bits_of<T>(0x7E00)
                                 : sizeof(T) == 4 ? bits_of<T>(0x7FC00000)
                                                  : bits_of<T>(0x7FF8000000000000);

/// Returns the float of "0x" and all of its bits, or nullopt for another text.
template <class T>
std::optional<T> from_hexadecimal(std::string_view text) {
  if (text.size() != 2 + 2 * sizeof(T) || !text.starts_with("0x")) return std::nullopt;
  bits_of<T> bits = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + 2, end, bits, 16);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return std::bit_cast<T>(bits);
}

template <class T>
std::optional<T> float_from(const json& value) {
  if (value.is_number()) {
    const auto number = value.get<double>();
    const auto nearest = static_cast<T>(number);
    // Infinity has a text; a number that rounds to it is a mistake.
    if (!std::isfinite(static_cast<double>(nearest))) return std::nullopt;
    return nearest;
  }
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  if (text == "NaN") return std::bit_cast<T>(quiet_nan<T>);
  if (text == "Infinity") return static_cast<T>(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return static_cast<T>(-std::numeric_limits<double>::infinity());
  return from_hexadecimal<T>(text);
}

template <class T>
std::optional<element_bytes> number_from(const json& value) {
  if constexpr (is_complex(dtype_of<T>)) {
    if (!value.is_array() || value.size() != 2) return std::nullopt;
    const auto real = float_from<typename T::value_type>(value[0]);
    const auto imaginary = float_from<typename T::value_type>(value[1]);
    if (!real || !imaginary) return std::nullopt;
    return element_bytes(T(*real, *imaginary));
  } else if constexpr (has_fraction(dtype_of<T>)) {
    const auto number = float_from<T>(value);
    if (!number) return std::nullopt;
    return element_bytes(*number);
  } else {
    const bool has_type = std::is_same_v<T, bool> ? value.is_boolean() : value.is_number();
    if (!has_type) return std::nullopt;
    try {
      return parse_fill_value(value, dtype_of<T>);
    } catch (const zarr_error&) {
      return std::nullopt;
    }
  }
}

std::optional<element_bytes> parse_number(const json& value, dtype type) {
  return visit_dtype(type, [&]<class T>(type_tag<T>) { return number_from<T>(value); });
}

/// Returns the bits of the bfloat16 nearest to a number. The float32 between may be a tie that the
/// number is not: it moves back to the side of the number.
std::uint16_t bfloat16_bits_of(double number) {
  const auto single = static_cast<float>(number);
  auto bits = std::bit_cast<std::uint32_t>(single);
  const double difference = std::abs(number) - std::abs(static_cast<double>(single));
  if ((bits & 0xFFFF) == 0x8000 && difference != 0) bits = difference > 0 ? bits + 1 : bits - 1;
  return to_bfloat16(std::bit_cast<float>(bits));
}

/// Returns a bfloat16 fill value as float32.
element_bytes bfloat16_from(const json& value, const std::string& path) {
  constexpr std::string_view expected =
      "a number of bfloat16, \"NaN\", \"Infinity\", \"-Infinity\", or \"0x\" and 4 digits";
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    std::uint16_t bits = 0;
    const char* const end = text.data() + text.size();
    if (text.size() == 6 && text.starts_with("0x") &&
        std::from_chars(text.data() + 2, end, bits, 16).ptr == end) {
      return element_bytes(from_bfloat16(bits));
    }
    const auto number = text.starts_with("0x") ? std::nullopt : float_from<float>(value);
    if (number) return element_bytes(*number);
  }
  if (!value.is_number()) refuse(path, expected, value);
  const float number = from_bfloat16(bfloat16_bits_of(value.get<double>()));
  if (!std::isfinite(number)) refuse(path, expected, value);
  return element_bytes(number);
}

/// Returns raw bytes of a list of numbers below 256, or nullopt.
std::optional<element_bytes> from_byte_list(const json& value, std::size_t size) {
  if (value.size() != size) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(size);
  for (const json& item : value) {
    const std::int64_t number = fields::integer_if(item).value_or(-1);
    if (number < 0 || number > 0xFF) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(number));
  }
  return element_bytes(bytes);
}

element_bytes record_from(const json& value, const data_type& type, const std::string& path) {
  element_bytes record;
  record.reserve(type.itemsize());
  for (const auto& [name, content] : value.items()) static_cast<void>(type.field(name));
  for (const data_field& field : type.fields()) {
    const auto content = value.find(field.name);
    if (content == value.end()) {
      refuse(path,
             fmt::format("an object with the field {}", detail::quoted(shortened(field.name))),
             value);
    }
    const element_bytes element = parse_fill(*content, field.type, path + "." + field.name);
    std::memcpy(record.data() + field.offset, element.data(), field.size());
  }
  return record;
}

std::optional<element_bytes> element_from(const json& value, const data_type& type,
                                          const std::string& path) {
  switch (type.kind()) {
    case data_kind::numeric:
      return parse_number(value, *type.element());
    case data_kind::datetime:
    case data_kind::timedelta:
      return value == "NaT" ? element_bytes(not_a_time) : parse_number(value, dtype::int64);
    case data_kind::structured:
      if (value.is_object()) return record_from(value, type, path);
      break;
    case data_kind::raw:
    case data_kind::bytes:
      if (value.is_array()) return from_byte_list(value, type.itemsize());
      break;
    default:
      break;
  }
  if (!value.is_string()) return std::nullopt;
  try {
    return parse_element(value, with_byte_order(type, std::endian::little));
  } catch (const zarr_error&) {
    return std::nullopt;
  }
}

template <class T>
std::string format_float(T value) {
  const auto bits = std::bit_cast<bits_of<T>>(value);
  if (value != value && bits != quiet_nan<T>) {
    return fmt::format("\"0x{:0{}x}\"", bits, 2 * sizeof(T));
  }
  return format_fill_value(element_bytes(value), dtype_of<T>);
}

std::string format_bfloat16(float value) {
  const std::uint16_t bits = to_bfloat16(value);
  const float rounded = from_bfloat16(bits);
  constexpr std::uint16_t usual = 0x7FC0;
  if (rounded != rounded && bits != usual) return fmt::format("\"0x{:04x}\"", bits);
  return format_float(rounded);
}

std::string format_number(const element_bytes& element, dtype type) {
  return visit_dtype(type, [&]<class T>(type_tag<T>) -> std::string {
    if constexpr (is_complex(dtype_of<T>)) {
      const T value = element.as<T>();
      return fmt::format("[{}, {}]", format_float(value.real()), format_float(value.imag()));
    } else if constexpr (has_fraction(dtype_of<T>)) {
      return format_float(element.as<T>());
    } else {
      return format_fill_value(element, type);
    }
  });
}

std::string format_record(const element_bytes& element, const data_type& type,
                          std::string_view name) {
  std::string text;
  for (const data_field& field : type.fields()) {
    const element_bytes value(std::span(element.data() + field.offset, field.size()));
    text += text.empty() ? "" : ", ";
    text += fmt::format("{}: {}", detail::quoted(field.name), format_fill(value, field.type, name));
  }
  return fmt::format("{{{}}}", text);
}

std::string format_byte_list(const element_bytes& element, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", std::to_integer<int>(element.data()[i]));
  }
  return fmt::format("[{}]", text);
}

std::string_view description(data_kind kind) {
  switch (kind) {
    case data_kind::numeric:
      return "a number of the data type";
    case data_kind::datetime:
    case data_kind::timedelta:
      return "an integer or \"NaT\"";
    case data_kind::text:
      return "a text that fits";
    case data_kind::structured:
      return "an object with a value of each field, or the bytes in base64";
    default:
      return "the bytes in base64, or a list of them";
  }
}

}  // namespace

element_bytes parse_fill(const json& value, const data_type& type, const std::string& path,
                         std::string_view name) {
  if (name == bfloat16_name) return bfloat16_from(value, path);
  if (auto element = element_from(value, type, path)) return *std::move(element);
  const std::string expected =
      fmt::format("{}, {}", description(type.kind()), shortened(format_data_type(type)));
  refuse(path, expected, value);
}

std::string format_fill(const element_bytes& element, const data_type& type,
                        std::string_view name) {
  element_bytes value(element);
  value.reserve(type.itemsize());
  switch (type.kind()) {
    case data_kind::numeric:
      if (name == bfloat16_name) return format_bfloat16(value.as<float>());
      return format_number(value, *type.element());
    case data_kind::datetime:
    case data_kind::timedelta:
      return value.as<std::int64_t>() == not_a_time ? "\"NaT\""
                                                    : format_number(value, dtype::int64);
    case data_kind::structured:
      if (name != "structured") return format_record(value, type, name);
      break;
    case data_kind::raw:
      // The specification has a list for "r24"; the registry has base64 for "raw_bytes".
      if (name.starts_with('r') && name != "raw_bytes") {
        return format_byte_list(value, type.itemsize());
      }
      break;
    default:
      break;
  }
  return format_element(value, with_byte_order(type, std::endian::little));
}

element_bytes default_fill(const data_type& type) {
  const bool is_time = type.kind() == data_kind::datetime || type.kind() == data_kind::timedelta;
  element_bytes element = is_time ? element_bytes(not_a_time) : element_bytes();
  element.reserve(type.itemsize());
  return element;
}

}  // namespace tessera::detail::v3
