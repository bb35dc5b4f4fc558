// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/mpi.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/core/message_of.hpp"
#include "unit/mpi/shared_directory.hpp"
#include "unit/mpi/shared_workload.hpp"
#include "unit/scheduler/fake_workload.hpp"
#include "unit/scheduler/message_of_run.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tessera {
namespace {

using namespace literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::message_of_run;
using testing::shared_directory;
using testing::shared_workload;

int rank_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Returns the thread level that MPI provides.
int thread_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level;
}

bool first_rank_works() { return size_of() == 1 || thread_level() > MPI_THREAD_SINGLE; }

void expect_it_works(executor& engine, MPI_Comm comm = MPI_COMM_WORLD) {
  shared_workload work("works", {20, 7});
  run(work, engine);
  EXPECT_THAT(work.runs(0, comm), Each(1));
  EXPECT_THAT(work.runs(1, comm), Each(1));
}

TEST(MpiExecutor, RunsEveryTaskOnceOnSomeRank) {
  const auto engine = executors::mpi();
  shared_workload work("one", {100, 17, 0, 1});
  run(work, *engine);
  for (std::size_t operation = 0; operation < 4; ++operation) {
    EXPECT_THAT(work.runs(operation, MPI_COMM_WORLD), Each(1));
  }
  EXPECT_EQ(work.num_begun, rank_of() == 0 ? 4 : 0);
  EXPECT_EQ(work.num_ended, rank_of() == 0 ? 4 : 0);
  EXPECT_EQ(work.has_joined, rank_of() != 0);
}

TEST(MpiExecutor, HasAWorkerForEachRank) {
  const auto engine = executors::mpi();
  EXPECT_EQ(engine->num_workers(), static_cast<std::size_t>(size_of()));
  EXPECT_EQ(engine->traits().shares_memory, size_of() == 1);
  EXPECT_TRUE(engine->traits().shares_host);
  EXPECT_EQ(engine->traits().maps_memory, size_of() > 1);
}

TEST(MpiExecutor, RunsATaskWhereItIsBound) {
  const auto size = static_cast<std::size_t>(size_of());
  shared_workload work("bound", {41}, [&](std::size_t, index_t task, std::size_t worker) {
    EXPECT_EQ(worker, static_cast<std::size_t>(task) % size);
    EXPECT_EQ(worker, static_cast<std::size_t>(rank_of()));
  });
  work.bind_to_workers(size);
  run(work, *executors::mpi());
  EXPECT_THAT(work.runs(0, MPI_COMM_WORLD), Each(1));
}

/// Runs two batches of a task each that are for rank 1 alone: `lead` sees their session.
void run_two_of_rank_1(shared_workload& work, executor& engine,
                       const std::function<void(executor_session&)>& lead) {
  run_together(work, engine, [&] {
    const auto session = engine.start(work);
    for (index_t task = 0; task < 2; ++task) {
      task_batch batch;
      batch.first = task;
      batch.count = 1;
      batch.worker = 1;
      session->submit(batch, static_cast<std::uint64_t>(task));
    }
    lead(*session);
  });
}

TEST(MpiExecutor, HasTheNextTaskOfARankWaitThere) {
  if (size_of() == 1) return;
  const auto engine = executors::mpi();
  const shared_directory directory;
  shared_workload work("at hand", {2}, [&](std::size_t, index_t task, std::size_t) {
    directory.mark(std::to_string(task));
  });
  run_two_of_rank_1(work, *engine, [&](executor_session& session) {
    // No further task is handed out meanwhile.
    while (directory.num_marks() < 2) std::this_thread::yield();
    for (std::uint64_t ticket = 0; ticket < 2; ++ticket) {
      const std::optional<task_completion> completion = session.wait(std::nullopt);
      ASSERT_TRUE(completion.has_value());
      EXPECT_EQ(completion->ticket, ticket);
      EXPECT_EQ(completion->done, 1);
      EXPECT_EQ(completion->worker, 1U);
    }
  });
  EXPECT_THAT(work.runs(0, MPI_COMM_WORLD), Each(1));
}

TEST(MpiExecutor, DropsATaskThatWaitsAtItsRank) {
  if (size_of() == 1) return;
  const auto engine = executors::mpi();
  const shared_directory directory;
  shared_workload work("dropped", {2}, [&](std::size_t, index_t task, std::size_t) {
    directory.mark("begun " + std::to_string(task));
    while (directory.num_marks() < 2) std::this_thread::yield();
  });
  run_two_of_rank_1(work, *engine, [&](executor_session& session) {
    while (directory.num_marks() < 1) std::this_thread::yield();
    EXPECT_TRUE(session.started(0).has_value());
    EXPECT_FALSE(session.started(1).has_value());
    session.cancel();
    directory.mark("cancelled");
    for (const index_t done : {1, 0}) {
      const std::optional<task_completion> completion = session.wait(std::nullopt);
      ASSERT_TRUE(completion.has_value());
      EXPECT_EQ(completion->done, done);
      EXPECT_EQ(completion->failure, nullptr);
    }
  });
  EXPECT_THAT(work.runs(0, MPI_COMM_WORLD), ElementsAre(1, 0));
}

