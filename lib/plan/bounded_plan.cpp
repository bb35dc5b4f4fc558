// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/bounded_plan.hpp"

#include "tessera/core/error.hpp"

#include "core/api/numbered_label.hpp"
#include "core/api/streamed_shards.hpp"
#include "core/api/text.hpp"
#include "plan/api/plan_request.hpp"
#include "plan/api/planned.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/check_operation.hpp"
#include "plan/labels.hpp"
#include "plan/lifetimes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// A buffer of a planned operation, with the array whose elements it holds; null: no array.
struct named_buffer {
  named_buffer(const scheduled_buffer& scheduled, const planned_operation& planned,
               const numbered<planned_array>& arrays)
      : buffer(&scheduled) {
    const std::size_t position = scheduled.array.position;
    switch (scheduled.array.as) {
      case buffer_array::role::none:
        break;
      case buffer_array::role::operand:
        array = &arrays[planned.inputs[position].array];
        break;
      case buffer_array::role::output:
        array = &arrays[planned.outputs[position].array];
        break;
    }
  }

  /// Returns the name of the array: "u", "result u + v".
  [[nodiscard]] std::string array_name() const {
    constexpr std::size_t most = 40;
    const bool is_output = buffer->array.as == buffer_array::role::output;
    return (is_output ? "result " : "") + shortened(array->name, most);
  }

  /// Returns the name of the buffer: "u: chunk", "scratch".
  [[nodiscard]] std::string name() const {
    return array == nullptr ? buffer->use : array_name() + ": " + buffer->use;
  }

  [[nodiscard]] bool has_intermediate() const {
    const auto* placement = std::get_if<stored_placement>(&array->placement);
    return placement != nullptr && placement->is_intermediate;
  }

  const scheduled_buffer* buffer;
  const planned_array* array = nullptr;
};

/// Returns the largest buffers of an operation, for an error: "u: chunk 200 MB, scratch 49 kB".
std::string largest_buffers(const planned_operation& planned,
                            const numbered<planned_array>& arrays) {
  constexpr std::size_t most = 6;
  std::vector<scheduled_buffer> buffers = planned.buffers.buffers();
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const auto& a, const auto& b) { return a.size > b.size; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, buffers.size()); ++i) {
    text +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", named_buffer(buffers[i], planned, arrays).name(),
                    format_short(bytes{buffers[i].size}));
  }
  if (buffers.size() > most) text += fmt::format(" and {} smaller ones", buffers.size() - most);
  return text;
}

/// The bytes that tasks hold for a whole chunk of an array: encoded, in its codec, and decoded.
struct chunk_memory {
  const scheduled_buffer* largest = nullptr;
  std::size_t codec = 0;
  std::size_t total = 0;
};

/// Returns the memory of the whole chunk that takes the most in a task.
chunk_memory find_largest_chunk(const std::vector<scheduled_buffer>& buffers) {
  std::map<std::pair<buffer_array::role, std::size_t>, chunk_memory> chunks;
  for (const scheduled_buffer& buffer : buffers) {
    const bool is_codec = buffer.use == codec_use;
    const bool is_chunk = buffer.use == chunk_use || buffer.use == encoded_chunk_use;
    if (buffer.array.as == buffer_array::role::none || !(is_codec || is_chunk)) continue;
    chunk_memory& chunk = chunks[{buffer.array.as, buffer.array.position}];
    chunk.total += buffer.size;
    if (is_codec) chunk.codec += buffer.size;
    if (chunk.largest == nullptr || buffer.size > chunk.largest->size) chunk.largest = &buffer;
  }
  const auto most =
      std::ranges::max_element(chunks, {}, [](const auto& chunk) { return chunk.second.total; });
  return most == chunks.end() ? chunk_memory{} : most->second;
}

/// Returns an output of which a task holds whole shards because their index comes first, or a null
/// pointer.
const planned_array* find_index_first(const planned_operation& planned,
                                      const numbered<planned_array>& arrays) {
  for (const planned_result& result : planned.outputs) {
    const planned_array& array = arrays[result.array];
    const auto* const placement = std::get_if<stored_placement>(&array.placement);
    if (placement == nullptr) continue;
    const auto* const shards = dynamic_cast<const streaming_destination*>(placement->to.get());
    if (shards != nullptr && shards->streams().is_index_first) return &array;
  }
  return nullptr;
}

