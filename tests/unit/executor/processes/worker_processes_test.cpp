// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/scheduler/workload_registry.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "kernel/gemm.hpp"
#include "unit/core/message_of.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::scripted_action;
using testing::scripted_workload;
using testing::temporary_directory;

std::vector<workload_operation> tasks(index_t count, bytes memory = {}) {
  return {{.name = "probe",
           .num_tasks = count,
           .element_steps_per_task = 1 << 20,
           .task_memory = memory,
           .resident_memory = {},
           .after = {}}};
}

std::string open_files() {
  std::string names;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    names += std::filesystem::read_symlink(entry.path(), ignored).string() + "\n";
  }
  return names;
}

/// Kills the process that this one was forked from, and so this one, unless `marker` exists.
std::string kill_parent_once(const std::string& marker) {
  const int file = open(marker.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return "there was one";
  kill(getppid(), SIGKILL);
  for (;;) pause();
}

/// Returns the last element of a product of matrices of ones.
double last_of_product() {
  constexpr index_t extent = 300;
  const std::vector<double> ones(extent * extent, 1.0);
  std::vector<double> product(ones.size());
  const detail::dense_matrix<double> matrix{ones.data(), false, extent};
  detail::gemm(extent, extent, extent, matrix, matrix, product.data(), extent);
  return product.back();
}

/// A task that reports an answer of its process as its failure.
class probe final : public workload {
 public:
  explicit probe(std::string question) : question_(std::move(question)) {}
  const std::vector<workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override {}
  void run(std::size_t, index_t, std::size_t) override { throw std::runtime_error(answer()); }
  void end(std::size_t) override {}
  std::string describe(std::size_t, index_t) const override { return "question"; }
  workload_recipe recipe() override { return {"probe", question_}; }

 private:
  [[nodiscard]] std::string answer() const {
    if (question_ == "files") return open_files();
    if (question_ == "process") return std::to_string(getpid());
    if (question_ == "executor") return default_executor()->name();
    if (question_ == "arguments")
      return std::string(std::getenv("TESSERA_WORKER") ? "set" : "unset");
    if (question_ == "product") return std::to_string(last_of_product());
    return kill_parent_once(question_);
  }

  std::string question_;
  std::vector<workload_operation> operations_ = tasks(1, bytes{8 << 20});
};

const bool is_known = register_workload(
    "probe", [](const std::string& question) { return std::make_unique<probe>(question); });

/// Returns the answer of a worker.
std::string ask(executor& engine, const std::string& question) {
  probe work(question);
  run_options options;
  options.retry.first_pause = {};
  options.task_timeout = std::chrono::seconds{20};
  try {
    run(work, engine, options);
  } catch (const std::exception& failure) {
    try {
      std::rethrow_if_nested(failure);
    } catch (const std::exception& cause) {
      return cause.what();
    }
  }
  return "no answer";
}

TEST(WorkerProcess, IsAnotherProcessAndServesTheNextRunToo) {
  const auto engine = executors::processes(1);
  const std::string first = ask(*engine, "process");
  EXPECT_NE(first, std::to_string(getpid()));
  EXPECT_EQ(ask(*engine, "process"), first);
}

TEST(WorkerProcess, InheritsNoFilesOfTheProgram) {
  const temporary_directory directory;
  const int kept = open((directory / "kept").c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(kept, 0);
  EXPECT_THAT(open_files(), HasSubstr("/kept"));
  EXPECT_THAT(ask(*executors::processes(1), "files"), Not(HasSubstr("/kept")));
  close(kept);
}

TEST(WorkerProcess, ComputesWhatATaskAsksForByItself) {
  EXPECT_EQ(ask(*executors::processes(1), "executor"), "serial");
}

// Memory that a library takes once and for all is no task's.
TEST(WorkerProcess, MultipliesMatricesWithinItsLimit) {
  EXPECT_EQ(ask(*executors::processes(1), "product"), std::to_string(300.0));
}

TEST(WorkerProcess, StartsProgramsThatAreNoWorkers) {
  EXPECT_EQ(ask(*executors::processes(1), "arguments"), "unset");
}

TEST(WorkerProcess, IsReplacedAlsoWhenThereIsNothingLeftToForkItFrom) {
  const temporary_directory directory;
  const auto engine = executors::processes(2);
  EXPECT_EQ(ask(*engine, directory / "marker"), "there was one");
}

TEST(WorkerProcess, IsReplacedWhenItEndsBetweenTwoRuns) {
  const auto engine = executors::processes(1);
  const std::string first = ask(*engine, "process");
  kill(std::stoi(first), SIGKILL);
  const std::string second = ask(*engine, "process");
  EXPECT_NE(second, "no answer");
}

/// Keeps the most that was measured for any task.
class peak_observer final : public observer {
 public:
  void on_tasks_end(const tasks_event& event) override { peak = std::max(peak, event.peak_memory); }
  bytes peak;
};

bytes measured_peak(executor& engine, std::uint64_t used) {
  scripted_workload work(tasks(3, bytes{256 << 20}),
                         {{.action = scripted_action::use_memory, .amount = used}});
  const auto measured = std::make_shared<peak_observer>();
  run_options options;
  options.observers = {measured};
  run(work, engine, options);
  return measured->peak;
}

TEST(WorkerProcess, MeasuresEachBatchAnew) {
  constexpr std::uint64_t used = 100 << 20;
  const auto engine = executors::processes(1);
  const bytes large = measured_peak(*engine, used);
  const bytes small = measured_peak(*engine, 4096);
  EXPECT_GT(small.count(), 0U);
  EXPECT_NEAR(static_cast<double>(large.count() - small.count()), static_cast<double>(used),
              4 << 20);
}

TEST(WorkerProcess, AndNoTaskIsToBlameWhereItKnowsNoWorkload) {
  /// Its recipe is of another program.
  class foreign final : public scripted_workload {
   public:
    foreign() : scripted_workload(tasks(1)) {}
    workload_recipe recipe() override { return {"foreign", ""}; }
  };
  foreign work;
  const std::string message =
      testing::message_of<task_error>([&] { run(work, *executors::processes(1)); });
  EXPECT_THAT(message, HasSubstr("a worker could not take over the run: make_workload: this "
                                 "program has no workload of the kind \"foreign\""));
  EXPECT_THAT(message, Not(HasSubstr("probe")));
}

TEST(WorkerProcess, TakesRecipesOfAnyLength) {
  // A question that is no file's name: the marker cannot be made.
  EXPECT_EQ(ask(*executors::processes(1), std::string(1 << 20, 'x')), "there was one");
}

TEST(ProcessesExecutor, IsMadeByItsName) {
  EXPECT_EQ(make_executor("processes:3")->name(), "processes:3");
  EXPECT_EQ(make_executor("processes:3")->num_workers(), 3U);
  EXPECT_GE(make_executor("processes")->num_workers(), 1U);
  EXPECT_THROW((void)make_executor("processes:0"), value_error);
}

TEST(ProcessesExecutor, RunsABatchOnTheWorkerThatItIsBoundTo) {
  const auto engine = executors::processes(3);
  scripted_workload work(tasks(8));
  work.begin(0);
  const auto session = engine->start(work);
  for (index_t task = 0; task < 8; ++task) {
    session->submit({0, task, 1, 2}, static_cast<std::uint64_t>(task));
  }
  for (int i = 0; i < 8; ++i) {
    const auto completion = session->wait(std::nullopt);
    ASSERT_TRUE(completion.has_value());
    EXPECT_EQ(completion->worker, 2U);
    EXPECT_EQ(completion->done, 1);
  }
}

TEST(ProcessesExecutor, TellsWhatToReserveForAWorker) {
  const auto engine = executors::processes(2);
  EXPECT_EQ(measure_reserved_memory(engine), engine->traits().worker_memory);
}

TEST(ProcessesExecutor, SaysWhatAWorkerHoldsBeforeAnyData) {
  const executor_traits traits = executors::processes(1)->traits();
  EXPECT_FALSE(traits.shares_memory);
  EXPECT_TRUE(traits.shares_host);
  EXPECT_TRUE(traits.maps_memory);
  EXPECT_GT(traits.worker_memory, bytes{1 << 20});
  EXPECT_LT(traits.worker_memory, bytes{1 << 30});
}

}  // namespace
}  // namespace tessera
