// SPDX-License-Identifier: Apache-2.0
#include "plan/explained_merges.hpp"

#include "core/api/text.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <variant>

namespace tessera {

namespace {

/// Returns the refusal among `notes` to merge the operation `producer`, or nothing.
std::string refusal_to_merge(const std::vector<plan_explanation::note>& notes,
                             const std::string& producer) {
  const std::string name = fmt::format("'{}'", shortened(producer));
  const auto match = std::ranges::find_if(notes, [&](const plan_explanation::note& note) {
    return note.pass == "merge_producers" && !note.is_done &&
           note.text.find(name) != std::string::npos;
  });
  return match == notes.end() ? std::string() : match->text;
}

}  // namespace

std::vector<std::string> refused_merges(const bounded_plan::implementation& plan,
                                        const notes_of_operations& notes) {
  std::vector<const std::string*> producers(plan.arrays.size(), nullptr);
  for (const planned_operation& planned : plan.operations) {
    for (const planned_result& output : planned.outputs) {
      producers[output.array] = &planned.op.name;
    }
  }
  std::vector<std::string> refusals(plan.arrays.size());
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    for (const planned_operand& input : plan.operations[i].inputs) {
      std::string& refusal = refusals[input.array];
      const std::string* const producer = producers[input.array];
      if (!refusal.empty() || producer == nullptr) continue;
      if (std::holds_alternative<memory_placement>(plan.arrays[input.array].placement)) continue;
      refusal = refusal_to_merge(notes[i], *producer);
    }
  }
  return refusals;
}

std::string with_refused_merge(std::string placed, const std::string& refusal) {
  if (refusal.empty()) return placed;
  return fmt::format("{}{}it is not computed in the steps of its reader: {}", placed,
                     placed.empty() ? "" : "; ", refusal);
}

}  // namespace tessera
