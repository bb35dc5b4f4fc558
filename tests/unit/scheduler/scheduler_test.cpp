// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/scheduler.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"

#include "unit/scheduler/fake_workload.hpp"
#include "unit/scheduler/message_of_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using testing::fake_operation;
using testing::fake_workload;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of_run;

run_options without_pauses() {
  run_options options;
  options.retry.first_pause = {};
  return options;
}

TEST(Scheduler, RunsNothingOfAnEmptyWorkload) {
  fake_workload work({});
  run(work, *executors::serial());
  EXPECT_TRUE(work.has_ended());
}

TEST(Scheduler, BeginsAndEndsAnOperationWithoutTasks) {
  fake_workload work({fake_operation(0), fake_operation(0, {0}), fake_operation(3, {1})});
  run(work, *executors::threads(2));
  EXPECT_TRUE(work.has_ended());
  EXPECT_THAT(work.violations(), IsEmpty());
}

TEST(Scheduler, KeepsTheOrderOfADiamondWhateverTheOrderOfTheOperations) {
  fake_workload work({fake_operation(3, {1, 2, 1}), fake_operation(5, {3}), fake_operation(2, {3}),
                      fake_operation(4)});
  run(work, *executors::threads(3));
  EXPECT_TRUE(work.has_ended());
  EXPECT_THAT(work.violations(), IsEmpty());
  EXPECT_EQ(work.num_runs(), 14);
}

TEST(Scheduler, RunsIndependentPipelinesSideBySide) {
  // The first operation's only task waits for the end of the second pipeline.
  std::atomic<bool> second_has_ended{false};
  fake_workload work(
      {fake_operation(1), fake_operation(1, {0}), fake_operation(4), fake_operation(1, {2})},
      [&](std::size_t operation, index_t, int) {
        if (operation == 0) second_has_ended.wait(false);
        if (operation == 3) {
          second_has_ended = true;
          second_has_ended.notify_all();
        }
      });
  run(work, *executors::threads(2));
  EXPECT_TRUE(work.has_ended());
  EXPECT_THAT(work.violations(), IsEmpty());
}

TEST(Scheduler, RefusesAnOperationThatIsNotThere) {
  fake_workload work({fake_operation(1, {7})});
  EXPECT_EQ(message_of_run<value_error>(work, *executors::serial()),
            "run: operation 0 \"op0\" comes after operation 7, but there are 1 operations, counted "
            "from 0");
}

TEST(Scheduler, RefusesACycle) {
  fake_workload work({fake_operation(1), fake_operation(1, {2}), fake_operation(1, {1})});
  EXPECT_THAT(message_of_run<value_error>(work, *executors::serial()),
              HasSubstr("operation 1 \"op1\" comes, directly or through others, after itself"));
  EXPECT_EQ(work.num_runs(), 0);
}

TEST(SchedulerMemory, NeverExceedsASmallHostMemoryWithManyWorkers) {
  fake_workload work({fake_operation(200, {}, 30_B, 20_B), fake_operation(100, {}, 50_B),
                      fake_operation(50, {0}, 60_B)});
  run_options options;
  options.host_memory = 117_B;
  options.baseline = 7_B;
  run(work, *executors::threads(16), options);
  EXPECT_TRUE(work.has_ended());
  EXPECT_THAT(work.violations(), IsEmpty());
  EXPECT_LE(work.peak(), 110U);
}

TEST(SchedulerMemory, UsesTheHostMemoryUpToTheLastByte) {
  // Two tasks fit exactly; each waits for the other.
  std::atomic<int> num_waiting{0};
  fake_workload work({fake_operation(2, {}, 50_B)}, [&](std::size_t, index_t, int) {
    if (++num_waiting == 2) num_waiting.notify_all();
    for (int now = num_waiting; now < 2; now = num_waiting) num_waiting.wait(now);
  });
  run_options options;
  options.host_memory = 110_B;
  options.baseline = 10_B;
  run(work, *executors::threads(2), options);
  EXPECT_EQ(work.peak(), 100U);
}

