// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prologues: elementwise producers that are inlined into a primitive of whole blocks.
///
/// Problem: `(a - 1) @ b`, or a window function of `sqrt(x)`, would write `a - 1` to a store first.
///
/// Idea: the primitive `then` asks for an operand over a box. The prologue reads the operands of
/// the producer, computes the box into a buffer of the task, and passes the buffer on:
///
///     then asks operand 0 over box    read a over box | run "a - 1" strip by strip | buffer
///
/// A producer of several pieces (a padded or concatenated array) computes piece after piece. Along
/// windows, elements are computed once for all windows that share them (`computed.hpp`).
///
/// Invariant: `then` sees the elements, shapes and schedule that it would see without prologue.
/// Reference: operator fusion by inlining, as Halide's `compute_at`, here at the step of the block.

#include "primitive/prologue/prologue.hpp"

#include "tessera/core/error.hpp"

#include "core/api/text.hpp"
#include "primitive/inner.hpp"
#include "primitive/operand_demand.hpp"
#include "primitive/pieces/pieces.hpp"
#include "primitive/pieces/program_rules.hpp"
#include "primitive/prologue/computed.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace tessera {

namespace {

const computed_operand* as_computed(const prologue_input& input) {
  return std::get_if<computed_operand>(&input);
}

/// Returns the extents of a computed operand in a step of `schedule`, over all axes of the domain.
index_vector extents_in_step(const computed_operand& computed, const loop_schedule& schedule) {
  return detail::operand_box(computed, region::whole(schedule.step)).shape();
}

/// Returns the strides of a contiguous block of `extents`, with the axis order of the first of
/// `operands`; 0 along axes of length one.
index_vector strides_like(const index_vector& extents, const std::vector<block_operand>& operands,
                          std::size_t itemsize) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (operands.empty()) return false;
    return std::abs(operands.front().strides[a]) < std::abs(operands.front().strides[b]);
  });
  // Axes that the operand does not have are of length one.
  index_vector strides(extents.size());
  auto stride = static_cast<index_t>(itemsize);
  for (const std::size_t axis : order) {
    if (extents[axis] == 1) continue;
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}

}  // namespace

prologue::prologue(primitive_handle then, std::vector<prologue_input> inputs)
    : then_(std::move(then)), inputs_(std::move(inputs)) {}

bool prologue::equals(const primitive& rhs_base) const {
  const auto& rhs = static_cast<const prologue&>(rhs_base);
  return inputs_ == rhs.inputs_ && equal(*then_, *rhs.then_);
}

void prologue::check_portable(const std::string& operation, const std::string& label) const {
  then_->check_portable(operation, label);
  for (const prologue_input& input : inputs_) {
    if (as_computed(input) == nullptr) continue;
    for (const piece& part : as_computed(input)->pieces) {
      detail::check_portable(part.program, operation, label);
    }
  }
}

namespace {

/// Returns the shape of the whole of a computed operand.
index_vector shape_of(const computed_operand& computed, const loop_schedule& schedule) {
  const auto extents = detail::operand_box(computed, region::whole(schedule.domain)).shape();
  index_vector shape;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (computed.axes[axis]) shape.push_back(extents[axis]);
  }
  return shape;
}

}  // namespace

