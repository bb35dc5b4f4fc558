// SPDX-License-Identifier: Apache-2.0
#include "unit/plan/corpus/corpus.hpp"

#include "tessera/core/error.hpp"

#include "plan/api/planned.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <utility>

namespace tessera::test {

namespace {

using namespace literals;

constexpr std::size_t longest_label = 120;

std::string extents(const index_vector& shape) {
  return fmt::format("({})", fmt::join(shape, ","));
}

std::string_view name_of(operand_access access) {
  constexpr std::array<std::string_view, 4> names{"in place", "generated", "whole chunk",
                                                  "gathered"};
  return names[static_cast<std::size_t>(access)];
}

std::string_view name_of(output_access access) {
  constexpr std::array<std::string_view, 6> names{"in place",    "read into", "whole chunk",
                                                  "many chunks", "forwarded", "handed on"};
  return names[static_cast<std::size_t>(access)];
}

std::string_view name_of(task_scope scope) {
  constexpr std::array<std::string_view, 3> names{"step", "sweep", "task"};
  return names[static_cast<std::size_t>(scope)];
}

std::string_view describe_placement(const planned_array& array) {
  if (const auto* stored = std::get_if<stored_placement>(&array.placement)) {
    return stored->is_intermediate ? "intermediate" : "stored";
  }
  if (std::holds_alternative<memory_placement>(array.placement)) {
    return array.is_requested ? "result" : "memory";
  }
  if (std::holds_alternative<stored_source>(array.placement)) return "source";
  return std::holds_alternative<generated_source>(array.placement) ? "generator" : "elements";
}

std::string print_array(std::size_t number, const planned_array& array) {
  return fmt::format("#{} {} {}/{}", number, describe_placement(array), extents(array.shape),
                     extents(array.chunks));
}

std::string print_operation(const bounded_plan::implementation& plan,
                            const planned_operation& planned) {
  const loop_schedule& loops = planned.op.schedule;
  std::string text = fmt::format(
      "{} [{}]\n  {} by {} in {}, {} tasks of {} B; reads {} B in {}, writes {} B in {}, moves {} "
      "B\n",
      planned.label.substr(0, longest_label), planned.op.primitive->kind(), extents(loops.domain),
      extents(loops.block), extents(loops.step), planned.num_tasks, planned.buffers.arena_bytes(),
      planned.bytes_read.count(), planned.chunk_reads, planned.bytes_written.count(),
      planned.chunk_writes, planned.memory_moved.count());
  for (const planned_operand& operand : planned.inputs) {
    text += fmt::format("  < {} {}\n", print_array(operand.array, plan.arrays[operand.array]),
                        name_of(operand.access));
  }
  for (const planned_result& result : planned.outputs) {
    text += fmt::format("  > {} {} per {}\n", print_array(result.array, plan.arrays[result.array]),
                        name_of(result.access), name_of(result.emitted_per));
  }
  return text;
}

corpus_setting make_setting(std::string_view name, bytes allowed, bytes host,
                            const plan_workers& workers, costs figures = {}) {
  figures.workers = std::max(workers.count, workers.count_on_all);
  return {name, {.allowed_memory = allowed, .host_memory = host, .costs = figures}, workers};
}

}  // namespace

const std::vector<corpus_setting>& corpus_settings() {
  static const std::vector<corpus_setting> settings{
      make_setting("desk, 30 MB", 30_MB, 200_MB, {.count = 2}),
      make_setting("desk, 100 MB", 100_MB, 1_GB, {.count = 2}),
      make_setting("node, 500 MB", 500_MB, 64_GB, {.count = 64}),
      make_setting("cloud, 200 MB", 200_MB, 4_GB, {.count = 0, .count_on_all = 1000},
                   costs::object_store())};
  return settings;
}

void describe_array(key_value_store& store, std::string_view path, const index_vector& shape,
                    const index_vector& chunks, std::string_view dtype, bool are_encoded) {
  const std::string_view compressor =
      are_encoded ? R"({"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0})" : "null";
  const std::string document =
      fmt::format(R"({{"zarr_format":2,"shape":[{}],"chunks":[{}],"dtype":"{}","compressor":{},)"
                  R"("fill_value":0,"order":"C","filters":null}})",
                  fmt::join(shape, ","), fmt::join(chunks, ","), dtype, compressor);
  store.write(std::string(path) + "/.zarray", std::as_bytes(std::span(document)));
}

corpus_arrays::corpus_arrays(spec limits) : limits_(std::move(limits)) {
  describe_array(*store_, "u", {500, 361, 720}, {4, 361, 720}, "<f4");
  describe_array(*store_, "v", {500, 361, 720}, {4, 361, 720}, "<f4");
  describe_array(*store_, "t", {1825, 93, 180}, {365, 31, 60}, "<f4");
  describe_array(*store_, "a", {8192, 8192}, {1024, 1024}, "<f8");
  describe_array(*store_, "b", {8192, 8192}, {512, 2048}, "<f8");
  describe_array(*store_, "x", {200'000, 64}, {10'000, 64}, "<f8");
  describe_array(*store_, "s", {8'388'608}, {1'048'576}, "<f4");
  describe_array(*store_, "frames", {8, 2048, 2048}, {1, 2048, 2048}, "<u2");
  describe_array(*store_, "large", {100'000, 721, 1440}, {5, 721, 1440}, "<f4");
}

std::string print_plan(const bounded_plan& plan) {
  const bounded_plan::implementation& inside = plan.inside();
  std::string text = fmt::format("{} tasks, {} B read, {} B written, {} B between tasks\n",
                                 plan.num_tasks(), plan.bytes_read().count(),
                                 plan.bytes_written().count(), plan.resident_memory().count());
  for (const planned_operation& planned : inside.operations) {
    text += print_operation(inside, planned);
  }
  return text;
}

std::string print_program(const corpus_program& program, const corpus_setting& setting) {
  const corpus_outputs outputs = program.outputs(corpus_arrays(setting.limits));
  const std::string title = fmt::format("== {} ({}): ", program.name, setting.name);
  try {
    return title + print_plan(bounded_plan(outputs, setting.limits, {}, setting.workers));
  } catch (const memory_error&) {
    const pass_switches unbounded{.bound_memory = false};
    return title + "refused; " +
           print_plan(bounded_plan(outputs, setting.limits, unbounded, setting.workers));
  }
}

}  // namespace tessera::test
