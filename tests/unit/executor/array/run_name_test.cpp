// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/creation.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/store_target.hpp"

#include "task/plan_workload.hpp"
#include "unit/store/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

std::string name_of_run(const std::string& location, double value) {
  const auto planned = plan(stored(full<double>({4, 4}, value), location));
  return plan_workload(planned.bounded()).run_name();
}

TEST(RunName, IsThatOfEqualComputationsAlone) {
  const testing::temporary_directory directory;
  const std::string target = (directory.path() / "a.zarr").string();
  const std::string name = name_of_run(target, 1);
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(name_of_run(target, 1), name);
  EXPECT_NE(name_of_run(target, 2), name);
  EXPECT_NE(name_of_run((directory.path() / "b.zarr").string(), 1), name);
}

TEST(RunName, IsMissingForResultsInMemory) {
  const auto planned = plan(full<double>({4, 4}, 1.0));
  EXPECT_EQ(plan_workload(planned.bounded()).run_name(), "");
}

}  // namespace
}  // namespace tessera
