// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/text.hpp"
#include "tessera/primitive/strips.hpp"

#include "json/fields.hpp"
#include "primitive/parse.hpp"
#include "primitive/strips/program_json.hpp"
#include "primitive/strips/program_rules.hpp"
#include "primitive/strips/programs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tessera {

namespace {

using nlohmann::json;

__extension__ using wide_integer = __int128;

/// Gives a piece operands without repetition; `places` tells where each of the operation's went.
piece unified(const piece& part, const std::vector<std::size_t>& places) {
  piece changed{part.where, {}, {}};
  std::vector<std::size_t> local;
  for (const std::size_t operand : part.operands) {
    const std::size_t place = places[operand];
    const auto found = std::find(changed.operands.begin(), changed.operands.end(), place);
    local.push_back(static_cast<std::size_t>(found - changed.operands.begin()));
    if (found == changed.operands.end()) changed.operands.push_back(place);
  }
  changed.program = with_operands(part.program, local, changed.operands.size());
  return changed;
}

/// Replaces operand `operand` of `part` by the operands of `inner`, which stand from `first` on.
void inline_into_piece(piece& part, std::size_t operand, const piece& inner, std::size_t first) {
  while (true) {
    const auto found = std::find(part.operands.begin(), part.operands.end(), operand);
    if (found == part.operands.end()) return;
    const auto position = static_cast<std::size_t>(found - part.operands.begin());
    part.program = inline_operand(part.program, position, inner.program);
    part.operands.erase(found);
    for (const std::size_t inner_operand : inner.operands) {
      part.operands.push_back(first + inner_operand);
    }
  }
}

std::vector<std::string> chosen(const std::vector<std::string>& names,
                                const std::vector<std::size_t>& operands) {
  std::vector<std::string> found;
  for (const std::size_t operand : operands) found.push_back(names[operand]);
  return found;
}

}  // namespace

std::string strip_map::to_json() const {
  json pieces = json::array();
  for (const piece& part : pieces_) {
    pieces.push_back({{"start", fields::of(part.where.start)},
                      {"stop", fields::of(part.where.stop)},
                      {"operands", part.operands},
                      {"program", detail::program_json(part.program)}});
  }
  return json{{"pieces", std::move(pieces)}, {"types", fields::of(types_)}}.dump();
}

primitive_handle detail::parse_map(const std::string& text) {
  const json value = json::parse(text);
  std::vector<piece> pieces;
  for (const json& part : value.at("pieces").get_ref<const json::array_t&>()) {
    pieces.push_back({{fields::indices(part.at("start")), fields::indices(part.at("stop"))},
                      fields::counts(part.at("operands")),
                      parse_program(part.at("program"))});
  }
  return std::make_shared<const strip_map>(std::move(pieces), fields::types(value.at("types")));
}

bool strip_map::equals(const primitive& other) const {
  const auto& map = static_cast<const strip_map&>(other);
  return types_ == map.types_ && std::equal(pieces_.begin(), pieces_.end(), map.pieces_.begin(),
                                            map.pieces_.end(), [](const piece& p, const piece& q) {
                                              return p.where == q.where &&
                                                     p.operands == q.operands &&
                                                     p.program == q.program;
                                            });
}

void strip_map::check_portable(const std::string& operation, const std::string& label) const {
  for (const piece& part : pieces_) detail::check_portable(part.program, operation, label);
}

std::vector<output> strip_map::outputs(const walk& how) const { return kept_axes(how, types_); }

void strip_map::check(const operation_rules& rules) const {
  const walk& how = rules.how();
  rules.require(how.reduced.none(), "only folds and contractions reduce");
  wide_integer covered = 0;
  for (const piece& part : pieces_) {
    rules.require(part.where.start.size() == how.rank() && part.where.stop.size() == how.rank() &&
                      region::whole(how.domain).contains(part.where),
                  "a piece is a part of the domain");
    rules.require(part.where.empty() == (num_elements(how.domain) == 0),
                  "a piece has elements where the domain has");
    covered += static_cast<wide_integer>(part.where.num_elements());
    std::vector<dtype> types;
    for (const std::size_t operand : part.operands) {
      rules.require(operand < rules.types().size(), "the operands of a piece are the operation's");
      types.push_back(rules.types()[operand]);
      rules.check_image(operand, part.where);
    }
    detail::check_program(rules, part.program, types);
    rules.require(detail::result_types(part.program) == types_, "a piece makes all outputs");
  }
  rules.require(covered == static_cast<wide_integer>(num_elements(how.domain)),
                "pieces cover the domain");
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      rules.require(intersect(pieces_[i].where, pieces_[k].where).empty(), "pieces do not overlap");
    }
  }
}

