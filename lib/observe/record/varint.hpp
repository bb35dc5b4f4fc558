// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Integers of variable length: seven bits a byte, the lowest first, as LEB128.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

inline void put_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

/// Takes a varint of at most 64 bits from the front of `bytes`; nullopt if there is none.
inline std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::uint64_t digits = byte & 0x7F;
    if (shift == 63 && digits > 1) return std::nullopt;
    number |= digits << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

/// Returns a difference, which may wrap around, as a number that is small if the difference is.
inline std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
inline std::uint64_t from_zigzag(std::uint64_t number) {
  return (number >> 1) ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0);
}

}  // namespace tessera
