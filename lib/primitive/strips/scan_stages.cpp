// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scans in three stages, and as JSON.

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

const scan_sink& as_scan(const strip_sink& sink) { return std::get<scan_sink>(sink); }

/// Returns the planes that all scans hand from stage to stage.
std::vector<dtype> handed_by(const std::vector<strip_sink>& sinks) {
  std::vector<dtype> types;
  for (const strip_sink& sink : sinks) {
    const std::vector<dtype> of_one = as_scan(sink).handed();
    types.insert(types.end(), of_one.begin(), of_one.end());
  }
  return types;
}

/// Returns `program`, which has a result for each scan, with what is before it behind each of them.
strip_program with_seeds(const strip_program& program, const std::vector<strip_sink>& sinks) {
  strip_program both = side_by_side(program, handing_on(handed_by(sinks)));
  const std::vector<std::size_t> results = std::exchange(both.results, {});
  std::size_t seed = sinks.size();
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    both.results.push_back(results[i]);
    for (std::size_t k = 0; k < as_scan(sinks[i]).kernel->num_handed(); ++k) {
      both.results.push_back(results[seed++]);
    }
  }
  return both;
}

/// Returns `whole`, cut at the leaves of `domain`, with the seeds of each behind `num_operands`.
std::vector<piece> seeded_pieces(const piece& whole, const std::vector<strip_sink>& sinks,
                                 const index_vector& domain, std::size_t num_operands) {
  const scan_sink& first = as_scan(sinks.front());
  const std::size_t num_seeds = handed_by(sinks).size();
  const strip_program program = with_seeds(whole.program, sinks);
  std::vector<piece> pieces;
  for (index_t start = 0; start < domain[first.axis]; start += first.leaf) {
    piece leaf{region::whole(domain), whole.operands, program};
    leaf.where.start[first.axis] = start;
    leaf.where.stop[first.axis] = std::min(start + first.leaf, domain[first.axis]);
    for (std::size_t k = 0; k < num_seeds; ++k) leaf.operands.push_back(num_operands++);
    pieces.push_back(std::move(leaf));
  }
  return pieces;
}

}  // namespace

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
  using stage = scan_sink::stage;
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
  stages.seeds = [handed = handed_by(sinks_),
                  sinks = in_stage(stage::seeds)](const index_vector& domain) mutable {
    for (strip_sink& sink : sinks) std::get<scan_sink>(sink).leaf = 1;
    const strip_program program = handing_on(handed);
    return std::make_shared<const strips>(
        std::vector{piece{region::whole(domain), program.results, program}}, sinks);
  };
  stages.seeded = [whole = pieces_.front(), sinks = in_stage(stage::seeded)](
                      const index_vector& domain, std::size_t num_operands) {
    return std::make_shared<const strips>(seeded_pieces(whole, sinks, domain, num_operands), sinks);
  };
  for (const dtype type : handed_by(sinks_)) stages.state_bytes += size_of(type);
  const strip_program& program = pieces_.front().program;
  for (std::size_t i = 0; i < program.num_operands; ++i) {
    stages.element_bytes = std::max(stages.element_bytes, size_of(program.registers[i]));
  }
  return stages;
}

}  // namespace tessera
