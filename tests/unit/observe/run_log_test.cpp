// SPDX-License-Identifier: Apache-2.0
#include "observe/api/run_log.hpp"

#include "tessera/core/error.hpp"
#include "tessera/observe/recorder.hpp"

#include "core/api/base64.hpp"
#include "observe/record/deflate.hpp"
#include "observe/record/event_block.hpp"
#include "observe/record/log_file.hpp"
#include "observe/record/planes.hpp"
#include "unit/observe/report_texts.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <queue>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::contents_of;
using testing::lines_of;
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
  event_encoder encoder;
  event_decoder decoder;
  for (std::size_t size : {0, 1, 2, 17, 4096}) {
    std::vector<run_event> events;
    for (std::size_t i = 0; i < size; ++i) events.push_back(random_event(draw));
    const auto read = decoder.decode(encoder.encode(events));
    ASSERT_TRUE(read.has_value()) << size;
    EXPECT_TRUE(*read == events) << size;
  }
}

/// Returns the batches of 1000 workers, each of which begins its next batch when it has ended one,
/// in the order of ends. Schedulers start tasks in their order.
std::vector<run_event> batches_of_thousand_workers(std::size_t count) {
  std::mt19937_64 draw(3);
  std::lognormal_distribution<double> seconds(0.0, 0.3);
  /// The time at which a worker is free, and its number.
  using free_worker = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<free_worker, std::vector<free_worker>, std::greater<>> workers;
  for (std::size_t i = 0; i < 1000; ++i) workers.emplace(0, i);
  std::vector<run_event> events;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [begin, worker] = workers.top();
    workers.pop();
    const std::int64_t end = begin + static_cast<std::int64_t>(1e6 * seconds(draw));
    workers.emplace(end, worker);
    events.push_back({.kind = run_event_kind::tasks_ended,
                      .operation = 3,
                      .first = static_cast<index_t>(i),
                      .count = 1,
                      .worker = worker,
                      .attempt = 1,
                      .started = begin * 1us,
                      .ended = end * 1us});
  }
  std::ranges::sort(events, {}, &run_event::ended);
  return events;
}

