// SPDX-License-Identifier: Apache-2.0
// The last tasks of an operation, on virtual clocks.
#include "tessera/executor/simulated.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/idle_workload.hpp"
#include "unit/scheduler/timed_run.hpp"
#include "unit/scheduler/virtual_engine.hpp"

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::chain;
using testing::engine_of;
using testing::idle_workload;
using testing::keeps_order;
using testing::timed_options;
using testing::virtual_engine;

/// The least rounds of maps one after the other, of as many tasks each.
struct rounds {
  std::size_t num_maps;
  index_t num_tasks;
  std::size_t num_workers;
  index_t least;  ///< all tasks / workers, rounded up, or one for each map
};

// The last tasks of a map that are less than a round go beside the last tasks of the next: left to
// the end, they would be a chain of their own. 2.5 rounds of each of five maps are 13, not 15.
TEST(Tails, LeaveNoRoundOfAChainHalfEmpty) {
  for (const auto& [num_maps, num_tasks, num_workers, least] :
       std::vector<rounds>{{5, 250, 100, 13},
                           {2, 250, 100, 5},
                           {3, 150, 100, 5},
                           {4, 350, 100, 14},
                           {7, 110, 100, 8},
                           {9, 199, 100, 18},
                           {6, 1010, 1000, 7},
                           {10, 25, 10, 25},
                           {5, 99, 100, 5},
                           {8, 50, 100, 8},
                           {20, 1025, 50, 410},
                           {3, 7, 2, 11}}) {
    idle_workload work(std::vector<index_t>(num_maps, num_tasks));
    chain(work, num_maps);
    timed_options options;
    run(work, *executors::simulated({.workers = num_workers, .task_time = 1s}), options);
    EXPECT_EQ(options.times->elapsed, least * 1s)
        << num_maps << " maps of " << num_tasks << " on " << num_workers;
    EXPECT_TRUE(keeps_order(work, *options.times));
  }
}

// Ten maps of half a round each take ten rounds, and leave half of each round to the operation
// beside them: to its tail, too, as less comes behind that.
TEST(Tails, DelayNoLongerPath) {
  for (const bool is_read : {true, false}) {
    idle_workload work({50, 150, is_read ? 150 : 0, 50, 50, 50, 50, 50, 50, 50, 50, 50});
    chain(work, work.operations().size());
    work[1].after.clear();
    if (!is_read) work[2].after.clear();
    work[3].after = {0};
    timed_options options;
    virtual_engine engine = engine_of(100);
    engine.properties.max_batches = 100;  // batches that are handed out ahead are in no task's way
    run(work, engine, options);
    EXPECT_EQ(engine.end, 10s) << is_read;
    EXPECT_TRUE(keeps_order(work, *options.times));
  }
}

// 1.5 rounds of each of six maps: the first ends once 1.5 rounds are over, and its array can go
// once its reader has ended.
TEST(Tails, EndWhatHasBegun) {
  idle_workload work({150, 150, 150, 150, 150, 150});
  chain(work, 6);
  timed_options options;
  run(work, *executors::simulated({.workers = 100, .task_time = 1s}), options);
  for (std::size_t map = 0; map < 6; ++map) {
    const session_time end = options.times->spans.at(map).at(149).ended;
    EXPECT_LE(end, 3s * static_cast<int>(map / 2 + 1)) << map;
  }
}

}  // namespace
}  // namespace tessera
