// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/prologue.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/text.hpp"

#include "primitive/inner.hpp"
#include "primitive/prologue/computed.hpp"
#include "primitive/strips/pieces.hpp"
#include "primitive/strips/program_rules.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace tessera {

namespace {

const computed_operand* as_computed(const prologue_input& input) {
  return std::get_if<computed_operand>(&input);
}

/// Returns the extents of a computed operand in a step of `how`, over all axes of the domain.
index_vector extents_in_step(const computed_operand& computed, const walk& how) {
  return detail::places_in(computed, region::whole(how.stream)).shape();
}

/// Takes `more`, what else a task does with an operand, to what it `needed` so far.
void add_demand(operand_demand& needed, const operand_demand& more) {
  if (!needed.is_used) {
    needed = more;
    return;
  }
  needed.used = {std::min(needed.used.first, more.used.first),
                 std::max(needed.used.last, more.used.last)};
  needed.read = {std::min(needed.read.first, more.read.first),
                 std::max(needed.read.last, more.read.last)};
  needed.is_whole = needed.is_whole || more.is_whole;
  needed.at_start &= more.at_start;
  if (!needed.where || !more.where) {
    needed.where.reset();
  } else {
    needed.where = hull(*needed.where, *more.where);
  }
}

/// Returns the strides of a block of `extents` that lies densely, its axes in the order in which
/// the first of `like` lies; 0 along axes of length one.
index_vector strides_like(const index_vector& extents, const std::vector<block_operand>& like,
                          std::size_t itemsize) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (like.empty()) return false;
    return std::abs(like.front().strides[a]) < std::abs(like.front().strides[b]);
  });
  // Axes along which it does not go are as long as one.
  index_vector strides(extents.size());
  auto next = static_cast<index_t>(itemsize);
  for (const std::size_t axis : order) {
    if (extents[axis] == 1) continue;
    strides[axis] = next;
    next *= extents[axis];
  }
  return strides;
}

}  // namespace

prologue::prologue(primitive_handle then, std::vector<prologue_input> inputs)
    : then_(std::move(then)), inputs_(std::move(inputs)) {}

bool prologue::equals(const primitive& other) const {
  const auto& same = static_cast<const prologue&>(other);
  return inputs_ == same.inputs_ && equal(*then_, *same.then_);
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

void prologue::check(const operation_rules& rules) const {
  const walk& how = rules.how();
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
    maps.push_back(detail::map_to(*computed, how.rank()));
    types.emplace_back(detail::type_of(*computed));
    const index_vector extents = detail::places_in(*computed, region::whole(how.domain)).shape();
    index_vector& shape = shapes.emplace_back();
    for (std::size_t axis = 0; axis < how.rank(); ++axis) {
      if (computed->axes[axis]) shape.push_back(extents[axis]);
    }
  }
  rules.require(std::find(is_used.begin(), is_used.end(), false) == is_used.end(),
                "each operand is used");
  then_->check({rules.name(), how, maps, std::move(types), std::move(shapes)});
  // Steps are put in before those in which operands are read.
  const task_demand needs = then_->demand(how, inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    rules.require(as_computed(inputs_[i]) == nullptr || needs.operands[i].is_whole,
                  "what is computed beforehand is taken in blocks");
  }
}

std::size_t prologue::most_pieces(const walk& how) const {
  std::size_t most = then_->most_pieces(how);
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) continue;
    most = std::max(most, computed->pieces.most_met(extents_in_step(*computed, how)));
  }
  return most;
}

