// SPDX-License-Identifier: Apache-2.0
#include "task/copy_workload.hpp"

#include "tessera/core/array_kinds.hpp"
#include "tessera/core/error.hpp"
#include "tessera/scheduler/workload_registry.hpp"

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

nlohmann::json recipe_json(const array_recipe& recipe) {
  return {{"kind", recipe.kind}, {"content", recipe.content}, {"aside", recipe.aside}};
}

array_recipe parse_recipe(const nlohmann::json& value) {
  return {value.at("kind"), value.at("content"), value.at("aside")};
}

}  // namespace

copy_workload::copy_workload(std::shared_ptr<const array_source> from,
                             std::shared_ptr<const array_destination> to, const spec& limits)
    : from_(std::move(from)),
      to_(std::move(to)),
      allowed_memory_(limits.allowed_memory),
      reserved_memory_(limits.reserved_memory) {
  const array_source* const source = from_.get();
  const array_destination* const target = to_.get();
  refuse_overwriting({&target, 1}, {&source, 1});
  const index_vector& written = to_->write_grid().chunks();
  index_vector block = covering_block(from_->read_grid().chunks(), written);
  if (memory_for(block, limits) > limits.allowed_memory) block = written;
  blocks_ = chunk_grid(from_->shape(), block);
  sizes_ = sizes_for(block);
  check_memory(limits);
  operations_.push_back(
      {.name = "copy",
       .num_tasks = blocks_.size(),
       .elements_per_task = static_cast<index_t>(sizes_.elements / from_->itemsize()),
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
  auto made =
      std::make_unique<copy_workload>(open_array(parse_recipe(recipe.at("from"))),
                                      make_destination(parse_recipe(recipe.at("to"))), limits);
  made->is_serving_ = true;
  return made;
}

workload_recipe copy_workload::recipe() {
  const nlohmann::json content{{"from", recipe_json(from_->recipe(from_->name()))},
                               {"to", recipe_json(to_->recipe(to_->name()))},
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
  if (copy_ == nullptr) copy_ = to_->open();
}

std::shared_ptr<const array_sink> copy_workload::result() {
  if (is_serving_) attach();
  return copy_;
}

copy_workload::buffer_sizes copy_workload::sizes_for(const index_vector& block) const {
  index_t count = 1;
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    count = checked_multiply(count, std::min(block[axis], from_->shape()[axis]));
  }
  const chunk_cost read = from_->read_cost();
  const chunk_cost write = to_->write_cost();
  return {.elements = static_cast<std::size_t>(count) * to_->itemsize(),
          .decoded = std::max(read.decoded, write.decoded),
          .encoded = std::max(read.encoded, write.encoded),
          .workspace = std::max(read.workspace, write.workspace)};
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
                  from_->name(), format(needed), format_shape(to_->write_grid().chunks()),
                  from_->itemsize(), format(limits.allowed_memory), format(needed)));
}

void copy_workload::begin(std::size_t) {
  const array_destination* const to = to_.get();
  check_room({&to, 1}, {});
  copy_ = to_->create({});
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
    const std::span<std::byte> elements = all.first(count * from_->itemsize());
    from_->read_region(box, elements, decoded, encoded);
    copy_->write_region(box, elements, decoded, encoded);
  } catch (...) {
    arenas_.release(std::move(memory));
    throw;
  }
  arenas_.release(std::move(memory));
}

std::string copy_workload::describe(std::size_t, index_t task) const {
  return fmt::format("block {} of the copy of {}",
                     format_region(blocks_.chunk_region(blocks_.chunk_at(task))), from_->name());
}

}  // namespace tessera
