// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/recorder.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "core/api/host_name.hpp"
#include "observe/record/run_record.hpp"
#include "observe/record/worker_times.hpp"
#include "unit/observe/report_texts.hpp"
#include "unit/observe/threads_of_process.hpp"
#include "unit/scheduler/fake_workload.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::contents_of;
using testing::fake_operation;
using testing::fake_workload;
using testing::lines_of;
using testing::temporary_directory;
using testing::threads_of_process;
using testing::unzipped;

/// Runs two operations, of which the last has a task that fails twice, and returns the folder.
std::string record_failing_run(const std::string& parent) {
  fake_workload work({fake_operation(1000, {}, {}, {}, 1), fake_operation(4, {0})},
                     [](std::size_t operation, index_t task, int attempt) {
                       if (operation == 1 && task == 2 && attempt < 3) {
                         throw store_error("busy, \"very\"", true);
                       }
                     });
  const auto record = std::make_shared<recorder>(parent, "the plan in words\n");
  run_options options;
  options.retry.first_pause = {};
  options.observers = {record};
  run(work, *executors::threads(2), options);
  return record->last_folder();
}

TEST(Recorder, WritesAFolderForEachComputation) {
  const temporary_directory parent;
  EXPECT_EQ(record_failing_run(parent.path().string()), parent.path().string() + "/1");
  EXPECT_EQ(record_failing_run(parent.path().string()), parent.path().string() + "/2");
}

TEST(Recorder, CountsTasksAttemptsAndFailures) {
  const temporary_directory parent;
  const std::string folder = record_failing_run(parent.path().string());
  const std::vector<std::string> lines = lines_of(contents_of(folder + "/history.csv"));
  ASSERT_EQ(lines.size(), 3U);
  // operation, label, tasks, done, resumed, attempts, failures
  EXPECT_NE(lines[1].find(",1000,1000,0,1000,0,"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find(",4,4,0,6,2,"), std::string::npos) << lines[2];
  const json history = json::parse(contents_of(folder + "/history.json"));
  EXPECT_EQ(history.at("outcome"), "completed");
  EXPECT_EQ(history.at("executor"), "threads:2");
  EXPECT_EQ(history.at("operations").at(1).at("attempts"), 6);
  ASSERT_EQ(history.at("failures").size(), 2U);
  EXPECT_EQ(history.at("failures").at(0).at("task"), 2);
  EXPECT_NE(history.at("failures").at(0).at("cause").get<std::string>().find("busy, \"very\""),
            std::string::npos);
  EXPECT_EQ(contents_of(folder + "/explain.txt"), "the plan in words\n");
}

TEST(Recorder, FilesHaveTheSameFigures) {
  const temporary_directory parent;
  const std::string folder = record_failing_run(parent.path().string());
  const json history = json::parse(contents_of(folder + "/history.json"));
  std::vector<index_t> done(2);
  std::vector<std::vector<std::string>> attempts(2);
  const std::vector<std::string> table = lines_of(unzipped(folder + "/tasks.csv.gz"));
  index_t num_failed = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    std::istringstream line(table[i]);
    std::vector<std::string> fields(9);
    for (std::string& field : fields) std::getline(line, field, ',');
    if (fields[1] == "failed") ++num_failed;
    if (fields[1] == "ended") done[std::stoul(fields[0])] += std::stol(fields[4]);
  }
  EXPECT_EQ(done, (std::vector<index_t>{1000, 4}));
  EXPECT_EQ(num_failed, 2);
  EXPECT_EQ(history.at("operations").at(0).at("done"), done[0]);
}

// Threads are ready when they take their first batch.
TEST(Recorder, TellsTheHostAndTheStartOfThreads) {
  const temporary_directory parent;
  const std::string folder = record_failing_run(parent.path().string());
  const std::vector<std::string> lines = lines_of(contents_of(folder + "/workers.csv"));
  ASSERT_GE(lines.size(), 2U);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream line(lines[i]);
    std::vector<std::string> fields(5);
    for (std::string& field : fields) std::getline(line, field, ',');
    EXPECT_EQ(fields[1], host_name());
    EXPECT_EQ(fields[2], fields[3]);
    EXPECT_EQ(fields[4], "0");
  }
}

