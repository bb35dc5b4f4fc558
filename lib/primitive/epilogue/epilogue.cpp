// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/epilogue.hpp"

#include "tessera/core/error.hpp"

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

/// Returns strides along the axes of a domain as those along the axes of an output.
index_vector over_made(const index_vector& strides, const output& made) {
  index_vector own(made.axes.size());
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (made.axes[k].is_of_domain()) own[k] = strides[made.axes[k].axis];
  }
  return own;
}

}  // namespace

bool is_seen_from_domain(const index_map& map, const output& made) {
  for (std::size_t k = 0; k < made.axes.size(); ++k) {
    if (!made.axes[k].is_of_domain() && map.depends_on(k)) return false;
  }
  return true;
}

index_map from_made(const index_map& map, const output& made) {
  std::vector<axis_map> axes;
  for (const axis_map& along : map.axes()) {
    axis_map own(along.offset);
    for (const axis_term& term : along.terms()) {
      const auto found = std::find_if(
          made.axes.begin(), made.axes.end(),
          [&](const output_axis& axis) { return axis.is_of_domain() && axis.axis == term.axis; });
      if (found == made.axes.end()) throw value_error("an operand is not seen from an output");
      own.add({static_cast<std::size_t>(found - made.axes.begin()), term.step});
    }
    axes.push_back(own);
  }
  return {made.axes.size(), std::move(axes), map.behind()};
}

index_map to_made(std::size_t rank, const output& made) {
  std::vector<axis_map> axes;
  for (const output_axis& axis : made.axes) {
    axes.push_back(axis.is_of_domain() ? axis_map(axis.axis, 0, 1) : axis_map());
  }
  return {rank, std::move(axes)};
}

epilogue::epilogue(primitive_handle first, std::size_t num_first, primitive_handle then,
                   std::size_t made, std::size_t count)
    : first_(std::move(first)),
      num_first_(num_first),
      then_(std::move(then)),
      made_(made),
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

/// Returns the primitive that an epilogue stands behind: one more of them too, up to so many.
primitive_handle parse_first(const json& value) {
  std::size_t count = 1;
  const json* within = &value;
  for (; within->at("kind") == "epilogue"; within = &within->at("json").at("first")) {
    if (++count > epilogue::most_behind) throw value_error("found very many epilogues in a row");
  }
  return within == &value ? detail::parse_inner("epilogue", value)
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
  const auto& same = static_cast<const epilogue&>(other);
  return num_first_ == same.num_first_ && made_ == same.made_ && count_ == same.count_ &&
         equal(*first_, *same.first_) && equal(*then_, *same.then_);
}

void epilogue::check_portable(const std::string& operation, const std::string& label) const {
  first_->check_portable(operation, label);
  then_->check_portable(operation, label);
}

std::size_t epilogue::num_steps() const {
  return std::max(first_->num_steps(), then_->num_steps());
}

double epilogue::weight() const { return std::max(first_->weight(), then_->weight()); }

double epilogue::element_steps(const walk& how) const {
  return first_->element_steps(how) +
         then_->element_steps(walk_of(first_->outputs(how).front(), how));
}

walk epilogue::walk_of(const output& made, const walk& how) {
  return {made.shape(how), made.block(how), made.block(how)};
}

std::vector<output> epilogue::outputs(const walk& how) const {
  const output made = first_->outputs(how).front();
  std::vector<output> results = then_->outputs(walk_of(made, how));
  for (output& result : results) result.axes = made.axes;
  return results;
}

bool epilogue::is_in_place(const walk& how) const {
  const std::vector<output> results = outputs(how);
  return results.size() == 1 && results.front().type == first_->outputs(how).front().type;
}

void epilogue::check(const operation_rules& rules) const {
  const std::vector<element_type>& types = rules.element_types();
  const auto num_first = static_cast<std::ptrdiff_t>(num_first_);
  rules.require(then_->as_elementwise() != nullptr && made_ < count_ &&
                    types.size() == num_first_ + count_ - 1,
                "an epilogue is computed element by element, of an output and other operands");
  const std::vector<index_map> maps(rules.maps().begin(), rules.maps().begin() + num_first);
  first_->check({rules.name(),
                 rules.how(),
                 maps,
                 {types.begin(), types.begin() + num_first},
                 {rules.shapes().begin(), rules.shapes().begin() + num_first}});
  const std::vector<output> outputs = first_->outputs(rules.how());
  rules.require(outputs.size() == 1, "an epilogue is that of one output");
  const output& made = outputs.front();
  const walk how = walk_of(made, rules.how());
  std::vector<index_map> maps_of_then;
  std::vector<element_type> types_of_then;
  std::vector<index_vector> shapes_of_then;
  for (std::size_t i = 0, other = num_first_; i < count_; ++i) {
    if (i == made_) {
      maps_of_then.push_back(index_map::identity(made.axes.size()));
      types_of_then.push_back(made.type);
      shapes_of_then.push_back(how.domain);
    } else {
      maps_of_then.push_back(from_made(rules.maps()[other], made));
      types_of_then.push_back(types[other]);
      shapes_of_then.push_back(rules.shapes()[other++]);
    }
  }
  then_->check({rules.name(), how, maps_of_then, types_of_then, shapes_of_then});
}

