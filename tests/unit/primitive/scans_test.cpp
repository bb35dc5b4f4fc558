// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scans as a primitive: its JSON, its neighbours, its outputs and its stages.

#include "primitive/api/scans.hpp"

#include "tessera/function/cumulative.hpp"
#include "tessera/kernel/strip_program.hpp"

#include "primitive/api/strips.hpp"

#include <cstddef>
#include <exception>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace tessera {
namespace {

const index_vector domain{4, 3};
const loop_schedule whole_lines{domain, domain, domain};

piece whole() { return {region::whole(domain), {0}, strip_program::copy(dtype::float64)}; }

primitive_handle scan_along(std::size_t axis, index_t skipped = 0) {
  return scan_of(whole(), {.kernel = &op::cumulative_sum::kernel<double>(),
                           .axis = axis,
                           .leaf = 2,
                           .skipped = skipped});
}

bool is_refused(const std::string& kind, const std::string& json) {
  try {
    static_cast<void>(parse_primitive(kind, json));
  } catch (const std::exception&) {
    return true;
  }
  return false;
}

TEST(Scans, AreParsedFromTheirJson) {
  const primitive_handle scan = scan_along(0);
  EXPECT_EQ(scan->kind(), "scans");
  EXPECT_TRUE(equal(*parse_primitive("scans", scan->to_json()), *scan));
  EXPECT_FALSE(equal(*scan, *scan_along(1)));
  EXPECT_FALSE(equal(*scan, *map_of({whole()}, dtype::float64)));
  EXPECT_TRUE(is_refused("strips", scan->to_json()));
  EXPECT_TRUE(is_refused("scans", map_of({whole()}, dtype::float64)->to_json()));
}

TEST(Scans, AreFusedWithScansOfTheSameLines) {
  const primitive_handle scan = scan_along(0);
  const primitive_handle fused = scan->beside(*scan, 1);
  ASSERT_NE(fused, nullptr);
  EXPECT_EQ(fused->kind(), "scans");
  EXPECT_EQ(fused->outputs(whole_lines).size(), 2);
  EXPECT_FALSE(fused->takes_epilogue());
  const auto map = map_of({whole()}, dtype::float64);
  EXPECT_EQ(scan->beside(*scan_along(1), 1), nullptr);
  EXPECT_EQ(scan->beside(*scan_along(0, 1), 1), nullptr);
  EXPECT_EQ(scan->beside(*map, 1), nullptr);
  EXPECT_EQ(map->beside(*scan, 1), nullptr);
  EXPECT_EQ(scan->as_elementwise(), nullptr);
}

TEST(Scans, OfWindowsBeginBehindTheSkippedElements) {
  const std::vector<output> outputs = scan_along(0, 1)->outputs(whole_lines);
  ASSERT_EQ(outputs.size(), 1);
  EXPECT_EQ(outputs[0].shape(whole_lines), (index_vector{3, 3}));
}

TEST(Scans, HaveAStateForEachLeafAndLine) {
  const std::optional<scan_stages> stages = scan_along(0)->in_leaves();
  ASSERT_TRUE(stages.has_value());
  EXPECT_EQ(stages->state_bytes, sizeof(double));
  const loop_schedule leaves{domain, {2, 3}, {2, 3}};
  const std::vector<output> totals = stages->block_totals->outputs(leaves);
  ASSERT_EQ(totals.size(), 1);
  EXPECT_EQ(totals[0].shape(leaves), (index_vector{2, 3}));
  // The operand, and the prefix of each of two leaves.
  const primitive_handle rescan = stages->rescan(domain, 1);
  EXPECT_EQ(rescan->demand(leaves, 3).operands.size(), 3);
  EXPECT_EQ(rescan->outputs(leaves)[0].shape(leaves), domain);
  EXPECT_FALSE(rescan->in_leaves().has_value());
}

}  // namespace
}  // namespace tessera
