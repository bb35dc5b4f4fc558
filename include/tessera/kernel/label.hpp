// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The labels of strip kernels, with the names of operands and the values of constants put in.

#include "tessera/core/dtype.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Returns `label` with operand `{i}` replaced by `operands[i]`, and with `{#8:float64}` replaced
/// by the value of that dtype at byte 8 of `identity`, the kernel's parameters' identity.
///
/// A constant that `identity` is too short for, as that of parameters that are not portable, prints
/// as `_`. One pair of parentheses around everything is left out.
[[nodiscard]] std::string print_label(std::string_view label,
                                      const std::vector<std::string>& operands,
                                      std::string_view identity);

namespace detail {

/// Returns `label` with `{i}` replaced by `operands[i]`; nothing else is touched.
[[nodiscard]] std::string substitute_operands(std::string_view label,
                                              const std::vector<std::string>& operands);

/// Returns the label of a call with `num_operands` operands: "name({0}, {1})".
[[nodiscard]] std::string call_label(std::string_view name, std::size_t num_operands);

/// Returns the label of operand `i`: "{0}".
[[nodiscard]] std::string operand_label(std::size_t i);

/// Returns the label of the constant of `type` at byte `position` of the identity: "{#8:float64}".
[[nodiscard]] std::string constant_label(std::size_t position, dtype type);

/// Returns the name of a fold of `inputs`: "argmax<float32, int64>".
[[nodiscard]] std::string fold_name(std::string_view label, const std::vector<dtype>& inputs);

}  // namespace detail
}  // namespace tessera
