// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/cascade.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/text.hpp"
#include "tessera/core/wide_integer.hpp"

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

/// Returns how `then` walks where what it reads, `made`, is made by tasks that go like `how`: as it
/// would alone along the axes that it reduces, or a fold's bits would be others; without steps
/// along those that it keeps, as all of what it reads is there.
walk walk_of(const cascade_level& level, const output& made, const walk& how) {
  walk levels{level.domain, level.domain, {}};
  const index_vector block = made.block(how);
  const std::vector<coarser_axis> axes = coarser_axes(level).value();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto [axis, step] = axes[k];
    levels.block[axis] = std::min(level.domain[axis], ceil_divide(block[k], step));
  }
  levels.stream = levels.block;
  const axis_set reduced = level.then->reduced();
  for (std::size_t axis = 0; axis < level.domain.size(); ++axis) {
    const bool has_steps = reduced[axis] && axis < level.stream.size();
    if (has_steps) levels.stream[axis] = std::min(levels.block[axis], level.stream[axis]);
  }
  return levels;
}

/// Returns the box of the domain of `level` that reads `made`, a box of what it reads.
region box_over(const cascade_level& level, const region& made) {
  region box = region::whole(level.domain);
  const std::vector<coarser_axis> axes = coarser_axes(level).value();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto [axis, step] = axes[k];
    box.start[axis] = std::min(made.start[k] / step, level.domain[axis]);
    box.stop[axis] = std::min(ceil_divide(made.stop[k], step), level.domain[axis]);
  }
  return box;
}

/// Returns the outputs of `level`, whose axes go along those of the domain of `how`.
std::vector<output> outputs_of(const cascade_level& level, const output& made, const walk& how) {
  const walk levels = walk_of(level, made, how);
  const std::vector<coarser_axis> axes = coarser_axes(level).value();
  std::vector<output> outputs = level.then->outputs(levels);
  for (output& each : outputs) {
    for (output_axis& axis : each.axes) {
      if (axis.how != output_axis::kind::along) continue;
      const auto found = std::ranges::find(axes, axis.axis, &coarser_axis::axis);
      const output_axis& read = made.axes[static_cast<std::size_t>(found - axes.begin())];
      const index_t step = read.step * found->step;
      axis = {.axis = read.axis, .length = step > 1 ? levels.domain[axis.axis] : 0, .step = step};
    }
  }
  return outputs;
}

/// Tells whether `extents` of the axes of a domain are made of whole elements of `outputs`.
bool holds_whole_elements(const std::vector<output>& outputs, const index_vector& extents,
                          const index_vector& domain) {
  return std::ranges::all_of(outputs, [&](const output& each) {
    return std::ranges::all_of(each.axes, [&](const output_axis& axis) {
      return axis.how != output_axis::kind::along || extents[axis.axis] % axis.step == 0 ||
             extents[axis.axis] >= domain[axis.axis];
    });
  });
}

}  // namespace

bool cascade_level::operator==(const cascade_level& other) const {
  return made == other.made && domain == other.domain && stream == other.stream &&
         maps == other.maps && equal(*then, *other.then);
}

