// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Validation of strip programs and of pieces.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/primitive.hpp"

#include <string>
#include <vector>

namespace tessera::detail {

/// Throws value_error unless `program` is valid for operands of the types `operands`.
void check_program(const operation_rules& rules, const strip_program& program,
                   const std::vector<dtype>& operands);

/// Throws value_error unless `pieces` cover the domain without overlap by valid programs with
/// results of the types `results`.
void check_pieces(const operation_rules& rules, const piece_list& pieces,
                  const std::vector<dtype>& results);

/// Returns the types of a program's results. Requires: `check_program` accepts the program.
[[nodiscard]] std::vector<dtype> result_types(const strip_program& program);

/// Throw value_error if a kernel or parameter of a program cannot be sent to another process.
void check_portable(const strip_program& program, const std::string& operation,
                    const std::string& label);
void check_portable(const piece_list& pieces, const std::string& operation,
                    const std::string& label);

}  // namespace tessera::detail
