// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Bytes as tests write them down, and codecs over whole vectors.

#include "tessera/codec/registry.hpp"
#include "tessera/core/error.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {

using buffer = std::vector<std::byte>;

inline buffer from_hex(std::string_view hex) {
  buffer result;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    result.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return result;
}

inline std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const std::byte byte : bytes) {
    result += digits[std::to_integer<std::size_t>(byte) >> 4];
    result += digits[std::to_integer<std::size_t>(byte) & 15];
  }
  return result;
}

inline buffer encoded(const byte_codec& codec, std::span<const std::byte> data) {
  buffer stored(codec.max_encoded_size(data.size()));
  stored.resize(codec.encode(data, stored));
  return stored;
}

inline buffer decoded(const byte_codec& codec, std::span<const std::byte> stored,
                      std::size_t size) {
  buffer data(size, std::byte{0xEE});
  codec.decode(stored, data);
  return data;
}

/// Returns the message by which `decode` refuses `stored`.
inline std::string refusal_of(const byte_codec& codec, std::span<const std::byte> stored,
                              std::size_t size) {
  try {
    (void)decoded(codec, stored, size);
  } catch (const codec_error& failure) {
    return failure.what();
  }
  return "accepted";
}

}  // namespace tessera::testing
