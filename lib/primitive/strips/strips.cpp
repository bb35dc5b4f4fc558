// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strips: construction, JSON, validation, and fusion with a neighbour.

#include "primitive/api/strips.hpp"

#include "tessera/kernel/registry.hpp"

#include "core/api/wide_integer.hpp"
#include "json/fields.hpp"
#include "primitive/parse.hpp"
#include "primitive/pieces/pieces.hpp"
#include "primitive/pieces/program_rules.hpp"
#include "primitive/pieces/programs.hpp"
#include "primitive/strips/fold_states.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tessera {

namespace {

using nlohmann::json;

const fold_sink* as_fold(const strip_sink& sink) { return std::get_if<fold_sink>(&sink); }

json sink_json(const strip_sink& sink) {
  const fold_sink* const fold = as_fold(sink);
  if (fold == nullptr) return {{"type", fields::of(std::get<result_sink>(sink).type)}};
  json value{{"kernel", fold->step.kernel->name},
             {"parameters", fields::of_bytes(fold->step.parameters.identity())},
             {"reduced", fold->reduced.to_ulong()}};
  if (!fold->extra_axes.empty()) value["extra_axes"] = fields::of(fold->extra_axes);
  if (fold->is_labelled) value["labelled"] = true;
  if (!fold->leaf.empty()) value["leaf"] = fields::of(fold->leaf);
  if (!fold->reference_step.empty()) value["reference_step"] = fields::of(fold->reference_step);
  return value;
}

strip_sink parse_sink(const json& value) {
  if (value.contains("type")) return result_sink{fields::type(value.at("type"))};
  const fold_kernel& kernel = find_fold_kernel(fields::text(value.at("kernel")));
  fold_sink sink{{&kernel, fields::parameters(value.at("parameters"), kernel.name, kernel.restore)},
                 fields::number_below(value.at("reduced"), std::size_t{1} << max_rank)};
  if (value.contains("extra_axes")) sink.extra_axes = fields::indices(value.at("extra_axes"));
  if (value.contains("labelled")) sink.is_labelled = fields::flag(value.at("labelled"));
  if (value.contains("leaf")) sink.leaf = fields::indices(value.at("leaf"));
  if (value.contains("reference_step")) {
    sink.reference_step = fields::indices(value.at("reference_step"));
  }
  return sink;
}

/// Returns the axes of an output of states: the axes of the domain, reduced ones with an element
/// for each block, and the extra axes of the fold before the first reduced one.
std::vector<output_axis> axes_of_states(std::size_t rank, const fold_sink& fold) {
  std::vector<output_axis> axes;
  const std::size_t extra_axis = first_reduced_axis(fold.reduced);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axis == extra_axis) {
      for (const index_t length : fold.extra_axes)
        axes.push_back({output_axis::kind::extra, 0, length});
    }
    axes.push_back(
        {fold.reduced[axis] ? output_axis::kind::per_block : output_axis::kind::along, axis});
  }
  return axes;
}