TEST(SchedulerMemory, RefusesATaskThatCannotEverFitBeforeAnythingRuns) {
  fake_workload work({fake_operation(5, {}, 10_B), fake_operation(1, {0}, 91_B)});
  run_options options;
  options.host_memory = 100_B;
  options.baseline = 10_B;
  EXPECT_EQ(message_of_run<memory_error>(work, *executors::threads(2), options),
            "run: operation 1 \"op1\" needs 91 B for one task, with 10 B that the process itself "
            "uses and 0 B of arrays held in memory at that time, which is above the host memory "
            "of 100 B; use smaller chunks or set host_memory to at least 101 B");
  EXPECT_EQ(work.num_runs(), 0);
}

// The second operation's array needs the room that the tasks of the first may have kept.
TEST(SchedulerMemory, LimitsWhatTasksKeepBeforeAnArrayTakesTheRoom) {
  struct limited_workload final : fake_workload {
    using fake_workload::fake_workload;
    void limit_tasks(bytes room) override { limit = room; }
    void begin(std::size_t operation) override {
      limits.push_back(limit);
      fake_workload::begin(operation);
    }
    bytes limit;
    std::vector<bytes> limits;
  };
  limited_workload work({fake_operation(4, {}, 20_B), fake_operation(4, {0}, 10_B, 60_B),
                         fake_operation(1, {1}, 5_B)});
  run_options options;
  options.host_memory = 110_B;
  options.baseline = 10_B;
  run(work, *executors::threads(2), options);
  EXPECT_THAT(work.limits, ElementsAre(100_B, 40_B, 40_B));
  EXPECT_EQ(work.limit, 100_B);  // when the array's last reader had ended
}

TEST(SchedulerMemory, CountsWhatLibrariesKeepOnEachWorkerAllTheTime) {
  std::vector<workload_operation> operations{fake_operation(1, {}, 30_B),
                                             fake_operation(1, {0}, 40_B)};
  operations[0].library_memory = 10_B;
  run_options options;
  options.host_memory = 70_B;  // three workers of 10, and the second operation's task
  fake_workload work(operations);
  run(work, *executors::threads(3), options);
  EXPECT_TRUE(work.has_ended());
  fake_workload refused(operations);
  options.host_memory = 69_B;
  EXPECT_EQ(message_of_run<memory_error>(refused, *executors::threads(3), options),
            "run: operation 1 \"op1\" needs 40 B for one task, with 30 B that the process itself "
            "uses and 0 B of arrays held in memory at that time, which is above the host memory "
            "of 69 B; use smaller chunks or set host_memory to at least 70 B");
}

TEST(SchedulerMemory, RefusesBeforeAnythingRunsWhatComesAfterwardsAndDoesNotFit) {
  fake_workload work({fake_operation(1, {}, 10_B)});
  run_options options;
  options.host_memory = 100_B;
  options.baseline = 10_B;
  options.afterwards = 91_B;
  EXPECT_EQ(message_of_run<memory_error>(work, *executors::serial(), options),
            "run: to read the results takes 91 B, with 10 B that the process itself uses, which is "
            "above the host memory of 100 B; store the results instead of computing them into "
            "memory or set host_memory to at least 101 B");
  EXPECT_EQ(work.num_runs(), 0);
  options.afterwards = 90_B;
  run(work, *executors::serial(), options);
  EXPECT_TRUE(work.has_ended());
}

TEST(SchedulerMemory, CountsArraysHeldInMemoryUntilTheirLastReaderHasEnded) {
  // 40 + 40 held while operation 1 runs; operation 0's are free when operation 3 begins.
  const std::vector<workload_operation> operations{
      fake_operation(2, {}, 5_B, 40_B), fake_operation(2, {0}, 5_B, 40_B),
      fake_operation(2, {0, 1}, 5_B), fake_operation(2, {2}, 5_B, 80_B)};
  run_options options;
  options.host_memory = 85_B;
  fake_workload work(operations);
  run(work, *executors::threads(4), options);
  EXPECT_THAT(work.violations(), IsEmpty());
  EXPECT_LE(work.peak(), 85U);
  fake_workload refused(operations);
  options.host_memory = 84_B;
  EXPECT_THROW(run(refused, *executors::threads(4), options), memory_error);
  EXPECT_EQ(refused.num_runs(), 0);
}

