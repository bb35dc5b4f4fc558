// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Axis names of broadcast results and of views.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/expr/axis_names.hpp"
#include "tessera/expr/layout.hpp"

namespace tessera {

/// Returns the axis names of a result of `shape`, broadcast from `operands`.
[[nodiscard]] axis_names common_names(operand_layouts operands, const index_vector& shape);

/// Returns the axis names of a view of `shape` through `map` to `layout`: an axis with an unchanged
/// extent keeps its name.
[[nodiscard]] axis_names names_of_view(const index_map& map, const array_layout& layout,
                                       const index_vector& shape);

}  // namespace tessera
