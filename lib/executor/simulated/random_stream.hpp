// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Random numbers that depend only on a key.

#include <cstdint>
#include <initializer_list>

namespace tessera {

/// Pseudorandom numbers, the same on every host for the same key.
///
/// Source: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
class random_stream {
 public:
  explicit random_stream(std::initializer_list<std::uint64_t> key) {
    for (const std::uint64_t part : key) state_ = next_word() ^ part;
  }

  /// Returns the next multiple of 2^-53 in [0, 1).
  [[nodiscard]] double next() { return static_cast<double>(next_word() >> 11U) * 0x1p-53; }

  [[nodiscard]] std::uint64_t next_word() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t word = state_;
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
    return word ^ (word >> 31U);
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace tessera
