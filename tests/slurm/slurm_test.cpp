// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/slurm.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/failures.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/scheduler/workload_registry.hpp"
#include "tessera/testing/detail/counting_observer.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "executor/slurm/commands.hpp"
#include "slurm/cluster.hpp"
#include "unit/scheduler/message_of_run.hpp"
#include "unit/scheduler/run_with_trouble.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera::testing {
namespace {

using namespace std::chrono_literals;

TEST(Slurm, LeavesNothingBehind) {
  {
    scripted_workload work({huge_tasks(3)});
    run(work, *executors::slurm(quick_options(4)));
  }
  EXPECT_TRUE(std::filesystem::is_empty(own_folder()));
  scripted_workload failing({huge_tasks(20)}, {{.action = scripted_action::fail, .tasks = {0, 1}}});
  EXPECT_THROW(run(failing, *executors::slurm(quick_options(4))), task_error);
  EXPECT_TRUE(std::filesystem::is_empty(own_folder()));
  EXPECT_EQ(num_jobs({}, "PENDING"), 0);
  // An element that has reported ends by itself, and Slurm takes notice a moment later.
  while (num_jobs({}, "RUNNING") > 0) std::this_thread::sleep_for(50ms);
}

/// A Slurm that lets the tasks of `work` go on once it has been told to cancel the run.
class confirming_slurm final : public executor {
 public:
  confirming_slurm(std::size_t workers, scripted_workload& work)
      : engine_(executors::slurm(quick_options(workers))), work_(work) {}

  std::string name() const override { return engine_->name(); }
  std::size_t num_workers() const override { return engine_->num_workers(); }
  executor_traits traits() const override { return engine_->traits(); }
  std::unique_ptr<executor_session> start(workload& work) override {
    return std::make_unique<session>(engine_->start(work), work_);
  }

 private:
  class session final : public executor_session {
   public:
    session(std::unique_ptr<executor_session> inner, scripted_workload& work)
        : inner_(std::move(inner)), work_(work) {}
    void submit(const task_batch& batch, std::uint64_t ticket) override {
      inner_->submit(batch, ticket);
    }
    std::optional<task_completion> wait(std::optional<session_time> until) override {
      return inner_->wait(until);
    }
    void cancel() override {
      inner_->cancel();
      work_.confirm_stop();
    }
    bool abandon(std::uint64_t ticket) override { return inner_->abandon(ticket); }
    std::optional<session_time> started(std::uint64_t ticket) const override {
      return inner_->started(ticket);
    }
    session_time now() const override { return inner_->now(); }

   private:
    std::unique_ptr<executor_session> inner_;
    scripted_workload& work_;
  };

  std::shared_ptr<executor> engine_;
  scripted_workload& work_;
};

// Slurm has far more elements than it runs at once, so the conformance suite, which counts tasks
// that were handed out, says little. Here all tasks are one array, as each array has its own
// workers.
TEST(Slurm, StartsNoTaskOnceItIsCancelled) {
  constexpr index_t num_workers = 4;
  constexpr index_t num_quick = 3;
  scripted_workload work({huge_tasks(50)},
                         {{.action = scripted_action::stop_the_run, .tasks = {num_quick, 50}}});
  confirming_slurm engine(num_workers, work);
  std::stop_source source;
  const std::jthread stopper([&](const std::stop_token& is_over) {
    while (!work.is_asked_to_stop() && !is_over.stop_requested()) std::this_thread::sleep_for(5ms);
    source.request_stop();
  });
  run_options options;
  options.cancellation = source.get_token();
  EXPECT_THROW(run(work, engine, options), interrupted_error);
  // The tasks that run at the cancellation wait for it, one on each worker.
  EXPECT_LE(work.num_runs(), num_quick + num_workers);
}

// Slurm cancels elements, too, that it has begun between scancel's look and its request.
TEST(Slurm, WhatACancellationEndsHasNotFailed) {
  const other_command scancel("scancel", R"([ "$1" = --state=PENDING ] && shift; $slurm "$@")");
  scripted_workload work({huge_tasks(8)}, {{.action = scripted_action::hang}});
  work.begin(0);
  const auto engine = executors::slurm(quick_options(4));
  const auto session = engine->start(work);
  for (index_t task = 0; task < 8; ++task) {
    session->submit({0, task, 1}, static_cast<std::uint64_t>(task));
  }
  while (work.num_runs() < 4) (void)session->wait(session->now() + 10ms);
  session->cancel();
  for (int i = 0; i < 8; ++i) {
    std::optional<task_completion> completion;
    while (!completion) completion = session->wait(std::nullopt);
    EXPECT_EQ(completion->done, 0);
    EXPECT_EQ(completion->failure ? describe_cause(completion->failure) : "", "");
  }
}

TEST(Slurm, WaitsForWhatIsNotListedYet) {
  const other_command squeue("squeue", R"sh(echo >> "$0.calls"
[ "$(wc -l < "$0.calls")" -le 4 ] || exec $slurm "$@")sh");
  scripted_workload work({huge_tasks(3)});
  slurm_options options = quick_options(4);
  options.extra = {"--begin=now+3"};
  const auto causes = run_with_trouble(work, *executors::slurm(options), 4, [] {});
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(causes, std::vector<std::string>{});
}

TEST(Slurm, SplitsWhatIsLongerThanAnArray) {
  // The cluster's arrays have at most 61 elements.
  scripted_workload work({huge_tasks(70)});
  run(work, *executors::slurm(quick_options(8)));
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.num_runs(), 70);
}

