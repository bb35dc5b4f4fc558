// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/text.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/primitive/strips.hpp"

#include "json/fields.hpp"
#include "primitive/parse.hpp"
#include "primitive/strips/program_json.hpp"
#include "primitive/strips/program_rules.hpp"
#include "primitive/strips/programs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

namespace tessera {

namespace {

using nlohmann::json;

/// Extents stay below this, so that sums of them are integers.
constexpr index_t greatest_index = index_t{1} << 60;

index_t itemsize_of(dtype type) { return static_cast<index_t>(size_of(type)); }

index_vector scaled(index_vector strides, index_t factor) {
  for (index_t& stride : strides) stride *= factor;
  return strides;
}

index_t num_kept(const walk& how, const index_vector& extents) {
  index_t count = 1;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (!how.reduced[axis]) count = checked_multiply(count, extents[axis]);
  }
  return count;
}

index_t num_reduced(const walk& how, const region& box) {
  index_t count = 1;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (how.reduced[axis]) count *= box.stop[axis] - box.start[axis];
  }
  return count;
}

/// Returns the steps of a dense state along the axes of the domain, 0 along reduced ones.
index_vector strides_of_states(const walk& how, const region& box) {
  index_vector strides(how.rank());
  index_t stride = 1;
  for (std::size_t axis = how.rank(); axis-- > 0;) {
    if (how.reduced[axis]) continue;
    strides[axis] = stride;
    stride *= box.stop[axis] - box.start[axis];
  }
  return strides;
}

/// Copies a box of `extents` between strides in bytes.
void copy_box(dtype type, const block_operand& from, const block_result& to,
              std::span<const index_t> extents, std::span<std::byte> scratch) {
  const strip_program copy = strip_program::copy(type);
  run_map(copy, {&from, 1}, {&to, 1}, extents, scratch);
}

/// Writes the results of states that lie dense over `extents`.
void finish_state(const block_states& state, const block_result& result,
                  const index_vector& extents, index_t taken) {
  const fold_kernel& kernel = *state.kernel;
  const index_vector dense = row_major_strides(extents);
  // Outputs are contiguous along their last axis, and so are planes: row by row it is.
  const bool is_dense = result.strides == scaled(dense, itemsize_of(kernel.output));
  const index_t count = num_elements(extents);
  const index_t row = is_dense || extents.empty() ? count : extents.back();
  index_vector position(extents.size());
  for (index_t first = 0; first < count; first += row) {
    std::vector<const std::byte*> planes;
    for (std::size_t plane = 0; plane < kernel.planes.size(); ++plane) {
      planes.push_back(state.planes[plane] + first * itemsize_of(kernel.planes[plane]));
    }
    index_t rest = first;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      position[axis] = rest / dense[axis];
      rest %= dense[axis];
    }
    kernel.finish(planes.data(), result.data + offset_of(position, result.strides), row, taken,
                  state.parameters);
  }
}

}  // namespace

std::vector<dtype> strip_fold::planes() const {
  std::vector<dtype> types;
  for (const fold_step& step : folds_) {
    types.insert(types.end(), step.kernel->planes.begin(), step.kernel->planes.end());
  }
  return types;
}

std::vector<dtype> strip_fold::results() const {
  std::vector<dtype> types;
  for (const fold_step& step : folds_) types.push_back(step.kernel->output);
  return types;
}

std::string strip_fold::to_json() const {
  json folds = json::array();
  for (const fold_step& step : folds_) {
    folds.push_back({{"kernel", step.kernel->name},
                     {"parameters", fields::of_bytes(step.parameters.identity())}});
  }
  return json{{"program", detail::program_json(program_)},
              {"folds", std::move(folds)},
              {"phase", static_cast<int>(phase_)},
              {"parts", {fields::of(parts_.shape()), fields::of(parts_.chunks())}}}
      .dump();
}

primitive_handle detail::parse_fold(const std::string& text) {
  const json value = json::parse(text);
  std::vector<fold_step> folds;
  for (const json& step : value.at("folds").get_ref<const json::array_t&>()) {
    const fold_kernel& kernel = find_fold_kernel(fields::text(step.at("kernel")));
    folds.push_back(
        {&kernel, fields::parameters(step.at("parameters"), kernel.name, kernel.restore)});
  }
  const auto phase = static_cast<fold_phase>(fields::number_below(value.at("phase"), 3));
  const json& parts = value.at("parts");
  return std::make_shared<const strip_fold>(
      parse_program(value.at("program")), std::move(folds), phase,
      chunk_grid(fields::indices(parts.at(0)), fields::indices(parts.at(1))));
}

