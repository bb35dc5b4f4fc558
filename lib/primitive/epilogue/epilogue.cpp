// SPDX-License-Identifier: Apache-2.0
/// \file
/// Epilogues: an elementwise function of the output of another primitive, before it leaves.
///
/// Problem: `relu(a @ b + c)` would write the product to a store and read it again.
///
/// Idea: the primitive `first` fills its output in memory. At the end of the scope with which it
/// leaves (step, sweep or task), the elementwise primitive `then` runs over the same box:
///
///     first: a, b -> p        then: p, c -> result        operands (a, b, c), output result
///
/// If `then` has one result of the type of `p`, both share one buffer and `then` runs in place.
/// Operands of `then` are seen from the domain of `first`; `from_made` converts their maps to maps
/// from the axes of `p`.
///
/// Invariant: `first` is not aware of `then`, so its bits are those that it has alone.
/// Reference: epilogue fusion, as in NVIDIA's CUTLASS.

#include "tessera/primitive/epilogue.hpp"

#include "tessera/core/error.hpp"

#include "json/fields.hpp"
#include "primitive/inner.hpp"
#include "primitive/parse.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

/// Returns the strides along the axes of `first_output`, given the strides along the domain's axes.
index_vector strides_of_output(const index_vector& strides, const output& first_output) {
  index_vector result(first_output.axes.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    if (first_output.axes[k].is_of_domain()) result[k] = strides[first_output.axes[k].axis];
  }
  return result;
}

}  // namespace

bool is_seen_from_domain(const index_map& map, const output& first_output) {
  for (std::size_t k = 0; k < first_output.axes.size(); ++k) {
    if (!first_output.axes[k].is_of_domain() && map.depends_on(k)) return false;
  }
  return true;
}

index_map from_made(const index_map& map, const output& first_output) {
  std::vector<axis_map> axes;
  for (const axis_map& along : map.axes()) {
    axis_map output_axis_map(along.offset);
    for (const axis_term& term : along.terms()) {
      const auto match = std::find_if(
          first_output.axes.begin(), first_output.axes.end(),
          [&](const output_axis& axis) { return axis.is_of_domain() && axis.axis == term.axis; });
      if (match == first_output.axes.end()) {
        throw value_error("an operand is not seen from an output");
      }
      output_axis_map.add({static_cast<std::size_t>(match - first_output.axes.begin()), term.step});
    }
    axes.push_back(output_axis_map);
  }
  return {first_output.axes.size(), std::move(axes), map.behind()};
}

index_map to_made(std::size_t rank, const output& first_output) {
  std::vector<axis_map> axes;
  for (const output_axis& axis : first_output.axes) {
    axes.push_back(axis.is_of_domain() ? axis_map(axis.axis, 0, 1) : axis_map());
  }
  return {rank, std::move(axes)};
}

epilogue::epilogue(primitive_handle first, std::size_t num_first, primitive_handle then,
                   std::size_t position, std::size_t count)
    : first_(std::move(first)),
      num_first_(num_first),
      then_(std::move(then)),
      made_(position),
      count_(count) {
  const auto* const within = dynamic_cast<const epilogue*>(first_.get());
  num_behind_ = within == nullptr ? 1 : within->num_behind_ + 1;
}

std::string epilogue::to_json() const {
  return json{{"first", detail::inner_json(*first_)},
              {"operands", num_first_},
              {"then", detail::inner_json(*then_)},
              {"made", made_},
              {"count", count_}}
      .dump();
}

namespace {

/// Returns the primitive inside an epilogue; at most `most_behind` epilogues may be in a row.
primitive_handle parse_first(const json& value) {
  std::size_t count = 1;
  const json* inner = &value;
  for (; inner->at("kind") == "epilogue"; inner = &inner->at("json").at("first")) {
    if (++count > epilogue::most_behind) {
      throw value_error(
          fmt::format("an operation has more than {} epilogues in a row", epilogue::most_behind));
    }
  }
  return inner == &value ? detail::parse_inner("epilogue", value)
                         : detail::parse_epilogue(value.at("json").dump());
}

}  // namespace

primitive_handle detail::parse_epilogue(const std::string& text) {
  const json value = json::parse(text);
  const std::size_t count = fields::count(value.at("count"));
  primitive_handle first = parse_first(value.at("first"));
  return std::make_shared<const epilogue>(std::move(first), fields::count(value.at("operands")),
                                          parse_inner("epilogue", value.at("then")),
                                          fields::number_below(value.at("made"), count), count);
}

