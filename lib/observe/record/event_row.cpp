// SPDX-License-Identifier: Apache-2.0
#include "observe/record/event_row.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tessera {

namespace {

/// The unit of times in a block: all figures of a record are sums of whole microseconds.
constexpr session_time unit_of_times = std::chrono::microseconds(1);

/// Returns a time as a column has it. Clocks of engines may differ: no time is negative.
std::uint64_t number_of(session_time time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time / unit_of_times));
}

session_time time_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number) * unit_of_times;
}

traffic traffic_of(const event_row& numbers) {
  return {.read = bytes{numbers[9]},
          .written = bytes{numbers[10]},
          .requests = numbers[11],
          .encoded_read = bytes{numbers[14]},
          .encoded_written = bytes{numbers[15]},
          .storage_time = time_of(numbers[16]),
          .codec_time = time_of(numbers[17])};
}

}  // namespace

event_row row_of(const run_event& event) {
  const traffic moved = event.moved.value_or(traffic{});
  const std::uint64_t started = number_of(event.started);
  const std::uint64_t ended = std::max(number_of(event.ended), started);
  return {static_cast<std::uint64_t>(event.kind),
          event.operation,
          static_cast<std::uint64_t>(event.first),
          static_cast<std::uint64_t>(event.count),
          event.worker,
          static_cast<std::uint64_t>(event.attempt),
          ended,
          ended - started,
          event.moved.has_value() ? 1U : 0U,
          moved.read.count(),
          moved.written.count(),
          moved.requests,
          event.memory.count(),
          event.detail,
          moved.encoded_read.count(),
          moved.encoded_written.count(),
          number_of(moved.storage_time),
          number_of(moved.codec_time)};
}

std::optional<run_event> event_of(const event_row& numbers) {
  constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max());
  constexpr std::uint64_t most_time = greatest / std::uint64_t{1000};
  constexpr std::uint64_t most_attempts = std::numeric_limits<int>::max();
  const auto is_large = [&](std::size_t column) { return numbers[column] > greatest; };
  if (numbers[0] >= num_run_event_kinds || numbers[5] > most_attempts || numbers[8] > 1 ||
      numbers[13] > std::numeric_limits<std::uint8_t>::max()) {
    return std::nullopt;
  }
  const auto is_long = [&](std::size_t column) { return numbers[column] > most_time; };
  if (is_large(1) || is_large(2) || is_large(3) || numbers[2] + numbers[3] > greatest ||
      is_long(6) || numbers[7] > numbers[6] || is_long(16) || is_long(17)) {
    return std::nullopt;
  }
  run_event event{.kind = static_cast<run_event_kind>(numbers[0]),
                  .operation = numbers[1],
                  .first = static_cast<index_t>(numbers[2]),
                  .count = static_cast<index_t>(numbers[3]),
                  .worker = numbers[4],
                  .attempt = static_cast<int>(numbers[5]),
                  .started = time_of(numbers[6] - numbers[7]),
                  .ended = time_of(numbers[6]),
                  .memory = bytes{numbers[12]},
                  .detail = static_cast<std::uint8_t>(numbers[13])};
  if (numbers[8] == 1) event.moved = traffic_of(numbers);
  return event;
}

bool is_row_of_attempt(const event_row& numbers) {
  return numbers[kind_column] >= static_cast<std::uint64_t>(run_event_kind::tasks_ended) &&
         numbers[kind_column] <= static_cast<std::uint64_t>(run_event_kind::attempt_dropped);
}

}  // namespace tessera