std::optional<std::vector<coarser_axis>> coarser_axes(const cascade_level& level) {
  const bool is_function =
      level.then->as_elementwise() != nullptr || !level.then->in_stages().empty();
  const std::size_t rank = level.domain.size();
  if (!is_function || level.maps.empty()) return std::nullopt;
  const axis_set reduced = level.then->reduced();
  std::vector<coarser_axis> axes(level.maps.front().axes().size(), {rank, 0});
  for (const index_map& map : level.maps) {
    if (map.behind() != nullptr || map.domain_rank() != rank || map.axes().size() != axes.size()) {
      return std::nullopt;
    }
    for (std::size_t k = 0; k < axes.size(); ++k) {
      // The elements that one element is made of, counted from the first that it may be made of.
      wide_integer least = map[k].offset;
      wide_integer greatest = map[k].offset;
      bool is_led = false;
      for (const axis_term& term : map[k].terms()) {
        if (reduced[term.axis]) {
          const wide_integer last =
              static_cast<wide_integer>(term.step) * (level.domain[term.axis] - 1);
          (last < 0 ? least : greatest) += last;
          continue;
        }
        const bool is_first = axes[k].step == 0;
        if (is_first) axes[k] = {term.axis, term.step};
        if (is_led || axes[k].axis != term.axis || axes[k].step != term.step) return std::nullopt;
        is_led = true;
      }
      if (!is_led || least < 0 || greatest >= axes[k].step) return std::nullopt;
    }
  }
  // All that is not folded goes along one axis of what is read.
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto count = std::ranges::count(axes, axis, &coarser_axis::axis);
    if (count != (reduced[axis] ? 0 : 1)) return std::nullopt;
  }
  return axes;
}

cascade::cascade(primitive_handle first, std::size_t num_first, std::vector<cascade_level> levels)
    : first_(std::move(first)), num_first_(num_first), levels_(std::move(levels)) {}

std::string cascade::to_json() const {
  json levels = json::array();
  for (const cascade_level& level : levels_) {
    json maps = json::array();
    for (const index_map& map : level.maps) maps.push_back(fields::of(map));
    levels.push_back({{"then", detail::inner_json(*level.then)},
                      {"made", level.made},
                      {"domain", fields::of(level.domain)},
                      {"stream", fields::of(level.stream)},
                      {"maps", std::move(maps)},
                      {"name", level.name}});
  }
  return json{{"first", detail::inner_json(*first_)},
              {"operands", num_first_},
              {"levels", std::move(levels)}}
      .dump();
}

primitive_handle detail::parse_cascade(const std::string& text) {
  constexpr std::size_t most_outputs = std::size_t{1} << 20;
  const json value = json::parse(text);
  std::vector<cascade_level> levels;
  for (const json& level : value.at("levels").get_ref<const json::array_t&>()) {
    std::vector<index_map> maps;
    for (const json& map : level.at("maps").get_ref<const json::array_t&>()) {
      maps.push_back(fields::affine_map(map));
    }
    levels.push_back({parse_inner("cascade", level.at("then")),
                      fields::number_below(level.at("made"), most_outputs),
                      fields::indices(level.at("domain")), fields::indices(level.at("stream")),
                      std::move(maps), fields::text(level.at("name"))});
  }
  return std::make_shared<const cascade>(parse_inner("cascade", value.at("first")),
                                         fields::count(value.at("operands")), std::move(levels));
}

bool cascade::equals(const primitive& other) const {
  const auto& same = static_cast<const cascade&>(other);
  return num_first_ == same.num_first_ && levels_ == same.levels_ && equal(*first_, *same.first_);
}

void cascade::check_portable(const std::string& operation, const std::string& label) const {
  first_->check_portable(operation, label);
  for (const cascade_level& level : levels_) level.then->check_portable(operation, label);
}

std::size_t cascade::num_steps() const {
  std::size_t most = first_->num_steps();
  for (const cascade_level& level : levels_) most = std::max(most, level.then->num_steps());
  return most;
}

double cascade::weight() const {
  double most = first_->weight();
  for (const cascade_level& level : levels_) most = std::max(most, level.then->weight());
  return most;
}

double cascade::element_steps(const walk& how) const {
  double steps = first_->element_steps(how);
  const std::vector<output> made = outputs(how);
  for (const cascade_level& level : levels_) {
    steps += level.then->element_steps(walk_of(level, made[level.made], how));
  }
  return steps;
}

std::vector<output> cascade::outputs(const walk& how) const {
  std::vector<output> made = first_->outputs(how);
  for (const cascade_level& level : levels_) {
    const std::vector<output> more = outputs_of(level, made[level.made], how);
    made.insert(made.end(), more.begin(), more.end());
  }
  return made;
}

