// SPDX-License-Identifier: Apache-2.0
#include "observe/record/worker_starts.hpp"

#include "observe/record/report_files.hpp"
#include "observe/record/timeline_svg.hpp"
#include "observe/record/worker_times.hpp"
#include "unit/observe/report_texts.hpp"
#include "unit/store/temporary_directory.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::lines_of;
using testing::temporary_directory;
using testing::unzipped;

/// A run of 60 us on two hosts. Worker 0 of host b was ready at 5 us, worker 5 of host a was asked
/// for at 10 us and ready at 20 us, and worker 7 had no task.
run_record record_of_two_hosts() {
  run_record record;
  record.header.executor = "slurm:workers=8";
  record.header.num_workers = 8;
  record.header.operations.resize(2);
  record.header.operations[0].name = "u";
  record.header.operations[1].name = "mean(u)";
  record.elapsed = 60us;
  const auto start = [](std::size_t worker, const char* host, session_time asked,
                        session_time ready) {
    return run_event{.kind = run_event_kind::worker_started,
                     .worker = worker,
                     .started = asked,
                     .ended = ready,
                     .text = host};
  };
  const auto idle = [](idle_reason reason, session_time time) {
    return run_event{.kind = run_event_kind::workers_idle,
                     .started = time,
                     .ended = time,
                     .detail = static_cast<std::uint8_t>(reason)};
  };
  record.events = {
      start(0, "b", 0us, 5us),
      {.kind = run_event_kind::tasks_ended, .count = 3, .started = 6us, .ended = 10us},
      idle(idle_reason::inputs, 10us),
      start(5, "a", 10us, 20us),
      start(7, "a", 10us, 25us),
      idle(idle_reason::none, 30us),
      {.kind = run_event_kind::attempt_failed, .count = 1, .started = 35us, .ended = 38us},
      idle(idle_reason::memory, 40us),
      idle(idle_reason::none, 45us),
      {.kind = run_event_kind::tasks_ended,
       .operation = 1,
       .count = 4,
       .worker = 5,
       .started = 25us,
       .ended = 50us},
  };
  return record;
}

// Worker 0 waits from 0 to 0, 5 to 6, 10 to 35 and 38 to 60, of which inputs were missing from 10
// to 30 and memory from 40 to 45. Worker 5 waits to 10, 20 to 25 and 50 to 60, of which inputs were
// missing from 20 to 25; worker 7 to 10 and from 25 on.
TEST(WorkerStarts, AreInTheTimesOfWorkersAndOperations) {
  const run_record record = record_of_two_hosts();
  EXPECT_EQ(workers_csv(time_accounts_of(record).workers),
            "worker,host,asked_s,ready_s,start_up_s,done,busy_s,lost_s,idle_s,idle_inputs_s,"
            "idle_memory_s,idle_pause_s\n"
            "0,b,0,0.000005,0.000005,3,0.000004,0.000003,0.000048,0.00002,0.000005,0\n"
            "5,a,0.00001,0.00002,0.00001,4,0.000025,0,0.000025,0.000005,0,0\n"
            "7,a,0.00001,0.000025,0.000015,0,0,0,0.000045,0.000005,0.000005,0\n");
  const std::vector<operation_summary> summaries = summaries_of(record);
  EXPECT_EQ(summaries[0].start_up_time, 5us);
  EXPECT_EQ(summaries[0].waited, (idle_times{0us, 20us, 0us, 0us}));
  EXPECT_EQ(summaries[1].start_up_time, 10us);
  EXPECT_EQ(summaries[1].waited, (idle_times{0us, 5us, 0us, 0us}));
  const json history = history_facts(record, summaries);
  EXPECT_EQ(history.at("start_up_s"), 0.00003);
  EXPECT_EQ(history.at("operations").at(1).at("start_up_s"), 0.00001);
  EXPECT_EQ(history.at("operations").at(1).at("waited_s").at("inputs"), 0.000005);
  EXPECT_NE(timeline_svg(record, summaries).find(">start-up of a worker</text>"),
            std::string::npos);
}

// An element of a job array has the number of an earlier one, while that still runs.
TEST(WorkerStarts, BeginAtTheEndOfTheBatchBefore) {
  run_record record = record_of_two_hosts();
  record.events.push_back({.kind = run_event_kind::worker_started,
                           .worker = 5,
                           .started = 40us,
                           .ended = 55us,
                           .text = "c"});
  record.events.push_back({.kind = run_event_kind::tasks_ended,
                           .count = 1,
                           .worker = 5,
                           .started = 56us,
                           .ended = 60us});
  const worker_starts starts(record);
  ASSERT_EQ(starts.of(5).size(), 2U);
  EXPECT_EQ(starts.of(5)[1].asked, 40us);
  EXPECT_EQ(starts.of(5)[1].began, 50us);
  EXPECT_EQ(starts.total(), 35us);
  EXPECT_EQ(starts.name_of_host(starts.host_of(5)), "a");
  EXPECT_EQ(starts.name_of_host(starts.host_of(5, 50us)), "a");
  EXPECT_EQ(starts.name_of_host(starts.host_of(5, 56us)), "c");
  EXPECT_EQ(starts.name_of_host(starts.host_of(4)), "");
}

TEST(WorkerStarts, GiveTheTraceAProcessForEachHost) {
  const temporary_directory parent;
  const run_record record = record_of_two_hosts();
  write_trace(record, parent / "trace.json.gz");
  const json trace = json::parse(unzipped(parent / "trace.json.gz"));
  std::map<std::int64_t, std::string> hosts;
  std::map<std::int64_t, std::set<std::int64_t>> workers;
  std::vector<std::int64_t> starts;
  for (const json& event : trace.at("traceEvents")) {
    const std::int64_t process = event.at("pid");
    if (event.at("name") == "process_name") hosts[process] = event.at("args").at("name");
    if (event.at("ph") == "X") workers[process].insert(event.at("tid").get<std::int64_t>());
    if (event.at("name") == "start-up") starts.push_back(event.at("dur"));
  }
  EXPECT_EQ(hosts,
            (std::map<std::int64_t, std::string>{{0, "slurm:workers=8"}, {1, "a"}, {2, "b"}}));
  EXPECT_EQ(workers, (std::map<std::int64_t, std::set<std::int64_t>>{{1, {5, 7}}, {2, {0}}}));
  EXPECT_EQ(starts, (std::vector<std::int64_t>{5, 10, 15}));
}

TEST(WorkerStarts, TellTheHostOfEachAttempt) {
  const temporary_directory parent;
  write_task_table(record_of_two_hosts(), parent / "tasks.csv.gz", 1'000'000);
  const std::vector<std::string> lines = lines_of(unzipped(parent / "tasks.csv.gz"));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[0].starts_with("operation,outcome,attempt,first,count,worker,host,begin_s,"));
  EXPECT_TRUE(lines[1].starts_with("0,ended,0,0,3,0,b,0.000006,")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("0,failed,0,0,1,0,b,0.000035,")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("1,ended,0,0,4,5,a,0.000025,")) << lines[3];
}

}  // namespace
}  // namespace tessera