/// Returns the remedy for a task that needs too much memory.
std::string remedy(const planned_operation& planned, const numbered<planned_array>& arrays) {
  if (const planned_array* const array = find_index_first(planned, arrays)) {
    return fmt::format(
        "it holds a whole shard of '{}', as its index comes first; store it with the index at the "
        "end (\"index_location\": \"end\"), or take",
        array->name);
  }
  if (!planned.op.primitive->may_shrink()) return "take smaller chunks or";
  const chunk_memory chunk = find_largest_chunk(planned.buffers.buffers());
  if (2 * chunk.total >= planned.buffers.peak_bytes() && chunk.largest != nullptr) {
    const named_buffer buffer(*chunk.largest, planned, arrays);
    // Chunks and codec of an intermediate are not the user's choice.
    if (buffer.has_intermediate()) {
      return fmt::format("it holds a whole chunk of '{}', which is passed between tasks; take",
                         buffer.array_name());
    }
    if (2 * chunk.codec > chunk.total) {
      return fmt::format("its codec of '{}' needs the most; take another codec there, or",
                         buffer.array_name());
    }
    return fmt::format("it holds a whole chunk of '{}'; take smaller chunks there, or",
                       buffer.array_name());
  }
  return fmt::format(
      "it takes {} elements at once, and cannot take fewer; shorten these axes, or take",
      format_shape(planned.op.schedule.step));
}

/// Returns the passes that were switched on for a plan: the first attempt has them.
const pass_switches& passes_asked_for(const plan_origin& origin) {
  return origin.attempts.empty() ? origin.choices.passes : origin.attempts.front().choices.passes;
}

/// Returns an allowed memory, at least `needed`, that is enough for a plan of the outputs of
/// `plan`.
///
/// With more memory passes choose other blocks, whose tasks may need more than `needed`. So each
/// attempt allows the need of the plan before.
bytes find_enough_memory(const bounded_plan::implementation& plan, bytes needed) {
  if (plan.graph == nullptr || !plan.graph->origin) return needed;
  const plan_origin& origin = *plan.graph->origin;
  const pass_switches& passes = passes_asked_for(origin);
  spec limits = plan.spec;
  for (int attempt = 0; attempt < tuning.most_enlargements; ++attempt) {
    limits.allowed_memory = needed;
    const bytes next = task_memory(make_plan(origin.requests, limits, passes, plan.workers));
    if (next <= needed) break;
    needed = next;
  }
  return needed + bytes{needed.count() / tuning.share_of_lowering};
}

/// Returns the message of a plan that exceeds the host memory, with the remedy.
std::string too_much_for_host(const memory_bound& bound_of_plan) {
  std::string parts;
  const auto add = [&parts](bytes part, const char* text) {
    if (part > bytes{0}) parts += fmt::format(", {} {}", format_short(part), text);
  };
  add(bound_of_plan.intermediates, "of arrays between tasks");
  const std::size_t num_others = std::max<std::size_t>(bound_of_plan.workers.count, 1) - 1;
  add(bound_of_plan.libraries * num_others, "that codecs and libraries keep on other workers");
  add(bound_of_plan.reserved, "that the processes hold themselves");
  const std::string limits =
      fmt::format("a task of {}{} together more than the host memory of {}",
                  format(bound_of_plan.task), parts, format(bound_of_plan.limit));
  if (bound_of_plan.results == bytes{0}) {
    return fmt::format(
        "the plan needs {}; take smaller chunks, fewer workers, or a host memory of "
        "at least {}",
        limits, format(bound_of_plan.least()));
  }
  return fmt::format(
      "the results take {} in memory{}, with {}; store the results instead of computing them into "
      "memory, or take a host memory of at least {}",
      format(bound_of_plan.results),
      bound_of_plan.reading > bytes{0}
          ? fmt::format(" and {} to read them", format(bound_of_plan.reading))
          : std::string(),
      limits, format(bound_of_plan.least()));
}

