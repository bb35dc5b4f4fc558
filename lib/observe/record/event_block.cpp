// SPDX-License-Identifier: Apache-2.0
#include "observe/record/event_block.hpp"

#include "observe/record/deflate.hpp"
#include "observe/record/event_row.hpp"
#include "observe/record/planes.hpp"
#include "observe/record/varint.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tessera {

namespace {

/// No block of `max_block_events` is larger.
constexpr std::size_t max_block_size =
    20 + max_block_events * ((num_event_columns + 1) * 10 + max_event_text);
/// The workers that have an end in `worker_ends`: a quarter of a megabyte.
constexpr std::uint64_t most_ends = 32'768;

std::uint64_t start_of(const event_row& numbers) {
  return numbers[ended_column] - numbers[duration_column];
}

/// Returns the numbers of the attempts in `rows`, in the order of operations and begins.
std::vector<std::size_t> order_of_starts(const std::vector<event_row>& rows) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_row_of_attempt(rows[i])) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&rows](std::size_t i) {
    return std::tuple(rows[i][operation_column], start_of(rows[i]), i);
  });
  return order;
}

/// The first task that is expected of the next attempt in the order of starts.
class expected_first {
 public:
  /// Returns the first task that is expected of an attempt of `operation`.
  [[nodiscard]] std::uint64_t of(std::uint64_t operation) const {
    return operation == operation_ ? next_ : 0;
  }
  void follow(const event_row& numbers) {
    operation_ = numbers[operation_column];
    next_ = numbers[first_column] + numbers[count_column];
  }

 private:
  std::uint64_t operation_ = 0;
  std::uint64_t next_ = 0;
};

/// Replaces the first tasks of attempts by distances. Requires: durations are durations.
void tell_first_tasks(std::vector<event_row>& rows) {
  expected_first expected;
  for (const std::size_t i : order_of_starts(rows)) {
    const std::uint64_t next = expected.of(rows[i][operation_column]);
    expected.follow(rows[i]);
    rows[i][first_column] = zigzag(rows[i][first_column] - next);
  }
}

void restore_first_tasks(std::vector<event_row>& rows) {
  expected_first expected;
  for (const std::size_t i : order_of_starts(rows)) {
    const std::uint64_t distance = from_zigzag(rows[i][first_column]);
    rows[i][first_column] = expected.of(rows[i][operation_column]) + distance;
    expected.follow(rows[i]);
  }
}

/// Replaces ends by differences, and durations of attempts by the distances of their begins.
void tell_times(std::vector<event_row>& rows, worker_ends& ends) {
  std::uint64_t before = 0;
  for (event_row& numbers : rows) {
    const std::uint64_t end = numbers[ended_column];
    if (is_row_of_attempt(numbers)) {
      const std::uint64_t worker = numbers[worker_column];
      numbers[duration_column] = zigzag(start_of(numbers) - ends.of(worker));
      ends.set(worker, end);
    }
    numbers[ended_column] = zigzag(end - before);
    before = end;
  }
}

void restore_times(std::vector<event_row>& rows, worker_ends& ends) {
  std::uint64_t before = 0;
  for (event_row& numbers : rows) {
    const std::uint64_t end = before + from_zigzag(numbers[ended_column]);
    if (is_row_of_attempt(numbers)) {
      const std::uint64_t worker = numbers[worker_column];
      const std::uint64_t start = ends.of(worker) + from_zigzag(numbers[duration_column]);
      numbers[duration_column] = end - start;
      ends.set(worker, end);
    }
    numbers[ended_column] = end;
    before = end;
  }
}

/// Adds the columns of `rows` to a block, and returns the mask of the columns.
std::uint64_t put_columns(std::string& columns, const std::vector<event_row>& rows) {
  std::uint64_t mask = 0;
  for (std::size_t column = 0; column < num_event_columns; ++column) {
    std::vector<std::uint64_t> numbers;
    for (const event_row& row : rows) numbers.push_back(row[column]);
    if (std::ranges::all_of(numbers, [](std::uint64_t number) { return number == 0; })) continue;
    mask |= std::uint64_t{1} << column;
    columns += planes_of(std::move(numbers));
  }
  return mask;
}

