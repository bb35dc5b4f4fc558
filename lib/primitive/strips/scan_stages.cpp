// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scans in three stages, and their JSON.
///
/// Problem: a scan along an axis of many chunks would be one task.
///
/// Idea: Blelloch's scan over leaves of the axis:
///
///     totals:  each leaf -> its state (block totals)            in parallel
///     seeds:   states    -> the state before each leaf          one task a line: exclusive prefix
///     seeded:  each leaf, started from the state before it      in parallel: rescan
///
/// Invariant: `stage::whole` restarts its state at each leaf and combines it with the prefix in the
/// same order, so one task and many give the same bits.
/// Reference: Blelloch, "Prefix sums and their applications" (1990).

#include "tessera/core/wide_integer.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/primitive/strips.hpp"

#include "json/fields.hpp"
#include "primitive/strips/programs.hpp"
#include "primitive/strips/scan_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

namespace {

using stage = scan_sink::stage;

const scan_sink& as_scan(const strip_sink& sink) { return std::get<scan_sink>(sink); }

/// Returns the types of the state planes that pass between stages, of all scans.
std::vector<dtype> state_types(const std::vector<strip_sink>& sinks) {
  std::vector<dtype> types;
  for (const strip_sink& sink : sinks) {
    const std::vector<dtype> types_of_scan = as_scan(sink).handed();
    types.insert(types.end(), types_of_scan.begin(), types_of_scan.end());
  }
  return types;
}

/// Returns `program`, which has a result for each scan, with the scan's prefix behind each result.
strip_program append_prefixes(const strip_program& program, const std::vector<strip_sink>& sinks) {
  strip_program result = concatenate_programs(program, identity_program(state_types(sinks)));
  const std::vector<std::size_t> results = std::exchange(result.results, {});
  std::size_t prefix = sinks.size();
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    result.results.push_back(results[i]);
    for (std::size_t k = 0; k < as_scan(sinks[i]).kernel->num_handed(); ++k) {
      result.results.push_back(results[prefix++]);
    }
  }
  return result;
}

/// Returns `whole` cut at the leaves of `domain`. Prefixes are operands behind `num_operands`.
std::vector<piece> cut_at_leaves(const piece& whole, const std::vector<strip_sink>& sinks,
                                 const index_vector& domain, std::size_t num_operands) {
  const scan_sink& first = as_scan(sinks.front());
  const std::size_t num_prefixes = state_types(sinks).size();
  const strip_program program = append_prefixes(whole.program, sinks);
  std::vector<piece> pieces;
  for (index_t start = 0; start < domain[first.axis]; start += first.leaf) {
    piece leaf{region::whole(domain), whole.operands, program};
    leaf.where.start[first.axis] = start;
    leaf.where.stop[first.axis] = std::min(start + first.leaf, domain[first.axis]);
    for (std::size_t k = 0; k < num_prefixes; ++k) leaf.operands.push_back(num_operands++);
    pieces.push_back(std::move(leaf));
  }
  return pieces;
}

}  // namespace

std::vector<dtype> scan_sink::handed() const {
  return {kernel->planes.begin(),
          kernel->planes.begin() + static_cast<std::ptrdiff_t>(kernel->num_handed())};
}

std::vector<dtype> scan_sink::takes() const {
  std::vector<dtype> types;
  if (made != stage::seeds) types.push_back(kernel->input);
  if (made == stage::seeds || made == stage::seeded) {
    const std::vector<dtype> states = handed();
    types.insert(types.end(), states.begin(), states.end());
  }
  return types;
}

std::vector<dtype> scan_sink::gives() const {
  if (made == stage::whole || made == stage::seeded) return {kernel->output};
  return handed();
}

std::vector<output> strips::outputs_of_scans(const walk& schedule) const {
  std::vector<output> specs;
  for (const strip_sink& sink : sinks_) {
    const scan_sink& scan = as_scan(sink);
    for (output& output_spec : kept_axes(schedule, scan.gives())) {
      if (scan.made == stage::totals) {
        output_spec.axes[scan.axis].how = output_axis::kind::per_block;
      }
      output_spec.axes[scan.axis].skipped = scan.skipped;
      specs.push_back(std::move(output_spec));
    }
  }
  return specs;
}

nlohmann::json detail::scan_json(const scan_sink& scan) {
  return {{"scan", scan.kernel->name},
          {"parameters", fields::of_bytes(scan.parameters.identity())},
          {"axis", scan.axis},
          {"leaf", scan.leaf},
          {"reversed", scan.is_reversed},
          {"skipped", scan.skipped},
          {"stage", static_cast<int>(scan.made)}};
}

scan_sink detail::parse_scan(const nlohmann::json& value) {
  const scan_kernel& kernel = find_scan_kernel(fields::text(value.at("scan")));
  return {.kernel = &kernel,
          .parameters = fields::parameters(value.at("parameters"), kernel.name, kernel.restore),
          .axis = fields::number_below(value.at("axis"), max_rank),
          .leaf = fields::integer_in(value.at("leaf"), 1, greatest_index),
          .is_reversed = fields::flag(value.at("reversed")),
          .skipped = fields::integer_in(value.at("skipped"), 0, greatest_index),
          .made = static_cast<scan_sink::stage>(fields::number_below(value.at("stage"), 4))};
}

std::vector<strip_sink> strips::in_stage(scan_sink::stage stage) const {
  std::vector<strip_sink> sinks = sinks_;
  for (strip_sink& sink : sinks) std::get<scan_sink>(sink).made = stage;
  return sinks;
}

std::optional<scan_stages> strips::in_leaves() const {
  if (!has_scans() || pieces_.size() != 1) return std::nullopt;
  const bool can_be_cut = std::ranges::all_of(sinks_, [](const strip_sink& sink) {
    return as_scan(sink).made == stage::whole && as_scan(sink).kernel->restart != nullptr;
  });
  if (!can_be_cut) return std::nullopt;
  const scan_sink& first = as_scan(sinks_.front());
  scan_stages stages;
  stages.axis = first.axis;
  stages.leaf = first.leaf;
  stages.totals = std::make_shared<const strips>(pieces_, in_stage(stage::totals));
  stages.seeds = [types = state_types(sinks_),
                  sinks = in_stage(stage::seeds)](const index_vector& domain) mutable {
    for (strip_sink& sink : sinks) std::get<scan_sink>(sink).leaf = 1;
    const strip_program program = identity_program(types);
    return std::make_shared<const strips>(
        std::vector{piece{region::whole(domain), program.results, program}}, sinks);
  };
  stages.seeded = [whole = pieces_.front(), sinks = in_stage(stage::seeded)](
                      const index_vector& domain, std::size_t num_operands) {
    return std::make_shared<const strips>(cut_at_leaves(whole, sinks, domain, num_operands), sinks);
  };
  for (const dtype type : state_types(sinks_)) stages.state_bytes += size_of(type);
  const strip_program& program = pieces_.front().program;
  for (std::size_t i = 0; i < program.num_operands; ++i) {
    stages.element_bytes = std::max(stages.element_bytes, size_of(program.registers[i]));
  }
  return stages;
}

}  // namespace tessera
