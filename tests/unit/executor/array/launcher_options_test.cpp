// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/launcher.hpp"

#include "unit/core/message_of.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

TEST(LauncherByName, TakesOptions) {
  const std::string text =
      "launcher:command=python3 launch.py --fast,workers=8,max_elements=10000,directory=/shared/x";
  const auto engine = make_executor(text);
  EXPECT_EQ(engine->name(), text);
  EXPECT_EQ(engine->num_workers(), 8U);
  EXPECT_EQ(engine->traits().max_batches, 10000U);
  EXPECT_FALSE(engine->traits().shares_memory);
  EXPECT_FALSE(engine->traits().shares_host);
}

TEST(LauncherByName, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"launcher", "launcher:", "launcher:./launch.py", "launcher:command=",
                           "launcher:workers=2", "launcher:command=a,workers=0",
                           "launcher:command=a,workers=2x", "launcher:command=a,max_elements=-1",
                           "launcher:command=a,", "launcher:command=a,memory=1"}) {
    EXPECT_THROW((void)make_executor(text), value_error) << text;
  }
}

TEST(LauncherByName, TellsWhichOptionWasMeant) {
  EXPECT_EQ(testing::message_of<value_error>([] { (void)make_executor("launcher:comand=a"); }),
            "executor \"launcher:comand=a\": \"comand\" is no option (did you mean \"command\"?); "
            "options are command, workers, max_elements and directory, as in "
            "\"launcher:command=./launch.py,workers=100\"");
}

// A copy of the program would be a driver as well, and start copies in turn.
TEST(LauncherByName, IsRefusedIfTheEnvironmentOfACopyIsNotPassedOn) {
  ::setenv("TESSERA_INDEX", "3", 1);
  const std::string refusal =
      testing::message_of<value_error>([] { (void)make_executor("launcher:command=a"); });
  ::setenv("TESSERA_WORKER", "array:TESSERA_INDEX:/runs/a/0", 1);
  EXPECT_NO_THROW((void)make_executor("launcher:command=a"));
  ::unsetenv("TESSERA_WORKER");
  ::unsetenv("TESSERA_INDEX");
  EXPECT_EQ(
      refusal,
      "launcher: TESSERA_INDEX is set, and TESSERA_WORKER is not; a launcher passes its whole "
      "environment on to each copy of the program");
  EXPECT_NO_THROW((void)make_executor("launcher:command=a"));
}

}  // namespace
}  // namespace tessera
