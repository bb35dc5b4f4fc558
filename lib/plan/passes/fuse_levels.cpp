// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fuses downsampling: levels of a pyramid are computed in the task that computes the level below.
///
/// Problem: y, f(y) and g(f(y)) are all stored, f and g being means of 2 x 2 elements or every
/// third element. As three operations, y and f(y) are written and read again. A task that has
/// computed a block of y can compute the block of f(y) and of g(f(y)) at once:
///     +-------+       +---+       +-+
///     | block |  f->  |   |  g->  +-+       all three leave the task in one write each
///     | of y  |       +---+
///     +-------+
/// y may be a stored copy of an array x that f reads: f then reads the copy. An unrequested array
/// of several readers stops to be an output once all its readers are levels. An example is a mean,
/// if its own mean and its rounding are stored.
/// Legality (`check_applicable`): f reads y only, as a whole; each element of f(y) depends on the
/// elements of y in one block; outputs leave the task at the same time.
/// Blocks grow to the least common multiple of the extents that hold whole chunks of all levels
/// (`make_whole_chunks`). Price (`check_cost`): a task keeps to the allowed memory, no more is
/// read, and the merit does not get worse.
/// Invariant: a chunk of each level is written whole by one task.

#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A producer, and a reader whose only input is output `output` of the producer, or an array of
/// which that output is a copy.
struct level_pair {
  vertex producer;
  vertex reader;
  std::size_t output;
};

/// An operation that copies a source, and the copy.
struct source_copy {
  vertex producer;
  vertex array;
};

/// By source: the first operation that copies all of it.
using copies_of_sources = std::unordered_map<vertex, source_copy>;

copies_of_sources find_copies(array_graph& graph) {
  copies_of_sources copies;
  for (const vertex v : operations_in_order(graph)) {
    const operation& op = operation_at(graph, v);
    if (!is_copy(*op.primitive) || !op.operands.front().is_identity()) continue;
    const vertex source = inputs_of(graph, v).front();
    const vertex copy = outputs_of(graph, v).front();
    if (boost::in_degree(source, graph) > 0) continue;
    if (array_at(graph, copy).shape != array_at(graph, source).shape) continue;
    copies.try_emplace(source, source_copy{v, copy});
  }
  return copies;
}

/// Returns `reader` and the copy of the source `array`, its only input; nullopt if there is none,
/// or if it is no output any more. A reader that is a copy itself is no level: a copy has chunks of
/// its own.
std::optional<level_pair> copy_for(const array_graph& graph, vertex array, vertex reader,
                                   const copies_of_sources& copies) {
  const auto match = copies.find(array);
  if (match == copies.end() || is_copy(*operation_at(graph, reader).primitive)) return std::nullopt;
  const auto& [producer, copy] = match->second;
  const small_vector<vertex> outputs = outputs_of(graph, producer);
  const auto output = std::ranges::find(outputs, copy);
  if (output == outputs.end()) return std::nullopt;
  return level_pair{producer, reader, static_cast<std::size_t>(output - outputs.begin())};
}

/// Returns `reader` and the producer of its only input, or nullopt if it has several inputs, or no
/// other operation needs the input.
std::optional<level_pair> pair_of(const array_graph& graph, vertex reader,
                                  const copies_of_sources& copies) {
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  if (inputs.empty()) return std::nullopt;
  const vertex array = inputs.front();
  const bool is_alone = std::ranges::all_of(inputs, [&](vertex input) { return input == array; });
  if (!is_alone) return std::nullopt;
  const vertex producer = producer_of(graph, array);
  if (producer == array_graph::null_vertex()) return copy_for(graph, array, reader, copies);
  if (!array_at(graph, array).is_requested && has_one_reader(graph, array) &&
      count_levels(*operation_at(graph, producer).primitive) == 0) {
    return std::nullopt;
  }
  const small_vector<vertex> outputs = outputs_of(graph, producer);
  const auto number = std::ranges::find(outputs, array) - outputs.begin();
  return level_pair{producer, reader, static_cast<std::size_t>(number)};
}

pyramid_level level_of(const array_graph& graph, const level_pair& pair) {
  const operation& reader = operation_at(graph, pair.reader);
  const vertex array = inputs_of(graph, pair.reader).front();
  return {reader.primitive,     pair.output,     reader.schedule.domain,
          reader.schedule.step, reader.operands, array_at(graph, array).name};
}