bool epilogue::equals(const primitive& other) const {
  const auto& rhs = static_cast<const epilogue&>(other);
  return num_first_ == rhs.num_first_ && made_ == rhs.made_ && count_ == rhs.count_ &&
         equal(*first_, *rhs.first_) && equal(*then_, *rhs.then_);
}

void epilogue::check_portable(const std::string& operation, const std::string& label) const {
  first_->check_portable(operation, label);
  then_->check_portable(operation, label);
}

std::size_t epilogue::num_steps() const {
  return std::max(first_->num_steps(), then_->num_steps());
}

double epilogue::weight() const { return std::max(first_->weight(), then_->weight()); }

double epilogue::element_steps(const walk& schedule) const {
  return first_->element_steps(schedule) +
         then_->element_steps(walk_of(first_->outputs(schedule).front(), schedule));
}

walk epilogue::walk_of(const output& first_output, const walk& schedule) {
  return {first_output.shape(schedule), first_output.block(schedule), first_output.block(schedule)};
}

std::vector<output> epilogue::outputs(const walk& schedule) const {
  const output first_output = first_->outputs(schedule).front();
  std::vector<output> results = then_->outputs(walk_of(first_output, schedule));
  for (output& result : results) result.axes = first_output.axes;
  return results;
}

bool epilogue::is_in_place(const walk& schedule) const {
  const std::vector<output> results = outputs(schedule);
  return results.size() == 1 && results.front().type == first_->outputs(schedule).front().type;
}

void epilogue::check(const operation_rules& rules) const {
  const std::vector<element_type>& types = rules.element_types();
  const auto num_first = static_cast<std::ptrdiff_t>(num_first_);
  rules.require(then_->as_elementwise() != nullptr && made_ < count_ &&
                    types.size() == num_first_ + count_ - 1,
                "an epilogue is elementwise, of the inner output and further operands");
  const std::vector<index_map> maps(rules.maps().begin(), rules.maps().begin() + num_first);
  first_->check({rules.name(),
                 rules.how(),
                 maps,
                 {types.begin(), types.begin() + num_first},
                 {rules.shapes().begin(), rules.shapes().begin() + num_first}});
  const std::vector<output> outputs = first_->outputs(rules.how());
  rules.require(outputs.size() == 1, "the primitive inside an epilogue has one output");
  const output& first_output = outputs.front();
  const walk then_schedule = walk_of(first_output, rules.how());
  std::vector<index_map> then_maps;
  std::vector<element_type> then_types;
  std::vector<index_vector> then_shapes;
  for (std::size_t i = 0, operand = num_first_; i < count_; ++i) {
    if (i == made_) {
      then_maps.push_back(index_map::identity(first_output.axes.size()));
      then_types.push_back(first_output.type);
      then_shapes.push_back(then_schedule.domain);
    } else {
      then_maps.push_back(from_made(rules.maps()[operand], first_output));
      then_types.push_back(types[operand]);
      then_shapes.push_back(rules.shapes()[operand++]);
    }
  }
  then_->check({rules.name(), then_schedule, then_maps, then_types, then_shapes});
}

// Behind the step in which the output of `first` is complete: steps that read the operands of
// `then`, one that computes, then one for each result that leaves.
task_demand epilogue::demand(const walk& schedule, std::size_t num_operands) const {
  task_demand needs = first_->demand(schedule, num_first_);
  const output_demand first_demand = needs.outputs.front();
  const output first_output = first_->outputs(schedule).front();
  const task_demand then = then_->demand(walk_of(first_output, schedule), count_);
  const std::size_t compute_step = first_demand.held.last + num_operands - num_first_;
  for (std::size_t i = num_first_; i < num_operands; ++i) {
    const std::size_t read_step = first_demand.held.last + i - num_first_;
    needs.operands.push_back(
        {.is_used = true, .used = {read_step, compute_step}, .read = {read_step, read_step}});
  }
  const bool is_shared = is_in_place(schedule);
  if (!is_shared) {
    const index_vector extents =
        first_demand.leaves_with == walk_stretch::task  ? first_output.block(schedule)
        : first_demand.leaves_with == walk_stretch::leg ? first_output.extents_of(schedule.leg())
                                                        : first_output.extents_of(schedule.stream);
    needs.own.push_back(
        {"output before its epilogue",
         static_cast<std::size_t>(num_elements(extents)) * first_output.type.size()});
  }
  needs.outputs.clear();
  std::size_t step = compute_step + 1;
  for (std::size_t i = 0; i < then.outputs.size(); ++i) {
    needs.outputs.push_back(
        {{is_shared ? first_demand.held.first : compute_step, step++}, first_demand.leaves_with});
  }
  if (const std::size_t last = needs.last_of_stream; last >= first_demand.held.last) {
    needs.last_of_stream = step - 1;
    // Operands for the next step must survive the steps in which outputs leave.
    for (std::size_t i = 0; i < num_first_; ++i) {
      operand_demand& operand = needs.operands[i];
      if (operand.is_used && operand.used.last >= last) operand.used.last = step - 1;
    }
  }
  needs.scratch = std::max(needs.scratch, then.scratch);
  return needs;
}

