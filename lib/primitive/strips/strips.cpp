// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strips: construction, JSON, validation, and fusion with a neighbour.

#include "tessera/primitive/strips.hpp"

#include "tessera/core/wide_integer.hpp"
#include "tessera/kernel/registry.hpp"

#include "json/fields.hpp"
#include "primitive/parse.hpp"
#include "primitive/strips/pieces.hpp"
#include "primitive/strips/program_rules.hpp"
#include "primitive/strips/programs.hpp"
#include "primitive/strips/scan_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tessera {

namespace {

using nlohmann::json;

const fold_sink* as_fold(const strip_sink& sink) { return std::get_if<fold_sink>(&sink); }

std::size_t first_axis(axis_set axes) {
  std::size_t axis = 0;
  while (axis < max_rank && !axes[axis]) ++axis;
  return axis;
}

const scan_sink* as_scan(const strip_sink& sink) { return std::get_if<scan_sink>(&sink); }

json sink_json(const strip_sink& sink) {
  if (const scan_sink* const scan = as_scan(sink)) return detail::scan_json(*scan);
  const fold_sink* const fold = as_fold(sink);
  if (fold == nullptr) return {{"type", fields::of(std::get<result_sink>(sink).type)}};
  json value{{"kernel", fold->step.kernel->name},
             {"parameters", fields::of_bytes(fold->step.parameters.identity())},
             {"reduced", fold->reduced.to_ulong()}};
  if (!fold->own.empty()) value["own"] = fields::of(fold->own);
  if (fold->is_labelled) value["labelled"] = true;
  if (!fold->leaf.empty()) value["leaf"] = fields::of(fold->leaf);
  if (!fold->nominal.empty()) value["nominal"] = fields::of(fold->nominal);
  return value;
}

strip_sink parse_sink(const json& value) {
  if (value.contains("scan")) return detail::parse_scan(value);
  if (value.contains("type")) return result_sink{fields::type(value.at("type"))};
  const fold_kernel& kernel = find_fold_kernel(fields::text(value.at("kernel")));
  fold_sink sink{{&kernel, fields::parameters(value.at("parameters"), kernel.name, kernel.restore)},
                 fields::number_below(value.at("reduced"), std::size_t{1} << max_rank)};
  if (value.contains("own")) sink.own = fields::indices(value.at("own"));
  if (value.contains("labelled")) sink.is_labelled = fields::flag(value.at("labelled"));
  if (value.contains("leaf")) sink.leaf = fields::indices(value.at("leaf"));
  if (value.contains("nominal")) sink.nominal = fields::indices(value.at("nominal"));
  return sink;
}

/// Returns the axes of an output of states: the axes of the domain, reduced ones with an element
/// for each block, and the extra axes of the fold before the first reduced one.
std::vector<output_axis> axes_of_states(std::size_t rank, const fold_sink& fold) {
  std::vector<output_axis> axes;
  const std::size_t extra_axis = first_axis(fold.reduced);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axis == extra_axis) {
      for (const index_t length : fold.own) axes.push_back({output_axis::kind::own, 0, length});
    }
    axes.push_back(
        {fold.reduced[axis] ? output_axis::kind::per_block : output_axis::kind::along, axis});
  }
  return axes;
}

/// Tells whether folds form a group: same reduced axes, same order of elements, same state layout.
bool have_same_layout(const fold_sink& a, const fold_sink& b) {
  return a.reduced == b.reduced && a.own == b.own && a.nominal == b.nominal &&
         (a.step.kernel->cells == nullptr) == (b.step.kernel->cells == nullptr);
}

/// Tells whether folds may share steps without a change of bits: all have leaves, whose states are
/// merged in a tree, or all have the same layout.
bool may_share_steps(const std::vector<strip_sink>& sinks, const std::vector<strip_sink>& added) {
  const auto are_merged = [](const strip_sink& sink) {
    return as_fold(sink) == nullptr || !as_fold(sink)->leaf.empty();
  };
  if (std::ranges::all_of(sinks, are_merged) && std::ranges::all_of(added, are_merged)) return true;
  return std::ranges::all_of(sinks, [&](const strip_sink& a) {
    return std::ranges::all_of(added, [&](const strip_sink& b) {
      return as_fold(a) == nullptr || as_fold(b) == nullptr ||
             have_same_layout(*as_fold(a), *as_fold(b));
    });
  });
}