// Behind the step in which `first` has made its output, the other operands are read, then all is
// computed, then results are handed on.
task_demand epilogue::demand(const walk& how, std::size_t num_operands) const {
  task_demand needs = first_->demand(how, num_first_);
  const output_demand made = needs.outputs.front();
  const output first = first_->outputs(how).front();
  const task_demand then = then_->demand(walk_of(first, how), count_);
  const std::size_t computed = made.held.last + num_operands - num_first_;
  for (std::size_t i = num_first_; i < num_operands; ++i) {
    const std::size_t read = made.held.last + i - num_first_;
    needs.operands.push_back({.is_used = true, .used = {read, computed}, .read = {read, read}});
  }
  const bool is_in_place_here = is_in_place(how);
  if (!is_in_place_here) {
    const index_vector extents = made.leaves_with == walk_stretch::task ? first.block(how)
                                 : made.leaves_with == walk_stretch::leg
                                     ? first.extents_of(how.leg())
                                     : first.extents_of(how.stream);
    needs.own.push_back(
        {"what is made", static_cast<std::size_t>(num_elements(extents)) * first.type.size()});
  }
  needs.outputs.clear();
  std::size_t step = computed + 1;
  for (std::size_t i = 0; i < then.outputs.size(); ++i) {
    needs.outputs.push_back(
        {{is_in_place_here ? made.held.first : computed, step++}, made.leaves_with});
  }
  if (const std::size_t last = needs.last_of_stream; last >= made.held.last) {
    needs.last_of_stream = step - 1;
    // What is there for what is made next is not written over by what leaves before.
    for (std::size_t i = 0; i < num_first_; ++i) {
      operand_demand& operand = needs.operands[i];
      if (operand.is_used && operand.used.last >= last) operand.used.last = step - 1;
    }
  }
  needs.scratch = std::max(needs.scratch, then.scratch);
  return needs;
}

/// A task as `then` sees it, in the box that was made last.
class epilogue::then_blocks final : public detail::inner_blocks {
 public:
  then_blocks(const epilogue& what, task_blocks& all, const output& made, const region& box,
              const block_result& at)
      : inner_blocks(all),
        what_(what),
        made_(made),
        how_(walk_of(made, all.how())),
        box_(box),
        at_(at) {}

  [[nodiscard]] const walk& how() const override { return how_; }
  [[nodiscard]] std::size_t num_operands() const override { return what_.count_; }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    if (operands_.empty()) operands_.resize(what_.count_);
    if (i == what_.made_) {
      const block_result part = detail::part_of(at_, all().output_box(0), box);
      operands_[i] = {.data = part.data, .strides = part.strides};
    } else {
      const std::size_t number = what_.num_first_ + i - (i > what_.made_ ? 1 : 0);
      operands_[i] = all().operand(number, made_.domain_of(box_, box));
      operands_[i].strides = over_made(operands_[i].strides, made_);
    }
    return operands_[i];
  }
  void begin(walk_stretch /*what*/, const region& /*box*/) override {}
  void end(walk_stretch /*what*/) override {}

 private:
  const epilogue& what_;
  const output& made_;
  walk how_;
  const region& box_;
  const block_result& at_;
  std::vector<block_operand> operands_;
};

/// A task as `first` sees it. What it makes is taken further before it leaves.
class epilogue::first_blocks final : public detail::inner_blocks {
 public:
  first_blocks(const epilogue& what, task_blocks& all, const region& box)
      : inner_blocks(all),
        what_(what),
        made_(what.first_->outputs(all.how()).front()),
        needs_(what.first_->demand(all.how(), what.num_first_)),
        is_in_place_(what.is_in_place(all.how())),
        box_(box) {}

  [[nodiscard]] std::size_t num_operands() const override { return what_.num_first_; }
  void begin(walk_stretch what, const region& box) override {
    all().begin(what, box);
    if (what == stretch()) box_ = box;
  }
  void end(walk_stretch what) override {
    if (what == stretch()) finish();
    all().end(what);
  }
  [[nodiscard]] block_result result(std::size_t /*i*/, const region& box) const override {
    if (is_in_place_) return all().result(0, box);
    return detail::dense_result(own(needs_.own.size()), made_.type.size(), output_box(0), box);
  }

  /// What makes it leave.
  [[nodiscard]] walk_stretch stretch() const { return needs_.outputs.front().leaves_with; }
  /// Makes the results of what is made.
  void finish() {
    const region& whole = all().output_box(0);
    if (whole.empty()) return;
    const block_result at = result(0, whole);
    then_blocks blocks(what_, all(), made_, box_, at);
    what_.then_->run(blocks, whole);
  }

 private:
  const epilogue& what_;
  output made_;
  task_demand needs_;
  bool is_in_place_;
  region box_;
};

void epilogue::run(task_blocks& blocks, const region& box) const {
  first_blocks first(*this, blocks, box);
  first_->run(first, box);
  if (first.stretch() == walk_stretch::task) first.finish();
}

description epilogue::describe(const std::string& operation, const walk& how,
                               const operand_words& words) const {
  const auto num_first = static_cast<std::ptrdiff_t>(num_first_);
  const description first =
      first_->describe(operation, how,
                       {{words.names.begin(), words.names.begin() + num_first},
                        {words.formulas.begin(), words.formulas.begin() + num_first}});
  operand_words of_then{{words.names.begin() + num_first, words.names.end()},
                        {words.formulas.begin() + num_first, words.formulas.end()}};
  const auto made = static_cast<std::ptrdiff_t>(made_);
  of_then.names.insert(of_then.names.begin() + made, first.outputs.front());
  of_then.formulas.insert(of_then.formulas.begin() + made, first.outputs.front());
  return then_->describe(operation, walk_of(first_->outputs(how).front(), how), of_then);
}

}  // namespace tessera
