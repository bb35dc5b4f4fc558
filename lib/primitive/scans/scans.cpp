// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scans: construction, JSON, rules, description, and fusion with a neighbour.

#include "primitive/scans/scans.hpp"

#include "tessera/kernel/registry.hpp"

#include "core/api/text.hpp"
#include "core/api/wide_integer.hpp"
#include "json/fields.hpp"
#include "primitive/parse.hpp"
#include "primitive/pieces/pieces.hpp"
#include "primitive/pieces/program_rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;
using stage_kind = scan_sink::stage;

json scan_json(const scan_sink& scan) {
  return {{"kernel", scan.kernel->name},
          {"parameters", fields::of_bytes(scan.parameters.identity())},
          {"axis", scan.axis},
          {"leaf", scan.leaf},
          {"reversed", scan.is_reversed},
          {"skipped", scan.skipped},
          {"stage", static_cast<int>(scan.scan_stage)}};
}

scan_sink parse_scan(const json& value) {
  const scan_kernel& kernel = find_scan_kernel(fields::text(value.at("kernel")));
  return {.kernel = &kernel,
          .parameters = fields::parameters(value.at("parameters"), kernel.name, kernel.restore),
          .axis = fields::number_below(value.at("axis"), max_rank),
          .leaf = fields::integer_in(value.at("leaf"), 1, greatest_index),
          .is_reversed = fields::flag(value.at("reversed")),
          .skipped = fields::integer_in(value.at("skipped"), 0, greatest_index),
          .scan_stage = static_cast<stage_kind>(fields::number_below(value.at("stage"), 4))};
}

/// Returns the types of the results of each program.
std::vector<dtype> program_types(const std::vector<scan_sink>& sinks) {
  std::vector<dtype> types;
  for (const scan_sink& scan : sinks) {
    const std::vector<dtype> inputs = scan.input_types();
    types.insert(types.end(), inputs.begin(), inputs.end());
  }
  return types;
}

/// Throws value_error unless `part` is one leaf of `scan`.
void check_leaf(const operation_rules& rules, const piece& part, const scan_sink& scan) {
  bool is_leaf = part.box.empty();
  if (!is_leaf) {
    const index_vector& domain = rules.schedule().domain;
    const std::size_t axis = scan.axis;
    region leaf = region::whole(domain);
    leaf.start[axis] = part.box.start[axis];
    leaf.stop[axis] = std::min(leaf.start[axis] / scan.leaf * scan.leaf + scan.leaf, domain[axis]);
    is_leaf = part.box == leaf && leaf.start[axis] % scan.leaf == 0;
  }
  rules.require(is_leaf, "a piece is one leaf");
}

/// Throws value_error unless tasks have whole lines, or leaves in the stages of leaves.
void check_lines(const operation_rules& rules, const scan_sink& scan) {
  const loop_schedule& schedule = rules.schedule();
  const std::size_t axis = scan.axis;
  if (scan.scan_stage == stage_kind::block_totals || scan.scan_stage == stage_kind::rescan) {
    rules.require(schedule.block[axis] == scan.leaf || schedule.takes_all(axis_set().set(axis)),
                  "a task scans one leaf");
  } else {
    // Blocks of windows may overlap.
    if (schedule.overlap == 0) rules.check_takes_all(axis_set().set(axis));
  }
  rules.require(schedule.ordered[axis] || schedule.step[axis] == schedule.block[axis],
                "a scanned axis is ordered, or one step");
}

}  // namespace

primitive_handle scan_of(piece whole, scan_sink sink) {
  return std::make_shared<const scans>(std::vector{std::move(whole)}, std::vector{std::move(sink)});
}

scans::scans(piece_list pieces, std::vector<scan_sink> sinks)
    : pieces_(std::move(pieces)), sinks_(std::move(sinks)) {}

std::string scans::to_json() const {
  json list = json::array();
  for (const scan_sink& scan : sinks_) list.push_back(scan_json(scan));
  return json{{"pieces", detail::pieces_json(pieces_)}, {"scans", std::move(list)}}.dump();
}

primitive_handle detail::parse_scans(const std::string& text) {
  const json value = fields::parse(text);
  std::vector<scan_sink> sinks;
  for (const json& scan : fields::list(value.at("scans"))) {
    sinks.push_back(parse_scan(scan));
  }
  return std::make_shared<const scans>(parse_pieces(value.at("pieces")), std::move(sinks));
}

bool scans::equals(const primitive& rhs_base) const {
  const auto& rhs = static_cast<const scans&>(rhs_base);
  return sinks_ == rhs.sinks_ && are_equal(pieces_, rhs.pieces_);
}

