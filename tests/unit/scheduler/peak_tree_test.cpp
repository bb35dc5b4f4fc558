// SPDX-License-Identifier: Apache-2.0
#include "scheduler/peak_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace {

namespace ts = tessera;

using amounts = std::vector<std::uint32_t>;

TEST(PeakTree, FindsThePeakBeforeWhatIsGivenBack) {
  ts::peak_tree tree(3);
  tree.set(0, {5, 1, 0});
  tree.set(1, {2, 4, 5});
  tree.set(2, {1, 1, 0});
  EXPECT_TRUE(tree.peak_of_first(0) == ts::peak_tree::none);
  EXPECT_TRUE(tree.peak_of_first(1) == 6);
  EXPECT_TRUE(tree.peak_of_first(2) == 11);
  EXPECT_TRUE(tree.peak_of_first(3) == 11);
  tree.clear(1);
  EXPECT_TRUE(tree.peak_of_first(3) == 7);
}

RC_GTEST_PROP(PeakTree, FindsWhatALoopOverTheStepsFinds, (const amounts& amounts_taken)) {
  const std::size_t size = amounts_taken.size();
  std::vector<ts::balance_step> steps(size);
  std::vector<bool> is_there(size, false);
  ts::peak_tree tree(size);
  for (std::size_t change = 0; change < 2 * size; ++change) {
    const auto position = *rc::gen::inRange<std::size_t>(0, size);
    is_there[position] = *rc::gen::arbitrary<bool>();
    steps[position] = {amounts_taken[position], *rc::gen::inRange(0, 1000),
                       *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 33)};
    is_there[position] ? tree.set(position, steps[position]) : tree.clear(position);
  }
  const auto count = *rc::gen::inRange<std::size_t>(0, size + 1);
  ts::wide_integer balance = 0;
  ts::wide_integer peak = ts::peak_tree::none;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_there[i]) continue;
    balance += steps[i].added;
    peak = std::max(peak, balance + steps[i].transient);
    balance -= steps[i].removed;
  }
  RC_ASSERT(tree.peak_of_first(count) == peak);
}

}  // namespace
