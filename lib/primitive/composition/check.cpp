// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rules of compositions: an untrusted list of stages computes the results of its parts apart.

#include "core/api/gather.hpp"
#include "core/api/reshaped_block.hpp"
#include "core/api/wide_integer.hpp"
#include "primitive/api/build.hpp"
#include "primitive/composition/composition.hpp"
#include "primitive/composition/halo.hpp"
#include "primitive/composition/layout.hpp"
#include "primitive/composition/reads.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using detail::stage_layout;

/// Tells whether a box of `extents` consists of whole elements of `outputs`.
bool holds_whole_elements(const std::vector<output>& outputs, const index_vector& extents,
                          const index_vector& domain) {
  return std::ranges::all_of(outputs, [&](const output& output_spec) {
    return std::ranges::all_of(output_spec.axes, [&](const output_axis& axis) {
      return axis.origin != output_axis::kind::along || extents[axis.axis] % axis.step == 0 ||
             extents[axis.axis] >= domain[axis.axis];
    });
  });
}

/// The check of one operation.
class stage_checker {
 public:
  stage_checker(const std::vector<stage>& stages, const operation_rules& rules)
      : stages_(stages), rules_(rules) {}

  void check() {
    rules_.require(!stages_.empty() && stages_.size() <= composition::most_stages,
                   "an operation has up to 128 stages");
    for (std::size_t s = 0; s < stages_.size(); ++s) check_stage(s);
    rules_.require(std::ranges::none_of(stages_, &stage::is_producer) || has_leading_,
                   "a stage behind the producers takes the steps of the operation");
    layouts_ = detail::lay_out(stages_, rules_.schedule());
    check_emissions();
  }

 private:
  [[nodiscard]] const loop_schedule& schedule() const { return rules_.schedule(); }

  /// Checks stage `s`, behind all stages before it.
  void check_stage(std::size_t s) {
    const stage& part = stages_[s];
    rules_.require(s == 0 || stages_[s - 1].at <= part.at,
                   "stages are in the order of their loops");
    check_scope(s);
    if (part.frame) check_frame(*part.frame);
    check_halo(part);
    const std::size_t rank = part.frame ? part.frame->size() : schedule().rank();
    rules_.require(part.step.empty() ||
                       (part.step.size() == rank &&
                        std::ranges::all_of(part.step, [](index_t step) { return step >= 1; })),
                   "a stage has a step along each axis");
    const loop_schedule stage_schedule = detail::schedule_of(part, schedule());
    rules_.check_block(stage_schedule.block);
    check_operands(part, stage_schedule);
    check_swept_axes(part);
    const detail::stage_outputs outputs = detail::outputs_of(part, schedule());
    if (part.frame) check_outputs(part, outputs);
    known_.push_back(outputs);
    needs_.push_back(part.op->demand(stage_schedule, part.inputs.size()));
    rules_.require(detail::reads_computed(stages_, s, schedule()),
                   "a stage reads elements that the task has computed");
  }

  void check_outputs(const stage& part, const detail::stage_outputs& outputs) const {
    rules_.require(
        std::ranges::all_of(outputs.outputs,
                            [&](const output& result) { return goes_along_stage(part, result); }),
        "the outputs of a stage go along its domain");
    const std::vector<output>& results = outputs.domain_outputs;
    const index_vector& domain = schedule().domain;
    rules_.require(
        holds_whole_elements(results, schedule().block, domain) &&
            holds_whole_elements(results, schedule().sweep(), domain) &&
            (part.at != task_scope::step || holds_whole_elements(results, schedule().step, domain)),
        "no element of a stage is cut by blocks");
  }

  /// Requires that folds and scans in a frame see their axes at once: each sweep or step begins
  /// them anew. The leading stage takes them in steps.
  void check_swept_axes(const stage& part) {
    if (!part.frame || part.at == task_scope::task || part.is_leading()) return;
    axis_set whole = part.op->reduced();
    if (const auto carried = part.op->carries()) whole.set(carried->axis);
    for (std::size_t k = 0; k < part.frame->size(); ++k) {
      const output_axis& axis = (*part.frame)[k];
      rules_.require(!whole[k] || axis.origin == output_axis::kind::extra ||
                         detail::takes_whole(schedule(), axis.axis, part.at),
                     "a stage takes folded and scanned axes at once");
    }
  }

