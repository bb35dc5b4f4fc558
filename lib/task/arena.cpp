// SPDX-License-Identifier: Apache-2.0
#include "task/arena.hpp"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace tessera {

namespace {

constexpr std::size_t large_pages_from = std::size_t{4} << 20U;

}  // namespace

std::shared_ptr<std::byte[]> allocate_pages(std::size_t size) {
  if (size == 0) return nullptr;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Fewer and larger pages: a hint, whose failure changes nothing but speed.
  if (size >= large_pages_from) (void)madvise(memory, size, MADV_HUGEPAGE);
  return {static_cast<std::byte*>(memory), [size](std::byte* start) { munmap(start, size); }};
}

arena arena_pool::acquire(std::size_t size) {
  const std::lock_guard lock(mutex_);
  in_use_ += size;
  most_in_use_ = std::max(most_in_use_, in_use_);
  const auto same = std::find_if(kept_.begin(), kept_.end(),
                                 [size](const arena& kept) { return kept.size == size; });
  if (same != kept_.end()) {
    arena found = std::move(*same);
    kept_.erase(same);
    return found;
  }
  give_back_above(std::min(most_in_use_, limit_));
  return {allocate_pages(size), size};
}

void arena_pool::release(arena used) {
  const std::lock_guard lock(mutex_);
  in_use_ -= used.size;
  kept_.push_back(std::move(used));
  give_back_above(limit_);
}

void arena_pool::set_limit(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
  give_back_above(limit);
}

/// Gives kept arenas back, the oldest first, until all that is held is at most `size`.
void arena_pool::give_back_above(std::size_t size) {
  std::size_t held = in_use_;
  for (const arena& kept : kept_) held += kept.size;
  while (!kept_.empty() && held > size) {
    held -= kept_.front().size;
    kept_.erase(kept_.begin());
  }
}

}  // namespace tessera