void prologue::check(const operation_rules& rules) const {
  const loop_schedule& schedule = rules.schedule();
  std::vector<index_map> maps;
  std::vector<element_type> types;
  std::vector<index_vector> shapes;
  std::vector<bool> is_used(rules.maps().size(), false);
  const auto use = [&](std::size_t operand) {
    rules.require(operand < is_used.size(), "the operands of a prologue are the operation's");
    is_used[operand] = true;
  };
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) {
      const std::size_t operand = std::get<std::size_t>(input);
      use(operand);
      maps.push_back(rules.maps()[operand]);
      types.push_back(rules.element_types()[operand]);
      shapes.push_back(rules.shapes()[operand]);
      continue;
    }
    detail::check_computed(rules, *computed);
    for (const piece& part : computed->pieces) {
      for (const std::size_t operand : part.operands) use(operand);
    }
    maps.push_back(detail::operand_map(*computed, schedule.rank()));
    types.emplace_back(detail::type_of(*computed));
    shapes.push_back(shape_of(*computed, schedule));
  }
  rules.require(std::find(is_used.begin(), is_used.end(), false) == is_used.end(),
                "each operand is used");
  rules.require(then_->is_passive(), "a primitive with computed operands has `start`");
  then_->check({rules.name(), schedule, maps, std::move(types), std::move(shapes)});
  // Steps of the prologue stand before the step that reads the operand, so it must be a block.
  const task_demand needs = then_->demand(schedule, inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    rules.require(as_computed(inputs_[i]) == nullptr || needs.operands[i].is_whole,
                  "a computed operand is an operand that the primitive takes in blocks");
  }
}

std::size_t prologue::most_pieces(const loop_schedule& schedule) const {
  std::size_t most = then_->most_pieces(schedule);
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) continue;
    most = std::max(most, computed->pieces.most_met(extents_in_step(*computed, schedule)));
  }
  return most;
}

// The step that reads a computed operand is replaced by steps of its pieces: for each piece one for
// each operand that is read, and one that computes.
task_demand prologue::demand(const loop_schedule& schedule, std::size_t num_operands) const {
  task_demand needs = then_->demand(schedule, inputs_.size());
  const std::vector<operand_demand> then_demands =
      std::exchange(needs.operands, std::vector<operand_demand>(num_operands));
  const auto shift_step = [&](std::size_t step, bool is_behind) {
    std::size_t shifted = step;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const computed_operand* const computed = as_computed(inputs_[i]);
      if (computed == nullptr) continue;
      const std::size_t read = then_demands[i].read.first;
      if (read < step || (read == step && is_behind)) shifted += detail::count_steps(*computed) - 1;
    }
    return shifted;
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const operand_demand& then_demand = then_demands[i];
    const computed_operand* const computed = as_computed(inputs_[i]);
    if (computed == nullptr) {
      operand_demand shifted_demand = then_demand;
      shifted_demand.used = {shift_step(then_demand.used.first, true),
                             shift_step(then_demand.used.last, true)};
      shifted_demand.read = {shift_step(then_demand.read.first, true),
                             shift_step(then_demand.read.last, true)};
      add_demand(needs.operands[std::get<std::size_t>(inputs_[i])], shifted_demand);
      continue;
    }
    add_computed(needs, *computed, schedule, shift_step(then_demand.read.first, false));
  }
  for (output_demand& output : needs.outputs) {
    output.live_steps = {shift_step(output.live_steps.first, output.live_steps.first > 0),
                         shift_step(output.live_steps.last, true)};
  }
  needs.last_repeated_step = shift_step(needs.last_repeated_step, true);
  needs.is_handed_on = false;
  return needs;
}

void prologue::add_computed(task_demand& needs, const computed_operand& computed,
                            const loop_schedule& schedule, std::size_t step) {
  const region domain = region::whole(schedule.domain);
  const index_vector extents = extents_in_step(computed, schedule);
  const index_t num_elements = tessera::num_elements(extents);
  for (const piece& part : computed.pieces) {
    const region box_of_operand = intersect(part.box, detail::operand_box(computed, domain));
    region domain_box = detail::domain_hull(computed, box_of_operand, domain);
    if (box_of_operand.empty()) domain_box.stop = domain_box.start;
    const std::size_t compute_step = step + part.operands.size();
    for (const std::size_t operand : part.operands) {
      add_demand(needs.operands[operand], {.is_used = true,
                                           .used = {step, compute_step},
                                           .read = {step, step},
                                           .domain = domain_box});
      ++step;
    }
    step = compute_step + 1;
    needs.scratch = std::max(needs.scratch, scratch_bytes(part.program, num_elements));
  }
  needs.buffers.push_back({"computed operand", static_cast<std::size_t>(num_elements) *
                                                   size_of(detail::type_of(computed))});
}

