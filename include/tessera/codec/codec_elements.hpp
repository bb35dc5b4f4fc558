// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elements of a codec's input.

#include <bit>
#include <cstddef>

namespace tessera {

/// The elements of a buffer, as far as they matter to a codec that encodes it.
///
/// Decoding never depends on them: the encoded bytes and the codec's configuration are enough.
struct codec_elements {
  /// Implicit, for buffers of which only the size of an element is known.
  constexpr codec_elements(std::size_t size = 1, char letter = unknown,
                           std::endian order = std::endian::little)
      : itemsize(size), kind(letter), byte_order(order) {}

  static constexpr char unknown = '?';

  /// The size of an element in bytes; of a whole record if elements are structured.
  std::size_t itemsize;
  /// NumPy's letter: b, i, u, f, c, m, M, S, U or V; `unknown` if no metadata name it.
  char kind;
  /// The order of the bytes of a number in the buffer.
  std::endian byte_order;

  [[nodiscard]] bool operator==(const codec_elements&) const = default;
};

}  // namespace tessera
