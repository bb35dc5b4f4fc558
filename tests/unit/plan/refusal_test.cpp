// SPDX-License-Identifier: Apache-2.0
/// \file
/// The texts of refusals: names of operations, rule, figures.

#include "plan/passes/passes.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace {

namespace ts = tessera;
using namespace ts::literals;

const ts::refusal_names names{"mean(u)", "u - 1", "u - 1", "mean(u)"};

TEST(Refusal, NamesBothOperationsAndTheFigures) {
  EXPECT_EQ(ts::reads_more(45'600_MB, 30'400_MB).text(names),
            "'mean(u)' and 'u - 1' in one operation would read more: 45.6 GB in place of 30.4 GB");
  EXPECT_EQ(
      ts::fewer_workers_busy(12, 1024).text(names),
      "'mean(u)' and 'u - 1' in one operation would leave workers without a task: 12 tasks in "
      "place of 1,024");
  EXPECT_EQ(ts::has_other_outputs(3).text(names),
            "'mean(u)' has other outputs than the operand of 'u - 1': 3 in all");
}

TEST(Refusal, HasFiguresOfSizesTimesAndCounts) {
  EXPECT_EQ(ts::reason("{op} is slow", "{} for {}", ts::costs::seconds{0.25}, 960_kB).text(names),
            "'mean(u)' is slow: 0.25 s for 960 kB");
  EXPECT_EQ(ts::reason("{op} is large", "{} elements", 1e30).text(names),
            "'mean(u)' is large: 1e+30 elements");
  EXPECT_EQ(ts::reason("{op} is alone").text(names), "'mean(u)' is alone");
  EXPECT_EQ(ts::reason().text(names), "");
}

// Braces in a name, as of a type that a user defines, are no part of the rule.
TEST(Refusal, TakesNamesAsTheyAre) {
  EXPECT_EQ(ts::reason("{op} is alone").text({"f{}({op})", "", "", ""}), "'f{}({op})' is alone");
}

TEST(TableOfPasses, OfASwitchHaveOnePartInTheChoice) {
  std::set<std::size_t> turns;
  for (const ts::named_pass& pass : ts::all_passes) {
    if (pass.choice.turn_to_go == 0) continue;
    ASSERT_NE(pass.is_on, nullptr) << pass.name;
    EXPECT_TRUE(turns.insert(pass.choice.turn_to_go).second) << pass.name;
    for (const ts::named_pass& earlier : ts::all_passes) {
      if (&earlier == &pass || earlier.choice.turn_to_go == 0) continue;
      EXPECT_NE(earlier.is_on, pass.is_on) << pass.name << " and " << earlier.name;
    }
  }
  EXPECT_EQ(turns.size(), 12U);
  EXPECT_EQ(*turns.rbegin(), 12U);
}

}  // namespace