double prologue::element_steps(const loop_schedule& schedule) const {
  double steps = then_->element_steps(schedule);
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) continue;
    const auto elements = static_cast<double>(num_elements(extents_in_step(*computed, schedule)));
    steps += schedule.num_steps() * elements * detail::heaviest_program(*computed);
  }
  return steps;
}

/// The task, as `then` sees it: computed operands are buffers of the task.
class prologue::blocks_of_then final : public detail::inner_blocks {
 public:
  blocks_of_then(const prologue& owner, task_blocks& task)
      : inner_blocks(task),
        owner_(owner),
        num_buffers_(owner.then_->demand(task.schedule(), owner.inputs_.size()).buffers.size()),
        computed_(owner.inputs_.size()) {}

  [[nodiscard]] std::size_t num_operands() const override { return owner_.inputs_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    const computed_operand* const computed = as_computed(owner_.inputs_[i]);
    if (computed == nullptr) return task().operand(std::get<std::size_t>(owner_.inputs_[i]), box);
    compute(i, *computed, box);
    return computed_[i];
  }

 private:
  void compute(std::size_t i, const computed_operand& computed, const region& box) {
    std::size_t buffer = num_buffers_;
    for (std::size_t before = 0; before < i; ++before) {
      buffer += as_computed(owner_.inputs_[before]) == nullptr ? 0 : 1;
    }
    const region coordinates = detail::operand_box(computed, box);
    block_result whole{task().work_buffer(buffer).data(), {}};
    const std::vector<block_operand> no_operands;
    for (const piece& part : computed.pieces.near(coordinates)) {
      const region overlap = intersect(part.box, coordinates);
      if (overlap.empty()) continue;
      const region source_box = detail::covering_box(computed, overlap, box);
      std::vector<block_operand> operands;
      for (const std::size_t operand : part.operands) {
        operands.push_back(task().operand(operand, source_box));
      }
      if (whole.strides.empty()) {
        // A border piece has another layout than the array, so it does not determine the order.
        whole.strides =
            strides_like(coordinates.shape(), overlap == coordinates ? operands : no_operands,
                         size_of(detail::type_of(computed)));
      }
      const block_result target = detail::restrict_result(whole, coordinates, overlap);
      run_map(part.program, operands, {&target, 1}, overlap.shape(), task().scratch());
    }
    computed_[i] = {.data = whole.data, .strides = std::move(whole.strides)};
    for (const grown_axis& grown : computed.grown) {
      computed_[i].strides[grown.by] = computed_[i].strides[grown.axis];
    }
  }

  const prologue& owner_;
  std::size_t num_buffers_;
  std::vector<block_operand> computed_;
};

void prologue::for_each_read(const region& step, const read_visitor& visit) const {
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) {
      visit(std::get<std::size_t>(input), step);
      continue;
    }
    const region coordinates = detail::operand_box(*computed, step);
    for (const piece& part : computed->pieces.near(coordinates)) {
      const region overlap = intersect(part.box, coordinates);
      if (overlap.empty()) continue;
      const region source_box = detail::covering_box(*computed, overlap, step);
      for (const std::size_t operand : part.operands) visit(operand, source_box);
    }
  }
}

/// The computation of `then`, with the task as it sees it.
class prologue::computation final : public block_computation {
 public:
  computation(const prologue& owner, task_blocks& task, const region& box)
      : blocks_(owner, task), then_(owner.then_->start(blocks_, box)) {}

  void take(const region& part) override { then_->take(part); }
  void finish() override { then_->finish(); }

 private:
  blocks_of_then blocks_;
  std::unique_ptr<block_computation> then_;
};

std::unique_ptr<block_computation> prologue::start(task_blocks& blocks, const region& box) const {
  return std::make_unique<computation>(*this, blocks, box);
}

}  // namespace tessera
