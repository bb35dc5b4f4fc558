// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/slurm.hpp"

#include "unit/core/message_of.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

TEST(SlurmByName, TakesOptions) {
  const std::string text =
      "slurm:workers=8,partition=debug,time=00:10:00,account=a,directory=/shared/x,"
      "sbatch=--nice=100,sbatch=--exclusive";
  const auto engine = make_executor(text);
  EXPECT_EQ(engine->name(), text);
  EXPECT_EQ(engine->num_workers(), 8U);
}

TEST(SlurmByName, NeedsNoOptions) {
  const auto engine = make_executor("slurm");
  EXPECT_EQ(engine->name(), "slurm:workers=16");
  EXPECT_EQ(engine->num_workers(), 16U);
}

TEST(SlurmByName, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"slurm:", "slurm:8", "slurm:workers=", "slurm:workers=0", "slurm:workers=-1",
        "slurm:workers=8x", "slurm:queue=debug", "slurm:workers=8,,time=1", "slurm:workers=8,"}) {
    EXPECT_THROW((void)make_executor(text), value_error) << text;
  }
}

TEST(SlurmByName, TellsWhichOptionWasMeant) {
  const std::string message =
      testing::message_of<value_error>([] { (void)make_executor("slurm:partiton=debug"); });
  EXPECT_NE(message.find("\"partiton\" is no option (did you mean \"partition\"?); options are"),
            std::string::npos)
      << message;
}

TEST(SlurmOptions, AreTheSameByFunction) {
  slurm_options options;
  options.workers = 3;
  options.partition = "long";
  EXPECT_EQ(executors::slurm(options)->name(), "slurm:workers=3,partition=long");
}

TEST(SlurmTraits, AreThoseOfWorkersElsewhere) {
  const executor_traits traits = executors::slurm()->traits();
  EXPECT_FALSE(traits.shares_memory);
  EXPECT_FALSE(traits.maps_memory);
  EXPECT_FALSE(traits.shares_host);
  EXPECT_GE(traits.max_batches, 1000U);
}

}  // namespace
}  // namespace tessera
