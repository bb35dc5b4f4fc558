// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the nodes of a plan that are functions of whole blocks.

#include "tessera/core/index.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/lines.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/plan/node.hpp"

#include <string_view>
#include <vector>

namespace tessera {

/// Returns what `kernel` makes of the lines of `x`, which is laid out like `of`, along `lined`. It
/// sees the other axes first, in their order, and behind them those of the lines, or what they
/// become.
///
/// Of lines of no elements it is called once: all become what that one does. Quantiles of lines
/// that no task holds, the order of one line, and Fourier transforms are found in several passes.
[[nodiscard]] array_handle make_lines(std::string_view name, const block_kernel& kernel,
                                      const kernel_parameters& parameters, const array_layout& of,
                                      const index_vector& chunks, axis_mask lined,
                                      const line_made& made, const array_view& x);

/// Returns what `kernel` makes of `operands`, as `form` says.
[[nodiscard]] array_handle make_blocks(std::string_view name, const block_kernel& kernel,
                                       const kernel_parameters& parameters, const block_form& form,
                                       const index_vector& chunks,
                                       const std::vector<array_view>& operands);

/// Returns all that `kernel` makes of `operands`, as `form` says, which one operation makes, in the
/// chunks that the form says.
[[nodiscard]] std::vector<array_handle> make_several(std::string_view name,
                                                     const block_kernel& kernel,
                                                     const kernel_parameters& parameters,
                                                     const block_form& form,
                                                     const std::vector<array_view>& operands);

}  // namespace tessera