/// Returns a refusal if the reader reads a part of the output, or beyond its end.
reason check_extents(const array_graph& graph, const level_pair& pair, const pyramid_level& level,
                     const std::vector<coarser_axis>& axes) {
  const operation& producer = operation_at(graph, pair.producer);
  const index_vector& shape = array_at(graph, inputs_of(graph, pair.reader).front()).shape;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const auto [axis, step] = axes[k];
    if (level.domain[axis] == 0 || (step == 1 && level.domain[axis] != shape[k])) {
      return {"{reader} reads only a part of the output of {producer}", "{} of {} along an axis",
              level.domain[axis], shape[k]};
    }
    // If the last box of a level lies partly beyond the end, so do the boxes of the next level.
    const output_axis& along = producer.outputs[pair.output].axes[k];
    const index_t extent = producer.schedule.domain[along.axis] / along.step;
    if (step > std::max<index_t>(1, extent)) {
      return {"an element of {reader} depends on a box beyond the end of {producer}",
              "{} of {} elements", step, extent};
    }
  }
  return nullptr;
}

/// Returns a refusal if the reader cannot be a level of the producer.
reason check_applicable(const array_graph& graph, const level_pair& pair) {
  const operation& producer = operation_at(graph, pair.producer);
  if (reads_distributed(graph, pair.producer)) return input_of_producer_is_distributed;
  if (count_levels(*producer.primitive) == tuning.most_levels) {
    return "a task of {producer} with {reader} would compute more than 64 levels";
  }
  const output& operand = producer.outputs[pair.output];
  if (!std::ranges::all_of(operand.axes, &output_axis::goes_along))
    return "blocks of the output of {producer}, which {reader} reads, do not start at its blocks";
  if (!leave_at_once(producer) ||
      !takes_stages(*producer.primitive, producer.schedule, producer.operands.size())) {
    return "the outputs of {producer} leave its tasks at different times, so that {reader} cannot "
           "be computed from them";
  }
  const pyramid_level level = level_of(graph, pair);
  const auto axes = coarser_axes(level);
  if (!axes) return "elements of {reader} depend on several blocks of {producer}";
  if (reason refusal = check_extents(graph, pair, level, *axes)) return refusal;
  const operation& reader = operation_at(graph, pair.reader);
  if (!reader.schedule.takes_all(reader.primitive->reduced())) {
    return "the fold {reader} is cut into parts, which the tasks of {producer} do not compute";
  }
  return nullptr;
}

/// Returns the producer with the reader as one more level, in the blocks of the producer; nullopt
/// if it has too many stages.
std::optional<candidate> append(const array_graph& graph, const level_pair& pair) {
  candidate fused = candidate_at(graph, pair.producer);
  fused.op.primitive = append_level(fused.op.primitive, fused.inputs.size(), level_of(graph, pair),
                                    fused.op.schedule);
  if (fused.op.primitive == nullptr) return std::nullopt;
  fused.op.name = joined_names(fused.op.name, operation_at(graph, pair.reader).name);
  fused.op.outputs = fused.op.primitive->outputs(fused.op.schedule);
  return fused;
}

/// Tells whether `producer`, which may have levels already, can take larger blocks.
bool may_grow_with_levels(operation producer) {
  producer.primitive = without_levels(producer.primitive);
  return may_take_larger_blocks(producer);
}

/// Returns the least common multiple of `block` and `unit`, at most the whole extent.
index_t grow_to_multiple(index_t block, index_t unit, index_t extent) {
  const index_t whole = ceil_divide(extent, block) * block;
  index_t common = 0;
  const bool is_long = __builtin_mul_overflow(block / std::gcd(block, unit), unit, &common);
  return is_long ? whole : std::min(common, whole);
}

/// Enlarges the blocks of `fused` until each holds whole chunks of all `outputs`. Returns false if
/// its blocks may not grow that far.
bool make_whole_chunks(const array_graph& graph, const small_vector<vertex>& outputs, bool may_grow,
                       operation& fused) {
  loop_schedule& schedule = fused.schedule;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const planned_array& array = array_at(graph, outputs[i]);
    const output& output = fused.outputs[i];
    for (std::size_t k = 0; k < output.axes.size(); ++k) {
      const auto [kind, axis, length, skipped, step] = output.axes[k];
      if (kind != output_axis::kind::along || schedule.sweep()[axis] >= schedule.domain[axis])
        continue;
      const bool is_whole = schedule.sweep()[axis] % step == 0 &&
                            (schedule.sweep()[axis] / step) % array.chunks[k] == 0;
      if (is_whole) continue;
      index_t unit = 0;
      if (!may_grow || __builtin_mul_overflow(step, array.chunks[k], &unit)) {
        return false;
      }
      lengthen(schedule, *fused.primitive, axis,
               grow_to_multiple(schedule.block[axis], unit, schedule.domain[axis]));
    }
  }
  return true;
}

