// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Moving windows in blocks that overlap.

#include "plan/api/planned.hpp"

#include <cstddef>
#include <optional>

namespace tessera {

/// Returns the axis along which blocks of `op` may overlap, or nullopt if there is none: that of
/// windows which end at each element behind the first ones, without a result of a whole block.
[[nodiscard]] std::optional<std::size_t> overlap_axis(const operation& op);

/// Returns the elements that blocks share if they overlap: one less than a window.
[[nodiscard]] index_t overlap_of_windows(const operation& op);

}  // namespace tessera
