// SPDX-License-Identifier: Apache-2.0
#include "executor/task_limits.hpp"

#include "core/api/shared_pages.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <grp.h>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

constexpr bytes budget{64 << 20};
/// More than the budget, however generously it is rounded.
constexpr std::size_t too_much = std::size_t{2} << 30U;

/// Tells whether the system gives `size` bytes, used or not.
bool is_given(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, size);
  return true;
}

// A limit is that of the whole process, so each of them is set in one of its own.
template <class Body>
[[noreturn]] void exit_with(Body holds) {
  std::_Exit(holds() ? 0 : 1);
}

class TaskLimitsDeathTest : public ::testing::Test {};

TEST_F(TaskLimitsDeathTest, GiveWhatIsDeclaredAndNotMuchMore) {
  EXPECT_EXIT(exit_with([] {
                task_limits limits;
                limits.apply(0, budget);
                return is_given(budget.count()) && !is_given(too_much);
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(TaskLimitsDeathTest, AreThoseOfTheOperation) {
  EXPECT_EXIT(exit_with([] {
                task_limits limits;
                limits.apply(0, budget);
                limits.apply(1, bytes{2 * too_much});
                const bool was_raised = is_given(too_much);
                limits.apply(0, budget);
                return was_raised && !is_given(too_much);
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(TaskLimitsDeathTest, CountWhatATaskOfTheOperationHasKept) {
  EXPECT_EXIT(exit_with([] {
                task_limits limits;
                limits.apply(0, bytes{too_much});
                void* kept = mmap(nullptr, too_much, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                limits.apply(0, bytes{too_much});
                return kept != MAP_FAILED && !is_given(too_much);
              }),
              ::testing::ExitedWithCode(0), "");
}

// Pieces of the heap that are too small for the next task do not count as its own.
TEST_F(TaskLimitsDeathTest, LeaveRoomBesideHolesOfTheHeap) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have a heap of their own";
#endif
  EXPECT_EXIT(exit_with([] {
                task_limits limits;
                limits.apply(0, budget);
                std::vector<std::unique_ptr<char[]>> holes;
                std::vector<std::unique_ptr<char[]>> kept;
                for (std::size_t i = 0; i < budget.count() / 100'000; ++i) {
                  holes.push_back(std::make_unique<char[]>(99'000));
                  kept.push_back(std::make_unique<char[]>(100));
                }
                holes.clear();
                limits.apply(0, budget);
                return is_given(budget.count()) && !is_given(too_much);
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(TaskLimitsDeathTest, CanBeLifted) {
  EXPECT_EXIT(exit_with([] {
                task_limits limits;
                limits.apply(0, budget);
                limits.lift();
                return is_given(too_much);
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(TaskLimitsDeathTest, MeasureWhatIsNotShared) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold memory for what is shared";
#endif
  EXPECT_EXIT(exit_with([] {
                constexpr std::size_t size = std::size_t{64} << 20U;
                task_limits limits;
                limits.reset_peak();
                const bytes before = limits.peak();
                const shared_pages pages(size);
                const auto shared = pages.take(0, size);
                std::memset(shared.get(), 1, size);
                const bytes with_shared = limits.peak();
                const std::vector<char> memory(size, 1);
                const bytes with_own = limits.peak();
                return with_shared < before + bytes{size / 2} &&
                       with_own > before + bytes{size / 2} && memory.back() == 1;
              }),
              ::testing::ExitedWithCode(0), "");
}

// The system names all groups of a user before it tells the shared memory.
TEST_F(TaskLimitsDeathTest, MeasureWhatIsNotSharedOfAUserOfManyGroups) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold memory for what is shared";
#endif
  if (geteuid() != 0) GTEST_SKIP() << "only root may join groups";
  EXPECT_EXIT(exit_with([] {
                std::vector<gid_t> groups(20'000);
                std::iota(groups.begin(), groups.end(), gid_t{1'000'000'000});
                if (setgroups(groups.size(), groups.data()) != 0) return false;
                constexpr std::size_t size = std::size_t{64} << 20U;
                task_limits limits;
                limits.reset_peak();
                const bytes before = limits.peak();
                const shared_pages pages(size);
                const auto shared = pages.take(0, size);
                std::memset(shared.get(), 1, size);
                return limits.peak() < before + bytes{size / 2};
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(TaskLimitsDeathTest, MeasureNothingThatWasSharedBefore) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold memory for what is shared";
#endif
  EXPECT_EXIT(exit_with([] {
                constexpr std::size_t size = std::size_t{64} << 20U;
                const shared_pages pages(size);
                auto shared = pages.take(0, size);
                std::memset(shared.get(), 1, size);
                task_limits limits;
                limits.reset_peak();
                shared.reset();
                return limits.peak() < bytes{size};
              }),
              ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tessera
