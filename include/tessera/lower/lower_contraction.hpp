// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the nodes of a plan that are sums of products.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/contraction_node.hpp"
#include "tessera/plan/array_view.hpp"

#include <string_view>
#include <vector>

namespace tessera {

/// Returns the sums of products of `operands`, of elements of `type`, that `form` states.
///
/// The steps are applied in this order. An operand with no letters but those of another operand is
/// multiplied into the least such one. Letters of one product alone that the result lacks are
/// summed. Both steps are one pass over the elements. Then two operands that share a letter of no
/// third one become their product as (batches of) matrices: always the pair with the fewest terms,
/// of several the first. Operands without common letters are multiplied. The order depends on
/// extents alone.
[[nodiscard]] array_handle make_contraction(std::string_view name, dtype type,
                                            const contraction_form& form,
                                            const index_vector& chunks,
                                            const std::vector<array_view>& operands);

}  // namespace tessera
