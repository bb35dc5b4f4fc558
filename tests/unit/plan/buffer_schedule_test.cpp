// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/buffer_schedule.hpp"

#include <gtest/gtest.h>

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

}  // namespace
