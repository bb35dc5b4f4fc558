// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Integers of variable length: seven bits a byte, the lowest first, as LEB128.

#include <cstdint>
#include <string>

namespace tessera {

inline void put_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

/// Returns a difference, which may wrap around, as a number that is small if the difference is.
inline std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
inline std::uint64_t from_zigzag(std::uint64_t number) {
  return (number >> 1) ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0);
}

}  // namespace tessera
