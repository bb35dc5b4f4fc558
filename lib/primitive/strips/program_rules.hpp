// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Validation of strip programs and of the extra axes of folds.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/primitive.hpp"
#include "tessera/primitive/strips.hpp"

#include <string>
#include <vector>

namespace tessera::detail {

/// Throws value_error unless `program` is valid for operands of the types `operands`.
void check_program(const operation_rules& rules, const strip_program& program,
                   const std::vector<dtype>& operands);

/// Throws value_error unless the extra axes of `fold` match its cells or groups.
void check_extra_axes(const operation_rules& rules, const fold_sink& fold);

/// Returns the types of a program's results. Requires: `check_program` accepts the program.
[[nodiscard]] std::vector<dtype> result_types(const strip_program& program);

/// Throws value_error if a kernel or parameter of `program` cannot be sent to another process.
void check_portable(const strip_program& program, const std::string& operation,
                    const std::string& label);

}  // namespace tessera::detail
