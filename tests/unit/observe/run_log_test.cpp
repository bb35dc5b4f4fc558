// SPDX-License-Identifier: Apache-2.0
#include "observe/api/run_log.hpp"

#include "tessera/core/error.hpp"

#include "observe/record/deflate.hpp"
#include "observe/record/event_block.hpp"
#include "observe/record/log_file.hpp"
#include "unit/store/temporary_directory.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::temporary_directory;

/// Returns an event with numbers of all sizes.
run_event random_event(std::mt19937_64& draw) {
  const auto number = [&](std::uint64_t most) { return draw() >> (draw() % 64) & most; };
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max() / 4);
  run_event event;
  event.kind = static_cast<run_event_kind>(draw() % num_run_event_kinds);
  event.operation = number(most);
  event.first = static_cast<index_t>(number(most));
  event.count = static_cast<index_t>(number(most));
  event.worker = number(std::numeric_limits<std::uint64_t>::max());
  event.attempt = static_cast<int>(number(1000));
  const auto time = [&] { return static_cast<std::int64_t>(number(most) / 1000) * 1us; };
  event.started = time();
  event.ended = event.started + time();
  event.memory = bytes{number(std::numeric_limits<std::uint64_t>::max())};
  event.detail = static_cast<std::uint8_t>(number(255));
  if (draw() % 2 == 0) {
    event.moved = traffic{bytes{number(most)}, bytes{draw()}, number(9), bytes{draw()},
                          bytes{number(most)}, time(),        time()};
  }
  if (draw() % 8 == 0) event.text = std::string(draw() % max_event_text, 'x');
  return event;
}

TEST(RunLog, BlocksGiveBackTheirEvents) {
  std::mt19937_64 draw(11);
  for (std::size_t size : {0, 1, 2, 17, 4096}) {
    std::vector<run_event> events;
    for (std::size_t i = 0; i < size; ++i) events.push_back(random_event(draw));
    const auto read = decode_events(encode_events(events));
    ASSERT_TRUE(read.has_value()) << size;
    EXPECT_TRUE(*read == events) << size;
  }
}

// A batch of neighbours takes a few bytes: 10^6 of them must stay below 30 MB with all files.
TEST(RunLog, ABatchTakesAtMostSixteenBytes) {
  std::vector<run_event> events;
  for (index_t i = 0; i < 4096; ++i) {
    const session_time started = i * 1'234'567ns;
    events.push_back({.kind = run_event_kind::tasks_ended,
                      .operation = 3,
                      .first = i * 234,
                      .count = 234,
                      .worker = static_cast<std::size_t>(i % 8),
                      .attempt = 1,
                      .started = started,
                      .ended = started + 1'000'000ns + session_time(i % 997),
                      .moved = traffic{bytes{1'000'000}, bytes{8}, 2},
                      .memory = bytes{50'000'000}});
  }
  EXPECT_LE(encode_events(events).size(), 16 * events.size());
}

// Clocks of engines may differ.
TEST(RunLog, TimesAreNeverNegative) {
  const run_event event{.kind = run_event_kind::attempt_failed, .started = 20us, .ended = 5us};
  const auto read = decode_events(encode_events(std::vector<run_event>{event, event}));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->at(1).started, 20us);
  EXPECT_EQ(read->at(1).ended, 20us);
}