void cascade::check(const operation_rules& rules) const {
  const walk& how = rules.how();
  rules.require(num_first_ == rules.maps().size(), "levels read what is made, and nothing else");
  first_->check(rules);
  const std::vector<output_demand> needs = first_->demand(how, num_first_).outputs;
  rules.require(std::ranges::all_of(needs,
                                    [&](const output_demand& each) {
                                      return each.leaves_with == needs.front().leaves_with;
                                    }),
                "what levels are made of leaves at once");
  std::vector<output> made = first_->outputs(how);
  for (const cascade_level& level : levels_) {
    rules.require(level.made < made.size(), "a level is made of an output before it");
    const output& read = made[level.made];
    rules.require(std::ranges::all_of(read.axes, &output_axis::goes_along),
                  "what a level is made of goes along the domain");
    rules.require(
        std::ranges::all_of(level.domain, [](index_t n) { return 1 <= n && n < greatest_index; }),
        "a level has elements");
    rules.require(level.stream.size() == level.domain.size() &&
                      std::ranges::all_of(level.stream, [](index_t n) { return n > 0; }),
                  "a level is walked in steps");
    for (const index_map& map : level.maps) rules.check_indices(map);
    const std::optional<std::vector<coarser_axis>> axes = coarser_axes(level);
    rules.require(axes.has_value() && axes->size() == read.axes.size(),
                  "each element of a level is made of others than its neighbours");
    const index_vector shape = read.shape(how);
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const auto [axis, step] = (*axes)[k];
      rules.require(step > 1 || level.domain[axis] == shape[k],
                    "what is as fine as what it is made of has its extent");
      rules.require(step <= std::max<index_t>(1, how.domain[read.axes[k].axis] / read.axes[k].step),
                    "an element of a level is made of elements that are there");
    }
    const walk levels = walk_of(level, read, how);
    rules.check_block(levels.block);
    level.then->check({rules.name(), levels, level.maps,
                       std::vector<element_type>(level.maps.size(), read.type),
                       std::vector<index_vector>(level.maps.size(), shape)});
    for (const output& each : level.then->outputs(levels)) {
      rules.require(std::ranges::all_of(each.axes,
                                        [](const output_axis& axis) {
                                          return axis.how != output_axis::kind::per_block &&
                                                 axis.skipped == 0;
                                        }),
                    "what a level makes goes along what it walks");
    }
    const std::vector<output> more = outputs_of(level, read, how);
    rules.require(holds_whole_elements(more, how.block, how.domain) &&
                      holds_whole_elements(more, how.leg(), how.domain),
                  "no element of a level is cut by blocks");
    made.insert(made.end(), more.begin(), more.end());
  }
}

// Where the first output of `first` would leave, levels are made, one after the other, and then all
// leave.
task_demand cascade::demand(const walk& how, std::size_t /*num_operands*/) const {
  task_demand needs = first_->demand(how, num_first_);
  std::vector<output> made = first_->outputs(how);
  std::size_t step = needs.outputs.front().held.last;
  for (const output_demand& each : needs.outputs) step = std::min(step, each.held.last);
  const std::size_t first_level = step;
  for (const cascade_level& level : levels_) {
    const walk levels = walk_of(level, made[level.made], how);
    const task_demand then = level.then->demand(levels, level.maps.size());
    needs.own.insert(needs.own.end(), then.own.begin(), then.own.end());
    needs.kept.insert(needs.kept.end(), then.kept.begin(), then.kept.end());
    needs.scratch = std::max(needs.scratch, then.scratch);
    const std::vector<output> more = outputs_of(level, made[level.made], how);
    needs.outputs.insert(needs.outputs.end(), more.size(),
                         {{step, step}, needs.outputs.front().leaves_with});
    made.insert(made.end(), more.begin(), more.end());
    ++step;
  }
  for (output_demand& each : needs.outputs) each.held.last = step++;
  if (const std::size_t last = needs.last_of_stream; last >= first_level) {
    needs.last_of_stream = step - 1;
    // What is there for what is made next is not written over by what leaves before.
    for (operand_demand& operand : needs.operands) {
      if (operand.is_used && operand.used.last >= last) operand.used.last = step - 1;
    }
  }
  needs.is_handed_on = false;
  return needs;
}

