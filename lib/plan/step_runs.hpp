// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The steps along one axis of a schedule as runs of equal steps: sums over a run have a closed
/// form.

#include "tessera/core/index.hpp"

#include "core/api/wide_integer.hpp"

#include <vector>

namespace tessera {

/// `count` consecutive steps of one `length` along an axis of the domain, from `start` on.
struct step_run {
  index_t start = 0;
  index_t length = 1;
  index_t count = 1;
};

/// Returns the steps along an axis of extent `domain`. Steps that contain a cut, and the last step,
/// are runs of their own. A block has `overlap` elements of the block behind it, too.
[[nodiscard]] std::vector<step_run> runs_along(index_t domain, index_t block, index_t step,
                                               const std::vector<index_t>& cuts,
                                               index_t overlap = 0);

/// Returns the sum of floor((first + i * distance) / divisor) over i in [0, count). Requires: no
/// dividend is negative. Complexity: O(log divisor).
[[nodiscard]] wide_integer sum_of_floors(wide_integer count, wide_integer first,
                                         wide_integer distance, wide_integer divisor);

}  // namespace tessera