/// Tells whether folds form a group: same reduced axes, same order of elements, same state layout.
bool have_same_layout(const fold_sink& a, const fold_sink& b) {
  return a.reduced == b.reduced && a.extra_axes == b.extra_axes &&
         a.reference_step == b.reference_step &&
         (a.step.kernel->state_length == nullptr) == (b.step.kernel->state_length == nullptr);
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

/// Throws value_error unless the extra axes of `fold` match its values of states or groups.
void check_extra_axes(const operation_rules& rules, const fold_sink& fold) {
  constexpr index_t most_groups = index_t{1} << 40;
  const fold_kernel& kernel = *fold.step.kernel;
  index_t groups = 1;
  for (const index_t length : fold.extra_axes) {
    rules.require(
        length >= 1 && !__builtin_mul_overflow(groups, length, &groups) && groups <= most_groups,
        "values of states and groups can be counted");
  }
  rules.require(rules.schedule().rank() + fold.extra_axes.size() <= max_rank,
                "states have at most the greatest rank of arrays");
  if (kernel.state_length != nullptr) {
    rules.require(!fold.is_labelled && fold.extra_axes.size() == 1 &&
                      fold.extra_axes[0] == kernel.state_length(fold.step.parameters.get()),
                  "a fold of several values a state has an axis for them");
    rules.require(kernel.state_fields == kernel.inputs,
                  "values of states are taken as elements are");
  } else {
    rules.require(!fold.is_labelled || kernel.take_at != nullptr,
                  "the kernel of a fold by labels has `take_at`");
    rules.require(fold.is_labelled == !fold.extra_axes.empty(), "groups have axes, and labels");
  }
}

/// Returns `op` as strips, or nullptr if it is neither strips nor elementwise.
std::shared_ptr<const strips> as_strips(const primitive& op) {
  if (const auto* strip = dynamic_cast<const strips*>(&op)) {
    return std::make_shared<const strips>(*strip);
  }
  const piece_list* const pieces = op.as_elementwise();
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

strips::strips(const strips&) = default;
strips::~strips() = default;

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

std::vector<dtype> strips::state_fields(const fold_group& group) const {
  std::vector<dtype> types;
  for (const std::size_t sink : group.sinks) {
    const std::vector<dtype>& state_fields = fold(sink).step.kernel->state_fields;
    types.insert(types.end(), state_fields.begin(), state_fields.end());
  }
  return types;
}

std::vector<dtype> strips::program_types() const {
  if (merged_ && has_folds()) return state_fields(groups_.front());
  std::vector<dtype> types;
  for (const strip_sink& sink : sinks_) {
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

std::size_t strips::num_outputs(const strip_sink& sink, const loop_schedule& schedule) const {
  const fold_sink* const fold = as_fold(sink);
  if (fold == nullptr) return 1;
  const fold_kernel& kernel = *fold->step.kernel;
  return schedule.takes_all(fold->reduced) ? kernel.outputs.size() : kernel.state_fields.size();
}

std::size_t strips::num_results(const strip_sink& sink) const {
  const fold_sink* const fold = as_fold(sink);
  if (fold == nullptr) return 1;
  return merged_ ? fold->step.kernel->state_fields.size() : fold->num_inputs();
}

std::string strips::to_json() const {
  json sinks = json::array();
  for (const strip_sink& sink : sinks_) sinks.push_back(sink_json(sink));
  json value{{"pieces", detail::pieces_json(pieces_)}, {"sinks", std::move(sinks)}};
  if (merged_) value["merged"] = {fields::of(merged_->shape()), fields::of(merged_->chunks())};
  return value.dump();
}

primitive_handle detail::parse_strips(const std::string& text) {
  const json value = fields::parse(text);
  std::vector<strip_sink> sinks;
  for (const json& sink : fields::list(value.at("sinks"))) {
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

bool strips::equals(const primitive& rhs_base) const {
  const auto& rhs = static_cast<const strips&>(rhs_base);
  return sinks_ == rhs.sinks_ && merged_ == rhs.merged_ && are_equal(pieces_, rhs.pieces_);
}

void strips::check_portable(const std::string& operation, const std::string& label) const {
  detail::check_portable(pieces_, operation, label);
}

// Outputs of states have all axes; reduced axes have one element for each block.
std::vector<output> strips::outputs(const loop_schedule& schedule) const {
  std::vector<output> result;
  for (const strip_sink& sink : sinks_) {
    const fold_sink* const fold = as_fold(sink);
    if (fold == nullptr) {
      result.push_back(kept_axes(schedule, {std::get<result_sink>(sink).type}).front());
    } else if (!schedule.takes_all(fold->reduced)) {
      const std::vector<output_axis> axes = axes_of_states(schedule.rank(), *fold);
      for (const dtype type : fold->step.kernel->state_fields) result.push_back({type, axes});
    } else {
      const std::vector<output> results =
          kept_axes(schedule, fold->step.kernel->outputs, fold->reduced, fold->extra_axes);
      result.insert(result.end(), results.begin(), results.end());
    }
  }
  return result;
}

void strips::check(const operation_rules& rules) const {
  rules.require(!sinks_.empty(), "a program has a sink for its results");
  detail::check_pieces(rules, pieces_, program_types());
  if (has_folds()) check_folds(rules);
  if (merged_) check_merged(rules);
}

void strips::check_folds(const operation_rules& rules) const {
  rules.require((reduced_ >> rules.schedule().rank()).none(),
                "only axes of the domain are reduced");
  rules.require(fold_evenly(pieces_, reduced_),
                "pieces that are folded into one common element are folded into the same elements");
  rules.require(groups_.size() < 2 || pieces_.size() == 1,
                "folds over different axes, or with different extra axes, have one piece");
  for (const strip_sink& sink : sinks_) {
    if (as_fold(sink) == nullptr) continue;
    const fold_sink& fold = *as_fold(sink);
    check_extra_axes(rules, fold);
    const bool has_leaves = !fold.leaf.empty();
    const auto are_extents = [&](const index_vector& extents) {
      return extents.size() == rules.schedule().rank() &&
             std::ranges::all_of(extents, [](index_t n) { return 0 < n && n < greatest_index; });
    };
    rules.require(!has_leaves || are_extents(fold.leaf), "a leaf has an extent along each axis");
    rules.require(fold.reference_step.empty() || are_extents(fold.reference_step),
                  "a reference step has an extent along each axis");
    rules.require(!has_leaves || fold.step.kernel->merge != nullptr,
                  "states of leaves can be merged");
  }
}

void strips::check_merged(const operation_rules& rules) const {
  const loop_schedule& schedule = rules.schedule();
  rules.require(groups_.size() == 1 && groups_.front().sinks.size() == sinks_.size(),
                "only folds over the same axes combine states");
  rules.require(merged_->rank() == schedule.rank(), "parts have the rank of the domain");
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    index_t reach = 0;
    rules.require(!__builtin_mul_overflow(schedule.domain[axis], merged_->chunks()[axis], &reach) &&
                      reach < greatest_index,
                  "the array of the combined states has countable extents");
    if (!reduced_[axis]) continue;
    rules.require(merged_->num_chunks()[axis] == schedule.domain[axis] && schedule.step[axis] == 1,
                  "a step of a combining fold has the states of one block");
  }
}

axis_set strips::in_steps(const loop_schedule& schedule) const {
  const bool has_close_strips =
      merged_ || std::ranges::all_of(sinks_, [&](const strip_sink& sink) {
        const fold_sink* const fold = as_fold(sink);
        return fold == nullptr ||
               have_close_strips(schedule.step, {fold->reduced, {}, 0, fold->reference_step});
      });
  return has_close_strips ? reduced_ | schedule.ordered : ~axis_set{};
}

const piece_list* strips::as_elementwise() const { return has_folds() ? nullptr : &pieces_; }

std::size_t strips::num_steps() const { return tessera::num_steps(pieces_); }

double strips::weight() const { return tessera::weight(pieces_); }

// A fold of an element costs one addition.
double strips::element_steps(const loop_schedule& /*schedule*/) const {
  const auto is_result = [](const strip_sink& sink) {
    return std::holds_alternative<result_sink>(sink);
  };
  const auto num_results = std::ranges::count_if(sinks_, is_result);
  const auto num_folds = static_cast<double>(sinks_.size()) - static_cast<double>(num_results);
  return tessera::element_steps(pieces_, num_folds);
}

primitive_handle strips::beside(const primitive& sibling, std::size_t num_operands) const {
  const std::shared_ptr<const strips> added = as_strips(sibling);
  if (added == nullptr || merged_ || added->merged_ ||
      (has_folds() && added->has_folds() && !may_share_steps(sinks_, added->sinks_))) {
    return nullptr;
  }
  // Folds over different axes have one piece.
  const bool have_pieces = pieces_.size() > 1 || added->pieces_.size() > 1;
  const bool have_folds = has_folds() && added->has_folds();
  if (have_pieces && have_folds && reduced_ != added->reduced_) return nullptr;
  std::optional<piece_list> fused = fuse_pieces(pieces_, added->pieces_, num_operands);
  if (!fused) return nullptr;
  std::vector<strip_sink> sinks = sinks_;
  sinks.insert(sinks.end(), added->sinks_.begin(), added->sinks_.end());
  auto joined = std::make_shared<const strips>(*std::move(fused), std::move(sinks));
  const bool has_one_group =
      joined->groups_.size() <= 1 && fold_evenly(joined->pieces_, joined->reduced_);
  return joined->pieces_.size() == 1 || has_one_group ? joined : nullptr;
}

}  // namespace tessera