// Operands are read piece by piece; those of several pieces from the first to the last of them.
task_demand strip_map::demand(const walk& how, std::size_t num_operands) const {
  task_demand needs;
  needs.operands.resize(num_operands);
  const index_t num_block_elements = num_elements(how.block);
  std::size_t step = 0;
  for (const piece& part : pieces_) {
    const std::size_t compute_step = step + part.operands.size();
    for (const std::size_t operand : part.operands) {
      operand_demand& needed = needs.operands[operand];
      if (!needed.is_used) needed = {true, {step, step}, {step, step}};
      needed.read.last = step++;
      needed.used.last = compute_step;
    }
    needs.scratch = std::max(needs.scratch, scratch_bytes(part.program, num_block_elements));
    ++step;
  }
  for (std::size_t i = 0; i < types_.size(); ++i) needs.outputs.push_back({0, step + i});
  return needs;
}

void strip_map::run(task_blocks& blocks, const region& box) const {
  std::vector<block_operand> operands;
  std::vector<block_result> results;
  for (const piece& part : pieces_) {
    const region common = intersect(box, part.where);
    if (common.empty()) continue;
    operands.clear();
    for (const std::size_t operand : part.operands) {
      operands.push_back(blocks.operand(operand, common));
    }
    results.clear();
    for (std::size_t i = 0; i < types_.size(); ++i) results.push_back(blocks.result(i, common));
    run_map(part.program, operands, results, common.shape(), blocks.scratch());
  }
}

description strip_map::describe(const std::string& operation, const operand_words& words) const {
  if (pieces_.size() == 1) {
    strip_program one = pieces_.front().program;
    const std::vector<std::string> operands = chosen(words.names, pieces_.front().operands);
    std::vector<std::string> formulas;
    for (const std::size_t result : std::vector(one.results)) {
      one.results = {result};
      formulas.push_back(tessera::describe(one, operands));
    }
    std::string label = listed(formulas);
    return {std::move(formulas), std::move(label)};
  }
  std::vector<std::string> parts;
  for (const piece& part : pieces_) {
    parts.push_back(tessera::describe(part.program, chosen(words.names, part.operands)));
  }
  const bool is_function = operation.find_first_of(" (") == std::string::npos;
  std::string formula =
      is_function ? fmt::format("{}({})", operation, listed(parts)) : listed(parts, "; ");
  return {{formula}, listed({formula})};
}

const piece* strip_map::as_elementwise() const {
  return pieces_.size() == 1 ? &pieces_.front() : nullptr;
}

std::size_t strip_map::num_steps() const {
  std::size_t most = 0;
  for (const piece& part : pieces_) most = std::max(most, part.program.steps.size());
  return most;
}

primitive_handle strip_map::with_producer(std::size_t operand, std::size_t num_operands,
                                          const piece& producer, std::size_t /*num_inner*/) const {
  std::vector<piece> pieces = pieces_;
  for (piece& part : pieces) {
    inline_into_piece(part, operand, producer, num_operands);
    for (std::size_t& other : part.operands) other -= other > operand ? 1 : 0;
  }
  return std::make_shared<const strip_map>(std::move(pieces), types_);
}

primitive_handle strip_map::beside(const primitive& other, std::size_t num_operands) const {
  const piece* const more = other.as_elementwise();
  if (pieces_.size() != 1 || more == nullptr) return nullptr;
  piece both = pieces_.front();
  both.program = side_by_side(both.program, more->program);
  for (const std::size_t operand : more->operands) both.operands.push_back(num_operands + operand);
  std::vector<dtype> types = types_;
  for (const dtype type : detail::result_types(more->program)) types.push_back(type);
  return std::make_shared<const strip_map>(std::vector{std::move(both)}, std::move(types));
}

primitive_handle strip_map::with_operands(const std::vector<std::size_t>& places,
                                          std::size_t /*count*/) const {
  std::vector<piece> pieces;
  for (const piece& part : pieces_) pieces.push_back(unified(part, places));
  return std::make_shared<const strip_map>(std::move(pieces), types_);
}

}  // namespace tessera
