// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels that find elements of lines by their ranks, without a line in memory.
///
/// Elements have keys: integers in the same order, NaN last. The key of a rank, a position in
/// order, is found digit by digit, the first one first. All elements of a line that have the known
/// digits are counted by the next digit, and the counts tell it. Counts of parts of a line add up,
/// so that parts may be anywhere.
///
/// The search state of a line is a row of int64, which begins with the number of elements in order.
/// Then follow, for each rank in ascending order, the digits of the key so far and the rank among
/// the elements with these digits. At first, that is zeros for one rank. Behind all digits the
/// latter is how many elements that are equal come before.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/line_kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include <cstdint>

namespace tessera::radix_select {

/// The ranks of each line that a search finds.
struct rank_query {
  /// The ranks of quantiles, if there are any.
  line::quantile_query quantiles;
  /// Else those of the multiples of `run` below `size`, but for 0.
  index_t run = 0;
  index_t size = 0;
  /// Whether greater elements come first; NaN is last in any case.
  bool is_descending = false;

  /// Returns how many there are.
  [[nodiscard]] index_t count() const;
};

/// Digits of keys: the bits [shift, shift + bits).
struct digit {
  std::int32_t shift = 0;
  std::int32_t bits = 0;
  /// Whether there are none before.
  bool is_first = false;

  /// Returns how many values it has.
  [[nodiscard]] constexpr index_t values() const { return index_t{1} << bits; }
};

/// The most bits of a digit.
inline constexpr std::int32_t most_bits = 16;

/// Returns how many bits keys of elements of type `type` have.
[[nodiscard]] std::int32_t key_bits(dtype type);
/// Returns how many int64 hold the search state of `count` ranks, and their counts by a digit.
[[nodiscard]] constexpr index_t length_of_state(index_t count) { return 1 + 2 * count; }
[[nodiscard]] constexpr index_t length_of_counts(index_t count, const digit& by) {
  return count * by.values() + 1;
}

/// Returns the kernel that counts elements of `type`. It sees lines and their search states, and
/// makes for each rank the counts of the values of the digit, and behind them that of NaN. Ranks
/// whose digits so far are the same have one count, that of the first.
[[nodiscard]] const block_kernel& count(dtype type);
[[nodiscard]] kernel_parameters count_parameters(const digit& by, bool is_descending);

/// Returns the kernel that makes the next search state from counts and the state before.
[[nodiscard]] const block_kernel& narrow();
[[nodiscard]] kernel_parameters narrow_parameters(const digit& by, const rank_query& query);

/// Returns the kernel that makes quantiles of lines of `type`, as `line::quantile` does, of the
/// last search state.
[[nodiscard]] const block_kernel& quantile(dtype type);
[[nodiscard]] kernel_parameters query_parameters(const rank_query& query);

/// Return the kernels that make runs of the sorted line, as `line::sort` and `line::argsort` do:
/// each sees the one line, part by part in its order, and the last search state.
[[nodiscard]] const block_kernel& sorted_run(dtype type);
[[nodiscard]] const block_kernel& argsorted_run(dtype type);

}  // namespace tessera::radix_select