/// Returns the number of the operation whose tasks need the most memory, if there is an operation.
std::optional<std::size_t> find_largest(const bounded_plan::implementation& plan) {
  const auto largest = std::max_element(
      plan.operations.begin(), plan.operations.end(),
      [](const auto& a, const auto& b) { return a.buffers.peak_bytes() < b.buffers.peak_bytes(); });
  if (largest == plan.operations.end()) return std::nullopt;
  return static_cast<std::size_t>(std::distance(plan.operations.begin(), largest));
}

/// Throws value_error if two outputs have one destination, or one lies inside another.
void check_destinations(const std::vector<plan_output>& outputs) {
  std::vector<array_destination::named> named;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].destination == nullptr) continue;
    named.emplace_back(outputs[i].destination.get(),
                       fmt::format("result {} ('{}')", i + 1, outputs[i].array->name));
  }
  check_together(named);
}

/// Throws value_error if an operation of the plan breaks a rule that its tasks rely on.
void check_rules(const bounded_plan::implementation& plan) {
  for (const planned_operation& planned : plan.operations) {
    std::vector<std::size_t> inputs;
    for (const planned_operand& input : planned.inputs) inputs.push_back(input.array);
    check_operation(planned.op, plan.arrays, inputs);
  }
}

}  // namespace

std::optional<plan_request> request_of(const bounded_plan& plan) {
  const std::optional<plan_origin>& origin = plan.inside().graph->origin;
  if (!origin) return std::nullopt;
  return plan_request{origin->requests, passes_asked_for(*origin)};
}

bounded_plan::bounded_plan(std::vector<plan_output> outputs, tessera::spec limits,
                           pass_switches passes, const plan_workers& workers) {
  check_costs(costs_on(limits, workers));
  check_destinations(outputs);
  implementation_ =
      std::make_shared<const implementation>(make_plan(outputs, limits, passes, workers));
  if (passes.bound_memory) check_memory();
  check_rules(*implementation_);
}

std::size_t bounded_plan::num_operations() const { return implementation_->operations.size(); }

index_t bounded_plan::num_tasks() const {
  index_t total = 0;
  for (const planned_operation& planned : implementation_->operations) total += planned.num_tasks;
  return total;
}

bytes task_memory(const bounded_plan::implementation& plan) {
  const std::optional<std::size_t> largest = find_largest(plan);
  return largest ? task_memory(plan.operations[*largest], plan.spec) : plan.spec.reserved_memory;
}

bytes bounded_plan::projected_memory() const { return task_memory(*implementation_); }

bytes bounded_plan::resident_memory() const {
  bytes most;
  for (const memory_in_use& in_use : find_memory_in_use(*implementation_)) {
    most = std::max(most, in_use.intermediates + in_use.results);
  }
  return most;
}

memory_bound bounded_plan::bound() const { return bound_of(*implementation_); }

bytes bounded_plan::bytes_read() const {
  bytes total;
  for (const planned_operation& planned : implementation_->operations) total += planned.bytes_read;
  return total;
}

bytes bounded_plan::bytes_written() const {
  bytes total;
  for (const planned_operation& planned : implementation_->operations) {
    total += planned.bytes_written;
  }
  return total;
}

plan_cost bounded_plan::cost() const { return cost(num_workers_of(implementation_->workers)); }

plan_cost bounded_plan::cost(std::size_t num_workers) const {
  return cost_of(*implementation_, num_workers);
}

const spec& bounded_plan::spec() const { return implementation_->spec; }

void bounded_plan::check_memory() const {
  const std::optional<std::size_t> number = find_largest(*implementation_);
  if (!number) return;
  const planned_operation& largest = implementation_->operations[*number];
  const bytes needed = task_memory(largest, spec());
  if (needed > spec().allowed_memory) {
    throw memory_error(fmt::format(
        "{}: a task of {} needs {}, but the allowed memory is {}; its buffers are {}{}; {} an "
        "allowed memory of at least {}",
        largest.op.name, operation_title(*number, largest.label), format(needed),
        format(spec().allowed_memory), largest_buffers(largest, implementation_->arrays),
        spec().reserved_memory.count() == 0
            ? std::string()
            : fmt::format(", and {} are reserved", format_short(spec().reserved_memory)),
        remedy(largest, implementation_->arrays),
        format(find_enough_memory(*implementation_, needed))));
  }
  const memory_bound total = bound();
  if (total.least() > total.limit) {
    throw memory_error(too_much_for_host(total));
  }
}

}  // namespace tessera