// Times are whole microseconds in all files, so that sums agree to the last digit.
TEST(Recorder, TimesOfTasksAddUpToTheTimeOfTheirOperation) {
  const temporary_directory parent;
  const std::string folder = record_failing_run(parent.path().string());
  const json history = json::parse(contents_of(folder + "/history.json"));
  const auto microseconds = [](double seconds) { return std::llround(seconds * 1e6); };
  std::array<std::int64_t, 2> busy{};
  const std::vector<std::string> table = lines_of(unzipped(folder + "/tasks.csv.gz"));
  for (std::size_t i = 1; i < table.size(); ++i) {
    std::istringstream line(table[i]);
    std::vector<std::string> fields(9);
    for (std::string& field : fields) std::getline(line, field, ',');
    if (fields[1] == "ended") busy.at(std::stoul(fields[0])) += microseconds(std::stod(fields[8]));
  }
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const double busy_seconds = history.at("operations").at(i).at("busy_s");
    EXPECT_EQ(busy[i], microseconds(busy_seconds)) << i;
  }
}

TEST(Recorder, DrawsAFigureWithEachOperation) {
  const temporary_directory parent;
  const std::string folder = record_failing_run(parent.path().string());
  const std::string figure = contents_of(folder + "/timeline.svg");
  EXPECT_EQ(figure.rfind("<svg ", 0), 0U);
  EXPECT_TRUE(figure.ends_with("</svg>\n"));
  EXPECT_NE(figure.find(">0 op0</text>"), std::string::npos) << figure;
  EXPECT_NE(figure.find(">1 op1</text>"), std::string::npos) << figure;
}

// Perfetto's rule: complete events of a track do not overlap, or nest.
TEST(Recorder, TracksOfTheTraceDoNotOverlap) {
  const temporary_directory parent;
  const std::string folder = record_failing_run(parent.path().string());
  const json trace = json::parse(unzipped(folder + "/trace.json.gz"));
  std::vector<double> ends(2);
  std::size_t num_events = 0;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    ++num_events;
    double& end = ends.at(event.at("tid").get<std::size_t>());
    EXPECT_GE(event.at("ts").get<double>(), end - 1e-6);
    end = event.at("ts").get<double>() + event.at("dur").get<double>();
  }
  EXPECT_GE(num_events, 6U);
}

TEST(Recorder, TellsTheReasonsOfIdleWorkers) {
  const temporary_directory parent;
  // The second operation has one task, for which all of the first must have ended; one of these is
  // slow, so that a worker waits for inputs.
  fake_workload work({fake_operation(2), fake_operation(1, {0})},
                     [](std::size_t operation, index_t task, int) {
                       if (operation == 0 && task == 0) std::this_thread::sleep_for(50ms);
                     });
  const auto record = std::make_shared<recorder>(parent.path().string());
  run_options options;
  options.observers = {record};
  run(work, *executors::threads(2), options);
  const run_record read = read_record(record->last_folder() + "/run.tessera-log");
  const idle_times idle = idle_times_of(read);
  EXPECT_GT(idle[static_cast<std::size_t>(idle_reason::inputs)], 0ms);
  EXPECT_EQ(idle[static_cast<std::size_t>(idle_reason::memory)], 0ms);
}

TEST(Recorder, TellsForWhichReasonEachWorkerWaits) {
  run_record record;
  record.header.operations.resize(1);
  record.elapsed = 60us;
  const auto idle = [](idle_reason reason, session_time time) {
    return run_event{.kind = run_event_kind::workers_idle,
                     .started = time,
                     .ended = time,
                     .detail = static_cast<std::uint8_t>(reason)};
  };
  record.events = {
      {.kind = run_event_kind::tasks_ended, .count = 3, .started = 0us, .ended = 10us},
      idle(idle_reason::inputs, 10us),
      idle(idle_reason::none, 30us),
      {.kind = run_event_kind::attempt_failed, .count = 1, .started = 35us, .ended = 38us},
      idle(idle_reason::memory, 40us),
      idle(idle_reason::none, 45us),
      {.kind = run_event_kind::tasks_ended,
       .count = 4,
       .worker = 5,
       .started = 20us,
       .ended = 50us},
  };
  EXPECT_EQ(workers_csv(time_accounts_of(record).workers),
            "worker,host,asked_s,ready_s,start_up_s,done,busy_s,lost_s,idle_s,idle_inputs_s,"
            "idle_memory_s,idle_pause_s\n"
            "0,,,,0,3,0.00001,0.000003,0.000047,0.00002,0.000005,0\n"
            "5,,,,0,4,0.00003,0,0.00003,0.00001,0,0\n");
  EXPECT_EQ(idle_times_of(record), (idle_times{0us, 20us, 5us, 0us}));
}