bool strip_fold::equals(const primitive& other) const {
  const auto& fold = static_cast<const strip_fold&>(other);
  return phase_ == fold.phase_ && program_ == fold.program_ && folds_ == fold.folds_ &&
         parts_ == fold.parts_;
}

void strip_fold::check_portable(const std::string& operation, const std::string& label) const {
  detail::check_portable(program_, operation, label);
}

// A partial fold keeps all axes, reduced ones with one element for each block.
std::vector<output> strip_fold::outputs(const walk& how) const {
  if (phase_ != fold_phase::partial) return kept_axes(how, results());
  std::vector<output_axis> axes;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    axes.push_back(
        {how.reduced[axis] ? output_axis::kind::per_block : output_axis::kind::along, axis});
  }
  std::vector<output> states;
  for (const dtype type : planes()) states.push_back({type, axes});
  return states;
}

void strip_fold::check(const operation_rules& rules) const {
  rules.check_images();
  detail::check_program(rules, program_, rules.types());
  std::vector<dtype> elements;
  for (const fold_step& step : folds_) elements.push_back(step.kernel->input);
  const bool is_combining = phase_ == fold_phase::combine;
  rules.require(detail::result_types(program_) == (is_combining ? planes() : elements),
                "a fold takes elements of its data type, or planes of its states");
  if (phase_ != fold_phase::partial) rules.check_takes_all();
  if (is_combining) check_parts(rules);
}

void strip_fold::check_parts(const operation_rules& rules) const {
  const walk& how = rules.how();
  rules.require(parts_.rank() == how.rank(), "parts have the rank of the domain");
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    index_t reach = 0;
    rules.require(!__builtin_mul_overflow(how.domain[axis], parts_.chunks()[axis], &reach) &&
                      reach < greatest_index,
                  "parts are of an array");
    if (!how.reduced[axis]) continue;
    rules.require(parts_.num_chunks()[axis] == how.domain[axis] && how.stream[axis] == 1,
                  "a combining fold takes part after part");
  }
}

// Operands are read again and again into states that live on; all outputs are finished at once.
task_demand strip_fold::demand(const walk& how, std::size_t num_operands) const {
  task_demand needs;
  for (std::size_t operand = 0; operand < num_operands; ++operand) {
    needs.operands.push_back({true, {operand, num_operands}, {operand, operand}});
  }
  const index_t kept = num_kept(how, how.block);
  for (const fold_step& step : folds_) {
    for (const dtype type : step.kernel->planes) {
      needs.own.push_back({fmt::format("state of {}", step.kernel->label),
                           size_of(type) * static_cast<std::size_t>(kept)});
    }
  }
  needs.scratch = scratch_bytes(program_, num_elements(how.stream));
  // The states of a part are copied to where they go in scratch.
  for (const dtype type : planes()) {
    needs.scratch = std::max(needs.scratch, scratch_bytes(strip_program::copy(type), kept));
  }
  const std::size_t num_outputs = outputs(how).size();
  for (std::size_t i = 0; i < num_outputs; ++i) {
    needs.outputs.push_back({num_operands + 1, num_operands + 1 + i});
  }
  return needs;
}

void strip_fold::run(task_blocks& blocks, const region& box) const {
  const index_t kept = num_kept(blocks.how(), box.shape());
  std::vector<block_states> states;
  std::size_t plane = 0;
  for (const fold_step& step : folds_) {
    block_states state{step.kernel, step.parameters.get(), {}};
    for (std::size_t i = 0; i < step.kernel->planes.size(); ++i) {
      state.planes.push_back(blocks.own(plane++).data());
    }
    step.kernel->start(state.planes.data(), kept);
    states.push_back(std::move(state));
  }
  take_steps(blocks, box, states);
}

void strip_fold::take_steps(task_blocks& blocks, const region& box,
                            std::span<const block_states> states) const {
  const walk& how = blocks.how();
  const bool is_combining = phase_ == fold_phase::combine;
  const index_vector strides = strides_of_states(how, box);
  std::vector<block_operand> operands(program_.num_operands);
  index_t taken = 0;
  const chunk_grid steps(box.shape(), how.stream);
  for (index_t number = 0; number < steps.size(); ++number) {
    region step = steps.chunk_region(steps.chunk_at(number));
    for (std::size_t axis = 0; axis < how.rank(); ++axis) {
      step.start[axis] += box.start[axis];
      step.stop[axis] += box.start[axis];
    }
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = blocks.operand(i, step);
    // What a combining fold walks are blocks of the domain that the states were made from.
    const index_t count = num_reduced(how, is_combining ? parts_.chunk_region(step.start) : step);
    run_fold(program_, operands, states, step.shape(), how.reduced, strides, taken,
             is_combining ? count : 0, blocks.scratch());
    taken += count;
  }
  finish(blocks, box, states, taken);
}

