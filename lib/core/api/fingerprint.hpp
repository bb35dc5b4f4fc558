// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// 128-bit hashes of bytes that come in pieces.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// A 128-bit hash of bytes that come in pieces (XXH3).
class fingerprint {
 public:
  fingerprint();

  void add(std::span<const std::byte> piece);
  void add(std::string_view piece) { add(std::as_bytes(std::span(piece))); }

  /// Returns the hash as two words, the upper one first.
  [[nodiscard]] std::array<std::uint64_t, 2> words() const;
  /// Returns the words of bytes that come in one piece.
  [[nodiscard]] static std::array<std::uint64_t, 2> words_of(std::string_view bytes);
  /// Returns the hash as 32 hexadecimal digits.
  [[nodiscard]] std::string digits() const;

 private:
  struct state;
  struct release {
    void operator()(state* s) const;
  };
  std::unique_ptr<state, release> state_;
};

}  // namespace tessera
