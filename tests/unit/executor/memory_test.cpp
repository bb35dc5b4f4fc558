// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/memory.hpp"

#include "tessera/executor/executors.hpp"

#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace tessera {
namespace {

using namespace literals;

/// Uses memory for a moment; mapped, as an allocator may keep freed memory.
void touch(std::size_t size) {
  void* const block =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, size);
  asm volatile("" : : "r"(block) : "memory");  // else the compiler may remove it all
  munmap(block, size);
}

TEST(PeakMemory, ShowsABlockThatIsFreeAgainUntilItIsReset) {
  ASSERT_TRUE(reset_peak_memory());
  const bytes before = peak_memory();
  touch(64 << 20);
  EXPECT_GE(peak_memory(), before + 60_MiB);
  ASSERT_TRUE(reset_peak_memory());
  EXPECT_LT(peak_memory(), before + 32_MiB);
}

TEST(ResidentMemory, IsPositiveAndAtMostThePeak) {
  const bytes now = resident_memory();
  EXPECT_GT(now, 500_kB);
  EXPECT_LE(now, peak_memory());
}

TEST(MeasureReservedMemory, IsThatOfTheDefaultExecutorUnlessToldOtherwise) {
  EXPECT_GT(measure_reserved_memory(), 500_kB);
}

TEST(MeasureReservedMemory, IsAtLeastWhatTheIdleProcessHolds) {
  const bytes measured = measure_reserved_memory(executors::threads(2));
  EXPECT_GE(measured, resident_memory());
  EXPECT_LE(measured, peak_memory() + 1_MB);
}

}  // namespace
}  // namespace tessera