/// The task, as `then` sees it, over the box that `first` completed last.
class epilogue::then_blocks final : public detail::inner_blocks {
 public:
  then_blocks(const epilogue& owner, task_blocks& task, const output& first_output,
              const region& box, const block_result& result)
      : inner_blocks(task),
        owner_(owner),
        first_output_(first_output),
        schedule_(walk_of(first_output, task.how())),
        box_(box),
        result_(result) {}

  [[nodiscard]] const walk& how() const override { return schedule_; }
  [[nodiscard]] std::size_t num_operands() const override { return owner_.count_; }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    if (operands_.empty()) operands_.resize(owner_.count_);
    if (i == owner_.made_) {
      const block_result part = detail::restrict_result(result_, task().output_box(0), box);
      operands_[i] = {.data = part.data, .strides = part.strides};
    } else {
      const std::size_t number = owner_.num_first_ + i - (i > owner_.made_ ? 1 : 0);
      operands_[i] = task().operand(number, first_output_.domain_of(box_, box));
      operands_[i].strides = strides_of_output(operands_[i].strides, first_output_);
    }
    return operands_[i];
  }
  void begin(walk_stretch /*scope*/, const region& /*box*/) override {}
  void end(walk_stretch /*scope*/) override {}

 private:
  const epilogue& owner_;
  const output& first_output_;
  walk schedule_;
  const region& box_;
  const block_result& result_;
  std::vector<block_operand> operands_;
};

/// The task, as `first` sees it. Runs `then` on the output of `first` before it leaves.
class epilogue::first_blocks final : public detail::inner_blocks {
 public:
  first_blocks(const epilogue& owner, task_blocks& task, const region& box)
      : inner_blocks(task),
        owner_(owner),
        first_output_(owner.first_->outputs(task.how()).front()),
        needs_(owner.first_->demand(task.how(), owner.num_first_)),
        is_in_place_(owner.is_in_place(task.how())),
        box_(box) {}

  [[nodiscard]] std::size_t num_operands() const override { return owner_.num_first_; }
  void begin(walk_stretch scope, const region& box) override {
    task().begin(scope, box);
    if (scope == stretch()) box_ = box;
  }
  void end(walk_stretch scope) override {
    if (scope == stretch()) finish();
    task().end(scope);
  }
  [[nodiscard]] block_result result(std::size_t /*i*/, const region& box) const override {
    if (is_in_place_) return task().result(0, box);
    return detail::dense_result(own(needs_.own.size()), first_output_.type.size(), output_box(0),
                                box);
  }

  /// The scope whose end lets the output of `first` leave.
  [[nodiscard]] walk_stretch stretch() const { return needs_.outputs.front().leaves_with; }
  /// Runs `then` on the output of `first`.
  void finish() {
    const region& whole = task().output_box(0);
    if (whole.empty()) return;
    const block_result first_result = result(0, whole);
    then_blocks blocks(owner_, task(), first_output_, box_, first_result);
    owner_.then_->run(blocks, whole);
  }

 private:
  const epilogue& owner_;
  output first_output_;
  task_demand needs_;
  bool is_in_place_;
  region box_;
};

void epilogue::run(task_blocks& blocks, const region& box) const {
  first_blocks first(*this, blocks, box);
  first_->run(first, box);
  if (first.stretch() == walk_stretch::task) first.finish();
}

description epilogue::describe(const std::string& operation, const walk& schedule,
                               const operand_words& words) const {
  const auto num_first = static_cast<std::ptrdiff_t>(num_first_);
  const description first =
      first_->describe(operation, schedule,
                       {{words.names.begin(), words.names.begin() + num_first},
                        {words.formulas.begin(), words.formulas.begin() + num_first}});
  operand_words then_words{{words.names.begin() + num_first, words.names.end()},
                           {words.formulas.begin() + num_first, words.formulas.end()}};
  const auto position = static_cast<std::ptrdiff_t>(made_);
  then_words.names.insert(then_words.names.begin() + position, first.outputs.front());
  then_words.formulas.insert(then_words.formulas.begin() + position, first.outputs.front());
  return then_->describe(operation, walk_of(first_->outputs(schedule).front(), schedule),
                         then_words);
}

}  // namespace tessera
