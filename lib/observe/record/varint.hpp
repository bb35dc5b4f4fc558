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

}  // namespace tessera
