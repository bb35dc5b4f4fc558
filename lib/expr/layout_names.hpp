// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names of the axes of results.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/expr/axis_names.hpp"
#include "tessera/expr/layout.hpp"

namespace tessera {

/// Returns the names of a result of `shape`, whose axes are the last ones of each operand.
[[nodiscard]] axis_names common_names(operand_layouts operands, const index_vector& shape);

/// Returns the names of a view of `shape`, a map to `of`: an axis keeps its name if it keeps its
/// extent.
[[nodiscard]] axis_names names_seen_through(const index_map& map, const array_layout& of,
                                            const index_vector& shape);

}  // namespace tessera
