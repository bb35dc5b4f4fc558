// SPDX-License-Identifier: Apache-2.0
#include "task/copy_workload.hpp"

#include "tessera/core/error.hpp"
#include "tessera/plan/stored_text.hpp"
#include "tessera/scheduler/workload_registry.hpp"

#include "task/overwriting.hpp"
#include "task/room.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

namespace tessera {

namespace {

constexpr auto copy_kind = "copy";

const bool is_known = register_workload(copy_kind, copy_workload::from_recipe);

/// Returns the least block of whole chunks of `to` that is as long as a chunk of `from`, so that
/// each of these is decoded few times.
index_vector covering_block(const index_vector& from, const index_vector& to) {
  index_vector block = to;
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    block[axis] *= std::max<index_t>(1, from[axis] / to[axis]);
  }
  return block;
}

}  // namespace

copy_workload::copy_workload(zarr_array from, zarr_destination to, const spec& limits)
    : from_(std::move(from)),
      to_(std::move(to)),
      allowed_memory_(limits.allowed_memory),
      reserved_memory_(limits.reserved_memory) {
  refuse_overwriting(from_, to_);
  to_.metadata.validate();
  index_vector block = covering_block(from_.chunks(), to_.metadata.chunks);
  if (memory_for(block, limits) > limits.allowed_memory) block = to_.metadata.chunks;
  blocks_ = chunk_grid(from_.shape(), block);
  sizes_ = sizes_for(block);
  check_memory(limits);
  operations_.push_back(
      {.name = "copy",
       .num_tasks = blocks_.size(),
       .elements_per_task = static_cast<index_t>(sizes_.elements / from_.itemsize()),
       .bytes_read_per_task = bytes{sizes_.elements},
       .bytes_written_per_task = bytes{sizes_.elements},
       .task_memory = bytes{sizes_.arena() + sizes_.workspace},
       .library_memory = bytes{sizes_.workspace},
       .resident_memory = {},
       .after = {},
       .may_be_duplicated = true});
}

std::unique_ptr<workload> copy_workload::from_recipe(const std::string& content) {
  const auto recipe = nlohmann::json::parse(content);
  spec limits;
  limits.allowed_memory = bytes{recipe.at("allowed_memory").get<std::uint64_t>()};
  limits.reserved_memory = bytes{recipe.at("reserved_memory").get<std::uint64_t>()};
  auto made = std::make_unique<copy_workload>(
      parse_stored_text(recipe.at("from").get<std::string>()),
      parse_destination_text(recipe.at("to").get<std::string>()), limits);
  made->is_serving_ = true;
  return made;
}

workload_recipe copy_workload::recipe() {
  check_store(from_.name(), from_.store());
  check_store(to_.path, to_.store);
  const nlohmann::json content{{"from", stored_text(from_)},
                               {"to", destination_text(to_)},
                               {"allowed_memory", allowed_memory_.count()},
                               {"reserved_memory", reserved_memory_.count()}};
  return {copy_kind, content.dump()};
}

void copy_workload::join(const workload_recipe& leader) {
  const workload_recipe own = recipe();
  if (leader.kind != own.kind || leader.content != own.content) {
    throw value_error(
        "run: this process makes another copy than the one that schedules; every process of a run "
        "must copy the same array to the same place");
  }
  is_serving_ = true;
}

/// Opens the copy, which another process has made.
void copy_workload::attach() {
  const std::lock_guard lock(attaching_);
  if (!copy_) copy_ = zarr_array::open(to_.store, to_.path).with({.empty = to_.empty});
}

const zarr_array& copy_workload::result() {
  if (is_serving_) attach();
  return copy_.value();
}

copy_workload::buffer_sizes copy_workload::sizes_for(const index_vector& block) const {
  const zarr_metadata& target = to_.metadata;
  const std::size_t itemsize = target.dtype.itemsize();
  const auto chunk_bytes = static_cast<std::size_t>(num_elements(target.chunks)) * itemsize;
  index_t count = 1;
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    count = checked_multiply(count, std::min(block[axis], from_.shape()[axis]));
  }
  buffer_sizes sizes{.elements = static_cast<std::size_t>(count) * itemsize,
                     .decoded = std::max(from_.decoded_bytes(), chunk_bytes),
                     .encoded = from_.encoded_bound(),
                     .workspace = from_.codec_workspace()};
  if (const auto codec = target.make_codec()) {
    sizes.encoded = std::max(sizes.encoded, codec->max_encoded_size(chunk_bytes));
    sizes.workspace = std::max(sizes.workspace, codec->workspace_size(chunk_bytes));
  }
  return sizes;
}

bytes copy_workload::memory_for(const index_vector& block, const spec& limits) const {
  const buffer_sizes sizes = sizes_for(block);
  return bytes{sizes.arena() + sizes.workspace} + limits.reserved_memory;
}

void copy_workload::check_memory(const spec& limits) const {
  const bytes needed = memory_for(blocks_.chunks(), limits);
  if (needed <= limits.allowed_memory) return;
  throw memory_error(
      fmt::format("copy of {}: a task needs {} for chunks {} of {} B per element, but the allowed "
                  "memory is {}; take smaller chunks or an allowed memory of at least {}",
                  from_.name(), format(needed), format_shape(to_.metadata.chunks), from_.itemsize(),
                  format(limits.allowed_memory), format(needed)));
}

void copy_workload::begin(std::size_t) {
  check_room(to_);
  copy_ =
      zarr_array::create(to_.store, to_.path, to_.metadata, to_.stored_attributes(), to_.existing)
          .with({.empty = to_.empty});
}

void copy_workload::run(std::size_t, index_t task, std::size_t) {
  if (is_serving_) attach();
  arena memory = arenas_.acquire(sizes_.arena());
  const std::span<std::byte> all(memory.memory.get(), memory.size);
  const std::span<std::byte> decoded = all.subspan(sizes_.elements, sizes_.decoded);
  const std::span<std::byte> encoded = all.last(sizes_.encoded);
  const region box = blocks_.chunk_region(blocks_.chunk_at(task));
  const auto count = static_cast<std::size_t>(box.num_elements());
  try {
    const std::span<std::byte> elements = all.first(count * from_.itemsize());
    from_.read_region(box, elements, decoded, encoded);
    copy_->write_region(box, elements, decoded, encoded);
  } catch (...) {
    arenas_.release(std::move(memory));
    throw;
  }
  arenas_.release(std::move(memory));
}

std::string copy_workload::describe(std::size_t, index_t task) const {
  return fmt::format("block {} of the copy of {}",
                     format_region(blocks_.chunk_region(blocks_.chunk_at(task))), from_.name());
}

}  // namespace tessera