TEST(SchedulerMemory, DoesNotBeginAnOperationWhoseResultWouldBlockAllOthers) {
  // Both pipelines hold 50 while their second operation needs 40 more: together they would wait
  // for each other for ever at 120.
  fake_workload work({fake_operation(1, {}, {}, 50_B), fake_operation(1, {0}, {}, 40_B),
                      fake_operation(1, {1}), fake_operation(1, {}, {}, 50_B),
                      fake_operation(1, {3}, {}, 40_B), fake_operation(1, {4})});
  run_options options;
  options.host_memory = 120_B;
  run(work, *executors::threads(4), options);
  EXPECT_TRUE(work.has_ended());
  EXPECT_THAT(work.violations(), IsEmpty());
  EXPECT_LE(work.peak(), 120U);
}

// The last operation has its turn first, but room only once the one before it has ended. The end of
// no running task would call the scheduler again.
TEST(SchedulerMemory, BeginsWhatHadNoRoomOnceAnOperationWithoutTasksHasEnded) {
  fake_workload work({fake_operation(0), fake_operation(0, {0}, {}, 7_B),
                      fake_operation(0, {0, 1}, {}, 7_B), fake_operation(0, {0, 1, 2}),
                      fake_operation(0, {0, 2}, {}, 1_B)});
  run_options options;
  options.host_memory = 14_B;
  run(work, *executors::serial(), options);
  EXPECT_TRUE(work.has_ended());
  EXPECT_THAT(work.violations(), IsEmpty());
}

TEST(SchedulerRetries, TriesATaskThatFailsTwiceExactlyThreeTimes) {
  fake_workload work({fake_operation(10)}, [](std::size_t, index_t task, int attempt) {
    if (task == 4 && attempt < 3) throw store_error("busy", true);
  });
  run(work, *executors::threads(2), without_pauses());
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.attempts(0, 4), 3);
  EXPECT_EQ(work.num_runs(), 12);
  EXPECT_THAT(work.violations(), IsEmpty());
}

TEST(SchedulerRetries, GivesUpAfterThreeAttempts) {
  fake_workload work({fake_operation(10), fake_operation(1, {0})},
                     [](std::size_t, index_t task, int) {
                       if (task == 4) throw store_error("key \"c/0\": the store is busy", true);
                     });
  EXPECT_EQ(message_of_run<task_error>(work, *executors::threads(2), without_pauses()),
            "operation 0 \"op0\", block (4,): the task failed after 3 attempts: key \"c/0\": the "
            "store is busy");
  EXPECT_EQ(work.attempts(0, 4), 3);
  EXPECT_EQ(work.attempts(1, 0), 0);
  EXPECT_THAT(work.violations(), IsEmpty());
}

TEST(SchedulerRetries, TriesAsOftenAsThePolicySays) {
  fake_workload work({fake_operation(1)},
                     [](std::size_t, index_t, int) { throw std::bad_alloc(); });
  run_options options = without_pauses();
  options.retry.max_attempts = 5;
  EXPECT_THAT(message_of_run<task_error>(work, *executors::serial(), options),
              HasSubstr("failed after 5 attempts: out of memory"));
  EXPECT_EQ(work.attempts(0, 0), 5);
}

TEST(SchedulerRetries, DoesNotRepeatTasksOfABatchThatHadEndedWell) {
  // 1000 tiny tasks make large batches; every seventh task fails once.
  fake_workload work({fake_operation(1000, {}, {}, {}, 1)}, [](std::size_t, index_t task, int n) {
    if (task % 7 == 0 && n == 1) throw store_error("busy", true);
  });
  run(work, *executors::threads(2), without_pauses());
  EXPECT_THAT(work.violations(), IsEmpty());
  EXPECT_EQ(work.num_runs(), 1000 + 143);
}

