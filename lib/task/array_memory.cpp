// SPDX-License-Identifier: Apache-2.0
#include "task/array_memory.hpp"

#include "tessera/core/error.hpp"

#include "task/arena.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace tessera {

array_memory::array_memory(const bounded_plan::implementation& plan) : plan_(plan) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  offsets_.reserve(plan.arrays.size());
  for (const planned_array& array : plan.arrays) {
    offsets_.push_back(size_);
    if (!array.is_in_memory()) continue;
    size_ += (array.size().count() + page - 1) / page * page;
  }
}

std::string array_memory::share() {
  if (size_ == 0) return {};
  if (!shared_) shared_.emplace(size_);
  return shared_->name();
}

void array_memory::reach(const std::string& name) {
  if (!name.empty()) shared_.emplace(name);
}

std::shared_ptr<std::byte[]> array_memory::allocate(std::size_t array) const {
  const planned_array& planned = plan_.arrays[array];
  const std::size_t size = planned.size().count();
  if (!shared_) return allocate_pages(size);
  try {
    return shared_->take(offsets_[array], size);
  } catch (const memory_error& failure) {
    throw memory_error(fmt::format("run: there is no memory for the array '{}', of {}: {}",
                                   planned.name, format(planned.size()), failure.what()));
  }
}

std::shared_ptr<std::byte[]> array_memory::find(std::size_t array) const {
  const std::size_t size = plan_.arrays[array].size().count();
  return size == 0 ? nullptr : shared_.value().map(offsets_[array], size);
}

std::shared_ptr<std::byte[]> array_memory::hand_out(
    std::size_t array, const std::shared_ptr<std::byte[]>& elements) const {
  if (!shared_ || elements == nullptr) return elements;
  struct mapping_pair {
    std::shared_ptr<std::byte[]> elements;
    std::shared_ptr<std::byte[]> private_mapping;
  };
  const auto mappings = std::make_shared<mapping_pair>();
  mappings->elements = elements;
  try {
    mappings->private_mapping =
        shared_->map_alone(offsets_[array], plan_.arrays[array].size().count());
  } catch (const memory_error&) {
    // A limit of private memory (RLIMIT_DATA) is no reason to lose the result.
    return elements;
  }
  return {mappings, mappings->private_mapping.get()};
}

}  // namespace tessera