void scans::check_portable(const std::string& operation, const std::string& label) const {
  detail::check_portable(pieces_, operation, label);
}

std::vector<output> scans::outputs(const loop_schedule& schedule) const {
  std::vector<output> specs;
  for (const scan_sink& scan : sinks_) {
    for (output& output_spec : kept_axes(schedule, scan.output_types())) {
      if (scan.scan_stage == stage_kind::block_totals) {
        output_spec.axes[scan.axis].origin = output_axis::kind::per_block;
      }
      output_spec.axes[scan.axis].skipped = scan.skipped;
      specs.push_back(std::move(output_spec));
    }
  }
  return specs;
}

void scans::check(const operation_rules& rules) const {
  rules.require(!sinks_.empty(), "an operation of scans has a scan");
  detail::check_pieces(rules, pieces_, program_types(sinks_));
  const scan_sink& first = sinks_.front();
  rules.require(first.axis < rules.schedule().rank(), "an axis of the domain is scanned");
  for (const scan_sink& scan : sinks_) {
    rules.require(scan.goes_like(first),
                  "the scans of an operation have one axis, leaf and direction");
    const bool is_cut = scan.scan_stage != stage_kind::local;
    rules.require(!is_cut || scan.kernel->restart != nullptr, "the scan can be cut");
    rules.require(scan.skipped == 0 || (!is_cut && !scan.is_reversed),
                  "elements are skipped by whole scans from the first element on");
    rules.require(scan.state_length() >= 1, "a state has values");
  }
  check_lines(rules, first);
  rules.require(pieces_.size() == 1 || first.scan_stage != stage_kind::exclusive_prefix,
                "states are one piece");
  if (first.scan_stage != stage_kind::rescan) return;
  for (const piece& part : pieces_) check_leaf(rules, part, first);
}

description scans::describe(const std::string& operation, const loop_schedule& /*schedule*/,
                            const operand_words& words) const {
  std::vector<std::string> formulas;
  if (pieces_.size() == 1) {
    // The fields of a state have one formula; it is given once.
    const std::vector<std::string> results = result_formulas(pieces_.front(), words.names);
    std::size_t next = 0;
    for (const scan_sink& scan : sinks_) {
      formulas.push_back(fmt::format("{}({})", scan.kernel->label, results[next]));
      next += scan.input_types().size();
    }
  } else {
    const assembly_words assembly(pieces_, operation, words.names);
    formulas.resize(sinks_.size(), assembly.formula(assembly.function));
  }
  description result;
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    result.outputs.insert(result.outputs.end(), sinks_[i].output_types().size(), formulas[i]);
  }
  result.label =
      pieces_.size() == 1 ? listed(formulas) : fmt::format("{}", fmt::join(formulas, ", "));
  return result;
}

std::size_t scans::num_steps() const { return tessera::num_steps(pieces_); }

double scans::weight() const { return tessera::weight(pieces_); }

// A scan of an element costs one addition.
double scans::element_steps(const loop_schedule& /*schedule*/) const {
  return tessera::element_steps(pieces_, static_cast<double>(sinks_.size()));
}

primitive_handle scans::within(const loop_schedule& /*schedule*/, const region& box) const {
  std::vector<piece> pieces = crop_pieces(pieces_, box);
  return pieces.empty() ? nullptr : std::make_shared<const scans>(std::move(pieces), sinks_);
}

primitive_handle scans::with_producers(std::span<const inlined_operand> operands) const {
  std::optional<piece_list> inlined = inline_producers(pieces_, operands, reduced());
  return inlined ? std::make_shared<const scans>(std::move(*inlined), sinks_) : nullptr;
}

primitive_handle scans::with_operands(const std::vector<std::size_t>& targets,
                                      std::size_t /*count*/) const {
  return std::make_shared<const scans>(remap_operands(pieces_, targets), sinks_);
}

primitive_handle scans::beside(const primitive& sibling, std::size_t num_operands) const {
  const auto* const added = dynamic_cast<const scans*>(&sibling);
  if (added == nullptr || !sinks_.front().goes_like(added->sinks_.front())) return nullptr;
  std::optional<piece_list> fused = fuse_pieces(pieces_, added->pieces_, num_operands);
  if (!fused || !fold_evenly(*fused, reduced())) return nullptr;
  std::vector<scan_sink> sinks = sinks_;
  sinks.insert(sinks.end(), added->sinks_.begin(), added->sinks_.end());
  return std::make_shared<const scans>(*std::move(fused), std::move(sinks));
}

}  // namespace tessera
