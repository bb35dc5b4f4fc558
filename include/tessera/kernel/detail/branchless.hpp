// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conditions for loops that shall vectorise: both operands are computed, so that nothing branches.

#include <bit>
#include <cstdint>

namespace tessera::detail {

constexpr bool either(bool a, bool b) { return a | b; }
constexpr bool and_without_branch(bool a, bool b) { return a & b; }

/// Returns `a` if `is_first`, else `b`. Compilers make a branch of arithmetic that only one of two
/// sides needs, as it may trap.
constexpr double one_of(bool is_first, double a, double b) {
  const std::uint64_t first = is_first ? ~std::uint64_t{0} : 0;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) & first) |
                               (std::bit_cast<std::uint64_t>(b) & ~first));
}

}  // namespace tessera::detail
