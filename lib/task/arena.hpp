// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of tasks: arenas from a pool, reused from task to task.
///
/// Problem: a page costs a page fault when it is touched first, so tasks should reuse pages; but a
/// pool must not hold more than the plan's bound.
///
/// Idea: keep released allocations, and give a task the smallest one that is large enough. Before a
/// new allocation, and at a release above the limit, free idle allocations, the oldest first, and
/// then the unused ends of larger ones (`madvise`).
///
/// Invariant: allocations together are at most the greatest sum of sizes in use so far, and at most
/// the limit, given that tasks keep to the limit.
/// Reference: the purging of dirty pages in jemalloc.

#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// Returns `size` bytes of zeros in pages from the system, or nullptr if `size` is 0.
[[nodiscard]] std::shared_ptr<std::byte[]> allocate_pages(std::size_t size);

/// The memory of one task at a time.
struct arena {
  std::shared_ptr<std::byte[]> memory;
  std::size_t size = 0;
};

/// A pool of arenas.
///
/// Thread-safe.
class arena_pool {
 public:
  /// Returns an arena of `size` bytes, in the smallest idle allocation that is large enough, or in
  /// a new one.
  [[nodiscard]] arena acquire(std::size_t size);

  /// Keeps `used` for a later task.
  void release(arena memory);

  /// Sets the limit, in bytes, and frees memory above it.
  void set_limit(std::size_t limit);

 private:
  /// Memory from the system. A task uses its first `in_use` bytes.
  struct allocation {
    std::shared_ptr<std::byte[]> memory;
    std::size_t size = 0;
    std::size_t in_use = 0;
    bool is_idle = false;
  };

  void free_above(std::size_t size);

  std::mutex mutex_;
  /// In the order of release: the last released is last.
  std::vector<allocation> allocations_;
  std::size_t in_use_ = 0;
  std::size_t most_in_use_ = 0;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
};

/// An arena that returns to its pool when it is destroyed.
class lent_arena {
 public:
  lent_arena(arena_pool& pool, std::size_t size) : pool_(pool), arena_(pool.acquire(size)) {}
  lent_arena(const lent_arena&) = delete;
  lent_arena& operator=(const lent_arena&) = delete;
  ~lent_arena() { pool_.release(std::move(arena_)); }

  [[nodiscard]] std::span<std::byte> memory() const { return {arena_.memory.get(), arena_.size}; }

 private:
  arena_pool& pool_;
  arena arena_;
};

}  // namespace tessera
