// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/mpi.hpp"
#include "tessera/function/cumulative.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/testing/plan_conformance.hpp"

#include "unit/mpi/shared_directory.hpp"
#include "unit/plan/random_placement.hpp"
#include "unit/task/shared_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <mpi.h>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tessera::testing {
namespace {

/// Plans that all ranks compute together.
struct PlanOnRanks : ::testing::Test {
  shared_directory directory;
  plan_setting setting{executors::mpi(), (directory.path() / "work").string()};
};

struct refusing {
  double operator()(double x) const {
    if (x > 50) throw std::runtime_error("no such value");
    return x;
  }
};

int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int num_ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// The executor of all ranks, one of which is in another directory between its runs and their end.
class straying_executor final : public executor, private process_group {
 public:
  explicit straying_executor(int rank) : strays_(rank == rank_in_world()) {}

  std::string name() const override { return engine_->name(); }
  std::size_t num_workers() const override { return engine_->num_workers(); }
  executor_traits traits() const override { return engine_->traits(); }
  std::unique_ptr<executor_session> start(workload& work) override { return engine_->start(work); }
  tessera::process_group* group() override { return this; }

 private:
  bool is_leader() const override { return engine_->group()->is_leader(); }
  bool serve(workload& work) override {
    const bool has_served = engine_->group()->serve(work);
    if (has_served) stray();
    return has_served;
  }
  void conclude(const std::exception_ptr& failure) override {
    engine_->group()->conclude(failure);
    stray();
  }
  void meet(const std::exception_ptr& failure) override {
    std::filesystem::current_path(home_);
    engine_->group()->meet(failure);
  }

  void stray() const {
    if (strays_) std::filesystem::current_path("/");
  }

  std::shared_ptr<executor> engine_ = executors::mpi();
  bool strays_;
  std::filesystem::path home_ = std::filesystem::current_path();
};

/// Lists the files in a directory whenever tasks have ended.
class file_list final : public observer {
 public:
  explicit file_list(std::string directory) : directory_(std::move(directory)) {}

  void on_tasks_end(const tasks_event&) override {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      names.insert(entry.path().filename().string());
    }
  }

  std::set<std::string> names;

 private:
  std::string directory_;
};

TEST_F(PlanOnRanks, ComputesAsSerialDoes) { expect_as_on_serial(anomalies_of_a_product, setting); }

TEST_F(PlanOnRanks, ReadsMemoryAsSerialDoes) { expect_as_on_serial(sums_of_memory, setting); }

TEST_F(PlanOnRanks, StoresAsSerialDoes) { expect_as_on_serial(stored_and_opened, setting); }

TEST_F(PlanOnRanks, OpensReferencesAsSerialDoes) {
  expect_as_on_serial(opened_by_references, setting);
}

TEST_F(PlanOnRanks, ComputesArraysWithoutElements) {
  expect_as_on_serial(arrays_without_elements, setting);
}

TEST_F(PlanOnRanks, ComputesFloat16AsSerialDoes) { expect_as_on_serial(float16_arrays, setting); }

TEST_F(PlanOnRanks, GoesOnWithWhatThreadsOfOneBegan) {
  if (rank_in_world() == 0) begin_roots(setting);
  MPI_Barrier(MPI_COMM_WORLD);
  const chunk_times before = written_roots(setting);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_to_go_on(setting, before);
}

/// Returns the greatest memory of a rank, and a megabyte by which ranks may grow.
std::uint64_t most_memory_of_ranks() {
  std::uint64_t memory = memory_with_code().count() + 1'000'000;
  MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return memory;
}

