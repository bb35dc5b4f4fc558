// SPDX-License-Identifier: Apache-2.0
#include "tessera/task/run_with.hpp"

#include "tessera/tessera.hpp"

#include "task/api/target.hpp"
#include "unit/store/temporary_directory.hpp"

#include <atomic>
#include <chrono>
#include <concepts>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::temporary_directory;

array<double, 1> five_chunks() { return arange(0.0, 10.0, 1.0, {.chunks = {2}}); }

/// Fails for want of memory as often as it is told to.
struct short_of_memory {
  static inline std::atomic<int> times{0};
  double operator()(double x) const {
    if (times-- > 0) throw std::bad_alloc();
    return x;
  }
};

auto in_short_memory() { return map(short_of_memory{}, ones<double>({1}, {.chunks = {1}})); }

run_with watched_by(const std::shared_ptr<history>& past) {
  return {.executor = executors::serial(), .observers = {past}};
}

/// An engine with a worker that holds more whenever one looks.
class growing_worker final : public executor {
 public:
  [[nodiscard]] std::string name() const override { return "growing"; }
  [[nodiscard]] std::size_t num_workers() const override { return 1; }
  [[nodiscard]] executor_traits traits() const override {
    return {.worker_memory = bytes{50'000'000 * ++num_looks_}};
  }
  [[nodiscard]] std::unique_ptr<executor_session> start(workload& work) override {
    return serial_->start(work);
  }

 private:
  std::shared_ptr<executor> serial_ = executors::serial();
  mutable std::uint64_t num_looks_ = 0;
};