/// Returns `other` as strips, or nullptr if it is neither strips nor elementwise.
std::shared_ptr<const strips> as_strips(const primitive& other) {
  if (const auto* strip = dynamic_cast<const strips*>(&other)) {
    return std::make_shared<const strips>(*strip);
  }
  const piece_list* const pieces = other.as_elementwise();
  if (pieces == nullptr || pieces->size() != 1) return nullptr;
  const piece* const whole = &pieces->front();
  return map_of({*whole}, detail::result_types(whole->program).front());
}

}  // namespace

std::shared_ptr<const strips> map_of(std::vector<piece> pieces, dtype type) {
  return std::make_shared<const strips>(std::move(pieces),
                                        std::vector<strip_sink>{result_sink{type}});
}

std::shared_ptr<const strips> fold_of(piece whole, fold_sink sink) {
  return std::make_shared<const strips>(std::vector{std::move(whole)},
                                        std::vector<strip_sink>{std::move(sink)});
}

std::shared_ptr<const strips> scan_of(piece whole, scan_sink sink) {
  return std::make_shared<const strips>(std::vector{std::move(whole)},
                                        std::vector<strip_sink>{std::move(sink)});
}

strips::strips(piece_list pieces, std::vector<strip_sink> sinks, std::optional<chunk_grid> parts)
    : pieces_(std::move(pieces)), sinks_(std::move(sinks)), merged_(std::move(parts)) {
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const fold_sink* const sink = as_fold(sinks_[i]);
    if (sink == nullptr) continue;
    reduced_ |= sink->reduced;
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const fold_group& group) {
      return have_same_layout(fold(group.sinks.front()), *sink);
    });
    if (same != groups_.end()) {
      same->sinks.push_back(i);
    } else {
      groups_.push_back({sink->reduced, {i}});
    }
  }
}

std::vector<dtype> strips::planes(const fold_group& group) const {
  std::vector<dtype> types;
  for (const std::size_t sink : group.sinks) {
    const std::vector<dtype>& planes = fold(sink).step.kernel->planes;
    types.insert(types.end(), planes.begin(), planes.end());
  }
  return types;
}

std::vector<dtype> strips::program_types() const {
  if (merged_ && has_folds()) return planes(groups_.front());
  std::vector<dtype> types;
  for (const strip_sink& sink : sinks_) {
    if (const scan_sink* const scan = as_scan(sink)) {
      const std::vector<dtype> inputs = scan->takes();
      types.insert(types.end(), inputs.begin(), inputs.end());
      continue;
    }
    const fold_sink* const fold = as_fold(sink);
    if (fold == nullptr) {
      types.push_back(std::get<result_sink>(sink).type);
      continue;
    }
    const std::vector<dtype>& inputs = fold->step.kernel->inputs;
    types.insert(types.end(), inputs.begin(), inputs.end());
    if (fold->is_labelled) types.push_back(dtype::int64);
  }
  return types;
}

std::size_t strips::num_outputs(const strip_sink& sink, const walk& schedule) const {
  if (const scan_sink* const scan = as_scan(sink)) return scan->gives().size();
  const fold_sink* const fold = as_fold(sink);
  if (fold == nullptr) return 1;
  const fold_kernel& kernel = *fold->step.kernel;
  return schedule.takes_all(fold->reduced) ? kernel.outputs.size() : kernel.planes.size();
}

std::size_t strips::num_results(const strip_sink& sink) const {
  if (const scan_sink* const scan = as_scan(sink)) return scan->takes().size();
  const fold_sink* const fold = as_fold(sink);
  if (fold == nullptr) return 1;
  return merged_ ? fold->step.kernel->planes.size() : fold->num_inputs();
}

std::string strips::to_json() const {
  json sinks = json::array();
  for (const strip_sink& sink : sinks_) sinks.push_back(sink_json(sink));
  json value{{"pieces", detail::pieces_json(pieces_)}, {"sinks", std::move(sinks)}};
  if (merged_) value["merged"] = {fields::of(merged_->shape()), fields::of(merged_->chunks())};
  return value.dump();
}

