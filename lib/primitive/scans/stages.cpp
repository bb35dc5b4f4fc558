// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scans in three stages.
///
/// Problem: a scan along an axis of many chunks would be one task.
///
/// Idea: Blelloch's scan over leaves of the axis:
///
///     block_totals:      each leaf -> its state                        in parallel
///     exclusive_prefix:  states    -> the state before each leaf       one task a line
///     rescan:            each leaf, started from the state before it   in parallel
///
/// Invariant: a local scan restarts its state at each leaf and combines it with the prefix in the
/// same order. So one task and many give the same bits.
/// Reference: Blelloch, "Prefix sums and their applications" (1990).

#include "primitive/pieces/programs.hpp"
#include "primitive/scans/scans.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

using stage_kind = scan_sink::stage;

/// Returns the types of the state fields that pass between stages, of all scans.
std::vector<dtype> state_types(const std::vector<scan_sink>& sinks) {
  std::vector<dtype> types;
  for (const scan_sink& sink : sinks) {
    const std::vector<dtype> types_of_scan = sink.state_types();
    types.insert(types.end(), types_of_scan.begin(), types_of_scan.end());
  }
  return types;
}

/// Returns `program`, which has a result for each scan, with the scan's prefix behind each result.
strip_program append_prefixes(const strip_program& program, const std::vector<scan_sink>& sinks) {
  strip_program result = concatenate_programs(program, identity_program(state_types(sinks)));
  const std::vector<std::size_t> results = std::exchange(result.results, {});
  std::size_t prefix = sinks.size();
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    result.results.push_back(results[i]);
    for (std::size_t k = 0; k < sinks[i].kernel->num_handed(); ++k) {
      result.results.push_back(results[prefix++]);
    }
  }
  return result;
}

/// Returns `whole` cut at the leaves of `domain`. Prefixes are operands behind `num_operands`.
std::vector<piece> cut_at_leaves(const piece& whole, const std::vector<scan_sink>& sinks,
                                 const index_vector& domain, std::size_t num_operands) {
  const scan_sink& first = sinks.front();
  const std::size_t num_prefixes = state_types(sinks).size();
  const strip_program program = append_prefixes(whole.program, sinks);
  std::vector<piece> pieces;
  for (index_t start = 0; start < domain[first.axis]; start += first.leaf) {
    piece leaf{region::whole(domain), whole.operands, program};
    leaf.box.start[first.axis] = start;
    leaf.box.stop[first.axis] = std::min(start + first.leaf, domain[first.axis]);
    for (std::size_t k = 0; k < num_prefixes; ++k) leaf.operands.push_back(num_operands++);
    pieces.push_back(std::move(leaf));
  }
  return pieces;
}

}  // namespace

std::vector<dtype> scan_sink::state_types() const {
  return {kernel->state_fields.begin(),
          kernel->state_fields.begin() + static_cast<std::ptrdiff_t>(kernel->num_handed())};
}

std::vector<dtype> scan_sink::input_types() const {
  std::vector<dtype> types;
  if (scan_stage != stage_kind::exclusive_prefix) types.push_back(kernel->input);
  if (scan_stage == stage_kind::exclusive_prefix || scan_stage == stage_kind::rescan) {
    const std::vector<dtype> states = state_types();
    types.insert(types.end(), states.begin(), states.end());
  }
  return types;
}

std::vector<dtype> scan_sink::output_types() const {
  if (scan_stage == stage_kind::local || scan_stage == stage_kind::rescan) return {kernel->output};
  return state_types();
}

index_t scan_sink::state_length() const {
  return kernel->state_length == nullptr ? 1 : kernel->state_length(parameters.get());
}

std::vector<scan_sink> scans::in_stage(scan_sink::stage stage) const {
  std::vector<scan_sink> sinks = sinks_;
  for (scan_sink& sink : sinks) sink.scan_stage = stage;
  return sinks;
}

std::optional<scan_stages> scans::in_leaves() const {
  if (pieces_.size() != 1) return std::nullopt;
  const bool can_be_cut = std::ranges::all_of(sinks_, [](const scan_sink& sink) {
    return sink.scan_stage == stage_kind::local && sink.kernel->restart != nullptr;
  });
  if (!can_be_cut) return std::nullopt;
  const scan_sink& first = sinks_.front();
  scan_stages stages;
  stages.axis = first.axis;
  stages.leaf = first.leaf;
  stages.block_totals = std::make_shared<const scans>(pieces_, in_stage(stage_kind::block_totals));
  stages.exclusive_prefix =
      [types = state_types(sinks_),
       sinks = in_stage(stage_kind::exclusive_prefix)](const index_vector& domain) mutable {
        for (scan_sink& sink : sinks) sink.leaf = 1;
        const strip_program program = identity_program(types);
        return std::make_shared<const scans>(
            std::vector{piece{region::whole(domain), program.results, program}}, sinks);
      };
  stages.rescan = [whole = pieces_.front(), sinks = in_stage(stage_kind::rescan)](
                      const index_vector& domain, std::size_t num_operands) {
    return std::make_shared<const scans>(cut_at_leaves(whole, sinks, domain, num_operands), sinks);
  };
  for (const dtype type : state_types(sinks_)) stages.state_bytes += size_of(type);
  const strip_program& program = pieces_.front().program;
  for (std::size_t i = 0; i < program.num_operands; ++i) {
    stages.element_bytes = std::max(stages.element_bytes, size_of(program.registers[i]));
  }
  return stages;
}

}  // namespace tessera