void strip_fold::finish(task_blocks& blocks, const region& box,
                        std::span<const block_states> states, index_t taken) const {
  const walk& how = blocks.how();
  const bool is_partial = phase_ == fold_phase::partial;
  index_vector extents;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (!how.reduced[axis]) {
      extents.push_back(box.stop[axis] - box.start[axis]);
    } else if (is_partial) {
      extents.push_back(1);
    }
  }
  if (is_partial) {
    hand_on_states(blocks, states, extents);
    return;
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    finish_state(states[i], blocks.result(i, blocks.output_box(i)), extents, taken);
  }
}

void strip_fold::hand_on_states(task_blocks& blocks, std::span<const block_states> states,
                                const index_vector& extents) const {
  const index_vector dense = row_major_strides(extents);
  std::size_t out = 0;
  for (const block_states& state : states) {
    for (std::size_t plane = 0; plane < state.kernel->planes.size(); ++plane, ++out) {
      const dtype type = state.kernel->planes[plane];
      const block_operand from{.data = state.planes[plane],
                               .strides = scaled(dense, itemsize_of(type))};
      copy_box(type, from, blocks.result(out, blocks.output_box(out)), extents, blocks.scratch());
    }
  }
}

description strip_fold::describe(const std::string& /*operation*/,
                                 const operand_words& words) const {
  const bool is_combining = phase_ == fold_phase::combine;
  // What combines states is named after what they are states of.
  const std::vector<std::string>& names = is_combining ? words.formulas : words.names;
  std::vector<std::string> formulas;
  description said;
  std::size_t result = 0;
  for (const fold_step& step : folds_) {
    strip_program one = program_;
    one.results = {program_.results[result]};
    const std::string folded = tessera::describe(one, names);
    result += is_combining ? step.kernel->planes.size() : 1;
    formulas.push_back(is_combining ? folded : fmt::format("{}({})", step.kernel->label, folded));
    // A plane of a state is named after the whole.
    const std::size_t num_outputs = phase_ == fold_phase::partial ? step.kernel->planes.size() : 1;
    said.outputs.insert(said.outputs.end(), num_outputs, formulas.back());
  }
  said.label = listed(formulas);
  if (phase_ == fold_phase::partial) said.label += ", parts";
  if (is_combining) said.label += ", combined";
  return said;
}

primitive_handle strip_fold::with_producer(std::size_t operand, std::size_t /*num_operands*/,
                                           const piece& producer, std::size_t num_inner) const {
  return std::make_shared<const strip_fold>(
      inline_operand(program_, operand,
                     tessera::with_operands(producer.program, producer.operands, num_inner)),
      folds_, phase_, parts_);
}

primitive_handle strip_fold::beside(const primitive& other, std::size_t /*num_operands*/) const {
  const auto* const fold = dynamic_cast<const strip_fold*>(&other);
  if (fold == nullptr || phase_ != fold_phase::complete || fold->phase_ != fold_phase::complete) {
    return nullptr;
  }
  std::vector<fold_step> folds = folds_;
  folds.insert(folds.end(), fold->folds_.begin(), fold->folds_.end());
  return std::make_shared<const strip_fold>(side_by_side(program_, fold->program_),
                                            std::move(folds));
}

primitive_handle strip_fold::with_operands(const std::vector<std::size_t>& places,
                                           std::size_t count) const {
  return std::make_shared<const strip_fold>(tessera::with_operands(program_, places, count), folds_,
                                            phase_, parts_);
}

std::optional<two_stages> strip_fold::in_stages() const {
  if (phase_ != fold_phase::complete) return std::nullopt;
  two_stages stages;
  stages.part = std::make_shared<const strip_fold>(program_, folds_, fold_phase::partial);
  stages.combine = [states = planes(), folds = folds_](const chunk_grid& parts) {
    strip_program hand_on{
        .num_operands = states.size(), .registers = states, .steps = {}, .results = {}};
    hand_on.results.resize(states.size());
    std::iota(hand_on.results.begin(), hand_on.results.end(), std::size_t{0});
    return std::make_shared<const strip_fold>(std::move(hand_on), folds, fold_phase::combine,
                                              parts);
  };
  for (const dtype type : planes()) stages.state_bytes += size_of(type);
  for (std::size_t i = 0; i < program_.num_operands; ++i) {
    stages.element_bytes = std::max(stages.element_bytes, size_of(program_.registers[i]));
  }
  return stages;
}

}  // namespace tessera
