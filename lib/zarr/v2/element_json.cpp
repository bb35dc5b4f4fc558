// SPDX-License-Identifier: Apache-2.0
#include "zarr/v2/element_json.hpp"

#include "tessera/core/error.hpp"

#include "core/api/base64.hpp"
#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/v2/fill_value.hpp"

#include <fmt/format.h>
#include <limits>
#include <optional>

namespace tessera::detail {

namespace {

using json = nlohmann::json;

constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

/// Returns the element of bytes in base64, or nullopt. Writers strip the NULs behind strings of
/// bytes, which are added here.
std::optional<element_bytes> from_stored_bytes(const json& value, const data_type& type) {
  if (!value.is_string()) return std::nullopt;
  auto bytes = from_base64(value.get_ref<const std::string&>());
  if (!bytes || bytes->size() > type.itemsize()) return std::nullopt;
  if (type.kind() == data_kind::bytes) bytes->resize(type.itemsize());
  if (bytes->size() != type.itemsize()) return std::nullopt;
  make_native(*bytes, type);
  return element_bytes(*bytes);
}

std::string to_stored_bytes(const element_bytes& element, const data_type& type) {
  std::vector<std::byte> bytes(element.data(), element.data() + type.itemsize());
  make_stored(bytes, type);
  return fmt::format("\"{}\"", to_base64(bytes));
}

/// Returns the code points of valid UTF-8.
std::u32string code_points(const std::string& text) {
  std::u32string points;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x80) {
      points += byte;
    } else if (byte >= 0xC0) {
      points += byte >= 0xF0 ? byte & 0x07U : byte >= 0xE0 ? byte & 0x0FU : byte & 0x1FU;
    } else {
      points.back() = points.back() << 6 | (byte & 0x3FU);
    }
  }
  return points;
}

std::optional<element_bytes> from_text(const json& value, const data_type& type) {
  if (!value.is_string()) return std::nullopt;
  const std::u32string points = code_points(value.get_ref<const std::string&>());
  if (points.size() * sizeof(char32_t) > type.itemsize()) return std::nullopt;
  element_bytes element(std::as_bytes(std::span(points)));
  element.reserve(type.itemsize());
  return element;
}

std::string utf8_of(char32_t point) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  const auto rest = [&](int shift) {
    return byte(0x80 | (static_cast<unsigned>(point) >> shift & 0x3F));
  };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), rest(0)};
  if (point < 0x10000) return {byte(0xE0 | point >> 12), rest(6), rest(0)};
  return {byte(0xF0 | point >> 18), rest(12), rest(6), rest(0)};
}

std::string to_text(const element_bytes& element, const data_type& type) {
  std::u32string points(type.itemsize() / sizeof(char32_t), U'\0');
  std::memcpy(points.data(), element.data(), type.itemsize());
  points.resize(points.find_last_not_of(U'\0') + 1);
  std::string text;
  for (const char32_t point : points) {
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) {
      throw zarr_error(fmt::format("\"fill_value\" must be Unicode text, found the code unit {:#x}",
                                   static_cast<std::uint32_t>(point)));
    }
    text += utf8_of(point);
  }
  return detail::quoted(text);
}

std::optional<element_bytes> element_from(const json& value, const data_type& type) {
  switch (type.kind()) {
    case data_kind::numeric:
      return parse_fill_value(value, *type.element());
    case data_kind::datetime:
    case data_kind::timedelta:
      return value == "NaT" ? element_bytes(not_a_time) : parse_fill_value(value, dtype::int64);
    case data_kind::text:
      return from_text(value, type);
    default:
      return from_stored_bytes(value, type);
  }
}

}  // namespace

element_bytes parse_element(const json& value, const data_type& type) {
  if (auto element = element_from(value, type)) return *std::move(element);
  throw zarr_error(
      fmt::format("\"fill_value\" must be null or {} of dtype {}, found {}",
                  type.kind() == data_kind::text ? "a text" : "a value, its bytes in base64,",
                  shortened(type.to_json()), shown(value)));
}

std::string format_element(const element_bytes& value, const data_type& type) {
  element_bytes element(value);
  element.reserve(type.itemsize());
  switch (type.kind()) {
    case data_kind::numeric:
    case data_kind::datetime:
    case data_kind::timedelta:
      return format_fill_value(element, *type.element());
    case data_kind::text:
      return to_text(element, type);
    default:
      return to_stored_bytes(element, type);
  }
}

}  // namespace tessera::detail
