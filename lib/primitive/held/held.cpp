// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fold, then map: a map of a block and of folds of the same block, which is read once.
///
/// Problem: `(x - mean(x, axis)) / std(x, axis)` reads x twice: for the folds, and for the map.
///
/// Idea: if a block holds the reduced axes, a task reads its block, folds it in the steps that the
/// fold would take alone, and maps the block while it is in memory:
///
///     first: x -> mean, std      steps of `stream`      outputs are buffers of the task
///     then:  x, mean, std -> y   one step               reduced axes have stride 0
///
/// Invariant: the steps of `first` do not depend on the block, so neither do its bits.
/// Reference: the fused softmax and layer normalisation of deep-learning compilers.

#include "tessera/primitive/held.hpp"

#include "tessera/core/error.hpp"
#include "tessera/primitive/epilogue.hpp"

#include "json/fields.hpp"
#include "primitive/inner.hpp"
#include "primitive/parse.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

using nlohmann::json;

held::held(primitive_handle first, std::size_t num_first, index_vector stream,
           primitive_handle then, std::vector<held_input> inputs)
    : first_(std::move(first)),
      num_first_(num_first),
      stream_(std::move(stream)),
      then_(std::move(then)),
      inputs_(std::move(inputs)) {}

std::string held::to_json() const {
  json inputs = json::array();
  for (const held_input& input : inputs_) inputs.push_back({input.is_made ? 1 : 0, input.number});
  return json{{"first", detail::inner_json(*first_)},
              {"operands", num_first_},
              {"stream", fields::of(stream_)},
              {"then", detail::inner_json(*then_)},
              {"inputs", std::move(inputs)}}
      .dump();
}

primitive_handle detail::parse_held(const std::string& text) {
  const json value = json::parse(text);
  std::vector<held_input> inputs;
  for (const json& input : value.at("inputs").get_ref<const json::array_t&>()) {
    inputs.push_back({fields::number_below(input.at(0), 2) == 1, fields::count(input.at(1))});
  }
  return std::make_shared<const held>(parse_inner("held", value.at("first")),
                                      fields::count(value.at("operands")),
                                      fields::indices(value.at("stream")),
                                      parse_inner("held", value.at("then")), std::move(inputs));
}

bool held::equals(const primitive& other) const {
  const auto& rhs = static_cast<const held&>(other);
  return num_first_ == rhs.num_first_ && stream_ == rhs.stream_ && inputs_ == rhs.inputs_ &&
         equal(*first_, *rhs.first_) && equal(*then_, *rhs.then_);
}

void held::check_portable(const std::string& operation, const std::string& label) const {
  first_->check_portable(operation, label);
  then_->check_portable(operation, label);
}

walk held::walk_of_first(walk schedule) const {
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    schedule.stream[axis] = std::min(stream_[axis], schedule.block[axis]);
  }
  return schedule;
}

std::vector<output> held::outputs(const walk& schedule) const { return then_->outputs(schedule); }

void held::check(const operation_rules& rules) const {
  const walk& schedule = rules.how();
  rules.require(stream_.size() == schedule.rank() &&
                    std::ranges::all_of(stream_, [](index_t step) { return step >= 1; }),
                "steps have the rank of the domain");
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    rules.require(schedule.stream[axis] == schedule.block[axis] && !schedule.ordered[axis],
                  "a block of fold-then-map is one step");
  }
  rules.require(num_first_ <= rules.maps().size(), "fold-then-map has the operands of its fold");
  const auto num_first = static_cast<std::ptrdiff_t>(num_first_);
  const walk steps = walk_of_first(schedule);
  const std::vector<index_map> maps(rules.maps().begin(), rules.maps().begin() + num_first);
  first_->check({rules.name(),
                 steps,
                 maps,
                 {rules.element_types().begin(), rules.element_types().begin() + num_first},
                 {rules.shapes().begin(), rules.shapes().begin() + num_first}});
  rules.check_takes_all(first_->reduced());
  rules.require(then_->as_elementwise() != nullptr,
                "the second part of fold-then-map is elementwise");
  const std::vector<output> first_outputs = first_->outputs(steps);
  std::vector<index_map> then_maps;
  std::vector<element_type> types;
  std::vector<index_vector> shapes;
  for (const held_input& input : inputs_) {
    rules.require(input.number < (input.is_made ? first_outputs.size() : rules.maps().size()),
                  "an operand of the map is an operand of the operation or an output of the fold");
    if (!input.is_made) {
      then_maps.push_back(rules.maps()[input.number]);
      types.push_back(rules.element_types()[input.number]);
      shapes.push_back(rules.shapes()[input.number]);
      continue;
    }
    const output& result = first_outputs[input.number];
    rules.require(std::ranges::all_of(result.axes,
                                      [](const output_axis& axis) { return axis.is_of_domain(); }),
                  "an output of the fold has axes of the domain");
    then_maps.push_back(to_made(schedule.rank(), result));
    types.push_back(result.type);
    shapes.push_back(result.shape(steps));
  }
  then_->check({rules.name(), schedule, then_maps, std::move(types), std::move(shapes)});
}

