// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts of any bytes as strings of JSON.
///
/// A byte b that is no part of a character in UTF-8, 0x80 <= b <= 0xFF, becomes the character
/// U+F700 + b of the private use area: the bytes EF, 9C + (b >> 6), 80 + (b & 3F). So that no two
/// texts become the same string, a character of this range in the text itself is taken byte for
/// byte.
#include "json/byte_text.hpp"

#include <cstddef>

namespace tessera::fields {

namespace {

using byte = unsigned char;

constexpr std::size_t escape_length = 3;

/// Returns the length of the character in UTF-8 that `text` begins with; 0 if it begins with none.
/// Source: the Unicode standard, table 3-7.
std::size_t length_of_character(std::string_view text) {
  const auto lead = static_cast<byte>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<byte>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = static_cast<byte>(text[1]);
  const bool is_overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool is_surrogate = lead == 0xED && second > 0x9F;
  const bool is_beyond = lead == 0xF4 && second > 0x8F;
  return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

/// Tells whether `text` begins with U+F780 to U+F7FF.
bool is_escape(std::string_view text) {
  return text.size() >= escape_length && static_cast<byte>(text[0]) == 0xEF &&
         (static_cast<byte>(text[1]) == 0x9E || static_cast<byte>(text[1]) == 0x9F);
}

void append_escape(byte b, std::string& text) {
  text += static_cast<char>(0xEF);
  text += static_cast<char>(b < 0xC0 ? 0x9E : 0x9F);
  text += static_cast<char>(0x80 | (b & 0x3F));
}

}  // namespace

nlohmann::json of_byte_text(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = is_escape(bytes) ? 0 : length_of_character(bytes);
    if (length == 0) {
      append_escape(static_cast<byte>(bytes[0]), text);
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string byte_text(const nlohmann::json& value) {
  std::string_view text = value.get_ref<const std::string&>();
  std::string bytes;
  while (!text.empty()) {
    const bool is_escaped = is_escape(text);
    if (is_escaped) {
      const int upper = static_cast<byte>(text[1]) == 0x9E ? 0x80 : 0xC0;
      bytes += static_cast<char>(upper | (static_cast<byte>(text[2]) & 0x3F));
    } else {
      bytes += text[0];
    }
    text.remove_prefix(is_escaped ? escape_length : 1);
  }
  return bytes;
}

}  // namespace tessera::fields
