// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The rules that strip programs keep.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/primitive.hpp"
#include "tessera/primitive/strips.hpp"

#include <string>
#include <vector>

namespace tessera::detail {

/// Throws value_error where a program of operands of these types breaks a rule.
void check_program(const operation_rules& rules, const strip_program& program,
                   const std::vector<dtype>& operands);

/// Throws value_error where the axes that a fold has for itself are not those of its states.
void check_own_axes(const operation_rules& rules, const fold_sink& fold);

/// Returns the types of a program's results. Requires: it keeps the rules.
[[nodiscard]] std::vector<dtype> result_types(const strip_program& program);

/// Throws value_error where other processes cannot run a program of `operation`.
void check_portable(const strip_program& program, const std::string& operation,
                    const std::string& label);

}  // namespace tessera::detail
