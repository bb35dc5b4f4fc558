// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/prologue.hpp"

#include "tessera/core/error.hpp"

#include "primitive/inner.hpp"
#include "primitive/strips/program_rules.hpp"
#include "primitive/strips/programs.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace tessera {

namespace {

const computed_operand* as_computed(const prologue_input& input) {
  return std::get_if<computed_operand>(&input);
}

dtype type_of(const computed_operand& computed) {
  return detail::result_types(computed.program).front();
}

/// Returns the map from a domain of `rank` to what is computed of it.
index_map map_to(const computed_operand& computed, std::size_t rank) {
  std::vector<axis_map> axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (computed.axes[axis]) axes.emplace_back(axis, 0, 1);
  }
  return {rank, std::move(axes)};
}

/// Tells whether blocks of an operand that `map` leads to show elements several times.
bool has_windows(const index_map& map) {
  return std::any_of(map.axes().begin(), map.axes().end(),
                     [](const axis_map& axis) { return axis.terms().size() > 1; });
}

/// Returns `computed` with the operand at `position` made by `inner`, whose operands stand from
/// `first` on.
computed_operand with_inner(computed_operand computed, std::size_t position, const piece& inner,
                            std::size_t first) {
  computed.program = inline_operand(computed.program, position, inner.program);
  computed.operands.erase(computed.operands.begin() + static_cast<std::ptrdiff_t>(position));
  for (const std::size_t operand : inner.operands) computed.operands.push_back(first + operand);
  return computed;
}

/// Returns the strides of a block of `extents` that lies densely, its axes in the order in which
/// `like` lies; 0 along axes of length one.
index_vector strides_like(const index_vector& extents, const block_operand& like,
                          std::size_t itemsize) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(like.strides[a]) < std::abs(like.strides[b]);
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
    detail::check_portable(as_computed(input)->program, operation, label);
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
    rules.require((computed->axes >> how.rank()).none(), "what is computed goes along the domain");
    std::vector<dtype> taken;
    for (const std::size_t operand : computed->operands) {
      use(operand);
      taken.push_back(rules.types()[operand]);
      rules.check_image(operand, region::whole(how.domain));
      for (std::size_t axis = 0; axis < how.rank(); ++axis) {
        rules.require(computed->axes[axis] || !rules.maps()[operand].depends_on(axis),
                      "what is computed goes along all that it depends on");
      }
    }
    detail::check_program(rules, computed->program, taken);
    rules.require(computed->program.results.size() == 1, "an operand is computed by one result");
    maps.push_back(map_to(*computed, how.rank()));
    types.emplace_back(type_of(*computed));
    index_vector& shape = shapes.emplace_back();
    for (std::size_t axis = 0; axis < how.rank(); ++axis) {
      if (computed->axes[axis]) shape.push_back(how.domain[axis]);
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

index_vector prologue::extents_of(const computed_operand& computed, const walk& how) {
  index_vector extents(how.rank(), 1);
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (computed.axes[axis]) extents[axis] = how.stream[axis];
  }
  return extents;
}

// In the place of the step that reads a computed operand there are those that read what it is
// computed of, and one that computes.
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
      if (read < step || (read == step && is_behind)) later += computed->operands.size();
    }
    return later;
  };
  const auto put = [&](std::size_t operand, const operand_demand& more) {
    operand_demand& needed = needs.operands[operand];
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
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const operand_demand& needed = of_then[i];
    const computed_operand* const computed = as_computed(inputs_[i]);
    if (computed == nullptr) {
      operand_demand same = needed;
      same.used = {moved(needed.used.first, true), moved(needed.used.last, true)};
      same.read = {moved(needed.read.first, true), moved(needed.read.last, true)};
      put(std::get<std::size_t>(inputs_[i]), same);
      continue;
    }
    std::size_t step = moved(needed.read.first, false);
    const std::size_t computes = step + computed->operands.size();
    for (const std::size_t operand : computed->operands) {
      put(operand, {.is_used = true, .used = {step, computes}, .read = {step, step}});
      ++step;
    }
    const index_vector extents = extents_of(*computed, how);
    needs.own.push_back(
        {"operand that is computed",
         static_cast<std::size_t>(num_elements(extents)) * size_of(type_of(*computed))});
    needs.scratch =
        std::max(needs.scratch, scratch_bytes(computed->program, num_elements(extents)));
  }
  for (output_demand& made : needs.outputs) {
    made.held = {moved(made.held.first, made.held.first > 0), moved(made.held.last, true)};
  }
  needs.last_of_stream = moved(needs.last_of_stream, true);
  needs.is_handed_on = false;
  return needs;
}

