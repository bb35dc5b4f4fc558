// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The steps of a walk along an axis, without going through them: steps that lie alike make a run,
/// and sums over a run have a closed form.

#include "tessera/core/index.hpp"
#include "tessera/core/wide_integer.hpp"

#include <vector>

namespace tessera {

/// What is counted one by one at most; beyond, an average will do.
inline constexpr index_t most_counted = 4096;
/// So many entries of tables are looked up at most to find out which chunks they lead to.
inline constexpr index_t most_gathered = index_t{1} << 20;

/// Steps of one length along an axis of the domain: the first begins at `start`, the next ones
/// `length` behind each other.
struct step_run {
  index_t start = 0;
  index_t length = 1;
  index_t count = 1;
};

/// Returns the steps along an axis of extent `domain`; those that `cuts` fall into, and the last
/// one, stand alone.
[[nodiscard]] std::vector<step_run> runs_along(index_t domain, index_t block, index_t stream,
                                               const std::vector<index_t>& cuts);

/// Returns the sum of (first + i * distance) / divisor, rounded down, over i in [0, count); what is
/// divided is not negative.
[[nodiscard]] wide_integer sum_of_floors(wide_integer count, wide_integer first,
                                         wide_integer distance, wide_integer divisor);

}  // namespace tessera
