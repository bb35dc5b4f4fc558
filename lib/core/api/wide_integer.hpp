// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Integers for untrusted values: how large an index may be, and a type that sums and products of
/// indices fit into.

#include "tessera/core/index.hpp"

namespace tessera {

/// Extents, offsets and steps that are read stay below this, so that sums of them are integers.
inline constexpr index_t greatest_index = index_t{1} << 60;

/// Holds the product of any two indices.
__extension__ using wide_integer = __int128;

}  // namespace tessera