  /// Tells whether the axes of `result` are axes of the stage, element by element. The leading
  /// stage may have an element for each block.
  static bool goes_along_stage(const stage& part, const output& result) {
    return std::ranges::all_of(result.axes, [&](const output_axis& axis) {
      const bool is_of_blocks = axis.origin == output_axis::kind::per_block;
      const bool is_known =
          !is_of_blocks || (part.is_leading() && (*part.frame)[axis.axis].is_of_domain());
      return is_known && axis.skipped == 0 && axis.step == 1;
    });
  }

  /// Checks a stage at steps: producers, which compute their part of a step, come before the stage
  /// that takes the steps of the operation.
  void check_steps(std::size_t s) {
    const stage& part = stages_[s];
    rules_.require(!has_leading_,
                   "one stage goes through the steps of the operation, after others");
    if (!part.is_leading()) {
      rules_.require(part.frame.has_value() && !part.is_emitted,
                     "a stage before the leading one has a frame, and is not emitted");
      return;
    }
    has_leading_ = true;
    rules_.require(part.op->is_passive() && (s == 0 || !part.op->carries()),
                   "the leading stage takes steps, and carries no state behind producers");
    if (!part.frame) return;
    rules_.require(std::ranges::all_of(*part.frame, &output_axis::is_of_domain),
                   "the leading stage goes along axes of the operation");
  }

  void check_scope(std::size_t s) {
    const stage& part = stages_[s];
    if (part.at == task_scope::step) return check_steps(s);
    rules_.require(!part.is_leading() || (s == 0 && !part.op->is_passive()),
                   "a stage in the steps of the operation is the first");
    if (part.frame || part.is_leading()) return;
    for (std::size_t axis = 0; axis < schedule().rank(); ++axis) {
      rules_.require(schedule().step[axis] == schedule().block[axis] && !schedule().ordered[axis],
                     "a stage with steps of its own has the block as one step");
    }
    rules_.check_takes_all(part.op->reduced());
  }

  void check_frame(const std::vector<output_axis>& frame) const {
    for (const output_axis& axis : frame) {
      const bool has_length = axis.origin == output_axis::kind::extra || axis.step > 1;
      rules_.require(!has_length || (1 <= axis.length && axis.length < greatest_index),
                     "a stage has elements");
      if (axis.origin == output_axis::kind::extra) continue;
      rules_.require(axis.axis < schedule().rank() && axis.skipped < greatest_index &&
                         axis.step <= std::max<index_t>(1, schedule().domain[axis.axis]),
                     "an axis of a stage goes along one of the domain, in steps within its extent");
    }
  }

  /// Checks that the halo of `part` lies along axes of the operation, element by element, and is
  /// as long as axes that the stage does not have otherwise.
  void check_halo(const stage& part) const {
    if (part.halo.empty()) return;
    rules_.require(part.frame && !part.is_leading() && !part.is_emitted &&
                       part.at != task_scope::sweep && may_have_halo(*part.op),
                   "a map or a fold behind which others take steps may have a halo");
    axis_set used = detail::axes_along(part, ~axis_set{});
    axis_set grown = part.op->reduced();
    for (const halo_axis& halo : part.halo) {
      rules_.require(halo.axis < part.frame->size() && (*part.frame)[halo.axis].is_of_domain() &&
                         !grown[halo.axis] && halo.by < schedule().rank() && !used[halo.by],
                     "a halo goes along an axis of the operation, and is as long as another");
      grown.set(halo.axis);
      used.set(halo.by);
      const std::size_t axis = (*part.frame)[halo.axis].axis;
      for (const index_vector* const extents : {&schedule().domain, &schedule().block}) {
        const wide_integer length = static_cast<wide_integer>((*extents)[axis]) +
                                    (*extents)[halo.by] + std::abs(halo.offset);
        rules_.require(1 <= halo.extent && halo.extent < greatest_index && length < greatest_index,
                       "a stage has elements along a halo, at indices");
      }
    }
  }

