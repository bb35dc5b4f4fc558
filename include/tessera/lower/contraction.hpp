// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the nodes of a plan that are sums of products.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/contraction.hpp"
#include "tessera/plan/node.hpp"

#include <string_view>
#include <vector>

namespace tessera {

/// Returns the sums of products of `operands`, of elements of `type`, that `form` says.
///
/// An operand with no letters but those of another is multiplied into the least such, and letters
/// that one product alone has, and not the result, are summed: both are one walk. Of what is left,
/// two that share a letter which no other has become their product as (batches of) matrices: always
/// those whose product has the fewest terms, of several the first. What shares nothing is
/// multiplied. The order depends on extents alone.
[[nodiscard]] array_handle make_contraction(std::string_view name, dtype type,
                                            const contraction_form& form,
                                            const index_vector& chunks,
                                            const std::vector<array_view>& operands);

}  // namespace tessera