// Of a batch, the worker and the end are not known before: with 1000 workers of 1 s each, some 10
// bits and 11 bits. 10^6 batches must stay below 30 MB with all files.
TEST(RunLog, ABatchTakesFiveBytes) {
  const std::vector<run_event> events = batches_of_thousand_workers(20'480);
  event_encoder encoder;
  event_decoder decoder;
  std::size_t size = 0;
  for (std::size_t i = 0; i < events.size(); i += written_block_events) {
    const std::span<const run_event> block = std::span(events).subspan(i, written_block_events);
    const std::string packed = encoder.encode(block);
    size += packed.size();
    const auto read = decoder.decode(packed);
    ASSERT_TRUE(read.has_value());
    EXPECT_TRUE(std::ranges::equal(*read, block));
  }
  EXPECT_LE(size, 5 * events.size());
}

// A column is the first bytes of all its varints, then the second bytes of the longer ones.
TEST(RunLog, ColumnsAreSplitIntoPlanes) {
  const std::vector<std::uint64_t> numbers{1, 300, 2, std::numeric_limits<std::uint64_t>::max()};
  const std::string planes = planes_of(numbers);
  // 300 is 0xAC 0x02 as LEB128, and 2^64 - 1 nine times 0xFF, then 0x01.
  EXPECT_EQ(planes, std::string("\x01\xac\x02\xff\x02\xff") + std::string(7, '\xff') + '\x01');
  std::string_view rest = planes;
  EXPECT_EQ(take_planes(rest, 4), numbers);
  EXPECT_TRUE(rest.empty());
  for (std::size_t size = 0; size < planes.size(); ++size) {
    std::string_view part = std::string_view(planes).substr(0, size);
    EXPECT_FALSE(take_planes(part, 4).has_value()) << size;
  }
  std::string_view large("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  EXPECT_FALSE(take_planes(large, 1).has_value());
}

// Clocks of engines may differ.
TEST(RunLog, TimesAreNeverNegative) {
  const run_event event{.kind = run_event_kind::attempt_failed, .started = 20us, .ended = 5us};
  const auto read =
      event_decoder().decode(event_encoder().encode(std::vector<run_event>{event, event}));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->at(1).started, 20us);
  EXPECT_EQ(read->at(1).ended, 20us);
}

TEST(RunLog, DamagedBlocksAreRefused) {
  std::mt19937_64 draw(5);
  std::vector<run_event> events;
  for (int i = 0; i < 40; ++i) events.push_back(random_event(draw));
  const std::string block = event_encoder().encode(events);
  const auto decode_events = [](std::string_view text) { return event_decoder().decode(text); };
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
  header.allowed_memory = bytes{2'000'000'000};
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
  EXPECT_EQ(reader.header().allowed_memory, bytes{2'000'000'000});
  EXPECT_EQ(reader.header().explanation, "the plan\nin words");
  EXPECT_EQ(reader.header().context.at("host"), "node1");
  ASSERT_EQ(reader.header().operations.size(), 2U);
  EXPECT_EQ(reader.header().operations[0].name, "mean(\"u\")");
  EXPECT_EQ(reader.header().operations[0].task_memory, bytes{1000});
  EXPECT_EQ(reader.header().operations[1].after, std::vector<std::size_t>{0});
  EXPECT_TRUE(read_all(reader) == events);
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

/// A log that Tessera wrote in version 3: two operations on two threads, of which task 2 of the
/// last fails twice.
constexpr std::string_view log_of_version_3 =
    "dGVzc2VyYS1ydW4tbG9nCoACAABe1vCGYsr50HsiYmVnYW4iOiIyMDI2LTExLTI5VDE1OjEwOjQzWiIsImNvbnRl"
    "eHQiOnsiY29tcGlsZXIiOiIxMi4yLjAiLCJjb3JlcyI6IjIiLCJob3N0Ijoidm0iLCJrZXJuZWwiOiJMaW51eCA2"
    "LjE4LjQ0LWZjLXY2NjkiLCJtZW1vcnkiOiIyNS4zIEdCICgyNSwyNzYsNTAyLDAxNiBCKSIsInByb2Nlc3NvciI6"
    "IkFNRCBFUFlDIiwicHJvZ3JhbSI6Im9ic2VydmVfdGVzdCIsInRlc3NlcmEiOiIwLjEuMCJ9LCJleGVjdXRvciI6"
    "InRocmVhZHM6MiIsImV4cGxhbmF0aW9uIjoidGhlIHBsYW4gaW4gd29yZHNcbiIsImlzX3NpbXVsYXRlZCI6ZmFs"
    "c2UsIm9wZXJhdGlvbnMiOlt7ImFmdGVyIjpbXSwiYnl0ZXNfcmVhZF9wZXJfdGFzayI6MCwiYnl0ZXNfd3JpdHRl"
    "bl9wZXJfdGFzayI6MCwibGFiZWwiOiJvcDAiLCJyZXNpZGVudF9tZW1vcnkiOjAsInN0ZXBzX3Blcl90YXNrIjox"
    "LCJ0YXNrX21lbW9yeSI6MCwidGFza3MiOjEwMDB9LHsiYWZ0ZXIiOlswXSwiYnl0ZXNfcmVhZF9wZXJfdGFzayI6"
    "MCwiYnl0ZXNfd3JpdHRlbl9wZXJfdGFzayI6MCwibGFiZWwiOiJvcDEiLCJyZXNpZGVudF9tZW1vcnkiOjAsInN0"
    "ZXBzX3Blcl90YXNrIjoxMDQ4NTc2LCJ0YXNrX21lbW9yeSI6MCwidGFza3MiOjR9XSwidmVyc2lvbiI6Mywid29y"
    "a2VycyI6Mn2tAAAASQlbhB10Mzp4XhP7f1iAgY0BDLg4mRkFOIE0OwMjswBEDAyYGJkYGECYgZGB4RcjBH5h/sV4"
    "lfcR50OgDgYmFlYWBgZmkCxEy0+gip9ANlQjVBQkA2IyMsIEQIaCBJhgapmYWBlaeNvYxZiY5rFwcS1gnMu4jpGB"
    "g4GL6RyjZA+jix4T0DlAAFQGshhkTows2JFoJoGcjeQDqE8gOtABT1JpcaWOglJZalGlEgoHqBIAVNIdwQ==";

// A reader in Python has given the expected values.
TEST(RunLog, OfVersion3IsRead) {
  const temporary_directory folder;
  const std::string path = folder / "run.tessera-log";
  const std::vector<std::byte> log = detail::from_base64(log_of_version_3).value();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(log.data()), static_cast<std::streamsize>(log.size()));
  run_log_reader reader(path);
  EXPECT_EQ(reader.header().version, 3U);
  EXPECT_EQ(reader.header().num_workers, 2U);
  EXPECT_EQ(reader.header().allowed_memory, bytes{});
  const std::vector<run_event> events = read_all(reader);
  ASSERT_EQ(events.size(), 22U);
  EXPECT_EQ(events[9], (run_event{.kind = run_event_kind::tasks_ended,
                                  .first = 625,
                                  .count = 125,
                                  .worker = 1,
                                  .attempt = 1,
                                  .started = 1571us,
                                  .ended = 1580us,
                                  .moved = traffic{}}));
  EXPECT_EQ(events[18], (run_event{.kind = run_event_kind::attempt_failed,
                                   .operation = 1,
                                   .first = 2,
                                   .count = 1,
                                   .attempt = 2,
                                   .started = 1808us,
                                   .ended = 1837us,
                                   .detail = 1,
                                   .text = "busy, \"very\""}));
  EXPECT_EQ(events[21].kind, run_event_kind::run_ended);
  EXPECT_EQ(events[21].ended, 1895us);
  write_report(folder.path().string());
  const std::vector<std::string> workers = lines_of(contents_of(folder / "workers.csv"));
  ASSERT_EQ(workers.size(), 3U);
  EXPECT_TRUE(workers[1].starts_with("0,,,,0,876,0.000013,0.000121,")) << workers[1];
  EXPECT_TRUE(workers[2].starts_with("1,,,,0,128,0.00001,0,")) << workers[2];
}

TEST(RunLog, NamesWhatItCannotRead) {
  const temporary_directory folder;
  EXPECT_THROW(run_log_reader(folder / "none"), store_error);
  std::ofstream(folder / "text") << "operation,label,tasks\n";
  EXPECT_THROW(run_log_reader(folder / "text"), value_error);
}

}  // namespace
}  // namespace tessera
