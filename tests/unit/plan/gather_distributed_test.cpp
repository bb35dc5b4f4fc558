// SPDX-License-Identifier: Apache-2.0

/// \file
/// Plans of arrays in the memory of several processes: x is 6 x 8 in parts of 3 x 4.

#include "tessera/tessera.hpp"

#include "plan/api/distribution.hpp"
#include "plan/api/planned.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;

class CopyParts : public ::testing::Test {
 protected:
  static ts::array<double, 2> in_parts(std::vector<std::size_t> holders) {
    static const std::vector<double> here(12, 1.0);
    return in_parts({{6, 8}, {3, 4}}, here, std::move(holders));
  }

  /// Returns an array in the memory of four processes, of which this is the first and holds `here`.
  static ts::array<double, 2> in_parts(const ts::chunk_grid& grid, const std::vector<double>& here,
                                       std::vector<std::size_t> holders) {
    const auto parts = std::make_shared<const ts::distribution>(ts::distribution{
        grid, std::move(holders), 4, grid.chunk_region(ts::index_vector{0, 0}), ""});
    const auto* data = reinterpret_cast<const std::byte*>(here.data());
    const auto node = std::make_shared<const ts::array_node>(
        ts::array_node{ts::dtype::float64, grid.shape(), grid.chunks(), "x",
                       ts::memory_source{nullptr, data, {grid.chunks()[1], 1}, parts}});
    return {ts::whole_of(node), {grid.shape(), grid.chunks(), nullptr, false}};
  }

  template <class Plan>
  static std::vector<std::string> names(const Plan& plan) {
    std::vector<std::string> names;
    for (const auto& planned : plan.bounded().inside().operations) {
      names.push_back(planned.op.name + " " + std::to_string(planned.num_tasks));
    }
    return names;
  }

  using names_type = std::vector<std::string>;

  const ts::array<double, 2> x = in_parts({0, 1, 2, 3});
};

TEST_F(CopyParts, ReadsPartsInPlaceWhereTasksKeepToThem) {
  const ts::array<double, 2> y = x * 2.0 + ts::ones<double>({6, 8});
  EXPECT_EQ(names(ts::plan(y)), (names_type{"(x * 2) + ones 4"}));
}

TEST_F(CopyParts, FoldsEachPartAndThenTheirStates) {
  EXPECT_EQ(names(ts::plan(ts::sum(x))), (names_type{"sum, partial 4", "sum, combine 1"}));
  EXPECT_EQ(names(ts::plan(ts::max(x, ts::axis<0>))),
            (names_type{"max, partial 4", "max, combine 2"}));
}

TEST_F(CopyParts, FoldsOverUnlikeAxesGoAlongPartsTogether) {
  const auto planned =
      names(ts::plan(ts::sum(x), ts::max(x, ts::axis<0>), ts::min(x, ts::axis<1>)));
  EXPECT_EQ(planned, (names_type{"min, max, sum, partial 4", "min, max, sum, combine 1",
                                 "min, max, sum, combine 2", "min, max, sum, combine 2"}));
}

TEST_F(CopyParts, CopiesForTasksThatReachAcrossParts) {
  const auto shifted = x(ts::slice(1, 5), ts::slice(0, 8));
  const auto planned = names(ts::plan(shifted));
  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0], "copy 4");
}

TEST_F(CopyParts, CopiesOnceForAllReaders) {
  const auto planned = names(ts::plan(ts::matmul(ts::matrix_transpose(x), x)));
  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0], "copy 4");
}

// Blocks of 100 x 140 meet 8 parts of 150 rows four times. Of 32 chunks of 150 x 140 they read only
// the needed rows; of whole parts they would read as many parts.
TEST_F(CopyParts, CopiesInChunksThatSuitWhatReadsThem) {
  const std::vector<double> here(150 * 560, 1.0);
  const auto wide = in_parts({{600, 560}, {150, 560}}, here, {0, 1, 2, 3});
  const ts::plan plan(
      ts::pass_switches{.memory_tier = false},
      ts::stored(wide * 2.0, std::make_shared<ts::memory_store>(), "y", {.chunks = {100, 140}}));
  EXPECT_EQ(plan.num_operations(), 2U);
  EXPECT_EQ(plan.bytes_read(), ts::bytes{600 * 560 * 8});
}

// Each part has whole rows: tasks of the sort compute the map of their part.
TEST_F(CopyParts, AMapOfPartsIsComputedByItsReader) {
  const std::vector<double> here(150 * 560, 1.0);
  const auto wide = in_parts({{600, 560}, {150, 560}}, here, {0, 1, 2, 3});
  const ts::array<double, 2> doubled = wide * 2.0;
  EXPECT_EQ(names(ts::plan(ts::sort(doubled, ts::axis<1>))), (names_type{"sort 4"}));
}

TEST_F(CopyParts, CopiesWhatLiesElsewhere) {
  const ts::array<double, 2> alike = x + in_parts({0, 1, 2, 3});
  EXPECT_EQ(ts::plan(alike).num_operations(), 1U);
  const ts::array<double, 2> elsewhere = x + in_parts({3, 2, 1, 0});
  const auto planned = names(ts::plan(elsewhere));
  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0], "copy 4");
}

TEST_F(CopyParts, TasksAreBoundToTheHolderOfWhatTheyRead) {
  const auto planned = ts::plan(in_parts({3, 2, 1, 0}) * 2.0);
  const auto& inside = planned.bounded().inside();
  const auto& source = inside.arrays[inside.operations[0].inputs[0].array];
  const auto& parts = *std::get<ts::memory_source>(source.placement).parts;
  EXPECT_EQ(parts.holder_of(inside.operations[0].op.schedule.block_box(1).start), 2U);
}

}  // namespace
