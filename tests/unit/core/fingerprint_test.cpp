// SPDX-License-Identifier: Apache-2.0
#include "core/api/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <vector>
#include <xxhash.h>

namespace tessera {
namespace {

TEST(Fingerprint, OfNothingIsThatOfXxh3) {
  EXPECT_EQ(fingerprint().digits(), "99aa06d3014798d86001c324468d497f");
}

// On each processor: here is the code of the library for any.
TEST(Fingerprint, OfPiecesIsThatOfTheWholeOnAnyProcessor) {
  std::vector<std::byte> bytes(300'000);
  std::uint32_t seed = 1;
  for (std::byte& byte : bytes) {
    seed = seed * 1664525U + 1013904223U;
    byte = static_cast<std::byte>(seed >> 24U);
  }
  for (const std::size_t size : {1U, 16U, 129U, 240U, 241U, 1'023U, 70'001U, 300'000U}) {
    fingerprint hash;
    std::span<const std::byte> rest(bytes.data(), size);
    for (std::size_t piece = 1; !rest.empty(); piece = piece * 3 + 1) {
      hash.add(rest.first(std::min(piece, rest.size())));
      rest = rest.subspan(std::min(piece, rest.size()));
    }
    const XXH128_hash_t expected = XXH3_128bits(bytes.data(), size);
    EXPECT_EQ(hash.words(), (std::array<std::uint64_t, 2>{expected.high64, expected.low64}))
        << size;
  }
}

}  // namespace
}  // namespace tessera
