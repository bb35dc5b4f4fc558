// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of a prologue, and prologues that are derived from it: of a part of the domain, with a
/// further producer, with fewer outputs, with other operands.

#include "core/api/text.hpp"
#include "primitive/pieces/pieces.hpp"
#include "primitive/prologue/computed.hpp"
#include "primitive/prologue/prologue.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns the formulas of the pieces of `computed`, given the names of the operands.
std::string formula_of(const computed_operand& computed, const std::vector<std::string>& names) {
  std::vector<std::string> formulas;
  for (const piece& part : computed.pieces) {
    std::vector<std::string> names_of_part;
    for (const std::size_t operand : part.operands) names_of_part.push_back(names[operand]);
    std::string formula = describe(part.program, names_of_part);
    const bool is_known = std::find(formulas.begin(), formulas.end(), formula) != formulas.end();
    if (!is_known) formulas.push_back(std::move(formula));
  }
  return listed(formulas);
}

}  // namespace

description prologue::describe(const std::string& operation, const loop_schedule& schedule,
                               const operand_words& words) const {
  operand_words then_words;
  for (const prologue_input& input : inputs_) {
    if (const computed_operand* const computed = std::get_if<computed_operand>(&input)) {
      then_words.names.push_back(formula_of(*computed, words.names));
      then_words.formulas.push_back(formula_of(*computed, words.formulas));
    } else {
      then_words.names.push_back(words.names[std::get<std::size_t>(input)]);
      then_words.formulas.push_back(words.formulas[std::get<std::size_t>(input)]);
    }
  }
  return then_->describe(operation, schedule, then_words);
}

primitive_handle prologue::within(const loop_schedule& schedule, const region& box) const {
  primitive_handle then_part = then_->within(schedule, box);
  if (then_part == nullptr) return nullptr;
  std::vector<prologue_input> inputs = inputs_;
  for (prologue_input& input : inputs) {
    if (auto* const computed = std::get_if<computed_operand>(&input)) {
      *computed = detail::restrict_to(*computed, box);
    }
  }
  return std::make_shared<const prologue>(std::move(then_part), std::move(inputs));
}

primitive_handle prologue::with_producer(std::size_t operand, std::size_t num_operands,
                                         const index_map& map, const piece_list& producer) const {
  std::size_t count = num_operands;
  for (const piece& producer_piece : producer) {
    for (const std::size_t number : producer_piece.operands) {
      count = std::max(count, num_operands + number + 1);
    }
  }
  std::vector<prologue_input> inputs;
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = std::get_if<computed_operand>(&input);
    if (computed == nullptr && std::get<std::size_t>(input) != operand) {
      inputs.push_back(input);
      continue;
    }
    auto computed_input = computed == nullptr ? detail::make_computed(map, producer, num_operands)
                                              : detail::inline_producer(*computed, operand, map,
                                                                        producer, num_operands);
    if (!computed_input) return nullptr;
    inputs.emplace_back(std::move(*computed_input));
  }
  std::vector<std::size_t> targets(count);
  for (std::size_t i = 0; i < count; ++i) targets[i] = i > operand ? i - 1 : i;
  return prologue(then_, std::move(inputs)).with_operands(targets, count - 1);
}

primitive_handle prologue::with_outputs(const std::vector<bool>& needed) const {
  primitive_handle then = then_->with_outputs(needed);
  return then == nullptr ? nullptr : std::make_shared<const prologue>(std::move(then), inputs_);
}

primitive_handle prologue::with_operands(const std::vector<std::size_t>& targets,
                                         std::size_t /*count*/) const {
  std::vector<prologue_input> inputs;
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = std::get_if<computed_operand>(&input);
    if (computed == nullptr) {
      inputs.emplace_back(targets[std::get<std::size_t>(input)]);
      continue;
    }
    std::vector<piece> pieces;
    for (const piece& part : computed->pieces) {
      pieces.push_back(remap_operands(part, targets));
    }
    inputs.emplace_back(computed_operand{{std::move(pieces)}, computed->axes, computed->grown});
  }
  return std::make_shared<const prologue>(then_, std::move(inputs));
}

}  // namespace tessera