TEST(RunLog, DamagedBlocksAreRefused) {
  std::mt19937_64 draw(5);
  std::vector<run_event> events;
  for (int i = 0; i < 40; ++i) events.push_back(random_event(draw));
  const std::string block = encode_events(events);
  for (std::size_t size = 0; size < block.size(); ++size) {
    EXPECT_FALSE(decode_events(block.substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(decode_events(block + '\0').has_value());
  // 2^63 events, without a column.
  const std::string many("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x00", 11);
  EXPECT_FALSE(decode_events(deflated(many)).has_value());
  // A varint of more than 64 bits.
  EXPECT_FALSE(decode_events(deflated(std::string(11, '\xff'))).has_value());
  // 100 MB of zeros in 100 kB.
  EXPECT_FALSE(decode_events(deflated(std::string(100'000'000, '\0'))).has_value());
}

run_header header_of_two() {
  run_header header;
  header.executor = "threads:2";
  header.num_workers = 2;
  header.began = "2026-01-31T12:00:00Z";
  header.explanation = "the plan\nin words";
  header.context = {{"host", "node1"}};
  workload_operation operation;
  operation.name = "mean(\"u\")";
  operation.num_tasks = 40;
  operation.task_memory = bytes{1000};
  header.operations = {operation, operation};
  header.operations[1].after = {0};
  return header;
}

std::vector<run_event> read_all(run_log_reader& reader) {
  std::vector<run_event> events;
  while (const auto block = reader.next_block()) {
    events.insert(events.end(), block->begin(), block->end());
  }
  return events;
}

run_event event_at(session_time time) {
  return {.kind = run_event_kind::tasks_ended,
          .operation = 1,
          .count = 1,
          .started = time,
          .ended = time + 1ms};
}

TEST(RunLog, GivesBackHeaderAndEvents) {
  const temporary_directory folder;
  const std::string path = folder / "run.tessera-log";
  run_log_writer writer(path, header_of_two());
  std::vector<run_event> events;
  for (int i = 0; i < 10'000; ++i) events.push_back(event_at(i * 2ms));
  for (const run_event& event : events) writer.add(event);
  writer.flush();
  run_log_reader reader(path);
  EXPECT_EQ(reader.header().executor, "threads:2");
  EXPECT_EQ(reader.header().num_workers, 2U);
  EXPECT_EQ(reader.header().explanation, "the plan\nin words");
  EXPECT_EQ(reader.header().context.at("host"), "node1");
  ASSERT_EQ(reader.header().operations.size(), 2U);
  EXPECT_EQ(reader.header().operations[0].name, "mean(\"u\")");
  EXPECT_EQ(reader.header().operations[0].task_memory, bytes{1000});
  EXPECT_EQ(reader.header().operations[1].after, std::vector<std::size_t>{0});
  EXPECT_TRUE(read_all(reader) == events);
}

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// As after a kill in the middle of a write, or on a full disk.
TEST(RunLog, OfAnySizeIsReadUpToItsLastWholeBlock) {
  const temporary_directory folder;
  const std::string path = folder / "run.tessera-log";
  run_log_writer writer(path, header_of_two());
  const std::size_t header_size = std::filesystem::file_size(path);
  std::vector<std::size_t> ends{header_size};
  for (int block = 0; block < 5; ++block) {
    for (int i = 0; i < 3; ++i) writer.add(event_at((block * 3 + i) * 1ms));
    writer.flush();
    ends.push_back(std::filesystem::file_size(path));
  }
  const std::string whole = contents_of(path);
  const std::string part = folder / "part";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream(part, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    if (size < header_size) {
      EXPECT_THROW(run_log_reader{part}, value_error) << size;
      continue;
    }
    run_log_reader reader(part);
    std::size_t num_blocks = 0;
    while (num_blocks < 5 && ends[num_blocks + 1] <= size) ++num_blocks;
    EXPECT_EQ(read_all(reader).size(), num_blocks * 3) << size;
  }
}

TEST(RunLog, IsReadWhileItGrows) {
  const temporary_directory folder;
  const std::string path = folder / "run.tessera-log";
  run_log_writer writer(path, header_of_two());
  run_log_reader reader(path);
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(reader.next_block().has_value());
    writer.add(event_at(round * 1ms));
    EXPECT_FALSE(reader.next_block().has_value());
    writer.flush();
    const auto block = reader.next_block();
    ASSERT_TRUE(block.has_value());
    EXPECT_EQ(block->front().started, round * 1ms);
  }
}

TEST(RunLog, EndsAtAnEventThatTheHeaderHasNot) {
  for (int kind = 0; kind < 3; ++kind) {
    const temporary_directory folder;
    const std::string path = folder / "run.tessera-log";
    run_log_writer writer(path, header_of_two());
    run_event event = event_at(1ms);
    if (kind == 0) event.worker = 1'000'000;
    if (kind == 1) event.operation = 2;
    if (kind == 2) event.count = 41;  // of 40 tasks
    writer.add(event);
    writer.flush();
    run_log_reader reader(path);
    EXPECT_TRUE(read_all(reader).empty()) << kind;
  }
}

TEST(RunLog, EndsAtABlockWithOtherBits) {
  const temporary_directory folder;
  const std::string path = folder / "run.tessera-log";
  run_log_writer writer(path, header_of_two());
  const std::size_t header_size = std::filesystem::file_size(path);
  writer.add(event_at(1ms));
  writer.flush();
  const std::string whole = contents_of(path);
  for (std::size_t at = header_size; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
    run_log_reader reader(path);
    EXPECT_TRUE(read_all(reader).empty()) << at;
  }
}

TEST(RunLog, NamesWhatItCannotRead) {
  const temporary_directory folder;
  EXPECT_THROW(run_log_reader(folder / "none"), store_error);
  std::ofstream(folder / "text") << "operation,label,tasks\n";
  EXPECT_THROW(run_log_reader(folder / "text"), value_error);
}

}  // namespace
}  // namespace tessera
