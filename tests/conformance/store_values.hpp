// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Values for the conformance tests of stores.

#include <cstddef>
#include <vector>

namespace tessera::testing {

using value_t = std::vector<std::byte>;
inline constexpr std::size_t no_limit = std::size_t{1} << 40;

/// Returns a value of `size` bytes that begins with `first`.
inline value_t value_of(std::size_t size, int first) {
  value_t value(size);
  for (std::size_t i = 0; i < size; ++i) {
    value[i] = static_cast<std::byte>((static_cast<std::size_t>(first) + i * 7) & 0xFF);
  }
  return value;
}

}  // namespace tessera::testing
