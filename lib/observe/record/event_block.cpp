// SPDX-License-Identifier: Apache-2.0
/// \file
/// The encoding of a block: columns of varints, compressed.
///
///     block  = deflate(count, mask, column, ..., column)    a column for each bit of the mask
///     column = varint(zigzag(x[0])), varint(zigzag(x[1] - x[0])), ...
///
/// Neighbouring events have nearly equal numbers, so that differences are short. Workers and
/// durations are stored as they are. A column of zeros is left out. The last column has the texts,
/// each behind its length.
///
/// Invariant: any bytes decode to events or to nullopt; a block of untrusted bytes takes at most
/// `max_block_size`.
#include "observe/record/event_block.hpp"

#include "observe/record/deflate.hpp"
#include "observe/record/varint.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

namespace tessera {

namespace {

/// The numbers of an event, in the order of their columns. Differences wrap around.
constexpr std::size_t num_event_columns = 18;
using row = std::array<std::uint64_t, num_event_columns>;
constexpr std::size_t text_column = num_event_columns;

/// Tells whether a column holds the numbers themselves. Numbers of workers and durations are as
/// random as their differences, and shorter.
constexpr bool is_plain(std::size_t column) { return column == 4 || column == 7; }
/// No block of `max_block_events` is larger.
constexpr std::size_t max_block_size =
    20 + max_block_events * (num_event_columns * 10 + 2 + max_event_text);

/// The unit of times in a block: all figures of a record are sums of whole microseconds.
constexpr session_time unit_of_times = std::chrono::microseconds(1);

/// Returns a time as a column has it. Clocks of engines may differ: no time is negative.
std::uint64_t number_of(session_time time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time / unit_of_times));
}

session_time time_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number) * unit_of_times;
}

row row_of(const run_event& event) {
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

traffic traffic_of(const row& numbers) {
  return {.read = bytes{numbers[9]},
          .written = bytes{numbers[10]},
          .requests = numbers[11],
          .encoded_read = bytes{numbers[14]},
          .encoded_written = bytes{numbers[15]},
          .storage_time = time_of(numbers[16]),
          .codec_time = time_of(numbers[17])};
}

/// Returns the event of `numbers`, or nullopt if they are out of range.
std::optional<run_event> event_of(const row& numbers) {
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

/// Takes varints and texts from the front of a block.
class block_reader {
 public:
  explicit block_reader(std::string_view block) : rest_(block) {}

  /// Returns the next varint, of at most 64 bits, or nullopt.
  std::optional<std::uint64_t> varint() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      const std::uint64_t digits = byte & 0x7F;
      if (shift == 63 && digits > 1) return std::nullopt;
      number |= digits << shift;
      if (byte < 0x80) return number;
    }
    return std::nullopt;
  }

  std::optional<std::string> text() {
    const std::optional<std::uint64_t> size = varint();
    if (!size || *size > max_event_text || *size > rest_.size()) return std::nullopt;
    std::string text(rest_.substr(0, *size));
    rest_.remove_prefix(*size);
    return text;
  }

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

std::string encode_events(std::span<const run_event> events) {
  std::array<std::string, num_event_columns + 1> columns;
  std::uint64_t mask = 0;
  row before{};
  for (const run_event& event : events) {
    const row numbers = row_of(event);
    for (std::size_t c = 0; c < num_event_columns; ++c) {
      const std::uint64_t number = is_plain(c) ? numbers[c] : zigzag(numbers[c] - before[c]);
      if (number != 0) mask |= std::uint64_t{1} << c;
      put_varint(columns[c], number);
    }
    before = numbers;
    const std::string_view text = std::string_view(event.text).substr(0, max_event_text);
    if (!text.empty()) mask |= std::uint64_t{1} << text_column;
    put_varint(columns[text_column], text.size());
    columns[text_column] += text;
  }
  std::string block;
  put_varint(block, events.size());
  put_varint(block, mask);
  for (std::size_t c = 0; c <= num_event_columns; ++c) {
    if ((mask >> c & 1) != 0) block += columns[c];
  }
  return deflated(block);
}

std::optional<std::vector<run_event>> decode_events(std::string_view packed) {
  const std::optional<std::string> block = inflated(packed, max_block_size);
  if (!block) return std::nullopt;
  block_reader in(*block);
  const std::optional<std::uint64_t> count = in.varint();
  const std::optional<std::uint64_t> mask = in.varint();
  if (!count || !mask || *count > max_block_events || *mask >> (num_event_columns + 1) != 0) {
    return std::nullopt;
  }
  std::vector<row> rows(*count);
  for (std::size_t c = 0; c < num_event_columns; ++c) {
    if ((*mask >> c & 1) == 0) continue;
    std::uint64_t value = 0;
    for (row& numbers : rows) {
      const std::optional<std::uint64_t> number = in.varint();
      if (!number) return std::nullopt;
      value = is_plain(c) ? *number : value + from_zigzag(*number);
      numbers[c] = value;
    }
  }
  std::vector<run_event> events;
  for (const row& numbers : rows) {
    std::optional<run_event> event = event_of(numbers);
    if (!event) return std::nullopt;
    events.push_back(std::move(*event));
  }
  if ((*mask >> text_column & 1) != 0) {
    for (run_event& event : events) {
      std::optional<std::string> text = in.text();
      if (!text) return std::nullopt;
      event.text = std::move(*text);
    }
  }
  if (!in.is_at_end()) return std::nullopt;
  return events;
}

}  // namespace tessera
