// SPDX-License-Identifier: Apache-2.0
#include "plan/labels.hpp"

#include "core/api/file_names.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/graph.hpp"
#include "plan/shards.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <variant>

namespace tessera {

const std::string& words_for(const planned_array& array) {
  return array.formula.empty() ? array.name : array.formula;
}

operand_words operand_words_of(const planned_operation& planned,
                               const numbered<planned_array>& arrays) {
  operand_words words;
  for (const planned_operand& input : planned.inputs) {
    words.names.push_back(arrays[input.array].name);
    words.formulas.push_back(words_for(arrays[input.array]));
  }
  return words;
}

std::string_view name_of_scope(task_scope scope) {
  switch (scope) {
    case task_scope::step:
      return "step";
    case task_scope::sweep:
      return "sweep";
    case task_scope::task:
      break;
  }
  return "task";
}

namespace {

/// Returns the name of a stored array, with its shards.
std::string describe_stored(const planned_array& array, const std::string& name) {
  const index_vector shards = shards_of(array).extents;
  const std::string place = seen_from_here(name);
  return shards.empty() ? place : fmt::format("{} in shards {}", place, format_shape(shards));
}

}  // namespace

std::string describe_placement(const planned_array& array) {
  if (const auto* stored = std::get_if<stored_source>(&array.placement)) {
    return describe_stored(array, stored->array->name());
  }
  if (std::holds_alternative<memory_source>(array.placement)) return "memory of the program";
  if (std::holds_alternative<generated_source>(array.placement)) return "computed where it is read";
  if (array.is_in_memory()) return "memory";
  const auto& place = std::get<stored_placement>(array.placement);
  return place.is_intermediate ? "work directory" : describe_stored(array, place.to->name());
}

std::string asked_for(const planned_array& array, const costs& figures) {
  if (!std::holds_alternative<stored_placement>(array.placement)) return "it is asked for";
  const index_vector chunk = clipped(array.chunks, array.shape);
  const bytes size{static_cast<std::size_t>(num_elements(chunk)) * array.type.size()};
  const bytes request{static_cast<std::uint64_t>(
      figures.wait(1).count() * static_cast<double>(figures.write_bandwidth.count()))};
  std::string words =
      fmt::format("it is asked for, in chunks {} of {}", format_shape(chunk), format_short(size));
  if (size >= request) return words;
  return words + fmt::format("; to ask for one takes as long as {} do", format_short(request));
}

std::string why_left_out(const left_out_pass& pass) {
  const auto text = [](const plan_cost& cost) {
    return fmt::format("{} of work, {}", format_time(cost.work), format_time(cost.wall));
  };
  if (pass.is_for_memory) {
    return fmt::format("with this pass the plan needs more memory than there is; without, {}",
                       text(pass.without));
  }
  return fmt::format("the plan is better without this pass: {} on {} workers in place of {}",
                     text(pass.without), pass.without.num_workers, text(pass.with));
}

}  // namespace tessera