// The steps of `first`, then the steps of `then`. An operand of both lives from its first read to
// its last use, so it is read once.
task_demand held::demand(const walk& schedule, std::size_t num_operands) const {
  const walk steps = walk_of_first(schedule);
  const std::vector<output> first_outputs = first_->outputs(steps);
  task_demand needs = first_->demand(steps, num_first_);
  std::size_t then_begin = needs.last_of_stream;
  for (const output_demand& output : needs.outputs) {
    then_begin = std::max(then_begin, output.held.last);
  }
  for (const operand_demand& operand : needs.operands) {
    then_begin = std::max(then_begin, operand.used.last);
  }
  ++then_begin;
  for (const output& output_spec : first_outputs) {
    const auto elements =
        static_cast<std::size_t>(num_elements(output_spec.extents_of(schedule.block)));
    needs.own.push_back({"output of a fold", elements * output_spec.type.size()});
  }
  const task_demand then = then_->demand(schedule, inputs_.size());
  needs.operands.resize(num_operands);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].is_made || !then.operands[i].is_used) continue;
    operand_demand& needed = needs.operands[inputs_[i].number];
    const lifetime used{then_begin + then.operands[i].used.first,
                        then_begin + then.operands[i].used.last};
    if (!needed.is_used) {
      needed = {.is_used = true, .used = used, .read = used};
    } else {
      needed.used.last = std::max(needed.used.last, used.last);
      needed.read.last = std::max(needed.read.last, then_begin + then.operands[i].read.last);
    }
  }
  needs.outputs = then.outputs;
  for (output_demand& output : needs.outputs) {
    output.held = {then_begin + output.held.first, then_begin + output.held.last};
  }
  needs.last_of_stream = 0;
  needs.scratch = std::max(needs.scratch, then.scratch);
  return needs;
}

/// The task, as `first` sees it: its outputs are buffers of the task.
class held::blocks_of_first final : public detail::inner_blocks {
 public:
  blocks_of_first(const held& owner, task_blocks& task, const region& box)
      : inner_blocks(task),
        schedule_(owner.walk_of_first(task.how())),
        outputs_(owner.first_->outputs(schedule_)),
        num_operands_(owner.num_first_),
        num_buffers_(owner.first_->demand(schedule_, owner.num_first_).own.size()) {
    for (const output& output_spec : outputs_) boxes_.push_back(output_spec.box(schedule_, box));
  }

  [[nodiscard]] const walk& how() const override { return schedule_; }
  [[nodiscard]] std::size_t num_operands() const override { return num_operands_; }
  void begin(walk_stretch /*scope*/, const region& /*box*/) override {}
  void end(walk_stretch /*scope*/) override {}
  [[nodiscard]] const region& output_box(std::size_t i) const override { return boxes_[i]; }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    return detail::dense_result(own(num_buffers_ + i), outputs_[i].type.size(), boxes_[i], box);
  }

  [[nodiscard]] const output& output_of(std::size_t i) const { return outputs_[i]; }

 private:
  walk schedule_;
  std::vector<output> outputs_;
  std::size_t num_operands_;
  std::size_t num_buffers_;
  std::vector<region> boxes_;
};

/// The task, as `then` sees it: its operands are the block's operands and the outputs of `first`.
class held::blocks_of_then final : public detail::inner_blocks {
 public:
  blocks_of_then(const held& owner, task_blocks& task, const blocks_of_first& first)
      : inner_blocks(task), owner_(owner), first_(first), operands_(owner.inputs_.size()) {}

  [[nodiscard]] std::size_t num_operands() const override { return owner_.inputs_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    const held_input& input = owner_.inputs_[i];
    if (!input.is_made) return task().operand(input.number, box);
    const output& output_spec = first_.output_of(input.number);
    const block_result result = first_.result(input.number, output_spec.box(how(), box));
    operands_[i] = {.data = result.data, .strides = index_vector(box.rank())};
    for (std::size_t k = 0; k < output_spec.axes.size(); ++k) {
      operands_[i].strides[output_spec.axes[k].axis] = result.strides[k];
    }
    return operands_[i];
  }

 private:
  const held& owner_;
  const blocks_of_first& first_;
  std::vector<block_operand> operands_;
};

void held::run(task_blocks& blocks, const region& box) const {
  for_each_box(box, blocks.how().stream, [&](const region& block) {
    // The block is one step, in which each operand is read once.
    blocks.begin(walk_stretch::step, block);
    blocks_of_first first(*this, blocks, block);
    first_->run(first, block);
    blocks_of_then then(*this, blocks, first);
    then_->run(then, block);
  });
}

description held::describe(const std::string& operation, const walk& schedule,
                           const operand_words& words) const {
  const auto num_first = static_cast<std::ptrdiff_t>(num_first_);
  const description first =
      first_->describe(operation, walk_of_first(schedule),
                       {{words.names.begin(), words.names.begin() + num_first},
                        {words.formulas.begin(), words.formulas.begin() + num_first}});
  operand_words then_words;
  for (const held_input& input : inputs_) {
    then_words.names.push_back(input.is_made ? first.outputs[input.number]
                                             : words.names[input.number]);
    then_words.formulas.push_back(input.is_made ? first.outputs[input.number]
                                                : words.formulas[input.number]);
  }
  return then_->describe(operation, schedule, then_words);
}

}  // namespace tessera
