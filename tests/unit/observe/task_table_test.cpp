// SPDX-License-Identifier: Apache-2.0
#include "observe/record/report_files.hpp"
#include "unit/observe/report_texts.hpp"
#include "unit/store/temporary_directory.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using lines = std::vector<std::string>;
using testing::lines_of;
using testing::temporary_directory;
using testing::unzipped;

run_event batch(std::size_t worker, index_t first, session_time started, session_time ended) {
  return {.kind = run_event_kind::tasks_ended,
          .first = first,
          .count = 1,
          .worker = worker,
          .attempt = 1,
          .started = started,
          .ended = ended,
          .moved = traffic{.read = bytes{10 + static_cast<std::uint64_t>(first)}, .requests = 1},
          .memory = bytes{100 + static_cast<std::uint64_t>(first)}};
}

/// Worker 0 runs the tasks 0, 2, 3, of which 3 fails first; worker 1 runs task 1.
run_record record_of_four_tasks() {
  run_record record;
  record.header.operations.resize(1);
  run_event failed = batch(0, 3, 40us, 45us);
  failed.kind = run_event_kind::attempt_failed;
  failed.moved.reset();
  failed.memory = {};
  failed.text = "busy";
  run_event again = batch(0, 3, 50us, 60us);
  again.attempt = 2;
  record.events = {batch(1, 1, 0us, 5us), batch(0, 0, 0us, 10us), batch(0, 2, 20us, 40us), failed,
                   again};
  return record;
}

TEST(TaskTable, HasALineForEachAttempt) {
  const temporary_directory parent;
  const std::string path = parent / "tasks.csv.gz";
  EXPECT_EQ(write_task_table(record_of_four_tasks(), path, 1'000'000), 1);
  EXPECT_EQ(lines_of(unzipped(path)),
            (lines{"operation,outcome,attempt,first,count,worker,host,begin_s,time_s,bytes_read,"
                   "bytes_written,requests,encoded_read,encoded_written,storage_s,codec_s,memory,"
                   "batches,cause",
                   "0,ended,1,0,1,0,,0,0.00001,10,0,1,0,0,0,0,100,1,",
                   "0,ended,1,1,1,1,,0,0.000005,11,0,1,0,0,0,0,101,1,",
                   "0,ended,1,2,1,0,,0.00002,0.00002,12,0,1,0,0,0,0,102,1,",
                   "0,failed,1,3,1,0,,0.00004,0.000005,,,,,,,,,1,busy",
                   "0,ended,2,3,1,0,,0.00005,0.00001,13,0,1,0,0,0,0,103,1,"}));
}

// Batches of one worker and one operation that ended well are a line; other attempts stay alone.
TEST(TaskTable, JoinsNeighboursIfItWouldBeTooLarge) {
  const temporary_directory parent;
  const std::string path = parent / "tasks.csv.gz";
  EXPECT_GT(write_task_table(record_of_four_tasks(), path, 1), 1);
  lines table = lines_of(unzipped(path));
  table.erase(table.begin());
  EXPECT_EQ(table, (lines{"0,ended,1,0,2,0,,0,0.00003,22,0,2,0,0,0,0,102,2,",
                          "0,ended,1,1,1,1,,0,0.000005,11,0,1,0,0,0,0,101,1,",
                          "0,failed,1,3,1,0,,0.00004,0.000005,,,,,,,,,1,busy",
                          "0,ended,2,3,1,0,,0.00005,0.00001,13,0,1,0,0,0,0,103,1,"}));
}

// A worker of an array may take the number of an earlier one on another host.
TEST(TaskTable, JoinsNoBatchesOfDifferentHosts) {
  const auto start = [](const char* host, session_time ready) {
    return run_event{
        .kind = run_event_kind::worker_started, .started = ready, .ended = ready, .text = host};
  };
  const temporary_directory parent;
  const std::string path = parent / "tasks.csv.gz";
  run_record record;
  record.header.operations.resize(1);
  record.events = {start("a", 0us), batch(0, 0, 0us, 10us), start("b", 15us),
                   batch(0, 1, 20us, 25us), batch(0, 2, 30us, 40us)};
  EXPECT_GT(write_task_table(record, path, 1), 1);
  lines table = lines_of(unzipped(path));
  table.erase(table.begin());
  EXPECT_EQ(table, (lines{"0,ended,1,0,1,0,a,0,0.00001,10,0,1,0,0,0,0,100,1,",
                          "0,ended,1,1,2,0,b,0.00002,0.000015,23,0,2,0,0,0,0,102,2,"}));
}

}  // namespace
}  // namespace tessera