double prologue::element_steps(const walk& how) const {
  double steps = then_->element_steps(how);
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) continue;
    const auto elements = static_cast<double>(num_elements(extents_of(*computed, how)));
    steps += how.num_steps() * elements * static_cast<double>(computed->program.steps.size());
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
    std::vector<block_operand> operands;
    for (const std::size_t operand : computed.operands) {
      operands.push_back(all().operand(operand, box));
    }
    index_vector extents = box.shape();
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (!computed.axes[axis]) extents[axis] = 1;
    }
    const block_result made{all().own(own).data(),
                            strides_like(extents, operands.front(), size_of(type_of(computed)))};
    run_map(computed.program, operands, {&made, 1}, extents, all().scratch());
    computed_[i] = {.data = made.data, .strides = made.strides};
  }

  const prologue& what_;
  std::size_t num_own_;
  std::vector<block_operand> computed_;
};

void prologue::run(task_blocks& blocks, const region& box) const {
  blocks_of_then seen(*this, blocks);
  then_->run(seen, box);
}

description prologue::describe(const std::string& operation, const walk& how,
                               const operand_words& words) const {
  operand_words of_then;
  const auto chosen = [](const std::vector<std::string>& all,
                         const std::vector<std::size_t>& operands) {
    std::vector<std::string> some;
    for (const std::size_t operand : operands) some.push_back(all[operand]);
    return some;
  };
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = as_computed(input);
    if (computed == nullptr) {
      of_then.names.push_back(words.names[std::get<std::size_t>(input)]);
      of_then.formulas.push_back(words.formulas[std::get<std::size_t>(input)]);
      continue;
    }
    of_then.names.push_back(
        tessera::describe(computed->program, chosen(words.names, computed->operands)));
    of_then.formulas.push_back(
        tessera::describe(computed->program, chosen(words.formulas, computed->operands)));
  }
  return then_->describe(operation, how, of_then);
}

primitive_handle prologue::within(const walk& how, const region& box) const {
  primitive_handle part = then_->within(how, box);
  return part == nullptr ? nullptr : std::make_shared<const prologue>(std::move(part), inputs_);
}

primitive_handle prologue::with_producer(std::size_t operand, std::size_t num_operands,
                                         const index_map& map, const piece_list& producer) const {
  if (producer.size() != 1 || map.behind() != nullptr || has_windows(map)) return nullptr;
  const piece& inner = producer.front();
  std::vector<prologue_input> inputs;
  for (const prologue_input& input : inputs_) {
    if (as_computed(input) == nullptr) {
      inputs.push_back(input);
      if (std::get<std::size_t>(input) != operand) continue;
      computed_operand made{inner.program, {}, {}};
      for (const std::size_t each : inner.operands) made.operands.push_back(num_operands + each);
      for (std::size_t axis = 0; axis < map.domain_rank(); ++axis) {
        made.axes[axis] = map.depends_on(axis);
      }
      inputs.back() = std::move(made);
      continue;
    }
    computed_operand made = *as_computed(input);
    while (true) {
      const auto found = std::find(made.operands.begin(), made.operands.end(), operand);
      if (found == made.operands.end()) break;
      made = with_inner(made, static_cast<std::size_t>(found - made.operands.begin()), inner,
                        num_operands);
    }
    inputs.emplace_back(std::move(made));
  }
  for (prologue_input& input : inputs) {
    const auto move_up = [&](std::size_t& each) { each -= each > operand ? 1 : 0; };
    if (auto* const computed = std::get_if<computed_operand>(&input)) {
      std::for_each(computed->operands.begin(), computed->operands.end(), move_up);
    } else {
      move_up(std::get<std::size_t>(input));
    }
  }
  return std::make_shared<const prologue>(then_, std::move(inputs));
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
    computed_operand renamed{{}, {}, computed->axes};
    std::vector<std::size_t> local;
    for (const std::size_t operand : computed->operands) {
      const auto found =
          std::find(renamed.operands.begin(), renamed.operands.end(), places[operand]);
      local.push_back(static_cast<std::size_t>(found - renamed.operands.begin()));
      if (found == renamed.operands.end()) renamed.operands.push_back(places[operand]);
    }
    renamed.program = tessera::with_operands(computed->program, local, renamed.operands.size());
    inputs.emplace_back(std::move(renamed));
  }
  return std::make_shared<const prologue>(then_, std::move(inputs));
}

}  // namespace tessera
