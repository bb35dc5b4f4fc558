// SPDX-License-Identifier: Apache-2.0
#include "task/arena.hpp"

#include "core/api/cache_sizes.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace {

constexpr std::size_t large_pages_from = std::size_t{4} << 20U;

// The address sanitizer watches the ends of heap blocks, not those of mapped pages.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool has_address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool has_address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool has_address_sanitizer = false;
#endif

/// Gives the bytes from `first` on, the end of an allocation, back to the system. They are zeros.
void give_back(std::byte* first, std::size_t size) {
  if constexpr (has_address_sanitizer) {
    // A heap block shares its pages.
    std::memset(first, 0, size);
  } else {
    (void)madvise(first, size, MADV_DONTNEED);
  }
}

}  // namespace

std::shared_ptr<std::byte[]> allocate_pages(std::size_t size) {
  if (size == 0) return nullptr;
  if constexpr (has_address_sanitizer) {
    constexpr std::align_val_t alignment{cache_line};
    auto* const block = static_cast<std::byte*>(::operator new(size, alignment));
    std::memset(block, 0, size);
    return {block, [](std::byte* start) { ::operator delete(start, alignment); }};
  }
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Fewer and larger pages: a hint, whose failure changes nothing but speed.
  if (size >= large_pages_from) (void)madvise(memory, size, MADV_HUGEPAGE);
  return {static_cast<std::byte*>(memory), [size](std::byte* start) { munmap(start, size); }};
}

arena arena_pool::acquire(std::size_t size) {
  const std::lock_guard lock(mutex_);
  const std::size_t most_in_use = std::max(most_in_use_, in_use_ + size);
  allocation* best = nullptr;
  for (allocation& candidate : allocations_) {
    if (!candidate.is_idle || candidate.size < size) continue;
    if (best == nullptr || candidate.size < best->size) best = &candidate;
  }
  if (best == nullptr) {
    const std::size_t most = std::min(most_in_use, limit_);
    free_above(most - std::min(most, size));
    best = &allocations_.emplace_back(allocation{allocate_pages(size), size});
  }
  // An allocation that fails throws before this, and counts as nothing.
  in_use_ += size;
  most_in_use_ = most_in_use;
  best->in_use = size;
  best->is_idle = false;
  return {best->memory, size};
}

void arena_pool::release(arena memory) {
  const std::lock_guard lock(mutex_);
  in_use_ -= memory.size;
  const auto match =
      std::find_if(allocations_.begin(), allocations_.end(), [&](const allocation& candidate) {
        return !candidate.is_idle && candidate.memory == memory.memory;
      });
  memory.memory.reset();
  match->in_use = 0;
  match->is_idle = true;
  std::rotate(match, match + 1, allocations_.end());
  free_above(limit_);
}

void arena_pool::set_limit(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
  free_above(limit);
}

/// Frees idle allocations, the oldest first, then the unused ends of allocations in use, until all
/// allocations together have at most `size` bytes.
void arena_pool::free_above(std::size_t size) {
  std::size_t total = 0;
  for (const allocation& entry : allocations_) total += entry.size;
  for (auto entry = allocations_.begin(); entry != allocations_.end() && total > size;) {
    if (entry->is_idle) {
      total -= entry->size;
      entry = allocations_.erase(entry);
    } else {
      ++entry;
    }
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (allocation& entry : allocations_) {
    if (total <= size) return;
    const std::size_t kept = (entry.in_use + page - 1) / page * page;
    if (kept >= entry.size) continue;
    give_back(entry.memory.get() + kept, entry.size - kept);
    total -= entry.size - kept;
    entry.size = kept;
  }
}

}  // namespace tessera
