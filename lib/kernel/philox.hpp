// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Random words by their number: Philox4x32-10 in batches.

#include <Random123/philox.h>
#include <cstddef>
#include <cstdint>

namespace tessera::detail {

/// The blocks of four words that are made at a time.
inline constexpr std::size_t philox_batch = 128;

/// Words of `philox_batch` blocks; word `j` of block `k` is `words[j][k]`.
struct philox_words {
  std::uint32_t words[4][philox_batch];
};

/// Returns the words of a block for an attempt, which is the counter's upper half. The words of
/// `make_philox_words` are of attempt 0.
inline r123::Philox4x32::ctr_type philox_attempt(std::uint64_t seed, std::uint64_t block,
                                                 std::uint64_t attempt) {
  return r123::Philox4x32{}(
      {{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
        static_cast<std::uint32_t>(attempt), static_cast<std::uint32_t>(attempt >> 32)}},
      {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}});
}

/// Makes the words of the blocks `first`, `first + step`, ...; `count` of them.
///
/// The block's number is the counter's lower half, the seed is the key.
[[gnu::always_inline]] inline void make_philox_words(philox_words& out, std::uint64_t seed,
                                                     std::uint64_t first, std::uint64_t step,
                                                     std::size_t count) {
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t block = first + k * step;
    const r123::Philox4x32::ctr_type counter = {
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0}};
    const r123::Philox4x32::ctr_type words = r123::Philox4x32{}(counter, key);
    for (std::size_t j = 0; j < 4; ++j) out.words[j][k] = words.v[j];
  }
}

}  // namespace tessera::detail
