// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory of planning, against the number of operations.

#include "tessera/executor/memory.hpp"

#include "unit/plan/long_programs.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <string>

namespace {

namespace ts = tessera;
using namespace ts::literals;

class Planning : public ::testing::TestWithParam<long_programs::program> {};

// 10^5 operations within 2 GB.
TEST_P(Planning, TakesAtMostTwentyKilobytesAnOperation) {
  constexpr int count = 3000;
  const long_programs::matrices results = GetParam().make(count);
  malloc_trim(0);
  ASSERT_TRUE(ts::reset_peak_memory());
  const ts::bytes before = ts::resident_memory();
  EXPECT_GT(ts::plan(results).num_operations(), 0U);
  const ts::bytes growth = ts::peak_memory() - before;
  RecordProperty("kB for an operation", std::to_string(growth.count() / 1000 / count));
  EXPECT_LE(growth, 20_kB * count);
}

INSTANTIATE_TEST_SUITE_P(Programs, Planning, testing::ValuesIn(long_programs::all),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