/// A task as the function of a level sees it.
class cascade::level_blocks final : public detail::inner_blocks {
 public:
  level_blocks(task_blocks& all, const cascade_level& level, const output& made,
               std::size_t first_output, std::size_t first_own)
      : inner_blocks(all),
        level_(level),
        how_(walk_of(level, made, all.how())),
        first_output_(first_output),
        first_own_(first_own),
        operands_(level.maps.size()) {}

  [[nodiscard]] const walk& how() const override { return how_; }
  [[nodiscard]] std::size_t num_operands() const override { return operands_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    const index_map& map = level_.maps[i];
    region first{map(box.start), map(box.start)};
    for (index_t& stop : first.stop) ++stop;
    const block_result at = all().result(level_.made, first);
    operands_[i] = {.data = at.data, .strides = map.strides(at.strides)};
    return operands_[i];
  }
  void begin(walk_stretch /*what*/, const region& /*box*/) override {}
  void end(walk_stretch /*what*/) override {}
  [[nodiscard]] const region& output_box(std::size_t i) const override {
    return all().output_box(first_output_ + i);
  }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    return all().result(first_output_ + i, box);
  }
  [[nodiscard]] std::span<std::byte> own(std::size_t i) const override {
    return all().own(first_own_ + i);
  }

 private:
  const cascade_level& level_;
  walk how_;
  std::size_t first_output_;
  std::size_t first_own_;
  std::vector<block_operand> operands_;
};

/// A task as `first` sees it. Of what it makes all levels are made before that leaves.
class cascade::first_blocks final : public detail::inner_blocks {
 public:
  first_blocks(const cascade& what, task_blocks& all)
      : inner_blocks(all),
        what_(what),
        made_(what.outputs(all.how())),
        needs_(what.first_->demand(all.how(), what.num_first_)) {}

  void end(walk_stretch what) override {
    if (what == stretch()) make_levels();
    all().end(what);
  }

  /// What makes all that it makes leave.
  [[nodiscard]] walk_stretch stretch() const { return needs_.outputs.front().leaves_with; }

  void make_levels() {
    std::size_t first_output = needs_.outputs.size();
    std::size_t first_own = needs_.own.size();
    for (const cascade_level& level : what_.levels_) {
      level_blocks blocks(all(), level, made_[level.made], first_output, first_own);
      const region box = box_over(level, all().output_box(level.made));
      if (!box.empty()) level.then->run(blocks, box);
      const task_demand needs = level.then->demand(blocks.how(), level.maps.size());
      first_output += needs.outputs.size();
      first_own += needs.own.size();
    }
  }

 private:
  const cascade& what_;
  std::vector<output> made_;
  task_demand needs_;
};

void cascade::run(task_blocks& blocks, const region& box) const {
  first_blocks first(*this, blocks);
  first_->run(first, box);
  if (first.stretch() == walk_stretch::task) first.make_levels();
}

description cascade::describe(const std::string& operation, const walk& how,
                              const operand_words& words) const {
  description said = first_->describe(operation, how, words);
  const std::vector<output> made = outputs(how);
  for (const cascade_level& level : levels_) {
    const std::vector<std::string> read(level.maps.size(), level.name);
    const description more =
        level.then->describe(operation, walk_of(level, made[level.made], how), {read, read});
    said.outputs.insert(said.outputs.end(), more.outputs.begin(), more.outputs.end());
  }
  said.label = listed(said.outputs);
  return said;
}

}  // namespace tessera