// In the place of the step that reads a computed operand there are, for each of its pieces, those
// that read what it is computed of, and one that computes.
task_demand prologue::demand(const walk& how, std::size_t num_operands) const {
  task_demand needs = then_->demand(how, inputs_.size());
  const std::vector<operand_demand> of_then =
      std::exchange(needs.operands, std::vector<operand_demand>(num_operands));
  const auto moved = [&](std::size_t step, bool is_behind) {
    std::size_t later = step;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const computed_operand* const computed = as_computed(inputs_[i]);
      if (computed == nullptr) continue;
      const std::size_t read = of_then[i].read.first;
      if (read < step || (read == step && is_behind)) later += detail::steps_of(*computed) - 1;
    }
    return later;
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const operand_demand& needed = of_then[i];
    const computed_operand* const computed = as_computed(inputs_[i]);
    if (computed == nullptr) {
      operand_demand same = needed;
      same.used = {moved(needed.used.first, true), moved(needed.used.last, true)};
      same.read = {moved(needed.read.first, true), moved(needed.read.last, true)};
      add_demand(needs.operands[std::get<std::size_t>(inputs_[i])], same);
      continue;
    }
    add_computed(needs, *computed, how, moved(needed.read.first, false));
  }
  for (output_demand& made : needs.outputs) {
    made.held = {moved(made.held.first, made.held.first > 0), moved(made.held.last, true)};
  }
  needs.last_of_stream = moved(needs.last_of_stream, true);
  needs.is_handed_on = false;
  return needs;
}

void prologue::add_computed(task_demand& needs, const computed_operand& computed, const walk& how,
                            std::size_t step) {
  const region domain = region::whole(how.domain);
  const index_vector extents = extents_in_step(computed, how);
  const index_t num_elements = tessera::num_elements(extents);
  for (const piece& part : computed.pieces) {
    const region places = intersect(part.where, detail::places_in(computed, domain));
    region where = detail::positions_of(computed, places, domain);
    if (places.empty()) where.stop = where.start;
    const std::size_t computes = step + part.operands.size();
    for (const std::size_t operand : part.operands) {
      add_demand(needs.operands[operand],
                 {.is_used = true, .used = {step, computes}, .read = {step, step}, .where = where});
      ++step;
    }
    step = computes + 1;
    needs.scratch = std::max(needs.scratch, scratch_bytes(part.program, num_elements));
  }
  needs.own.push_back({"operand that is computed", static_cast<std::size_t>(num_elements) *
                                                       size_of(detail::type_of(computed))});
}

double prologue::element_steps(const walk& how) const {
  double steps = then_->element_steps(how);
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) continue;
    const auto elements = static_cast<double>(num_elements(extents_in_step(*computed, how)));
    steps += how.num_steps() * elements * detail::heaviest_program(*computed);
  }
  return steps;
}

/// A task as `then` sees it.
class prologue::blocks_of_then final : public detail::inner_blocks {
 public:
  blocks_of_then(const prologue& what, task_blocks& all)
      : inner_blocks(all),
        what_(what),
        num_own_(what.then_->demand(all.how(), what.inputs_.size()).own.size()),
        computed_(what.inputs_.size()) {}

  [[nodiscard]] std::size_t num_operands() const override { return what_.inputs_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    const computed_operand* const computed = as_computed(what_.inputs_[i]);
    if (computed == nullptr) return all().operand(std::get<std::size_t>(what_.inputs_[i]), box);
    compute(i, *computed, box);
    return computed_[i];
  }

 private:
  void compute(std::size_t i, const computed_operand& computed, const region& box) {
    std::size_t own = num_own_;
    for (std::size_t before = 0; before < i; ++before) {
      own += as_computed(what_.inputs_[before]) == nullptr ? 0 : 1;
    }
    const region places = detail::places_in(computed, box);
    block_result all_made{all().own(own).data(), {}};
    const std::vector<block_operand> none;
    for (const piece& part : computed.pieces.near(places)) {
      const region common = intersect(part.where, places);
      if (common.empty()) continue;
      const region seen = detail::showing(computed, common, box);
      std::vector<block_operand> operands;
      for (const std::size_t operand : part.operands) {
        operands.push_back(all().operand(operand, seen));
      }
      if (all_made.strides.empty()) {
        // The border of an array lies in other ways than the array.
        all_made.strides = strides_like(places.shape(), common == places ? operands : none,
                                        size_of(detail::type_of(computed)));
      }
      const block_result made = detail::part_of(all_made, places, common);
      run_map(part.program, operands, {&made, 1}, common.shape(), all().scratch());
    }
    computed_[i] = {.data = all_made.data, .strides = std::move(all_made.strides)};
    for (const grown_axis& each : computed.grown) {
      computed_[i].strides[each.by] = computed_[i].strides[each.axis];
    }
  }