/// Adds the texts of `events` to a block, unless all are empty. Returns whether it has.
bool put_texts(std::string& columns, std::span<const run_event> events) {
  std::vector<std::uint64_t> sizes;
  std::string texts;
  for (const run_event& event : events) {
    const std::string_view text = std::string_view(event.text).substr(0, max_event_text);
    sizes.push_back(text.size());
    texts += text;
  }
  if (texts.empty()) return false;
  columns += planes_of(std::move(sizes));
  columns += texts;
  return true;
}

/// Fills the texts of `events` from the front of a block. Returns false if they are not whole.
bool take_texts(std::string_view& block, std::vector<run_event>& events) {
  const auto sizes = take_planes(block, events.size());
  if (!sizes) return false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint64_t size = (*sizes)[i];
    if (size > max_event_text || size > block.size()) return false;
    events[i].text = block.substr(0, size);
    block.remove_prefix(size);
  }
  return true;
}

/// Returns the rows of a block of version 4; nullopt if it has none. `mask`: of its columns.
std::optional<std::vector<event_row>> take_rows(std::string_view& block, std::size_t count,
                                                std::uint64_t mask) {
  std::vector<event_row> rows(count);
  for (std::size_t column = 0; column < num_event_columns; ++column) {
    if ((mask >> column & 1) == 0) continue;
    const auto numbers = take_planes(block, count);
    if (!numbers) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) rows[i][column] = (*numbers)[i];
  }
  return rows;
}

/// Returns the events of a block of version 4, inflated; nullopt if `block` is none.
std::optional<std::vector<run_event>> decode_block_4(std::string_view block, worker_ends& ends) {
  const std::optional<std::uint64_t> count = take_varint(block);
  const std::optional<std::uint64_t> mask = take_varint(block);
  if (!count || !mask || *count > max_block_events || *mask >> (num_event_columns + 1) != 0) {
    return std::nullopt;
  }
  std::optional<std::vector<event_row>> rows = take_rows(block, *count, *mask);
  if (!rows) return std::nullopt;
  restore_times(*rows, ends);
  restore_first_tasks(*rows);
  std::vector<run_event> events;
  for (const event_row& numbers : *rows) {
    std::optional<run_event> event = event_of(numbers);
    if (!event) return std::nullopt;
    events.push_back(std::move(*event));
  }
  const bool has_texts = (*mask >> text_column & 1) != 0;
  if ((has_texts && !take_texts(block, events)) || !block.empty()) return std::nullopt;
  return events;
}

}  // namespace

void worker_ends::set(std::uint64_t worker, std::uint64_t end) {
  if (worker >= most_ends) return;
  if (worker >= ends_.size()) ends_.resize(worker + 1);
  ends_[worker] = end;
}

std::string event_encoder::encode(std::span<const run_event> events) {
  std::vector<event_row> rows;
  for (const run_event& event : events) rows.push_back(row_of(event));
  tell_first_tasks(rows);
  tell_times(rows, ends_);
  std::string columns;
  std::uint64_t mask = put_columns(columns, rows);
  if (put_texts(columns, events)) mask |= std::uint64_t{1} << text_column;
  std::string block;
  put_varint(block, events.size());
  put_varint(block, mask);
  return deflated(block + columns);
}

std::optional<std::vector<run_event>> event_decoder::decode(std::string_view block) {
  const std::optional<std::string> inside = inflated(block, max_block_size);
  if (!inside) return std::nullopt;
  return version_ == oldest_run_log_version ? decode_block_3(*inside)
                                            : decode_block_4(*inside, ends_);
}

}  // namespace tessera