// A batch of which a task fails: its time is shared between tasks that ended and the attempt.
TEST(Recorder, CountsTheTimeOfABatchOnce) {
  const temporary_directory parent;
  fake_workload work({fake_operation(100, {}, {}, {}, 1)},
                     [](std::size_t, index_t task, int attempt) {
                       if (task == 50 && attempt == 1) throw store_error("busy", true);
                     });
  const auto record = std::make_shared<recorder>(parent.path().string());
  run_options options;
  options.retry.first_pause = {};
  options.observers = {record};
  run(work, *executors::serial(), options);
  const run_record read = read_record(record->last_folder() + "/run.tessera-log");
  session_time end{};
  for (const run_event* event : attempts_by_worker(read)) {
    EXPECT_GE(event->started, end);
    end = event->ended;
  }
  EXPECT_EQ(summaries_of(read).at(0).num_dropped, 0);
}

TEST(Recorder, RecordsARunThatFails) {
  const temporary_directory parent;
  fake_workload work({fake_operation(3)}, [](std::size_t, index_t task, int) {
    if (task == 1) throw value_error("no number");
  });
  const auto record = std::make_shared<recorder>(parent.path().string());
  run_options options;
  options.observers = {record};
  EXPECT_THROW(run(work, *executors::serial(), options), task_error);
  const json history = json::parse(contents_of(record->last_folder() + "/history.json"));
  EXPECT_EQ(history.at("outcome"), "failed");
  EXPECT_EQ(history.at("failures").at(0).at("is_retried"), false);
}

/// Returns the status in /proc of a thread that sleeps, so that its start is over.
std::string status_asleep(const std::string& thread) {
  std::string status;
  while (status.find("S (sleeping)") == std::string::npos) status = contents_of(thread + "/status");
  return status;
}

TEST(Recorder, LeavesSignalsToTheThreadsOfTheProgram) {
  const temporary_directory parent;
  const std::set<std::string> before = threads_of_process();
  recorder record(parent.path().string(), "");
  const std::vector<workload_operation> operations;
  record.on_computation_begin({operations, "serial", 1});
  const std::set<std::string> during = threads_of_process();
  std::vector<std::string> sampler;
  std::ranges::set_difference(during, before, std::back_inserter(sampler));
  ASSERT_EQ(sampler.size(), 1U);
  const std::string status = status_asleep(sampler.front());
  const auto mask = std::stoull(status.substr(status.find("SigBlk:") + 7), nullptr, 16);
  EXPECT_EQ(mask >> (SIGINT - 1) & 1U, 1U) << status;
  record.on_computation_end(computation_outcome::completed, 1s);
}

TEST(Recorder, EndsAComputationIfItsFolderCannotBeCreated) {
  fake_workload work({fake_operation(1)});
  run_options options;
  options.observers = {std::make_shared<recorder>("/dev/null/reports")};
  EXPECT_THROW(run(work, *executors::serial(), options), store_error);
}

/// Runs tasks of a millisecond until it is killed.
[[noreturn]] void run_until_killed(const std::string& parent) {
  fake_workload work({fake_operation(1'000'000)},
                     [](std::size_t, index_t, int) { std::this_thread::sleep_for(1ms); });
  run_options options;
  options.observers = {std::make_shared<recorder>(parent)};
  run(work, *executors::serial(), options);
  std::_Exit(0);
}

TEST(Recorder, KeepsAllButTheLastSecondOfAKilledRun) {
  for (const auto lifetime : {1200ms, 1500ms}) {
    const temporary_directory parent;
    const pid_t child = fork();
    if (child == 0) run_until_killed(parent.path().string());
    std::this_thread::sleep_for(lifetime);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    const std::string folder = parent.path().string() + "/1";
    write_report(folder);
    const json history = json::parse(contents_of(folder + "/history.json"));
    EXPECT_EQ(history.at("outcome"), "no end recorded");
    EXPECT_GT(history.at("operations").at(0).at("done"), 10);
    // A second before the kill, and a little for the start of the process.
    EXPECT_GE(history.at("elapsed_s").get<double>(),
              std::chrono::duration<double>(lifetime).count() - 1.3);
  }
}

}  // namespace
}  // namespace tessera
