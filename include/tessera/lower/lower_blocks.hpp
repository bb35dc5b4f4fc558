// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the nodes of a plan that are functions of whole blocks.

#include "tessera/core/index.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/line_node.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/plan/array_view.hpp"

#include <string_view>
#include <vector>

namespace tessera {

/// Returns the result of `kernel` for the lines of `x`, an array of `layout`, along `line_axes`. In
/// the blocks of the kernel the loop axes come first, in their order, then the axes of the lines or
/// of their results.
///
/// If lines have no elements, the kernel is called once, and its result is that of every line.
/// If no task holds a line, quantiles, the sort of a single line and Fourier transforms take
/// several operations.
[[nodiscard]] array_handle make_lines(std::string_view name, const block_kernel& kernel,
                                      const kernel_parameters& parameters,
                                      const array_layout& layout, const index_vector& chunks,
                                      axis_mask line_axes, const line_output& line_result,
                                      const array_view& x);

/// Returns the result of `kernel` for `operands`, with the axes of `form`.
[[nodiscard]] array_handle make_blocks(std::string_view name, const block_kernel& kernel,
                                       const kernel_parameters& parameters, const block_form& form,
                                       const index_vector& chunks,
                                       const std::vector<array_view>& operands);

/// Returns all results of `kernel` for `operands`, with axes and chunks of `form`; one operation
/// computes them.
[[nodiscard]] std::vector<array_handle> make_several(std::string_view name,
                                                     const block_kernel& kernel,
                                                     const kernel_parameters& parameters,
                                                     const block_form& form,
                                                     const std::vector<array_view>& operands);

}  // namespace tessera
