// SPDX-License-Identifier: Apache-2.0
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

namespace {

using nlohmann::json;

}  // namespace

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
  const auto& same = static_cast<const held&>(other);
  return num_first_ == same.num_first_ && stream_ == same.stream_ && inputs_ == same.inputs_ &&
         equal(*first_, *same.first_) && equal(*then_, *same.then_);
}

void held::check_portable(const std::string& operation, const std::string& label) const {
  first_->check_portable(operation, label);
  then_->check_portable(operation, label);
}

walk held::walk_of_first(walk how) const {
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    how.stream[axis] = std::min(stream_[axis], how.block[axis]);
  }
  return how;
}

std::vector<output> held::outputs(const walk& how) const { return then_->outputs(how); }

void held::check(const operation_rules& rules) const {
  const walk& how = rules.how();
  rules.require(stream_.size() == how.rank() &&
                    std::ranges::all_of(stream_, [](index_t step) { return step >= 1; }),
                "steps have the rank of the domain");
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    rules.require(how.stream[axis] == how.block[axis] && !how.ordered[axis],
                  "a block that is held is taken at once");
  }
  rules.require(num_first_ <= rules.maps().size(), "what holds a block has operands of both");
  const auto num_first = static_cast<std::ptrdiff_t>(num_first_);
  const walk steps = walk_of_first(how);
  const std::vector<index_map> maps(rules.maps().begin(), rules.maps().begin() + num_first);
  first_->check({rules.name(),
                 steps,
                 maps,
                 {rules.element_types().begin(), rules.element_types().begin() + num_first},
                 {rules.shapes().begin(), rules.shapes().begin() + num_first}});
  rules.check_takes_all(first_->reduced());
  rules.require(then_->as_elementwise() != nullptr, "a block that is held is mapped");
  const std::vector<output> made = first_->outputs(steps);
  std::vector<index_map> maps_of_then;
  std::vector<element_type> types;
  std::vector<index_vector> shapes;
  for (const held_input& input : inputs_) {
    rules.require(input.number < (input.is_made ? made.size() : rules.maps().size()),
                  "the operands of a map of what is held are there");
    if (!input.is_made) {
      maps_of_then.push_back(rules.maps()[input.number]);
      types.push_back(rules.element_types()[input.number]);
      shapes.push_back(rules.shapes()[input.number]);
      continue;
    }
    const output& one = made[input.number];
    rules.require(
        std::ranges::all_of(one.axes, [](const output_axis& axis) { return axis.is_of_domain(); }),
        "what is made of a block that is held goes along the domain");
    maps_of_then.push_back(to_made(how.rank(), one));
    types.push_back(one.type);
    shapes.push_back(one.shape(steps));
  }
  then_->check({rules.name(), how, maps_of_then, std::move(types), std::move(shapes)});
}

// The steps of `first`, then those of `then`. All operands that both take stay where they are.
task_demand held::demand(const walk& how, std::size_t num_operands) const {
  const walk steps = walk_of_first(how);
  const std::vector<output> made = first_->outputs(steps);
  task_demand needs = first_->demand(steps, num_first_);
  std::size_t begin = needs.last_of_stream;
  for (const output_demand& each : needs.outputs) begin = std::max(begin, each.held.last);
  for (const operand_demand& each : needs.operands) begin = std::max(begin, each.used.last);
  ++begin;
  for (const output& each : made) {
    const auto elements = static_cast<std::size_t>(num_elements(each.extents_of(how.block)));
    needs.own.push_back({"what is made of a block", elements * each.type.size()});
  }
  const task_demand then = then_->demand(how, inputs_.size());
  needs.operands.resize(num_operands);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].is_made || !then.operands[i].is_used) continue;
    operand_demand& needed = needs.operands[inputs_[i].number];
    const lifetime used{begin + then.operands[i].used.first, begin + then.operands[i].used.last};
    if (!needed.is_used) {
      needed = {.is_used = true, .used = used, .read = used};
    } else {
      needed.used.last = std::max(needed.used.last, used.last);
      needed.read.last = std::max(needed.read.last, begin + then.operands[i].read.last);
    }
  }
  needs.outputs = then.outputs;
  for (output_demand& each : needs.outputs) {
    each.held = {begin + each.held.first, begin + each.held.last};
  }
  needs.last_of_stream = 0;
  needs.scratch = std::max(needs.scratch, then.scratch);
  return needs;
}

/// A task as `first` sees it, whose outputs stay in the task.
class held::blocks_of_first final : public detail::inner_blocks {
 public:
  blocks_of_first(const held& what, task_blocks& all, const region& box)
      : inner_blocks(all),
        how_(what.walk_of_first(all.how())),
        made_(what.first_->outputs(how_)),
        num_operands_(what.num_first_),
        num_own_(what.first_->demand(how_, what.num_first_).own.size()) {
    for (const output& each : made_) boxes_.push_back(each.box(how_, box));
  }

  [[nodiscard]] const walk& how() const override { return how_; }
  [[nodiscard]] std::size_t num_operands() const override { return num_operands_; }
  void begin(walk_stretch /*what*/, const region& /*box*/) override {}
  void end(walk_stretch /*what*/) override {}
  [[nodiscard]] const region& output_box(std::size_t i) const override { return boxes_[i]; }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    return detail::dense_result(own(num_own_ + i), made_[i].type.size(), boxes_[i], box);
  }

  [[nodiscard]] const output& made(std::size_t i) const { return made_[i]; }

 private:
  walk how_;
  std::vector<output> made_;
  std::size_t num_operands_;
  std::size_t num_own_;
  std::vector<region> boxes_;
};

/// A task as `then` sees it.
class held::blocks_of_then final : public detail::inner_blocks {
 public:
  blocks_of_then(const held& what, task_blocks& all, const blocks_of_first& first)
      : inner_blocks(all), what_(what), first_(first), made_(what.inputs_.size()) {}

  [[nodiscard]] std::size_t num_operands() const override { return what_.inputs_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    const held_input& input = what_.inputs_[i];
    if (!input.is_made) return all().operand(input.number, box);
    const output& made = first_.made(input.number);
    const block_result at = first_.result(input.number, made.box(how(), box));
    made_[i] = {.data = at.data, .strides = index_vector(box.rank())};
    for (std::size_t k = 0; k < made.axes.size(); ++k) {
      made_[i].strides[made.axes[k].axis] = at.strides[k];
    }
    return made_[i];
  }

 private:
  const held& what_;
  const blocks_of_first& first_;
  std::vector<block_operand> made_;
};

void held::run(task_blocks& blocks, const region& box) const {
  for_each_box(box, blocks.how().stream, [&](const region& block) {
    // All of it is one step, which operands are read in once.
    blocks.begin(walk_stretch::step, block);
    blocks_of_first first(*this, blocks, block);
    first_->run(first, block);
    blocks_of_then then(*this, blocks, first);
    then_->run(then, block);
  });
}

description held::describe(const std::string& operation, const walk& how,
                           const operand_words& words) const {
  const auto num_first = static_cast<std::ptrdiff_t>(num_first_);
  const description first =
      first_->describe(operation, walk_of_first(how),
                       {{words.names.begin(), words.names.begin() + num_first},
                        {words.formulas.begin(), words.formulas.begin() + num_first}});
  operand_words of_then;
  for (const held_input& input : inputs_) {
    of_then.names.push_back(input.is_made ? first.outputs[input.number]
                                          : words.names[input.number]);
    of_then.formulas.push_back(input.is_made ? first.outputs[input.number]
                                             : words.formulas[input.number]);
  }
  return then_->describe(operation, how, of_then);
}

}  // namespace tessera
