// SPDX-License-Identifier: Apache-2.0
#include "store/api/percent.hpp"

#include <charconv>
#include <fmt/format.h>

namespace tessera::detail {

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      unsigned value = 0;
      const char* const end = text.data() + i + 3;
      if (std::from_chars(text.data() + i + 1, end, value, 16).ptr == end) {
        result += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

std::string percent_encoded_option(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < ' ';
    if (is_control || c == '%' || c == '&' || c == '?') {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace tessera::detail