primitive_handle detail::parse_strips(const std::string& text) {
  const json value = json::parse(text);
  std::vector<strip_sink> sinks;
  for (const json& sink : value.at("sinks").get_ref<const json::array_t&>()) {
    sinks.push_back(parse_sink(sink));
  }
  std::optional<chunk_grid> parts;
  if (value.contains("merged")) {
    const json& grid = value.at("merged");
    parts.emplace(fields::indices(grid.at(0)), fields::indices(grid.at(1)));
  }
  return std::make_shared<const strips>(parse_pieces(value.at("pieces")), std::move(sinks),
                                        std::move(parts));
}

bool strips::equals(const primitive& other) const {
  const auto& rhs = static_cast<const strips&>(other);
  return sinks_ == rhs.sinks_ && merged_ == rhs.merged_ && are_equal(pieces_, rhs.pieces_);
}

void strips::check_portable(const std::string& operation, const std::string& label) const {
  for (const piece& part : pieces_) detail::check_portable(part.program, operation, label);
}

// Outputs of states have all axes; reduced axes have one element for each block.
std::vector<output> strips::outputs(const walk& schedule) const {
  if (has_scans()) return outputs_of_scans(schedule);
  std::vector<output> result;
  for (const strip_sink& sink : sinks_) {
    const fold_sink* const fold = as_fold(sink);
    if (fold == nullptr) {
      result.push_back(kept_axes(schedule, {std::get<result_sink>(sink).type}).front());
    } else if (!schedule.takes_all(fold->reduced)) {
      const std::vector<output_axis> axes = axes_of_states(schedule.rank(), *fold);
      for (const dtype type : fold->step.kernel->planes) result.push_back({type, axes});
    } else {
      const std::vector<output> results =
          kept_axes(schedule, fold->step.kernel->outputs, fold->reduced, fold->own);
      result.insert(result.end(), results.begin(), results.end());
    }
  }
  return result;
}

void strips::check(const operation_rules& rules) const {
  rules.require(!sinks_.empty(), "results go somewhere");
  check_pieces(rules);
  if (has_folds()) check_folds(rules);
  if (std::ranges::any_of(sinks_, [](const strip_sink& s) { return as_scan(s) != nullptr; })) {
    check_scans(rules);
  }
  if (merged_) check_merged(rules);
}

void strips::check_pieces(const operation_rules& rules) const {
  const index_vector& domain = rules.how().domain;
  wide_integer covered = 0;
  for (const piece& part : pieces_) {
    rules.require(part.where.start.size() == domain.size() &&
                      part.where.stop.size() == domain.size() &&
                      region::whole(domain).contains(part.where),
                  "a piece is a part of the domain");
    rules.require(part.where.empty() == (num_elements(domain) == 0),
                  "a piece has elements where the domain has");
    covered += static_cast<wide_integer>(part.where.num_elements());
    std::vector<dtype> types;
    for (const std::size_t operand : part.operands) {
      rules.require(operand < rules.types().size(), "the operands of a piece are the operation's");
      types.push_back(rules.types()[operand]);
      rules.check_image(operand, part.where);
    }
    detail::check_program(rules, part.program, types);
    rules.require(detail::result_types(part.program) == program_types(),
                  "each result of a piece goes into a sink of its type");
  }
  rules.require(covered == static_cast<wide_integer>(num_elements(domain)),
                "pieces cover the domain");
  for (const piece& part : pieces_) {
    for (const piece& neighbour : pieces_.near(part.where)) {
      rules.require(&neighbour == &part || intersect(neighbour.where, part.where).empty(),
                    "pieces do not overlap");
    }
  }
}