  const prologue& what_;
  std::size_t num_own_;
  std::vector<block_operand> computed_;
};

void prologue::run(task_blocks& blocks, const region& box) const {
  blocks_of_then seen(*this, blocks);
  then_->run(seen, box);
}

namespace {

/// Returns what `computed` is called where its operands are called `names`.
std::string described(const computed_operand& computed, const std::vector<std::string>& names) {
  std::vector<std::string> formulas;
  for (const piece& part : computed.pieces) {
    std::vector<std::string> chosen;
    for (const std::size_t operand : part.operands) chosen.push_back(names[operand]);
    std::string formula = describe(part.program, chosen);
    const bool is_there = std::find(formulas.begin(), formulas.end(), formula) != formulas.end();
    if (!is_there) formulas.push_back(std::move(formula));
  }
  return listed(formulas);
}

}  // namespace

description prologue::describe(const std::string& operation, const walk& how,
                               const operand_words& words) const {
  operand_words of_then;
  for (const prologue_input& input : inputs_) {
    if (const computed_operand* const computed = as_computed(input)) {
      of_then.names.push_back(described(*computed, words.names));
      of_then.formulas.push_back(described(*computed, words.formulas));
    } else {
      of_then.names.push_back(words.names[std::get<std::size_t>(input)]);
      of_then.formulas.push_back(words.formulas[std::get<std::size_t>(input)]);
    }
  }
  return then_->describe(operation, how, of_then);
}

primitive_handle prologue::within(const walk& how, const region& box) const {
  primitive_handle part = then_->within(how, box);
  if (part == nullptr) return nullptr;
  std::vector<prologue_input> inputs = inputs_;
  for (prologue_input& input : inputs) {
    if (auto* const computed = std::get_if<computed_operand>(&input)) {
      *computed = detail::within(*computed, box);
    }
  }
  return std::make_shared<const prologue>(std::move(part), std::move(inputs));
}

primitive_handle prologue::with_producer(std::size_t operand, std::size_t num_operands,
                                         const index_map& map, const piece_list& producer) const {
  std::size_t count = num_operands;
  for (const piece& inner : producer) {
    for (const std::size_t each : inner.operands) count = std::max(count, num_operands + each + 1);
  }
  std::vector<prologue_input> inputs;
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr && std::get<std::size_t>(input) != operand) {
      inputs.push_back(input);
      continue;
    }
    auto made = computed == nullptr
                    ? detail::computed_by(map, producer, num_operands)
                    : detail::inline_producer(*computed, operand, map, producer, num_operands);
    if (!made) return nullptr;
    inputs.emplace_back(std::move(*made));
  }
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = i > operand ? i - 1 : i;
  return prologue(then_, std::move(inputs)).with_operands(places, count - 1);
}

primitive_handle prologue::with_outputs(const std::vector<bool>& needed) const {
  primitive_handle fewer = then_->with_outputs(needed);
  return fewer == nullptr ? nullptr : std::make_shared<const prologue>(std::move(fewer), inputs_);
}

primitive_handle prologue::with_operands(const std::vector<std::size_t>& places,
                                         std::size_t /*count*/) const {
  std::vector<prologue_input> inputs;
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) {
      inputs.emplace_back(places[std::get<std::size_t>(input)]);
      continue;
    }
    std::vector<piece> pieces;
    for (const piece& part : computed->pieces) {
      pieces.push_back(remap_operands(part, places));
    }
    inputs.emplace_back(computed_operand{{std::move(pieces)}, computed->axes, computed->grown});
  }
  return std::make_shared<const prologue>(then_, std::move(inputs));
}

}  // namespace tessera
