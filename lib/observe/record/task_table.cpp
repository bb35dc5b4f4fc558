// SPDX-License-Identifier: Apache-2.0
#include "core/api/escaped_text.hpp"
#include "observe/record/deflate.hpp"
#include "observe/record/gzip_file.hpp"
#include "observe/record/report_files.hpp"
#include "observe/record/worker_starts.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tessera {

namespace {

/// The size of texts that are compressed at once.
constexpr std::size_t table_piece_size = 1 << 16;

/// Returns the outcome of an attempt, or nothing for other events.
std::string_view outcome_of(const run_event& event) {
  switch (event.kind) {
    case run_event_kind::tasks_ended:
      return "ended";
    case run_event_kind::attempt_failed:
      return "failed";
    case run_event_kind::attempt_dropped:
      return "dropped";
    default:
      return {};
  }
}

/// A line of the table: an attempt, or neighbours on one worker.
struct table_line {
  explicit table_line(const run_event& attempt)
      : event(&attempt),
        count(attempt.count),
        time(attempt.ended - attempt.started),
        moved(attempt.moved),
        memory(attempt.memory) {}

  const run_event* event;  ///< the first attempt
  index_t num_batches = 1;
  index_t count;
  session_time time;
  std::optional<traffic> moved;
  bytes memory;
};

void append_line(std::string& lines, const table_line& line, const std::string& host) {
  const run_event& event = *line.event;
  fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},{},{},", event.operation,
                 outcome_of(event), event.attempt, event.first, line.count, event.worker, host,
                 seconds_text(event.started), seconds_text(line.time));
  if (line.moved) {
    const traffic& moved = *line.moved;
    fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},", moved.read.count(),
                   moved.written.count(), moved.requests, moved.encoded_read.count(),
                   moved.encoded_written.count(), seconds_text(moved.storage_time),
                   seconds_text(moved.codec_time));
  } else {
    lines += ",,,,,,,";
  }
  if (line.memory > bytes{}) lines += fmt::format_int(line.memory.count()).str();
  fmt::format_to(std::back_inserter(lines), ",{},", line.num_batches);
  if (!event.text.empty()) lines += csv_field(event.text);
  lines += '\n';
}

/// Returns the attempts of batches in the order of operations and tasks, which compresses well.
std::vector<const run_event*> attempts_by_task(const run_record& record) {
  std::vector<const run_event*> attempts;
  for (const run_event& event : record.events) {
    if (!outcome_of(event).empty()) attempts.push_back(&event);
  }
  std::ranges::stable_sort(attempts, {}, [](const run_event* event) {
    return std::tuple(event->operation, event->first, event->attempt);
  });
  return attempts;
}

/// Adds a batch to a line. Returns false, and does nothing, if it is no neighbour on the same host,
/// or the line has `most` batches.
bool join(table_line& line, const run_event& event, index_t most, const worker_starts& starts) {
  const run_event& first = *line.event;
  if (line.num_batches == most || event.kind != run_event_kind::tasks_ended ||
      first.kind != event.kind || first.operation != event.operation ||
      first.worker != event.worker || first.attempt != event.attempt ||
      first.moved.has_value() != event.moved.has_value() ||
      starts.host_of(first.worker, first.started) != starts.host_of(event.worker, event.started)) {
    return false;
  }
  ++line.num_batches;
  line.count += event.count;
  line.time += event.ended - event.started;
  if (line.moved) *line.moved += *event.moved;
  line.memory = std::max(line.memory, event.memory);
  return true;
}

/// Returns lines of at most `most` batches, in the order of operations and tasks.
std::vector<table_line> joined_lines(const run_record& record, index_t most,
                                     const worker_starts& starts) {
  std::vector<table_line> lines;
  for (const run_event* event : attempts_by_worker(record)) {
    if (lines.empty() || !join(lines.back(), *event, most, starts)) lines.emplace_back(*event);
  }
  std::ranges::stable_sort(lines, {}, [](const table_line& line) {
    return std::tuple(line.event->operation, line.event->first, line.event->attempt);
  });
  return lines;
}

/// Writes the lines of a table.
class table_writer {
 public:
  table_writer(const run_record& record, const std::string& path) : starts_(record), file_(path) {
    text_ =
        "operation,outcome,attempt,first,count,worker,host,begin_s,time_s,bytes_read,"
        "bytes_written,requests,encoded_read,encoded_written,storage_s,codec_s,memory,batches,"
        "cause\n";
  }

  [[nodiscard]] const worker_starts& starts() const { return starts_; }

  void add(const table_line& line) {
    append_line(text_, line, host_of(*line.event));
    if (text_.size() < table_piece_size) return;
    file_.write(text_);
    text_.clear();
  }

  void close() {
    file_.write(text_);
    file_.close();
  }

  [[nodiscard]] std::string host_of(const run_event& event) const {
    return csv_field(starts_.name_of_host(starts_.host_of(event.worker, event.started)));
  }

 private:
  worker_starts starts_;
  gzip_file file_;
  std::string text_;
};

/// Returns the number of batches for each line of a table of at most `most_bytes`, by the size of a
/// part of its lines.
index_t batches_for_line(const std::vector<const run_event*>& attempts, const table_writer& table,
                         std::uintmax_t most_bytes) {
  constexpr std::size_t largest_part = 20'000;
  const std::size_t part_size = std::min(attempts.size(), largest_part);
  std::string part;
  for (std::size_t i = 0; i < part_size; ++i) {
    append_line(part, table_line(*attempts[i]), table.host_of(*attempts[i]));
  }
  const std::uintmax_t size = deflated(part, small_level).size() * attempts.size();
  const std::uintmax_t most_for_part = std::max<std::uintmax_t>(1, most_bytes * part_size);
  return static_cast<index_t>(
      std::max<std::uintmax_t>(1, (size + most_for_part - 1) / most_for_part));
}

}  // namespace

index_t write_task_table(const run_record& record, const std::string& path,
                         std::uintmax_t most_bytes) {
  const std::vector<const run_event*> attempts = attempts_by_task(record);
  table_writer table(record, path);
  const index_t per_line = batches_for_line(attempts, table, most_bytes);
  if (per_line == 1) {
    for (const run_event* event : attempts) table.add(table_line(*event));
  } else {
    for (const table_line& line : joined_lines(record, per_line, table.starts())) table.add(line);
  }
  table.close();
  return per_line;
}

}  // namespace tessera