// All ranks plan the same program for a host of the same size, and run it together.
TEST_F(PlanOnRanks, KeepsEveryHostMemoryAndNeverWaitsForEver) {
  std::uint64_t seed = std::random_device{}();
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  const std::uint64_t code = most_memory_of_ranks();
  const auto num_processes = static_cast<std::uint64_t>(num_ranks()) + 1;
  spec limits = setting.spec();
  limits.reserved_memory = bytes{code};
  limits.allowed_memory = bytes{code + 600'000};
  limits.intermediate_compressor = "none";
  int num_run = 0;
  int num_in_memory = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    SCOPED_TRACE(seed + i);
    limits.host_memory = bytes{code * num_processes + 300'000 + (seed + i) * 7919 % 2'000'000};
    const placement placed = place(program_of(seed + i), limits, setting.settings().executor);
    EXPECT_EQ(placed.fault, "");
    num_run += placed.is_refused ? 0 : 1;
    num_in_memory += placed.holds_arrays ? 1 : 0;
  }
  EXPECT_GT(num_run, 10) << "hardly any fits";
  EXPECT_GT(num_in_memory, 10) << "hardly any is in memory";
}

/// Sums up the traffic of all tasks.
class sum_of_traffic final : public observer {
 public:
  void on_tasks_end(const tasks_event& event) override {
    ++num_events;
    if (event.moved) total += *event.moved;
  }
  traffic total;
  int num_events = 0;
};

TEST_F(PlanOnRanks, ReportsTheTrafficOfAllRanks) {
  constexpr index_t n = 24'000;
  const auto moved = std::make_shared<sum_of_traffic>();
  const std::string path = (directory.path() / "numbers").string();
  const auto numbers_plan =
      plan(stored(arange<double>(n, {.chunks = {100}, .spec = setting.spec()}), path),
           run_with{.executor = setting.settings().executor, .observers = {moved}});
  numbers_plan.execute();
  if (rank_in_world() > 0) {
    EXPECT_EQ(moved->num_events, 0);
    return;
  }
  EXPECT_GT(moved->num_events, 0);
  EXPECT_EQ(moved->total.written, bytes{8 * n});
  EXPECT_EQ(moved->total.requests, 240U);
}

/// Keeps the peak of shared memory at the ends of tasks, on the rank that hands them out.
class shared_peak final : public observer {
 public:
  void on_tasks_end(const tasks_event&) override {
    most = std::max(most, arrays_in_shared_memory());
  }
  std::size_t most = 0;
};

// The sums are read twice; one rank holds them for all.
TEST_F(PlanOnRanks, HoldsWhatIsBetweenTasksInMemory) {
  constexpr index_t n = 24'000;
  const auto peak = std::make_shared<shared_peak>();
  const array<double, 1> sums =
      cumulative_sum(arange<double>(n, {.chunks = {1000}, .spec = setting.spec()}));
  const std::string path = (directory.path() / "result").string();
  const auto sums_plan =
      plan(stored(flip(sums) - mean(sums), path),
           run_with{.executor = setting.settings().executor, .observers = {peak}});
  EXPECT_EQ(sums_plan.bytes_written(), bytes{8 * n});
  sums_plan.execute();
  EXPECT_EQ(peak->most >= 8 * n, num_ranks() > 1 && rank_in_world() == 0);
  EXPECT_EQ(arrays_in_shared_memory(), 0U);
  const auto computed = open<double, 1>(path).compute({.executor = executors::serial()});
  for (index_t i = 0; i < n; ++i) {
    const auto k = static_cast<double>(n - 1 - i);
    ASSERT_EQ(computed(i), k * (k + 1) / 2 - (double{n} * n - 1) / 6);
  }
}

TEST_F(PlanOnRanks, GivesSharedMemoryBackAfterAFailure) {
  const auto x = arange<double>(100.0, {.chunks = {10}, .spec = setting.spec()});
  const array<double, 1> sums = cumulative_sum(x);
  EXPECT_THROW((void)map(refusing{}, flip(sums) - mean(sums)).compute(setting.settings()),
               task_error);
  EXPECT_EQ(arrays_in_shared_memory(), 0U);
}

TEST_F(PlanOnRanks, FailsOnAllRanks) {
  const auto x = arange<double>(100.0, {.chunks = {10}, .spec = setting.spec()});
  EXPECT_THROW((void)map(refusing{}, x).compute(setting.settings()), task_error);
}

TEST_F(PlanOnRanks, FailsOnAllRanksWhereOneCannotReadItsResults) {
  if (num_ranks() == 1) return;
  const std::filesystem::path home = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  for (int rank = 0; rank < num_ranks(); ++rank) {
    // The same path on all ranks leads each rank to its current directory.
    const plan_setting straying{std::make_shared<straying_executor>(rank),
                                "/proc/self/cwd/" + std::to_string(rank)};
    const auto x = arange<double>(100.0, {.chunks = {10}, .spec = straying.spec()});
    EXPECT_THROW((void)(x * 2.0).compute(straying.settings()), error);
  }
  std::filesystem::current_path(home);
  const auto x = arange<double>(100.0, {.chunks = {10}, .spec = setting.spec()});
  EXPECT_EQ((x * 2.0).compute(setting.settings())(99), 198.0);
}

TEST_F(PlanOnRanks, MakesNoFileOfThePlanThatAllRanksHave) {
  if (num_ranks() == 1) return;
  const auto x = arange<double>(10.0, {.chunks = {5}, .spec = setting.spec()});
  const auto list = std::make_shared<file_list>(setting.spec().work_dir);
  (void)(x * 2.0).compute({.executor = setting.settings().executor, .observers = {list}});
  EXPECT_EQ(list->names.contains("plan.txt"), rank_in_world() == 0);
  EXPECT_FALSE(list->names.contains("plan"));
}

TEST_F(PlanOnRanks, RefusesOtherParametersOnAllRanks) {
  const int size = num_ranks();
  const int rank = rank_in_world();
  if (size == 1) return;
  const auto x = arange<double>(100.0, {.chunks = {10}, .spec = setting.spec()});
  const double factor = rank == size - 1 ? 3.0 : 2.0;
  EXPECT_THROW((void)(x * factor).compute(setting.settings()), value_error);
}

TEST_F(PlanOnRanks, RefusesOtherTasksOnAllRanks) {
  const int size = num_ranks();
  if (size == 1) return;
  spec limits = setting.spec();
  limits.allowed_memory = bytes{rank_in_world() == size - 1 ? 2'000'000U : 20'000'000U};
  const std::string columns = (directory.path() / "columns").string();
  const std::string rows = (directory.path() / "rows").string();
  plan(stored(full<double>({1000, 1000}, 1.0, {.chunks = {1000, 10}, .spec = setting.spec()}),
              columns),
       setting.settings())
      .execute();
  const auto x = open<double, 2>(columns, limits);
  EXPECT_THROW(plan(stored(rechunk(x, {10, 1000}), rows), setting.settings()).execute(),
               value_error);
}

TEST_F(PlanOnRanks, RefusesOnAllRanksWhereOneHasGrown) {
  const auto num_processes = static_cast<std::uint64_t>(num_ranks());
  spec limits = setting.spec();
  limits.host_memory = bytes{(most_memory_of_ranks() + 8'000'000) * (num_processes + 1)};
  const auto x = arange<double>(100.0, {.chunks = {10}, .spec = limits});
  const plan doubled(x * 2.0, setting.settings());
  {
    const bool grows = rank_in_world() == num_ranks() - 1;
    const std::vector<char> grown(grows ? limits.host_memory->count() : 0, 1);
    EXPECT_THROW((void)doubled.compute(), memory_error);
  }
  EXPECT_EQ(doubled.compute()(99), 198.0);
}

}  // namespace
}  // namespace tessera::testing
