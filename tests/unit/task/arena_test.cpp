// SPDX-License-Identifier: Apache-2.0
#include "task/arena.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <utility>

namespace tessera {
namespace {

/// Writes to an arena and gives it back; returns its address.
const std::byte* use(arena_pool& pool, std::size_t size) {
  arena block = pool.acquire(size);
  std::memset(block.memory.get(), 1, size);
  const std::byte* const address = block.memory.get();
  pool.release(std::move(block));
  return address;
}

/// Tells whether an arena of `size` that was used before is handed out: pages from the system are
/// zeros.
bool is_kept(arena_pool& pool, std::size_t size) {
  arena block = pool.acquire(size);
  const bool was_used = block.memory[0] != std::byte{0};
  pool.release(std::move(block));
  return was_used;
}

TEST(ArenaPool, KeepsWhatWasGivenBackForTheNextTaskOfItsSize) {
  arena_pool pool;
  const std::byte* const first = use(pool, 8192);
  EXPECT_EQ(use(pool, 8192), first);
}

TEST(ArenaPool, GivesBackAtOnceWhatALimitLeavesNoRoomFor) {
  arena_pool pool;
  use(pool, 8192);
  pool.set_limit(8191);
  EXPECT_FALSE(is_kept(pool, 8192));
}

// A task that needs less takes the beginning of an arena. Only if no arena is large enough, there
// is more memory than before.
TEST(ArenaPool, HandsOutTheBeginningOfALargerOne) {
  arena_pool pool;
  const std::byte* const large = use(pool, 8 * 4096);
  const std::byte* const small = use(pool, 4096);
  EXPECT_EQ(small, large);
  EXPECT_EQ(use(pool, 8 * 4096), large);
  EXPECT_EQ(use(pool, 4 * 4096), large);
}

TEST(ArenaPool, TakesTheSmallestThatIsLargeEnough) {
  arena_pool pool;
  arena larger = pool.acquire(8 * 4096);
  arena smaller = pool.acquire(2 * 4096);
  const std::byte* const address = smaller.memory.get();
  pool.release(std::move(smaller));
  pool.release(std::move(larger));
  EXPECT_EQ(use(pool, 4096), address);
}

// The unused part of a larger arena is memory that another task may ask for.
TEST(ArenaPool, GivesBackWhatATaskDoesNotUseOfItsArena) {
  arena_pool pool;
  use(pool, 8 * 4096);
  arena small = pool.acquire(4096);
  small.memory[0] = std::byte{7};
  EXPECT_EQ(small.memory[4096], std::byte{1}) << "given back though nobody asks for it";
  pool.set_limit(8 * 4096);
  EXPECT_EQ(small.memory[4096], std::byte{1});
  arena larger = pool.acquire(7 * 4096);
  larger.memory[0] = std::byte{1};
  EXPECT_EQ(small.memory[4096], std::byte{0}) << "kept beside what is in use";
  EXPECT_EQ(small.memory[0], std::byte{7});
  pool.release(std::move(small));
  pool.release(std::move(larger));
  EXPECT_TRUE(is_kept(pool, 4096));
  EXPECT_TRUE(is_kept(pool, 7 * 4096));
}

// While another arena is in use, an idle one beside it would exceed the limit.
TEST(ArenaPool, CountsWhatIsInUseAgainstTheLimit) {
  arena_pool pool;
  arena busy = pool.acquire(8192);
  busy.memory[0] = std::byte{1};
  use(pool, 4096);
  EXPECT_TRUE(is_kept(pool, 4096));
  pool.set_limit(8192);
  EXPECT_FALSE(is_kept(pool, 4096));
  EXPECT_FALSE(is_kept(pool, 4096)) << "kept although the limit was reached";
  pool.release(std::move(busy));
  EXPECT_TRUE(is_kept(pool, 8192)) << "given back although there was room for it";
}

// The sanitizers' allocators end the process instead.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ArenaPool, CountsNoAllocationThatFailed) {
  arena_pool pool;
  use(pool, 8192);
  EXPECT_THROW(static_cast<void>(pool.acquire(std::size_t{1} << 62U)), std::bad_alloc);
  use(pool, 8192);
  arena larger = pool.acquire(16384);
  EXPECT_FALSE(is_kept(pool, 8192)) << "kept above the greatest sum of sizes in use";
  pool.release(std::move(larger));
}
#endif

TEST(ArenaPool, TakesALentArenaBackThoughItsTaskThrows) {
  arena_pool pool;
  const std::byte* address = nullptr;
  try {
    const lent_arena lent(pool, 8192);
    EXPECT_EQ(lent.memory().size(), 8192U);
    address = lent.memory().data();
    throw std::runtime_error("a task failed");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(use(pool, 8192), address);
  }
}

}  // namespace
}  // namespace tessera
