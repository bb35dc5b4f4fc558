// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Labels of arrays and passes for tables, pictures, explanations and errors.

#include "tessera/core/costs.hpp"

#include "core/api/text.hpp"
#include "plan/api/planned.hpp"

#include <string>
#include <string_view>

namespace tessera {

struct left_out_pass;

/// Returns the formula of `array`, or its name if it has none.
[[nodiscard]] const std::string& words_for(const planned_array& array);

/// Returns the names and the formulas of the operands of `planned`.
[[nodiscard]] operand_words operand_words_of(const planned_operation& planned,
                                             const numbered<planned_array>& arrays);

/// Returns the name of a part of a task: "step", "sweep" or "task".
[[nodiscard]] std::string_view name_of_scope(task_scope scope);

/// Returns the placement of `array` as text; paths below the working directory are relative.
[[nodiscard]] std::string describe_placement(const planned_array& array);

/// Returns the text that `array` is requested; for a stored array with its chunks, and with the
/// cost of a request if that exceeds the time to move a chunk.
[[nodiscard]] std::string asked_for(const planned_array& array, const costs& figures);

/// Returns the reason for switching a pass off: both costs, or that no plan with it fits.
[[nodiscard]] std::string why_left_out(const left_out_pass& pass);

}  // namespace tessera