TEST(MpiExecutor, RunsTasksOnAllRanksAtTheSameTime) {
  // Each task waits until as many have started as there are ranks that work.
  const index_t num_working = first_rank_works() ? size_of() : size_of() - 1;
  const shared_directory directory;
  shared_workload work("busy", {num_working}, [&](std::size_t, index_t task, std::size_t) {
    directory.mark(std::to_string(task));
    while (directory.num_marks() < num_working) std::this_thread::yield();
  });
  run(work, *executors::mpi());
  EXPECT_THAT(work.runs(0, MPI_COMM_WORLD), Each(1));
}

TEST(MpiExecutor, RunsManyTinyTasks) {
  // Between two ranks alone, each is sent and answered.
  shared_workload work("tiny", {first_rank_works() ? 100'000 : 2'000});
  run(work, *executors::mpi());
  EXPECT_THAT(work.runs(0, MPI_COMM_WORLD), Each(1));
}

TEST(MpiExecutor, ThrowsTheFailureOfATaskOnAllRanks) {
  const auto engine = executors::mpi();
  shared_workload work("fails", {50, 1}, [](std::size_t, index_t task, std::size_t) {
    if (task == 31) throw std::runtime_error("no such chunk");
  });
  EXPECT_EQ(message_of_run<task_error>(work, *engine),
            "operation 0 \"op0\", block (31,): the task failed: no such chunk");
  expect_it_works(*engine);
}

TEST(MpiExecutor, CarriesFailuresThatAreLong) {
  const std::string text(1 << 20, 'x');
  shared_workload work("long", {9},
                       [&](std::size_t, index_t, std::size_t) { throw std::runtime_error(text); });
  EXPECT_THAT(message_of_run<task_error>(work, *executors::mpi()), HasSubstr(text));
}

TEST(MpiExecutor, TriesAgainWhatMayPass) {
  const shared_directory directory;
  shared_workload work("passes", {6}, [&](std::size_t, index_t task, std::size_t) {
    if (directory.mark(std::to_string(task))) throw store_error("busy", true);
  });
  run_options options;
  options.retry.first_pause = {};
  run(work, *executors::mpi(), options);
  EXPECT_THAT(work.runs(0, MPI_COMM_WORLD), Each(2));
}

TEST(MpiExecutor, RefusesOnAllRanksWhatIsNotTheSameEverywhere) {
  if (size_of() == 1) return;
  const auto engine = executors::mpi();
  const bool is_last = rank_of() == size_of() - 1;
  shared_workload work(is_last ? "mean" : "sum", {10});
  EXPECT_EQ(message_of_run<value_error>(work, *engine),
            "this is \"mean\", but the first rank's is \"sum\"");
  EXPECT_THAT(work.runs(0, MPI_COMM_WORLD), Each(0));
  expect_it_works(*engine);
}

TEST(MpiExecutor, TellsAllRanksOfARunThatWasRefused) {
  const auto engine = executors::mpi();
  shared_workload work("large", {10});
  run_options options;
  options.host_memory = 1_B;
  options.baseline = 2_B;
  EXPECT_THROW(run(work, *engine, options), memory_error);
  expect_it_works(*engine);
}

TEST(MpiExecutor, IsCancelledOnAllRanks) {
  const auto engine = executors::mpi();
  const auto size = static_cast<std::size_t>(size_of());
  std::stop_source source;
  shared_workload work("cancelled", {1000}, [&](std::size_t, index_t, std::size_t worker) {
    if (worker == 0) source.request_stop();
  });
  work.bind_to_workers(size);
  run_options options;
  options.cancellation = source.get_token();
  EXPECT_THROW(run(work, *engine, options), interrupted_error);
  const std::vector<int> runs = work.runs(0, MPI_COMM_WORLD);
  EXPECT_LT(std::accumulate(runs.begin(), runs.end(), 0), 1000);
  expect_it_works(*engine);
}

TEST(MpiExecutor, ServesHalvesOfACommunicatorSideBySide) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of() % 2, rank_of(), &half);
  {
    const auto engine = executors::mpi(half);
    for (int round = 0; round < 1 + rank_of() % 2; ++round) expect_it_works(*engine, half);
  }
  MPI_Comm_free(&half);
}

TEST(MpiExecutor, RunsWhatItsOwnTasksCompute) {
  const auto engine = executors::mpi();
  shared_workload outer("outer", {8}, [&](std::size_t, index_t, std::size_t) {
    shared_workload inner("inner", {5, 1});
    run(inner, *engine);
    EXPECT_EQ(inner.num_ended, 2);
  });
  run(outer, *engine);
  EXPECT_THAT(outer.runs(0, MPI_COMM_WORLD), Each(1));
}

TEST(MpiExecutor, RefusesOnAllRanksAWorkloadThatNobodyCanJoin) {
  if (size_of() == 1) return;
  const auto engine = executors::mpi();
  testing::fake_workload work({testing::fake_operation(3)});
  EXPECT_THAT(message_of_run<value_error>(work, *engine),
              HasSubstr("cannot be run by several processes together"));
  EXPECT_EQ(work.num_runs(), 0);
  expect_it_works(*engine);
}

