// SPDX-License-Identifier: Apache-2.0
#include "observe/record/critical_path.hpp"

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;

run_event attempt(std::size_t operation, index_t first, std::size_t worker, session_time started,
                  session_time ended) {
  return {.kind = run_event_kind::tasks_ended,
          .operation = operation,
          .first = first,
          .count = 1,
          .worker = worker,
          .attempt = 1,
          .started = started,
          .ended = ended};
}

/// Returns a record of two operations, of which the second reads the first.
run_record record_of(std::vector<run_event> events) {
  run_record record;
  record.header.operations.resize(2);
  record.header.operations[1].after = {0};
  record.events = std::move(events);
  return record;
}

// Worker 0: op 0 from 1 to 4; worker 1: op 0 from 1 to 7, then op 1 from 9 to 10; worker 0 waits
// for the second task of op 0, runs op 1 from 8 to 12. By hand: 1 to 7 on worker 1, 8 to 12 on 0.
TEST(CriticalPath, GoesBackThroughTheBatchThatReleasedTheLast) {
  const run_record record = record_of({attempt(0, 0, 0, 1s, 4s), attempt(0, 1, 1, 1s, 7s),
                                       attempt(1, 0, 1, 9s, 10s), attempt(1, 1, 0, 8s, 12s)});
  const std::vector<critical_span> path = critical_path_of(record);
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0].operation, 0U);
  EXPECT_EQ(path[0].worker, 1U);
  EXPECT_EQ(path[0].started, session_time(1s));
  EXPECT_EQ(path[0].ended, session_time(7s));
  EXPECT_EQ(path[1].operation, 1U);
  EXPECT_EQ(path[1].worker, 0U);
  EXPECT_EQ(path[1].busy, session_time(4s));
}

TEST(CriticalPath, JoinsNeighboursOfAWorker) {
  const run_record record =
      record_of({attempt(0, 0, 3, 0s, 1s), attempt(0, 1, 3, 2s, 4s), attempt(0, 2, 3, 4s, 5s)});
  const std::vector<critical_span> path = critical_path_of(record);
  ASSERT_EQ(path.size(), 1U);
  EXPECT_EQ(path[0].num_attempts, 3U);
  EXPECT_EQ(path[0].started, session_time(0s));
  EXPECT_EQ(path[0].ended, session_time(5s));
  EXPECT_EQ(path[0].busy, session_time(4s));
}

// The second attempt of a task waits for the failure of the first on another worker.
TEST(CriticalPath, PassesThroughFailedAttempts) {
  run_event failure = attempt(0, 0, 0, 0s, 5s);
  failure.kind = run_event_kind::attempt_failed;
  run_event next = attempt(0, 0, 1, 6s, 9s);
  next.attempt = 2;
  const std::vector<critical_span> path =
      critical_path_of(record_of({attempt(0, 1, 1, 0s, 2s), failure, next}));
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0].worker, 0U);
  EXPECT_EQ(path[0].busy, session_time(5s));
}

// All begin and end at once: the path has the 50 attempts of the last one's worker, each once.
TEST(CriticalPath, EndsWhereAttemptsTakeNoTime) {
  std::vector<run_event> events;
  for (index_t i = 0; i < 100; ++i) {
    events.push_back(attempt(0, i, static_cast<std::size_t>(i % 2), 1s, 1s));
  }
  const std::vector<critical_span> path = critical_path_of(record_of(events));
  ASSERT_EQ(path.size(), 1U);
  EXPECT_EQ(path[0].worker, 1U);
  EXPECT_EQ(path[0].num_attempts, 50U);
}

TEST(CriticalPath, IsEmptyWithoutAttempts) { EXPECT_TRUE(critical_path_of(record_of({})).empty()); }

}  // namespace
}  // namespace tessera
