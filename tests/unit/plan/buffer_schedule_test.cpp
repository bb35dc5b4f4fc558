// SPDX-License-Identifier: Apache-2.0
#include "plan/api/buffer_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

namespace {

using tessera::buffer_schedule;
using tessera::scheduled_buffer;

TEST(BufferSchedule, PeakIsTheGreatestLiveSum) {
  // a + b: while b is read, a, b and b's encoding live; while it is computed, a, b and the output.
  buffer_schedule schedule;
  schedule.add("a", 6400, 0, 2);
  schedule.add("a, encoded", 6400, 0, 0);
  schedule.add("b", 6400, 1, 2);
  schedule.add("b, encoded", 6400, 1, 1);
  schedule.add("output", 6400, 2, 3);
  schedule.add("output, encoded", 6400, 3, 3);
  schedule.lay_out();
  EXPECT_EQ(schedule.arena_bytes(), 3 * 6400U);
  EXPECT_EQ(schedule.peak_bytes(), 3 * 6400U);
}

TEST(BufferSchedule, BuffersThatLiveTogetherDoNotOverlap) {
  buffer_schedule schedule;
  for (std::size_t i = 0; i < 20; ++i) schedule.add("x", 100 + 37 * i, i / 3, i / 3 + i % 5);
  schedule.lay_out();
  for (const scheduled_buffer& a : schedule.buffers()) {
    EXPECT_EQ(a.offset % 64, 0U);
    EXPECT_LE(a.offset + a.size, schedule.arena_bytes());
    for (const scheduled_buffer& b : schedule.buffers()) {
      if (&a == &b || a.first_step > b.last_step || b.first_step > a.last_step) continue;
      EXPECT_TRUE(a.offset + a.size <= b.offset || b.offset + b.size <= a.offset);
    }
  }
}

TEST(BufferSchedule, EachLiesAtTheLowestOffsetThatIsFreeLargerOnesFirst) {
  // Runs of buffers that live alike, and shorter buffers between them.
  buffer_schedule schedule;
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t first = i / 10 % 2 == 0 ? 0 : i % 7;
    schedule.add("x", 640 - 64 * (i / 12) - i % 3, first, first + (i / 5 % 3 == 0 ? 12 : i % 4));
  }
  schedule.lay_out();
  std::vector<scheduled_buffer> buffers(schedule.buffers().begin(), schedule.buffers().end());
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const auto& a, const auto& b) { return a.size > b.size; });
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto is_free = [&](std::size_t offset) {
      return std::all_of(
          buffers.begin(), buffers.begin() + static_cast<std::ptrdiff_t>(i), [&](auto& b) {
            return buffers[i].first_step > b.last_step || b.first_step > buffers[i].last_step ||
                   offset + buffers[i].size <= b.offset || b.offset + b.size <= offset;
          });
    };
    std::size_t lowest = 0;
    while (!is_free(lowest)) lowest += 64;
    EXPECT_EQ(buffers[i].offset, lowest) << i;
  }
}

// As a task has them that decodes a chunk, computes another and encodes that.
TEST(BufferSchedule, AChainTakesWhatLivesAtOnce) {
  buffer_schedule schedule;
  schedule.add("encoded chunk", 64'640, 0, 0);
  schedule.add("chunk", 64'000, 0, 1);
  schedule.add("result", 64'000, 1, 2);
  schedule.add("encoded result", 64'640, 2, 2);
  schedule.lay_out();
  EXPECT_EQ(schedule.arena_bytes(), 64'640U + 64'000U);
}

TEST(BufferSchedule, WhatLibrariesAllocateCountsStepByStep) {
  buffer_schedule schedule;
  schedule.add("a", 640, 0, 1);
  schedule.add_external("codec", 100, 0);
  schedule.add_external("codec", 30, 1);
  schedule.add_external("blas", 50, 1);
  schedule.lay_out();
  EXPECT_EQ(schedule.arena_bytes(), 640U);
  EXPECT_EQ(schedule.peak_bytes(), 740U);
}

TEST(BufferSchedule, WhatLibrariesKeepIsThereAtEachStep) {
  buffer_schedule schedule;
  schedule.add("a", 640, 0, 1);
  schedule.add_external("codec", 100, 0);
  schedule.add_external("codec", 30, 1);
  schedule.add_kept("blas", 50);
  schedule.lay_out();
  EXPECT_EQ(schedule.kept_bytes(), 50U);
  EXPECT_EQ(schedule.peak_bytes(), 640U + 100U + 50U);
}

// Places are looked for among all buffers that live at the same time, one by one.
TEST(BufferSchedule, TakesTheLowestPlaceThatIsFree) {
  std::mt19937 random(5);
  const auto below = [&random](std::size_t n) { return random() % n; };
  for (int round = 0; round < 500; ++round) {
    buffer_schedule schedule;
    const std::size_t num_steps = 1 + below(40);
    for (std::size_t i = 0; i < 1 + below(60); ++i) {
      const std::size_t first = below(num_steps);
      const std::size_t last = first + (below(2) == 0 ? below(3) : below(num_steps));
      schedule.add("buffer", below(5) == 0 ? 0 : below(400), first, last);
    }
    schedule.lay_out();
    std::vector<scheduled_buffer> scheduled;
    std::vector<scheduled_buffer> buffers = schedule.buffers();
    std::stable_sort(buffers.begin(), buffers.end(),
                     [](const auto& a, const auto& b) { return a.size > b.size; });
    for (const scheduled_buffer& buffer : buffers) {
      std::vector<std::pair<std::size_t, std::size_t>> occupied;
      for (const scheduled_buffer& neighbour : scheduled) {
        if (neighbour.size > 0 && neighbour.first_step <= buffer.last_step &&
            buffer.first_step <= neighbour.last_step) {
          occupied.emplace_back(neighbour.offset,
                                (neighbour.offset + neighbour.size + 63) / 64 * 64);
        }
      }
      std::sort(occupied.begin(), occupied.end());
      std::size_t offset = 0;
      for (const auto& [start, stop] : occupied) {
        if (start >= offset + buffer.size) break;
        offset = std::max(offset, stop);
      }
      ASSERT_EQ(buffer.offset, offset);
      scheduled.push_back(buffer);
    }
  }
}

}  // namespace