TEST(SchedulerFailures, AreNotTriedAgainWhereThatCannotHelp) {
  const std::vector<std::exception_ptr> causes{std::make_exception_ptr(store_error("cause")),
                                               std::make_exception_ptr(zarr_error("cause")),
                                               std::make_exception_ptr(memory_error("cause")),
                                               std::make_exception_ptr(std::logic_error("cause"))};
  for (const std::exception_ptr& cause : causes) {
    fake_workload work({fake_operation(3)}, [&](std::size_t, index_t task, int) {
      if (task == 1) std::rethrow_exception(cause);
    });
    EXPECT_EQ(message_of_run<task_error>(work, *executors::serial()),
              "operation 0 \"op0\", block (1,): the task failed: cause");
    EXPECT_EQ(work.attempts(0, 1), 1);
  }
}

TEST(SchedulerFailures, KeepTheCauseNested) {
  fake_workload work({fake_operation(1)},
                     [](std::size_t, index_t, int) { throw codec_error("bad block"); });
  try {
    run(work, *executors::threads(1));
    FAIL() << "the run did not fail";
  } catch (const task_error& error) {
    EXPECT_THROW(std::rethrow_if_nested(error), codec_error);
  }
}

TEST(SchedulerFailures, OfOtherTypesThanExceptionsAreReportedToo) {
  fake_workload work({fake_operation(1)}, [](std::size_t, index_t, int) { throw 42; });
  EXPECT_THAT(message_of_run<task_error>(work, *executors::threads(1)),
              HasSubstr("an exception that is not a std::exception"));
}

TEST(SchedulerFailures, LetRunningTasksFinish) {
  std::atomic<bool> first_runs{false};
  std::atomic<bool> first_has_ended{false};
  fake_workload work({fake_operation(2)}, [&](std::size_t, index_t task, int) {
    if (task == 1) {
      first_runs.wait(false);
      throw std::runtime_error("cause");
    }
    first_runs = true;
    first_runs.notify_all();
    for (int i = 0; i < 100'000; ++i) first_runs.load();
    first_has_ended = true;
  });
  EXPECT_THROW(run(work, *executors::threads(2)), task_error);
  EXPECT_TRUE(first_has_ended);
}

TEST(SchedulerFailures, OfBeginAreThrownAsTheyAre) {
  fake_workload work({fake_operation(3), fake_operation(3, {0})});
  work.on_begin = [](std::size_t operation) {
    if (operation == 1) throw zarr_error("there is another array");
  };
  EXPECT_THROW(run(work, *executors::threads(2)), zarr_error);
  EXPECT_EQ(work.num_runs(), 3);
}

TEST(SchedulerCancellation, StopsHandingOutAndSaysHowFarItCame) {
  std::stop_source source;
  fake_workload work({fake_operation(1000)}, [&](std::size_t, index_t task, int) {
    if (task == 4) source.request_stop();
  });
  run_options options;
  options.cancellation = source.get_token();
  EXPECT_EQ(message_of_run<interrupted_error>(work, *executors::serial(), options),
            "run: stopped by a request to cancel it after 5 of 1000 tasks; what it was storing is "
            "incomplete");
  EXPECT_EQ(work.num_runs(), 5);
}

TEST(SchedulerCancellation, BeforeTheStartRunsNothing) {
  std::stop_source source;
  source.request_stop();
  fake_workload work({fake_operation(3)});
  run_options options;
  options.cancellation = source.get_token();
  EXPECT_THROW(run(work, *executors::threads(2), options), interrupted_error);
  EXPECT_EQ(work.num_runs(), 0);
}

TEST(MayPass, HoldsForStoresThatSayItAndForMissingMemory) {
  EXPECT_TRUE(may_pass(std::make_exception_ptr(store_error("", true))));
  EXPECT_TRUE(may_pass(std::make_exception_ptr(std::bad_alloc())));
  EXPECT_FALSE(may_pass(std::make_exception_ptr(store_error("", false))));
  EXPECT_FALSE(may_pass(std::make_exception_ptr(std::runtime_error(""))));
  EXPECT_FALSE(may_pass(std::make_exception_ptr(1)));
}

}  // namespace
}  // namespace tessera