void strips::check_folds(const operation_rules& rules) const {
  rules.require((reduced_ >> rules.how().rank()).none(), "only axes of the domain are reduced");
  rules.require(fold_evenly(pieces_, reduced_),
                "pieces that are folded into one common element are folded into the same elements");
  rules.require(groups_.size() < 2 || pieces_.size() == 1,
                "folds over different axes, or with different extra axes, have one piece");
  for (const strip_sink& sink : sinks_) {
    if (as_fold(sink) == nullptr) continue;
    const fold_sink& fold = *as_fold(sink);
    detail::check_extra_axes(rules, fold);
    const bool has_leaves = !fold.leaf.empty();
    const auto are_extents = [&](const index_vector& extents) {
      return extents.size() == rules.how().rank() &&
             std::ranges::all_of(extents, [](index_t n) { return 0 < n && n < greatest_index; });
    };
    rules.require(!has_leaves || are_extents(fold.leaf), "a leaf has an extent along each axis");
    rules.require(fold.nominal.empty() || are_extents(fold.nominal),
                  "a nominal step has an extent along each axis");
    rules.require(!has_leaves || fold.step.kernel->merge != nullptr,
                  "states of leaves can be merged");
  }
}

void strips::check_merged(const operation_rules& rules) const {
  const walk& schedule = rules.how();
  rules.require(groups_.size() == 1 && groups_.front().sinks.size() == sinks_.size(),
                "only folds over the same axes combine states");
  rules.require(merged_->rank() == schedule.rank(), "parts have the rank of the domain");
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    index_t reach = 0;
    rules.require(!__builtin_mul_overflow(schedule.domain[axis], merged_->chunks()[axis], &reach) &&
                      reach < greatest_index,
                  "parts are of an array");
    if (!reduced_[axis]) continue;
    rules.require(
        merged_->num_chunks()[axis] == schedule.domain[axis] && schedule.stream[axis] == 1,
        "a combining fold takes part after part");
  }
}

axis_set strips::in_steps(const walk& schedule) const {
  const bool has_close_strips =
      merged_ || std::ranges::all_of(sinks_, [&](const strip_sink& sink) {
        const fold_sink* const fold = as_fold(sink);
        return fold == nullptr ||
               have_close_strips(schedule.stream, {fold->reduced, {}, 0, fold->nominal});
      });
  return has_close_strips ? reduced_ | schedule.ordered : ~axis_set{};
}

const piece_list* strips::as_elementwise() const {
  return has_folds() || has_scans() ? nullptr : &pieces_;
}

std::size_t strips::num_steps() const {
  std::size_t most = 0;
  for (const piece& part : pieces_) most = std::max(most, part.program.steps.size());
  return most;
}

double strips::weight() const {
  double most = 0;
  for (const piece& part : pieces_) most = std::max(most, weight_of(part.program));
  return most;
}

// A fold or scan of an element costs one addition; a copy of an element costs one as well.
double strips::element_steps(const walk& /*how*/) const {
  const auto is_result = [](const strip_sink& sink) {
    return std::holds_alternative<result_sink>(sink);
  };
  const auto num_results = std::ranges::count_if(sinks_, is_result);
  const auto num_folds = static_cast<double>(sinks_.size()) - static_cast<double>(num_results);
  double steps = 0;
  for (const piece& part : pieces_) {
    steps += static_cast<double>(part.where.num_elements()) *
             std::max(1.0, weight_of(part.program) + num_folds);
  }
  return steps;
}

primitive_handle strips::beside(const primitive& other, std::size_t num_operands) const {
  const std::shared_ptr<const strips> added = as_strips(other);
  if (added == nullptr || pieces_.size() != 1 || added->pieces_.size() != 1 || merged_ ||
      added->merged_ || has_scans() != added->has_scans() ||
      (has_scans() && !as_scan(sinks_.front())->goes_like(*as_scan(added->sinks_.front()))) ||
      (has_folds() && added->has_folds() && !may_share_steps(sinks_, added->sinks_))) {
    return nullptr;
  }
  const piece& added_piece = added->pieces_.front();
  piece fused = pieces_.front();
  fused.program = concatenate_programs(fused.program, added_piece.program);
  for (const std::size_t operand : added_piece.operands) {
    fused.operands.push_back(num_operands + operand);
  }
  std::vector<strip_sink> sinks = sinks_;
  sinks.insert(sinks.end(), added->sinks_.begin(), added->sinks_.end());
  return std::make_shared<const strips>(std::vector{std::move(fused)}, std::move(sinks));
}

}  // namespace tessera
