// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/grid_engine.hpp"

#include "unit/core/message_of.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

TEST(GridEngineByName, TakesOptions) {
  const std::string text =
      "grid_engine:workers=8,queue=all.q,time=00:10:00,project=p,memory=h_data,directory=/shared/x,"
      "qsub=-p,qsub=-100";
  const auto engine = make_executor(text);
  EXPECT_EQ(engine->name(), text);
  EXPECT_EQ(engine->num_workers(), 8U);
}

TEST(GridEngineByName, NeedsNoOptions) {
  EXPECT_EQ(make_executor("grid_engine")->name(), "grid_engine:workers=16");
}

TEST(GridEngineByName, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"grid_engine:", "grid_engine:8", "grid_engine:workers=0",
                           "grid_engine:workers=8x", "grid_engine:partition=debug"}) {
    EXPECT_THROW((void)make_executor(text), value_error) << text;
  }
}

TEST(GridEngineTraits, AreThoseOfWorkersElsewhere) {
  const executor_traits traits = executors::grid_engine()->traits();
  EXPECT_FALSE(traits.shares_memory);
  EXPECT_FALSE(traits.shares_host);
  EXPECT_TRUE(traits.stops_tasks);
  EXPECT_GE(traits.max_batches, 1000U);
}

}  // namespace
}  // namespace tessera
