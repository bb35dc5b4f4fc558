// SPDX-License-Identifier: Apache-2.0
#include "executor/plan_workload.hpp"

#include "tessera/plan/distribution.hpp"

#include "executor/overwriting.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace {

void refuse_overwriting_of_sources(const bounded_plan::implementation& plan) {
  for (const planned_array& target : plan.arrays) {
    const auto* place = std::get_if<zarr_place>(&target.place);
    if (place == nullptr || place->is_intermediate) continue;
    for (const planned_array& source : plan.arrays) {
      const auto* stored = std::get_if<stored_source>(&source.place);
      if (stored != nullptr) refuse_overwriting(stored->array, place->destination);
    }
  }
}

index_t elements_of(const planned_operation& planned) {
  index_t elements = 1;
  for (std::size_t axis = 0; axis < planned.what.domain.size(); ++axis) {
    const index_t length = std::min(planned.what.block[axis], planned.what.domain[axis]);
    if (__builtin_mul_overflow(elements, length, &elements)) {
      return std::numeric_limits<index_t>::max();
    }
  }
  return elements;
}

/// Returns the elements of an array, dense in row-major order.
std::shared_ptr<std::byte[]> read_whole(const zarr_array& array) {
  const region all = region::whole(array.shape());
  const std::size_t size = static_cast<std::size_t>(num_elements(array.shape())) * array.itemsize();
  std::shared_ptr<std::byte[]> elements = allocate_pages(size);
  std::vector<std::byte> decoded(array.decoded_bytes());
  std::vector<std::byte> encoded(array.encoded_bound());
  array.read_region(all, {elements.get(), size}, decoded, encoded);
  return elements;
}

}  // namespace

plan_workload::plan_workload(const bounded_plan& plan)
    : plan_(plan.inside()), arrays_(plan_.arrays.size()), readers_(plan_.arrays.size(), 0) {
  refuse_overwriting_of_sources(plan_);
  static std::atomic<unsigned> num_runs{0};
  run_name_ = fmt::format("run-{}-{}", getpid(), num_runs++);
  for (std::size_t i = 0; i < arrays_.size(); ++i) open(i);
  for (const std::size_t output : plan_.outputs) ++readers_[output];
  for (const planned_operation& planned : plan_.operations) {
    const auto num_tasks = static_cast<std::uint64_t>(std::max<index_t>(planned.num_tasks, 1));
    workload_operation seen{
        .name = planned.what.name,
        .num_tasks = planned.num_tasks,
        .elements_per_task = elements_of(planned),
        .bytes_read_per_task = bytes{planned.bytes_read.count() / num_tasks},
        .bytes_written_per_task = bytes{planned.bytes_written.count() / num_tasks},
        .task_memory = bytes{planned.buffers.peak_bytes()},
        .resident_memory = {},
        .after = planned.after};
    for (const planned_result& output : planned.outputs) {
      const planned_array& array = plan_.arrays[output.array];
      if (std::holds_alternative<memory_place>(array.place)) seen.resident_memory += array.size();
    }
    for (const planned_operand& input : planned.inputs) {
      ++readers_[input.array];
      const auto* memory = std::get_if<memory_source>(&plan_.arrays[input.array].place);
      seen.is_bound_to_workers |= memory != nullptr && memory->parts != nullptr;
    }
    operations_.push_back(std::move(seen));
  }
}

void plan_workload::open(std::size_t i) {
  const planned_array& planned = plan_.arrays[i];
  live_array& array = arrays_[i];
  array.planned = &planned;
  if (const auto* stored = std::get_if<stored_source>(&planned.place)) {
    array.stored = stored->array;
  } else if (const auto* memory = std::get_if<memory_source>(&planned.place)) {
    array.data = memory->data;
    array.strides = memory->strides;
    if (memory->parts != nullptr) array.here = &memory->parts->here;
  }
}

void plan_workload::begin(std::size_t operation) {
  for (const planned_result& output : plan_.operations[operation].outputs) {
    live_array& array = arrays_[output.array];
    if (const auto* place = std::get_if<zarr_place>(&array.planned->place)) {
      create(array, *place);
      continue;
    }
    // Pages that a kept arena holds may be needed for what lives on.
    arenas_.trim();
    array.elements = allocate_pages(array.planned->size().count());
    array.data = array.elements.get();
    array.strides = row_major_strides(array.planned->shape);
  }
}

void plan_workload::create(live_array& array, const zarr_place& place) {
  const zarr_destination& to = place.destination;
  if (place.is_intermediate) {
    array.stored = zarr_array::create(intermediate_path(to.path), to.metadata, to.attributes,
                                      existing::replace);
  } else {
    array.stored = zarr_array::create(to.store, to.path, to.metadata, to.attributes, to.existing)
                       .with({.empty = to.empty});
  }
}

std::string plan_workload::intermediate_path(const std::string& name) {
  return plan_.spec.work_dir + "/" + run_name_ + "/" + name;
}

void plan_workload::run(std::size_t operation, index_t task, std::size_t) {
  const planned_operation& planned = plan_.operations[operation];
  arena memory = arenas_.acquire(planned.buffers.arena_bytes());
  try {
    block_task(planned, arrays_, {memory.memory.get(), memory.size}).run(task);
  } catch (...) {
    arenas_.release(std::move(memory));
    throw;
  }
  arenas_.release(std::move(memory));
}

void plan_workload::end(std::size_t operation) {
  for (const planned_operand& input : plan_.operations[operation].inputs) {
    if (--readers_[input.array] > 0) continue;
    if (std::holds_alternative<memory_place>(plan_.arrays[input.array].place)) {
      arrays_[input.array].elements.reset();
    }
  }
}

std::size_t plan_workload::worker_of(std::size_t operation, index_t task) const {
  const planned_operation& planned = plan_.operations[operation];
  for (std::size_t i = 0; i < planned.inputs.size(); ++i) {
    const auto* memory = std::get_if<memory_source>(&plan_.arrays[planned.inputs[i].array].place);
    if (memory == nullptr || memory->parts == nullptr) continue;
    return memory->parts->holder_of(planned.what.operands[i](planned.what.task_box(task).start));
  }
  return any_worker;
}

std::string plan_workload::describe(std::size_t operation, index_t task) const {
  const planned_operation& planned = plan_.operations[operation];
  return fmt::format("block {} of {}", format_region(planned.what.task_box(task)), planned.label);
}

std::vector<computed_output> plan_workload::results() const {
  std::vector<computed_output> outputs;
  for (const std::size_t output : plan_.outputs) {
    const live_array& array = arrays_[output];
    const auto* place = std::get_if<zarr_place>(&array.planned->place);
    if (place != nullptr && place->is_intermediate) {
      outputs.push_back({read_whole(*array.stored), std::nullopt});
    } else {
      outputs.push_back({array.elements, array.stored});
    }
  }
  return outputs;
}

void plan_workload::remove_intermediates() {
  bool has_any = false;
  for (live_array& array : arrays_) {
    const auto* place = std::get_if<zarr_place>(&array.planned->place);
    if (place == nullptr || !place->is_intermediate) continue;
    array.stored.reset();
    has_any = true;
  }
  if (!has_any) return;
  std::error_code ignored;
  std::filesystem::remove_all(plan_.spec.work_dir + "/" + run_name_, ignored);
}

}  // namespace tessera