template <class Program>
std::string message_of(Program program) {
  try {
    program();
  } catch (const value_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Two workers in processes of their own, which run nothing.
class two_processes final : public executor {
 public:
  [[nodiscard]] std::string name() const override { return "two"; }
  [[nodiscard]] std::size_t num_workers() const override { return 2; }
  [[nodiscard]] executor_traits traits() const override { return {.shares_memory = false}; }
  [[nodiscard]] std::unique_ptr<executor_session> start(workload&) override { return {}; }
};

TEST(RunWith, TakesWhatIsNotSetFromTheOther) {
  const auto serial = executors::serial();
  const auto threads = executors::threads(2);
  const auto watch = std::make_shared<history>();
  const run_with complete{.executor = threads,
                          .max_attempts = 7,
                          .task_timeout = 2s,
                          .backups = false,
                          .resume = resume_mode::never,
                          .observers = {watch}};
  const run_with none = run_with{.executor = serial}.or_else(complete);
  EXPECT_EQ(none.executor, serial);
  EXPECT_EQ(none.max_attempts, 7);
  EXPECT_EQ(none.task_timeout, 2s);
  EXPECT_EQ(none.backups, false);
  EXPECT_EQ(none.resume, resume_mode::never);
  EXPECT_EQ(none.observers.size(), 1U);
  const run_with kept = complete.or_else({.executor = serial,
                                          .max_attempts = 1,
                                          .task_timeout = 1s,
                                          .backups = true,
                                          .resume = resume_mode::require,
                                          .observers = {watch, watch}});
  EXPECT_EQ(kept.executor, threads);
  EXPECT_EQ(kept.max_attempts, 7);
  EXPECT_EQ(kept.task_timeout, 2s);
  EXPECT_EQ(kept.backups, false);
  EXPECT_EQ(kept.resume, resume_mode::never);
  EXPECT_EQ(kept.observers.size(), 1U);
}

TEST(RunWith, CountsWhatWorkersHoldOnceForARun) {
  const spec limits{.allowed_memory = bytes{30'000'000}};
  const auto x = ones<double>({1'000'000}, {.chunks = {1'000'000}, .spec = limits});
  const run_with settings{.executor = std::make_shared<growing_worker>()};
  EXPECT_EQ((x + 1.0).compute(settings)(999'999), 2.0);
}

TEST(RunWith, SaysHowOftenATaskIsTried) {
  const auto tried = [](std::optional<int> attempts) {
    short_of_memory::times = 4;
    (void)in_short_memory().compute({.executor = executors::serial(), .max_attempts = attempts});
  };
  tried(5);
  EXPECT_EQ(short_of_memory::times, -1);
  EXPECT_THROW(tried(2), task_error);
  EXPECT_EQ(short_of_memory::times, 2);
  EXPECT_THROW(tried(std::nullopt), task_error);  // three times
  EXPECT_EQ(short_of_memory::times, 1);
}

TEST(RunWith, SaysHowLongATaskMayTakeAndWhetherStragglersGetBackups) {
  const auto tasks = plan(stored(ones<double>({64'000}, {.chunks = {1000}}) + 1.0,
                                 std::make_shared<memory_store>(), "y"));
  // Each of eight tasks of eight blocks takes 100 s.
  const simulated_options slow{.task_time = 1s, .stragglers = {1, 100}};
  EXPECT_EQ(simulate(tasks, slow, {.task_timeout = 200s}).elapsed, 800s);
  EXPECT_THROW((void)simulate(tasks, slow, {.task_timeout = 50s}), task_error);
  const simulated_options some{
      .workers = 70, .task_time = 1s, .stragglers = {0.05, 100}, .seed = 1};
  EXPECT_GT(simulate(tasks, some).num_backups(), 0);
  EXPECT_EQ(simulate(tasks, some, {.backups = false}).num_backups(), 0);
}

TEST(RunWith, SaysWhatRunsAndWhoWatchesWhereverItIsGiven) {
  const temporary_directory folder;
  const auto x = five_chunks();
  const auto past = std::make_shared<history>();
  const run_with settings = watched_by(past);
  const auto expect_watched = [&past](const char* where) {
    EXPECT_EQ(past->executor_name(), "serial") << where;
    past->on_computation_begin({.operations = {}, .executor = "nobody"});
  };
  EXPECT_EQ((x + 1.0).compute(settings)(9), 10.0);
  expect_watched("compute of an expression");
  const auto sums = compute(sum(x), settings);
  EXPECT_EQ(sums(), 45.0);
  expect_watched("compute of one");
  const auto [least, most] = compute(min(x), max(x), settings);
  EXPECT_EQ(most() - least(), 9.0);
  expect_watched("compute of two");
  EXPECT_EQ(compute(std::vector{x, x}, settings)[1](3), 3.0);
  expect_watched("compute of a vector");
  EXPECT_EQ(plan(sum(x), settings).compute()(), 45.0);
  expect_watched("plan");
  EXPECT_EQ((x + 1.0).plan(settings).compute()(0), 1.0);
  expect_watched("plan of an expression");
  EXPECT_EQ(store(x, folder / "x", settings).compute({})(4), 4.0);
  expect_watched("store");
  store(x, folder / "x", {.chunks = {5}}, settings);
  expect_watched("store with options");
  store(stored(x, folder / "y"), stored(x, folder / "z"), settings);
  expect_watched("store of two");
  store(x.compute(), folder / "n", {}, settings);
  expect_watched("store of a computed array");
  store(open_any(folder / "x"), folder / "copy", settings);
  expect_watched("store of any array");
}

TEST(RunWith, OfARunGoesBeforeThatOfItsPlan) {
  const auto past = std::make_shared<history>();
  const auto recorded = std::make_shared<history>();
  const auto p = plan(sum(five_chunks()), watched_by(past));
  static_assert(std::same_as<decltype(p), const plan<decltype(sum(five_chunks()))>>);
  EXPECT_EQ(p.compute({.observers = {recorded}})(), 45.0);
  EXPECT_EQ(recorded->executor_name(), "serial");
  EXPECT_EQ(past->executor_name(), "");
}

TEST(RunWith, LeavesTheExecutorThatItDoesNotNameToTheProgram) {
  const auto past = std::make_shared<history>();
  const auto before = set_default_executor(executors::threads(2));
  (void)sum(five_chunks()).compute({.observers = {past}});
  set_default_executor(before);
  EXPECT_EQ(past->executor_name(), "threads:2");
}

TEST(RunWith, OfAPlanFromAFileIsSaidWhereItRuns) {
  const temporary_directory folder;
  plan(stored(five_chunks(), folder / "x"), run_with{.executor = executors::threads(2)})
      .save(folder / "plan");
  const auto loaded = plan<>::load(folder / "plan");
  EXPECT_EQ(loaded.default_settings().executor, nullptr);
  const auto past = std::make_shared<history>();
  loaded.execute(watched_by(past));
  EXPECT_EQ(past->executor_name(), "serial");
  EXPECT_EQ((open<double, 1>(folder / "x").compute()(9)), 9.0);
  EXPECT_THROW(loaded.execute({.executor = executors::threads(3)}), value_error);
}

TEST(PlanTarget, IsAlsoAnExecutorThatNeedsNoMore) {
  const auto p = plan(sum(five_chunks()), run_with{.executor = executors::threads(3)});
  EXPECT_EQ(p.compute({.executor = executors::serial()})(), 45.0);
  EXPECT_EQ(p.compute({.executor = executors::threads(3)})(), 45.0);
}

TEST(PlanTarget, RefusesMoreWorkersThanItsMemoryIsBoundedFor) {
  const auto p = plan(sum(five_chunks()), run_with{.executor = executors::serial()});
  EXPECT_EQ(message_of([&p] { (void)p.compute({.executor = executors::threads(3)}); }),
            "run: the executor \"threads:3\" cannot run a plan that was made for another one: the "
            "plan's memory is bounded for 1 worker in this process, and these are 3 workers in "
            "this process; plan for it: ts::plan(x, ts::run_with{.executor = ...})");
}

TEST(PlanTarget, RefusesProcessesThatDoNotReachWhatItKeepsInMemory) {
  const auto x = five_chunks();
  const auto p = plan(x - mean(x), run_with{.executor = executors::threads(2)});
  EXPECT_GT(p.bounded().resident_memory().count(), 0U);
  EXPECT_THAT(
      message_of([&p] { (void)p.compute({.executor = std::make_shared<two_processes>()}); }),
      AllOf(HasSubstr("the executor \"two\""), HasSubstr("keeps arrays in this host's memory"),
            HasSubstr("plan for it: ts::plan(x, ts::run_with{.executor = ...})")));
}

TEST(PlanTarget, RefusesProcessesWhereItsMemoryIsBoundedForThreads) {
  const temporary_directory folder;
  const auto p =
      plan(pass_switches{.memory_tier = false}, run_with{.executor = executors::threads(2)},
           stored(five_chunks(), folder / "x"));
  EXPECT_THAT(message_of([&p] { p.execute({.executor = std::make_shared<two_processes>()}); }),
              HasSubstr("bounded for 2 workers in this process, and these are 2 workers in "
                        "processes of their own"));
}

TEST(PlanTarget, IsAnyForAnExecutorThatOnlySimulates) {
  const auto past = std::make_shared<history>();
  const auto engine = executors::simulated({.workers = 10, .task_time = 1s});
  plan(sum(five_chunks()), run_with{.executor = executors::serial()})
      .execute({.executor = engine, .observers = {past}});
  EXPECT_EQ(past->num_workers(), 10U);
}

}  // namespace
}  // namespace tessera