  /// Checks the operands of `part`, and the primitive with them.
  void check_operands(const stage& part, const loop_schedule& stage_schedule) const {
    std::vector<index_map> maps;
    std::vector<element_type> types;
    std::vector<index_vector> shapes;
    for (const stage_input& input : part.inputs) {
      if (input.stage) {
        check_stage_input(part, stage_schedule, input);
        const output& value = known_[*input.stage].outputs[input.number];
        maps.push_back(input.map);
        types.push_back(value.type);
        shapes.push_back(value.shape(known_[*input.stage].schedule));
        continue;
      }
      rules_.require(input.number < rules_.maps().size(),
                     "an operand of a stage is an operand of the operation or an earlier output");
      const index_map& map = rules_.maps()[input.number];
      maps.push_back(part.frame ? detail::seen_from(part, map) : map);
      types.push_back(rules_.element_types()[input.number]);
      shapes.push_back(rules_.shapes()[input.number]);
    }
    part.op->check({rules_.name(), stage_schedule, maps, std::move(types), std::move(shapes)});
  }

  void check_stage_input(const stage& part, const loop_schedule& stage_schedule,
                         const stage_input& input) const {
    rules_.require((part.at == task_scope::step || part.frame.has_value()) &&
                       *input.stage < known_.size() &&
                       input.number < known_[*input.stage].domain_outputs.size(),
                   "a stage that reads outputs has a frame, and reads those of earlier stages");
    rules_.require(
        detail::completion(stages_[*input.stage], needs_[*input.stage], input.number) == part.at,
        "an output that a stage reads is complete at the scope of the stage");
    const output& value = known_[*input.stage].domain_outputs[input.number];
    rules_.require(input.map.domain_rank() == stage_schedule.rank() &&
                       input.map.array_rank() == value.axes.size(),
                   "a map leads from the domain of a stage to an output");
    rules_.check_indices(input.map);
    check_reshape(input);
  }

  /// Checks the gather of a stage that sees an output in another shape. Outputs of producers have
  /// dense buffers.
  void check_reshape(const stage_input& input) const {
    const gather* const reshape = input.map.gather().get();
    if (reshape == nullptr) return;
    const detail::stage_outputs& read = known_[*input.stage];
    rules_.require(
        stages_[*input.stage].is_producer() &&
            input.map.axes().size() == reshape->domain().size() &&
            is_reshape_in_memory(*reshape, read.outputs[input.number].shape(read.schedule)),
        "a stage numbers axes of an output anew if a step holds them side by side");
  }

  /// Checks that all outputs of the operation leave with one scope, behind all stages.
  void check_emissions() const {
    std::vector<task_scope> scopes;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      for (std::size_t i = 0; i < layouts_[s].slots.size() && stages_[s].is_emitted; ++i) {
        scopes.push_back(detail::completion(stages_[s], layouts_[s].needs, i));
      }
      rules_.require(stages_[s].op->is_passive() || !stages_[s].is_leading() ||
                         std::ranges::all_of(layouts_[s].needs.outputs,
                                             [](const output_demand& demand) {
                                               return demand.emitted_per == task_scope::task;
                                             }),
                     "the outputs of a stage that is not passive leave with the task");
    }
    rules_.require(!scopes.empty(), "a stage is emitted");
    rules_.require(std::ranges::all_of(scopes,
                                       [&](task_scope scope) {
                                         return scope == scopes.front() &&
                                                scope >= stages_.back().at;
                                       }),
                   "all outputs leave with one scope, behind all stages");
  }

  const std::vector<stage>& stages_;
  const operation_rules& rules_;
  /// Whether a stage before takes the steps of the operation.
  bool has_leading_ = false;
  /// The outputs and the needs of the stages that are checked.
  std::vector<detail::stage_outputs> known_;
  std::vector<task_demand> needs_;
  std::vector<stage_layout> layouts_;
};

}  // namespace

void composition::check(const operation_rules& rules) const {
  stage_checker(stages_, rules).check();
}

}  // namespace tessera
