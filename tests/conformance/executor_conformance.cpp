// SPDX-License-Identifier: Apache-2.0
#include "conformance/executor_conformance.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/scheduler.hpp"

#include "unit/executor/fake_workload.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::testing {

namespace {

using namespace literals;

class conformance_test : public ::testing::Test {
 protected:
  std::shared_ptr<executor> engine;
};

/// Counts events, and checks that they are consistent.
class counting_observer final : public observer {
 public:
  void on_computation_begin(const computation_event& event) override {
    num_operations = event.operations.size();
    num_workers = event.num_workers;
  }
  void on_operation_begin(std::size_t, session_time) override { ++num_begun; }
  void on_tasks_end(const tasks_event& event) override {
    num_tasks += event.count;
    has_bad_event |= event.worker >= num_workers || event.ended < event.started;
  }
  void on_failure(const failure_event&) override { ++num_failures; }
  void on_operation_end(std::size_t, session_time) override { ++num_ended; }
  void on_computation_end(computation_outcome how, session_time) override {
    outcomes.push_back(how);
  }

  std::size_t num_operations = 0;
  std::size_t num_workers = 0;
  std::size_t num_begun = 0;
  std::size_t num_ended = 0;
  index_t num_tasks = 0;
  int num_failures = 0;
  bool has_bad_event = false;
  std::vector<computation_outcome> outcomes;
};

struct name_makes_an_equal_one : conformance_test {
  void TestBody() override {
    EXPECT_FALSE(engine->name().empty());
    EXPECT_GE(engine->num_workers(), 1U);
  }
};

struct runs_every_task_once : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(100), fake_operation(17, {0}), fake_operation(0, {0}),
                        fake_operation(1, {1, 2}), fake_operation(1000, {}, {}, {}, 1)});
    work.max_workers = engine->num_workers();
    run(work, *engine);
    EXPECT_TRUE(work.has_ended());
    EXPECT_TRUE(work.violations().empty());
    EXPECT_EQ(work.num_runs(), 1118);
  }
};

struct counts_events_exactly : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(1000, {}, {}, {}, 1), fake_operation(10, {0})},
                       [](std::size_t operation, index_t task, int attempt) {
                         if (operation == 1 && task < 3 && attempt < 3) throw std::bad_alloc();
                       });
    const auto counts = std::make_shared<counting_observer>();
    run_options options;
    options.retry.first_pause = {};
    options.observers = {counts};
    run(work, *engine, options);
    EXPECT_EQ(counts->num_operations, 2U);
    EXPECT_EQ(counts->num_begun, 2U);
    EXPECT_EQ(counts->num_ended, 2U);
    EXPECT_EQ(counts->num_tasks, 1010);
    EXPECT_EQ(counts->num_failures, 6);
    EXPECT_FALSE(counts->has_bad_event);
    EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::completed});
  }
};

struct reports_the_failure_of_a_task : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(50), fake_operation(1, {0})},
                       [](std::size_t, index_t task, int) {
                         if (task == 31) throw std::runtime_error("no such chunk");
                       });
    const auto counts = std::make_shared<counting_observer>();
    run_options options;
    options.observers = {counts};
    try {
      run(work, *engine, options);
      FAIL() << "the run did not fail";
    } catch (const task_error& error) {
      EXPECT_STREQ(error.what(), "operation \"op0\", block (31,): the task failed: no such chunk");
    }
    EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::failed});
    EXPECT_EQ(counts->num_failures, 1);
  }
};

struct tries_what_may_pass_three_times : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(5)}, [](std::size_t, index_t task, int) {
      if (task == 2) throw store_error("busy", true);
    });
    run_options options;
    options.retry.first_pause = {};
    EXPECT_THROW(run(work, *engine, options), task_error);
    EXPECT_EQ(work.attempts(0, 2), 3);
  }
};

struct pauses_before_it_tries_again : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(1)}, [](std::size_t, index_t, int attempt) {
      if (attempt < 3) throw store_error("busy", true);
    });
    run_options options;
    options.retry.first_pause = std::chrono::milliseconds{4};
    const auto start = std::chrono::steady_clock::now();
    run(work, *engine, options);
    // Each pause is drawn from the upper half of its length, of 4 and of 8 milliseconds.
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{2 + 4});
    EXPECT_EQ(work.attempts(0, 0), 3);
  }
};

struct stops_when_it_is_cancelled : conformance_test {
  void TestBody() override {
    std::stop_source source;
    fake_workload work({fake_operation(10'000), fake_operation(1, {0})},
                       [&](std::size_t, index_t task, int) {
                         if (task == 3) source.request_stop();
                         while (task > 3 && !source.stop_requested()) std::this_thread::yield();
                       });
    const auto counts = std::make_shared<counting_observer>();
    run_options options;
    options.cancellation = source.get_token();
    options.observers = {counts};
    EXPECT_THROW(run(work, *engine, options), interrupted_error);
    EXPECT_EQ(counts->num_tasks, work.num_runs());
    EXPECT_LE(work.num_runs(), 4 + 4 * static_cast<index_t>(engine->num_workers()));
    EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::interrupted});
  }
};

struct keeps_the_host_memory : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(100, {}, 30_B, 10_B), fake_operation(100, {0}, 20_B),
                        fake_operation(100, {}, 25_B)});
    run_options options;
    options.host_memory = 75_B;
    options.baseline = 5_B;
    run(work, *engine, options);
    EXPECT_TRUE(work.has_ended());
    EXPECT_TRUE(work.violations().empty());
    EXPECT_LE(work.peak(), 70U);
  }
};

