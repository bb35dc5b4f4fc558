// SPDX-License-Identifier: Apache-2.0
#include "codec/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tessera::detail {

namespace {

using table = std::array<std::uint32_t, 256>;

/// tables[k][b] is the contribution of the byte b to the check after k further bytes (slicing by
/// 8).
constexpr std::array<table, 8> crc32c_tables = [] {
  constexpr std::uint32_t reflected_polynomial = 0x82F63B78;
  std::array<table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? reflected_polynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}();

std::uint32_t at(std::span<const std::byte> bytes, std::size_t i) {
  return std::to_integer<std::uint32_t>(bytes[i]);
}

}  // namespace

std::uint32_t crc32c_of(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint32_t low =
        crc ^ (at(bytes, 0) | at(bytes, 1) << 8 | at(bytes, 2) << 16 | at(bytes, 3) << 24);
    crc = crc32c_tables[7][low & 0xFF] ^ crc32c_tables[6][low >> 8 & 0xFF] ^
          crc32c_tables[5][low >> 16 & 0xFF] ^ crc32c_tables[4][low >> 24] ^
          crc32c_tables[3][at(bytes, 4)] ^ crc32c_tables[2][at(bytes, 5)] ^
          crc32c_tables[1][at(bytes, 6)] ^ crc32c_tables[0][at(bytes, 7)];
  }
  for (const std::byte byte : bytes) {
    crc = (crc >> 8) ^ crc32c_tables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  }
  return ~crc;
}

std::uint32_t fletcher32_of(std::span<const std::byte> bytes) {
  // The second sum overflows 32 bits after more words.
  constexpr std::size_t words_at_a_time = 360;
  std::uint32_t sum1 = 0;
  std::uint32_t sum2 = 0;
  const auto fold = [&] {
    sum1 = (sum1 & 0xFFFF) + (sum1 >> 16);
    sum2 = (sum2 & 0xFFFF) + (sum2 >> 16);
  };
  while (bytes.size() >= 2) {
    const std::size_t words = std::min(bytes.size() / 2, words_at_a_time);
    for (std::size_t i = 0; i < words; ++i) {
      sum1 += at(bytes, 2 * i) << 8 | at(bytes, 2 * i + 1);
      sum2 += sum1;
    }
    fold();
    bytes = bytes.subspan(2 * words);
  }
  if (!bytes.empty()) {
    sum1 += at(bytes, 0) << 8;
    sum2 += sum1;
    fold();
  }
  fold();
  return sum2 << 16 | sum1;
}

std::uint32_t lookup3_of(std::span<const std::byte> bytes, std::uint32_t start) {
  using std::rotl;
  std::uint32_t a = 0xDEADBEEF + static_cast<std::uint32_t>(bytes.size()) + start;
  std::uint32_t b = a;
  std::uint32_t c = a;
  if (bytes.empty()) return c;
  constexpr std::size_t step = 12;
  const auto add = [&] {
    std::array<std::uint32_t, 3> words{};
    for (std::size_t i = 0; i < std::min(bytes.size(), step); ++i) {
      words[i / 4] |= at(bytes, i) << (8 * (i % 4));
    }
    a += words[0];
    b += words[1];
    c += words[2];
  };
  for (; bytes.size() > step; bytes = bytes.subspan(step)) {
    add();
    a = (a - c) ^ rotl(c, 4), c += b;
    b = (b - a) ^ rotl(a, 6), a += c;
    c = (c - b) ^ rotl(b, 8), b += a;
    a = (a - c) ^ rotl(c, 16), c += b;
    b = (b - a) ^ rotl(a, 19), a += c;
    c = (c - b) ^ rotl(b, 4), b += a;
  }
  add();
  c = (c ^ b) - rotl(b, 14);
  a = (a ^ c) - rotl(c, 11);
  b = (b ^ a) - rotl(a, 25);
  c = (c ^ b) - rotl(b, 16);
  a = (a ^ c) - rotl(c, 4);
  b = (b ^ a) - rotl(a, 14);
  return (c ^ b) - rotl(b, 24);
}

}  // namespace tessera::detail
