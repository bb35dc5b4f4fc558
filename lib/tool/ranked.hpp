// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays of any rank as arrays of one rank, so that a function of arrays is compiled once.

#include "tessera/array/any_array.hpp"

#include <cstddef>

namespace tessera::tool {

inline constexpr std::size_t common_rank = 9;

/// Returns `x` with axes of extent 1 in front, at least one, so that its rank is `common_rank`.
///
/// Throws: value_error <- `x` has no lower rank; the message names both ranks.
[[nodiscard]] any_array with_common_rank(const any_array& x);

}  // namespace tessera::tool