TEST(MpiExecutor, MeetsWhenAllRanksHaveCome) {
  const auto engine = executors::mpi();
  const shared_directory directory;
  directory.mark(std::to_string(rank_of()));
  meet(*engine, nullptr);
  EXPECT_EQ(directory.num_marks(), size_of());
}

TEST(MpiExecutor, ThrowsOnAllRanksWhatOneHasMetWith) {
  const auto engine = executors::mpi();
  for (int failing = 0; failing < size_of(); ++failing) {
    const std::string text = "rank " + std::to_string(failing) + " has no such chunk";
    const auto failure = std::make_exception_ptr(store_error(text));
    EXPECT_EQ(
        message_of<store_error>([&] { meet(*engine, rank_of() == failing ? failure : nullptr); }),
        text);
  }
  expect_it_works(*engine);
}

TEST(MpiExecutor, ThrowsOnEachRankItsOwnFailureWhereAllHaveOne) {
  const auto engine = executors::mpi();
  const std::string message = "rank " + std::to_string(rank_of());
  EXPECT_EQ(message_of<std::runtime_error>(
                [&] { meet(*engine, std::make_exception_ptr(std::runtime_error(message))); }),
            message);
  expect_it_works(*engine);
}

TEST(MpiExecutor, RefusesComputationsOfAnotherThreadOnAllRanks) {
  if (size_of() == 1) return;
  const auto engine = executors::mpi();
  shared_workload workload("other", {10});
  std::thread second([&] {
    EXPECT_THAT(message_of_run<value_error>(workload, *engine), HasSubstr("another thread"));
  });
  expect_it_works(*engine);
  second.join();
  EXPECT_THAT(workload.runs(0, MPI_COMM_WORLD), Each(0));
}

TEST(MpiExecutor, IsMadeByAnotherThreadWhereThatMayCallMpi) {
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  const auto engine = executors::mpi();
  std::thread beside([&] {
    if (thread_level() < MPI_THREAD_SERIALIZED) {
      EXPECT_THROW((void)executors::mpi(second), value_error);
    } else if (thread_level() == MPI_THREAD_MULTIPLE) {
      expect_it_works(*executors::mpi(second), second);
    }
  });
  expect_it_works(*engine);
  beside.join();
  MPI_Comm_free(&second);
}

TEST(MpiExecutor, CountsTheMemoryOfEachRankOnce) {
  const auto size = static_cast<double>(size_of());
  const auto counted = static_cast<double>(executors::mpi()->traits().worker_memory.count());
  const auto resident = static_cast<double>(resident_memory().count());
  EXPECT_NEAR(counted * size / resident, size - 1, size / 8);
}

TEST(MpiExecutor, IsMadeByName) {
  const auto engine = make_executor("mpi");
  EXPECT_EQ(engine->name(), "mpi");
  expect_it_works(*engine);
  for (const char* name : {"mpi:5", "mpi:0", "mpi:two", "mpi:"}) {
    EXPECT_THROW((void)make_executor(name), value_error) << name;
  }
}

TEST(MpiExecutor, RunsTasksOnTheFirstRanksAlone) {
  if (size_of() > 1 && thread_level() < MPI_THREAD_FUNNELED) {
    EXPECT_THROW((void)make_executor("mpi:1"), value_error);
    return;
  }
  for (int count = 1; count <= size_of(); ++count) {
    const auto engine = executors::mpi(MPI_COMM_WORLD, static_cast<std::size_t>(count));
    EXPECT_EQ(engine->num_workers(), static_cast<std::size_t>(count));
    EXPECT_EQ(engine->name(), count == size_of() ? "mpi" : "mpi:" + std::to_string(count));
    shared_workload work("part", {40, 7}, [&](std::size_t, index_t, std::size_t worker) {
      EXPECT_LT(worker, static_cast<std::size_t>(count));
      EXPECT_LT(rank_of(), count);
    });
    run(work, *engine);
    EXPECT_THAT(work.runs(0, MPI_COMM_WORLD), Each(1));
    EXPECT_THAT(work.runs(1, MPI_COMM_WORLD), Each(1));
  }
}

TEST(MpiExecutor, RefusesTasksOfRanksThatSleep) {
  if (size_of() == 1 || thread_level() < MPI_THREAD_FUNNELED) return;
  const auto engine = executors::mpi(MPI_COMM_WORLD, 1);
  shared_workload work("bound", {4});
  work.bind_to_workers(2);
  EXPECT_THROW(run(work, *engine), value_error);
}

TEST(MpiExecutor, TellsWhoLeads) {
  if (size_of() == 1) return;
  EXPECT_EQ(executors::mpi()->group()->is_leader(), rank_of() == 0);
}

TEST(MpiExecutor, RefusesACommunicatorThatIsNone) {
  EXPECT_THROW((void)executors::mpi(MPI_COMM_NULL), value_error);
}

}  // namespace
}  // namespace tessera
