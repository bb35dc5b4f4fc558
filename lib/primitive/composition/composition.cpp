// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compositions: the questions of the planner, stage by stage.
///
/// Problem: an operation that computes `relu(a @ b + c)`, a normalised block or the levels of a
/// pyramid has several primitives. A class for each combination numbers its steps, places its
/// buffers and drives its loops by hand.
///
/// Idea: one list of stages. Each stage has a primitive, a frame (its domain along the
/// operation's), a scope that it runs in, and operands: arrays of the operation or outputs of
/// earlier stages. Loops (`run.cpp`), lifetimes (`demand.cpp`) and rules (`check.cpp`) follow from
/// the list:
///
///     epilogue        product, at steps     map, behind the product's output
///     producers       gather, at steps      fold, which takes the steps of the operation
///     map of blocks   map, with a halo      product or window, which takes the steps
///     windows twice   fold, with a halo     border of its output, with a halo; fold of windows
///     fold, then map  fold, whole block     map of the block and of the fold's output
///     pyramid         any, emitted          folds of outputs before, each emitted
///
/// Invariant: a stage sees the elements, shapes and steps that it would see in an operation of its
/// own, so its bits are the same.
/// Reference: loop nests with `compute_at`, as in Halide (Ragan-Kelley et al., PLDI 2013); epilogue
/// fusion as in NVIDIA's CUTLASS; image pyramids, Burt and Adelson (1983).

#include "primitive/composition/composition.hpp"

#include "primitive/composition/layout.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

namespace tessera {

bool stage::operator==(const stage& rhs) const {
  return inputs == rhs.inputs && frame == rhs.frame && halo == rhs.halo && at == rhs.at &&
         step == rhs.step && is_emitted == rhs.is_emitted && equal(*op, *rhs.op);
}

bool composition::equals(const primitive& rhs_base) const {
  return stages_ == static_cast<const composition&>(rhs_base).stages_;
}

void composition::check_portable(const std::string& operation, const std::string& label) const {
  for (const stage& part : stages_) part.op->check_portable(operation, label);
}

std::shared_ptr<const detail::composition_layout> composition::layout(
    const loop_schedule& schedule) const {
  {
    const std::lock_guard lock(mutex_);
    if (layout_ != nullptr && layout_->schedule == schedule) return layout_;
  }
  auto layout = std::make_shared<const detail::composition_layout>(
      detail::composition_layout{schedule, detail::lay_out(stages_, schedule)});
  const std::lock_guard lock(mutex_);
  layout_ = layout;
  return layout;
}

const stage* composition::leading() const {
  const auto match = std::ranges::find_if(stages_, &stage::is_leading);
  return match == stages_.end() ? nullptr : &*match;
}

bool composition::has_producers() const { return stages_.front().is_producer(); }

axis_set composition::private_axes() const {
  const stage* const first = leading();
  if (first == nullptr || !first->frame) return {};
  axis_set axes;
  for (const stage& part : stages_) {
    if (part.is_producer()) axes |= detail::axes_along(part, ~axis_set{});
  }
  return axes & ~detail::axes_along(*first, ~axis_set{});
}

std::size_t composition::num_emitted() const {
  return static_cast<std::size_t>(std::ranges::count_if(stages_, &stage::is_emitted));
}

axis_set composition::reduced() const {
  axis_set axes = private_axes();
  for (const stage& part : stages_) axes |= detail::axes_along(part, part.op->reduced());
  return axes;
}

// Without a stage at steps, a block is one step. Later stages read their operands over a sweep: a
// step then holds all of it along kept axes.
axis_set composition::in_steps(const loop_schedule& schedule) const {
  axis_set axes;
  bool reads_later = false;
  for (const stage& part : stages_) {
    if (part.is_producer()) continue;
    if (part.at == task_scope::step) {
      const loop_schedule stage_schedule = detail::schedule_of(part, schedule);
      axes |= detail::axes_along(part, part.op->in_steps(stage_schedule));
    } else {
      reads_later = reads_later || std::ranges::any_of(part.inputs, [](const stage_input& input) {
                      return !input.stage.has_value();
                    });
    }
  }
  return reads_later ? axes & (reduced() | schedule.ordered) : axes;
}

// Steps in a sweep share the elements of operands that are read for a halo.
bool composition::can_sweep() const {
  const stage* const first = leading();
  if (first == nullptr || !first->op->can_sweep()) return false;
  return !has_producers() || std::ranges::any_of(stages_, [](const stage& part) {
    return part.is_producer() && !part.halo.empty();
  });
}

std::optional<carried_state> composition::carries() const {
  const stage* const first = leading();
  return first == nullptr || first->frame ? std::nullopt : first->op->carries();
}

bool composition::may_grow() const {
  const stage* const first = leading();
  return first != nullptr && !has_producers() && num_emitted() == 1 && first->op->may_grow();
}

bool composition::may_shrink() const {
  const stage* const first = leading();
  if (first == nullptr) {
    const auto is_separate = [](const stage& part) {
      return part.is_emitted || (part.frame && part.op->as_elementwise() != nullptr);
    };
    return std::ranges::all_of(stages_, is_separate) && has_separable_stages();
  }
  if (num_emitted() != 1) return false;
  if (!has_producers()) return first->op->may_shrink();
  return has_separable_stages();
}

bool composition::has_separable_stages() const {
  const bool has_leading = leading() != nullptr;
  return std::ranges::all_of(stages_, [&](const stage& part) {
    const bool is_behind = part.at != task_scope::step && has_leading;
    return is_behind || part.op->may_shrink() || part.op->may_grow() ||
           !part.op->in_stages().empty();
  });
}

bool composition::takes_epilogue() const {
  constexpr std::size_t most_epilogues = 16;
  return leading() != nullptr && num_emitted() == 1 && stages_.size() <= most_epilogues;
}

// A stage of several outputs needs them all: stages do not tell their number without a schedule.
primitive_handle composition::with_outputs(const std::vector<bool>& needed) const {
  if (num_emitted() != needed.size()) return nullptr;
  std::vector<stage> stages = stages_;
  std::size_t output = 0;
  for (stage& part : stages) {
    if (part.is_emitted) part.is_emitted = needed[output++];
  }
  return std::make_shared<const composition>(std::move(stages));
}

std::size_t composition::most_pieces(const loop_schedule& schedule) const {
  std::size_t most = 1;
  for (const stage& part : stages_) {
    most = std::max(most, part.op->most_pieces(detail::outputs_of(part, schedule).schedule));
  }
  return most;
}

std::size_t composition::num_steps() const {
  std::size_t most = 0;
  for (const stage& part : stages_) most = std::max(most, part.op->num_steps());
  return most;
}

double composition::weight() const {
  double most = 0;
  for (const stage& part : stages_) most = std::max(most, part.op->weight());
  return most;
}

double composition::element_steps(const loop_schedule& schedule) const {
  double steps = 0;
  for (const stage& part : stages_) {
    steps += detail::times_run(part, schedule) *
             part.op->element_steps(detail::outputs_of(part, schedule).schedule);
  }
  return steps;
}

std::vector<output> composition::outputs(const loop_schedule& schedule) const {
  std::vector<output> result;
  for (const stage& part : stages_) {
    if (!part.is_emitted) continue;
    const std::vector<output> domain_outputs = detail::outputs_of(part, schedule).domain_outputs;
    result.insert(result.end(), domain_outputs.begin(), domain_outputs.end());
  }
  return result;
}

}  // namespace tessera
