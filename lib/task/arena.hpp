// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory that tasks run in: pieces that are reused from task to task.

#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace tessera {

/// Returns `size` bytes of zeros, page by page from the system and given back to it at the end.
[[nodiscard]] std::shared_ptr<std::byte[]> allocate_pages(std::size_t size);

/// A piece of memory for one task at a time.
struct arena {
  std::shared_ptr<std::byte[]> memory;
  std::size_t size = 0;
};

/// Hands out arenas, and keeps those that were given back for the next task that they are large
/// enough for: a page that was touched once costs nothing the second time.
///
/// What is kept, parts of larger arenas that a smaller task does not need among it, and what is in
/// use are together never more than what was in use at once before, nor more than the limit, which
/// those who take arenas keep by themselves.
///
/// Thread-safe.
class arena_pool {
 public:
  /// Returns an arena of `size` bytes, in the smallest kept one that has room for it.
  [[nodiscard]] arena acquire(std::size_t size);

  /// Keeps `used` for a later task.
  void release(arena used);

  /// Sets the limit, and gives back what is kept above it.
  void set_limit(std::size_t limit);

 private:
  /// Memory that has been touched, of which a task uses the beginning.
  struct piece {
    std::shared_ptr<std::byte[]> memory;
    std::size_t size = 0;
    std::size_t in_use = 0;
    bool is_idle = false;
  };

  void give_back_above(std::size_t size);

  std::mutex mutex_;
  /// Those given back last are the last ones.
  std::vector<piece> pieces_;
  std::size_t in_use_ = 0;
  std::size_t most_in_use_ = 0;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace tessera
