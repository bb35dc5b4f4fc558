// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The schedules of functions of blocks of arrays with lettered axes.

#include "tessera/expr/block_form.hpp"
#include "tessera/expr/layout.hpp"

#include <span>
#include <string_view>

namespace tessera {

/// Returns how a function of blocks goes over operands whose axes have letters, one for each: axes
/// of one letter are one, of which those of one element are broadcast. Results have the letters
/// `results`, all of them the same ones; along others it goes block by block.
///
/// Throws: shape_error <- a letter stands for different extents. As `broadcast_layout`.
[[nodiscard]] block_form lettered_form(std::string_view function,
                                       std::span<const std::string_view> results,
                                       std::span<const std::string_view> letters,
                                       operand_layouts operands);

}  // namespace tessera
