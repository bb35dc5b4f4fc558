// SPDX-License-Identifier: Apache-2.0
#include "task/array_memory.hpp"

#include "tessera/core/error.hpp"

#include "task/arena.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <variant>

namespace tessera {

array_memory::array_memory(const bounded_plan::implementation& plan) : plan_(plan) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  offsets_.reserve(plan.arrays.size());
  for (const planned_array& array : plan.arrays) {
    offsets_.push_back(size_);
    if (!std::holds_alternative<memory_place>(array.place)) continue;
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

std::shared_ptr<std::byte[]> array_memory::make(std::size_t array) const {
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
    std::size_t array, const std::shared_ptr<std::byte[]>& made) const {
  if (!shared_ || made == nullptr) return made;
  struct handed_out {
    std::shared_ptr<std::byte[]> made;
    std::shared_ptr<std::byte[]> own;
  };
  const auto both = std::make_shared<handed_out>();
  both->made = made;
  try {
    both->own = shared_->map_alone(offsets_[array], plan_.arrays[array].size().count());
  } catch (const memory_error&) {
    // A limit of private memory (RLIMIT_DATA) is no reason to lose what was computed.
    return made;
  }
  return {both, both->own.get()};
}

}  // namespace tessera
