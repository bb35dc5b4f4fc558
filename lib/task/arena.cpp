// SPDX-License-Identifier: Apache-2.0
#include "task/arena.hpp"

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

}  // namespace

std::shared_ptr<std::byte[]> allocate_pages(std::size_t size) {
  if (size == 0) return nullptr;
  if constexpr (has_address_sanitizer) {
    constexpr std::align_val_t alignment{64};
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
  in_use_ += size;
  most_in_use_ = std::max(most_in_use_, in_use_);
  piece* found = nullptr;
  for (piece& each : pieces_) {
    if (!each.is_idle || each.size < size) continue;
    if (found == nullptr || each.size < found->size) found = &each;
  }
  if (found == nullptr) {
    const std::size_t most = std::min(most_in_use_, limit_);
    give_back_above(most - std::min(most, size));
    found = &pieces_.emplace_back(piece{allocate_pages(size), size});
  }
  found->in_use = size;
  found->is_idle = false;
  return {found->memory, size};
}

void arena_pool::release(arena used) {
  const std::lock_guard lock(mutex_);
  in_use_ -= used.size;
  const auto its = std::find_if(pieces_.begin(), pieces_.end(), [&](const piece& each) {
    return !each.is_idle && each.memory == used.memory;
  });
  used.memory.reset();
  its->in_use = 0;
  its->is_idle = true;
  std::rotate(its, its + 1, pieces_.end());
  give_back_above(limit_);
}

void arena_pool::set_limit(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
  give_back_above(limit);
}

/// Gives back what is idle, the oldest first, and then what tasks do not use of theirs, until all
/// that is held is at most `size`.
void arena_pool::give_back_above(std::size_t size) {
  std::size_t held = 0;
  for (const piece& each : pieces_) held += each.size;
  for (auto each = pieces_.begin(); each != pieces_.end() && held > size;) {
    if (each->is_idle) {
      held -= each->size;
      each = pieces_.erase(each);
    } else {
      ++each;
    }
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (piece& each : pieces_) {
    if (held <= size) return;
    const std::size_t kept = (each.in_use + page - 1) / page * page;
    if (kept >= each.size) continue;
    (void)madvise(each.memory.get() + kept, each.size - kept, MADV_DONTNEED);
    held -= each.size - kept;
    each.size = kept;
  }
}

}  // namespace tessera