/// Returns a refusal if `fused` does not fit, reads more, or has a worse merit than both
/// operations.
reason check_cost(const array_graph& graph, const candidate& fused,
                  const small_vector<vertex>& outputs, const level_pair& pair, const spec& limits) {
  const planned_operation planned = estimate(graph, fused.op, fused.inputs, outputs, limits);
  if (!fits(planned, limits)) return too_large(planned, limits);
  const planned_operation producer = estimate(graph, pair.producer, limits);
  const planned_operation reader = estimate(graph, pair.reader, limits);
  const bytes apart = producer.bytes_read + reader.bytes_read;
  if (planned.bytes_read > apart) return reads_more(planned.bytes_read, apart);
  const std::size_t num_workers = limits.costs.num_workers();
  if (cost_of(planned, limits.costs, num_workers).merit() <=
      cost_of_both(producer, reader, limits.costs, num_workers).merit()) {
    return nullptr;
  }
  return fewer_workers_busy(planned.num_tasks, producer.num_tasks + reader.num_tasks);
}

/// Omits output `array` of operation `v` if nothing needs it outside of the tasks of `v`.
void omit_if_unneeded(array_graph& graph, vertex v, vertex array) {
  const planned_array& planned = array_at(graph, array);
  if (planned.is_requested || planned.is_materialized || boost::out_degree(array, graph) > 0) {
    return;
  }
  const small_vector<vertex> outputs = outputs_of(graph, v);
  std::vector<bool> needed;
  for (const vertex output : outputs) needed.push_back(output != array);
  operation& op = operation_at(graph, v);
  const primitive_handle reduced = op.primitive->with_outputs(needed);
  if (reduced == nullptr) return;
  op.primitive = reduced;
  op.outputs = reduced->outputs(op.schedule);
  remove_outputs(graph, v);
  remove(graph, array);
  std::size_t position = 0;
  for (const vertex output : outputs) {
    if (output != array) add_output(graph, v, output, position++);
  }
}

/// Makes the reader a level of the producer. Returns null, or a refusal.
reason fuse(array_graph& graph, const level_pair& pair, const pass_context& context) {
  if (const reason refusal = check_applicable(graph, pair)) return refusal;
  small_vector<vertex> outputs = outputs_of(graph, pair.producer);
  const vertex array = outputs[pair.output];
  const small_vector<vertex> reader_outputs = outputs_of(graph, pair.reader);
  outputs.insert(outputs.end(), reader_outputs.begin(), reader_outputs.end());
  std::optional<candidate> fused = append(graph, pair);
  if (!fused) return "a task of {producer} with {reader} would have more than 128 stages";
  const bool may_grow = may_grow_with_levels(operation_at(graph, pair.producer));
  if (!make_whole_chunks(graph, outputs, may_grow, fused->op))
    return "blocks of {producer} would cut chunks of the output of {reader}";
  fused->op.outputs = fused->op.primitive->outputs(fused->op.schedule);
  if (const reason refusal = check_cost(graph, *fused, outputs, pair, context.limits))
    return refusal;
  std::size_t number = boost::out_degree(pair.producer, graph);
  context.tell(graph, pair.producer, [&] {
    return fmt::format("computes '{}' from its blocks", operation_at(graph, pair.reader).name);
  });
  remove(graph, pair.reader);
  put(graph, pair.producer, *std::move(fused));
  for (const vertex level : reader_outputs) add_output(graph, pair.producer, level, number++);
  omit_if_unneeded(graph, pair.producer, array);
  return nullptr;
}

}  // namespace

void fuse_levels(plan_graph& plan, const pass_context& context) {
  const copies_of_sources copies = find_copies(plan.graph);
  for (const vertex reader : operations_in_order(plan.graph)) {
    const std::optional<level_pair> pair = pair_of(plan.graph, reader, copies);
    if (!pair) continue;
    if (const reason refusal = fuse(plan.graph, *pair, context))
      context.leave(plan.graph, reader, refusal, pair->producer);
  }
}

}  // namespace tessera