struct runs_100000_tiny_tasks : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(100'000, {}, {}, {}, 1)});
    run(work, *engine);
    EXPECT_EQ(work.num_runs(), 100'000);
    EXPECT_TRUE(work.violations().empty());
  }
};

struct keeps_all_workers_busy : conformance_test {
  // Each worker's task waits until there is one on every worker.
  void TestBody() override {
    const auto num_workers = static_cast<index_t>(engine->num_workers());
    std::atomic<index_t> num_running{0};
    fake_workload work({fake_operation(num_workers, {}, {}, {}, 1)},
                       [&](std::size_t, index_t, int) {
                         ++num_running;
                         num_running.notify_all();
                         for (index_t now = num_running; now < num_workers; now = num_running) {
                           num_running.wait(now);
                         }
                       });
    run(work, *engine);
    EXPECT_TRUE(work.has_ended());
  }
};

struct serves_computations_of_several_threads : conformance_test {
  void TestBody() override {
    const auto run_one = [this] {
      fake_workload work({fake_operation(300), fake_operation(300, {0}, {}, {}, 1)});
      work.max_workers = engine->num_workers();
      run(work, *engine);
      return work.has_ended() && work.violations().empty() && work.num_runs() == 600;
    };
    bool is_first_right = false;
    std::thread other([&] { is_first_right = run_one(); });
    const bool is_second_right = run_one();
    other.join();
    EXPECT_TRUE(is_first_right);
    EXPECT_TRUE(is_second_right);
  }
};

struct runs_what_its_own_tasks_compute : conformance_test {
  void TestBody() override {
    std::atomic<index_t> num_inner{0};
    fake_workload outer({fake_operation(20)}, [&](std::size_t, index_t, int) {
      fake_workload inner({fake_operation(5), fake_operation(1, {0})});
      run(inner, *engine);
      num_inner += inner.num_runs();
    });
    run(outer, *engine);
    EXPECT_EQ(num_inner, 20 * 6);
  }
};

struct ends_what_runs_when_a_session_is_closed : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(20)});
    work.begin(0);
    {
      const auto session = engine->start(work);
      for (index_t task = 0; task < 20; ++task) session->submit({0, task, 1}, 0);
    }
    const index_t runs = work.num_runs();
    EXPECT_LE(runs, 20);
    std::this_thread::yield();
    EXPECT_EQ(work.num_runs(), runs);
  }
};

struct answers_what_it_dropped : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(20)});
    work.begin(0);
    const auto session = engine->start(work);
    for (index_t task = 0; task < 20; ++task) {
      session->submit({0, task, 1}, static_cast<std::uint64_t>(task));
    }
    session->cancel();
    std::vector<std::uint64_t> tickets;
    index_t num_done = 0;
    for (int i = 0; i < 20; ++i) {
      const auto completion = session->wait(std::nullopt);
      ASSERT_TRUE(completion.has_value());
      tickets.push_back(completion->ticket);
      num_done += completion->done;
    }
    std::sort(tickets.begin(), tickets.end());
    EXPECT_EQ(std::unique(tickets.begin(), tickets.end()), tickets.end());
    EXPECT_EQ(num_done, work.num_runs());
  }
};

struct returns_nothing_once_the_time_is_over : conformance_test {
  void TestBody() override {
    fake_workload work({fake_operation(1)});
    const auto session = engine->start(work);
    const session_time until = session->now() + std::chrono::microseconds{10};
    EXPECT_FALSE(session->wait(until).has_value());
    EXPECT_GE(session->now(), until);
  }
};

template <class Test>
void register_one(const std::string& name, const char* test,
                  const std::function<std::shared_ptr<executor>()>& make) {
  struct with_engine final : Test {
    explicit with_engine(std::shared_ptr<executor> one) { this->engine = std::move(one); }
  };
  ::testing::RegisterTest(("Executor/" + name).c_str(), test, nullptr, nullptr, __FILE__, __LINE__,
                          [make]() -> conformance_test* { return new with_engine(make()); });
}

}  // namespace

bool register_executor_conformance(const std::string& name,
                                   const std::function<std::shared_ptr<executor>()>& make) {
  register_one<name_makes_an_equal_one>(name, "HasANameAndWorkers", make);
  register_one<runs_every_task_once>(name, "RunsEveryTaskOnce", make);
  register_one<counts_events_exactly>(name, "CountsEventsExactly", make);
  register_one<reports_the_failure_of_a_task>(name, "ReportsTheFailureOfATask", make);
  register_one<tries_what_may_pass_three_times>(name, "TriesWhatMayPassThreeTimes", make);
  register_one<pauses_before_it_tries_again>(name, "PausesBeforeItTriesAgain", make);
  register_one<stops_when_it_is_cancelled>(name, "StopsWhenItIsCancelled", make);
  register_one<keeps_the_host_memory>(name, "KeepsTheHostMemory", make);
  register_one<runs_100000_tiny_tasks>(name, "Runs100000TinyTasks", make);
  register_one<keeps_all_workers_busy>(name, "KeepsAllWorkersBusy", make);
  register_one<serves_computations_of_several_threads>(name, "ServesSeveralThreads", make);
  register_one<runs_what_its_own_tasks_compute>(name, "RunsWhatItsOwnTasksCompute", make);
  register_one<ends_what_runs_when_a_session_is_closed>(name, "EndsWhatRunsWhenClosed", make);
  register_one<answers_what_it_dropped>(name, "AnswersWhatItDropped", make);
  register_one<returns_nothing_once_the_time_is_over>(name, "WaitsNoLongerThanAsked", make);
  return true;
}

}  // namespace tessera::testing