TEST(Slurm, SaysWhyJobsAreRefused) {
  const auto complaint = [](const slurm_options& options) {
    scripted_workload work({huge_tasks(2)});
    try {
      run(work, *executors::slurm(options));
    } catch (const value_error& error) {
      return std::string(error.what());
    }
    return std::string("no complaint");
  };
  slurm_options options = quick_options(2);
  options.partition = "nowhere";
  EXPECT_NE(complaint(options).find("nowhere"), std::string::npos);
  options = quick_options(2);
  options.extra = {"--mem=99999999M"};
  EXPECT_NE(complaint(options).find("Memory specification can not be satisfied"),
            std::string::npos);
}

/// Expects a task error at the first attempt, with the cause that jobs can never run.
void expect_hopeless(const slurm_options& options, const std::string& words) {
  scripted_workload work({huge_tasks(2)});
  const std::string message = message_of_run<task_error>(work, *executors::slurm(options));
  EXPECT_NE(message.find(words), std::string::npos) << message;
  EXPECT_EQ(message.find("attempts"), std::string::npos) << message;
  EXPECT_EQ(work.num_runs(), 0);
}

TEST(Slurm, SaysThatADependencyCanNeverBeSatisfied) {
  const std::string failing = shell("sbatch --parsable --hold --output=/dev/null --wrap=false");
  slurm_options options = quick_options(2);
  options.extra = {"--dependency=afterok:" + failing};
  (void)shell("scancel " + failing);
  expect_hopeless(options, "a dependency of it can never be satisfied");
}

TEST(Slurm, SaysThatJobsWantMoreTimeThanThereIs) {
  const time_limit limit("1");
  slurm_options options = quick_options(2);
  options.time = "00:30:00";
  expect_hopeless(options, "its time is more than its partition allows");
}

TEST(Slurm, RunsElementsAgainThatWereCancelled) {
  scripted_workload work({huge_tasks(3)}, {{.action = scripted_action::hang, .last_attempt = 1}});
  const auto causes = run_with_trouble(work, *executors::slurm(quick_options(4)), 3,
                                       [] { (void)shell("scancel --name=" + run_name()); });
  EXPECT_TRUE(work.has_ended());
  ASSERT_EQ(causes.size(), 3U);
  for (const std::string& cause : causes) {
    EXPECT_NE(cause.find("was cancelled"), std::string::npos) << cause;
  }
}

TEST(Slurm, SaysThatElementsAreHeld) {
  scripted_workload work({huge_tasks(3)});
  slurm_options options = quick_options(4);
  options.extra = {"--hold"};
  const auto counts = std::make_shared<counting_observer>();
  run_options run_settings;
  run_settings.observers = {counts};
  EXPECT_THROW(run(work, *executors::slurm(options), run_settings), task_error);
  ASSERT_FALSE(counts->causes.empty());
  EXPECT_NE(counts->causes[0].find("was held (JobHeldUser)"), std::string::npos)
      << counts->causes[0];
}

/// Of twelve tasks in elements of three each, the second hangs, and its element is requeued.
TEST(Slurm, LetsAnElementBeRequeued) {
  workload_operation short_tasks = huge_tasks(12);
  short_tasks.element_steps_per_task = 1;
  scripted_workload work({short_tasks},
                         {{.action = scripted_action::hang, .tasks = {1, 2}, .last_attempt = 1}});
  const auto causes = run_with_trouble(work, *executors::slurm(quick_options(1)), 2, [] {
    (void)shell("squeue -h -r -t RUNNING -o %F_%K --name=" + run_name() +
                " | xargs -n 1 scontrol requeue");
  });
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(causes, std::vector<std::string>{});
  for (index_t task = 0; task < 12; ++task) EXPECT_EQ(work.attempts(0, task), task == 1 ? 2 : 1);
}

TEST(Slurm, SaysThatTheMemoryWasTooLittle) {
  scripted_workload work(
      {huge_tasks(3)},
      {{.action = scripted_action::use_memory, .amount = 1 << 30, .tasks = {1, 2}}});
  const std::string message = message_of_run<task_error>(work, *executors::slurm(quick_options(4)));
  EXPECT_NE(message.find("block (1,): the task failed after 3 attempts: out of memory"),
            std::string::npos)
      << message;
}

/// Tasks that map shared memory, which does not count as data, and wait to be killed for it.
class sharing_workload final : public scripted_workload {
 public:
  using scripted_workload::scripted_workload;
  void run(std::size_t operation, index_t task, std::size_t worker) override {
    scripted_workload::run(operation, task, worker);
    constexpr std::size_t size = 256 << 20;
    std::memset(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), 1,
                size);
    for (;;) pause();
  }
  workload_recipe recipe() override { return {"sharing", scripted_workload::recipe().content}; }
};

const bool is_known = register_workload(
    "sharing", [](const std::string& path) { return std::make_unique<sharing_workload>(path); });

TEST(Slurm, SaysThatSlurmKilledForMemory) {
  sharing_workload work({huge_tasks(1)});
  run_options run_settings;
  run_settings.retry.first_pause = {};
  const std::string message =
      message_of_run<task_error>(work, *executors::slurm(quick_options(1)), run_settings);
  EXPECT_NE(message.find("failed after 3 attempts"), std::string::npos) << message;
  EXPECT_NE(message.find("was killed for using more memory than it asked for"), std::string::npos)
      << message;
  EXPECT_EQ(work.attempts(0, 0), 3);
}

TEST(Slurm, OutlivesItsController) {
  scripted_workload work({huge_tasks(12), huge_tasks(4, {0})});
  const auto causes = run_with_trouble(work, *executors::slurm(quick_options(4)), 1, [] {
    cluster("stop-controller");
    cluster("start-controller");
  });
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
  EXPECT_EQ(causes, std::vector<std::string>{});
}

TEST(Slurm, OutlivesANode) {
  scripted_workload work({huge_tasks(1), huge_tasks(1, {0})},
                         {{.action = scripted_action::hang, .operation = 0, .last_attempt = 1}});
  std::string node;
  const auto causes = run_with_trouble(work, *executors::slurm(quick_options(8)), 1, [&node] {
    node = shell("squeue -h -t RUNNING -o %N --name=" + run_name()).back();
    cluster("kill-node", node);
  });
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.attempts(0, 0), 2);
  EXPECT_EQ(causes, std::vector<std::string>{});
  cluster("start-node", node);
}

/// The driver is killed at random instants of its run and started again, until it ends by itself.
TEST(Slurm, ContinuesWhenItsDriverWasKilled) {
  namespace fs = std::filesystem;
  const char* wanted = std::getenv("TESSERA_SLURM_KILLS");
  const int num_kills = wanted != nullptr ? std::stoi(wanted) : 2;
  const unsigned seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 draw(seed);
  std::uniform_real_distribution<double> instant(0.01, 3);
  const fs::path files = fs::path(own_folder()) / "files";
  const fs::path jobs = fs::path(own_folder()) / "jobs";
  const std::string driver =
      fmt::format("{} {} {}", TESSERA_SLURM_DRIVER, jobs.string(), files.string());
  for (int kill = 0; kill < num_kills; ++kill) {
    fs::create_directories(files);
    const std::string killed = fmt::format("timeout -s KILL {:.3f} {}", instant(draw), driver);
    const bool has_ended = slurm::run_command({"sh", "-c", killed}).is_well;
    if (has_ended) fs::remove_all(files);
  }
  fs::create_directories(files);
  (void)shell(driver);
  for (int i = 0; i < 60; ++i) {
    int value = 0;
    std::ifstream(files / std::to_string(i)) >> value;
    EXPECT_EQ(value, i < 30 ? i + 1 : i - 30 + 2) << "file " << i << ", seed " << seed;
  }
  // The last driver removes it, if the earlier ones were killed too early to make it.
  EXPECT_TRUE(!fs::exists(jobs) || fs::is_empty(jobs)) << "seed " << seed;
  EXPECT_EQ(num_jobs({}, "PENDING"), 0) << "seed " << seed;
  fs::remove_all(own_folder());
}

}  // namespace
}  // namespace tessera::testing
