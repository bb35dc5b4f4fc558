// SPDX-License-Identifier: Apache-2.0
#include "core/api/escaped_text.hpp"
#include "observe/record/gzip_file.hpp"
#include "observe/record/report_files.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
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

void append_line(std::string& lines, const run_event& event) {
  fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},{},", event.operation,
                 outcome_of(event), event.attempt, event.first, event.count, event.worker,
                 seconds_text(event.started), seconds_text(event.ended - event.started));
  if (event.moved) {
    const traffic& moved = *event.moved;
    fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},", moved.read.count(),
                   moved.written.count(), moved.requests, moved.encoded_read.count(),
                   moved.encoded_written.count(), seconds_text(moved.storage_time),
                   seconds_text(moved.codec_time));
  } else {
    lines += ",,,,,,,";
  }
  if (event.memory > bytes{}) lines += fmt::format_int(event.memory.count()).str();
  lines += ',';
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

}  // namespace

void write_task_table(const run_record& record, const std::string& path) {
  gzip_file file(path);
  std::string lines =
      "operation,outcome,attempt,first,count,worker,begin_s,time_s,bytes_read,bytes_written,"
      "requests,encoded_read,encoded_written,storage_s,codec_s,memory,cause\n";
  for (const run_event* event : attempts_by_task(record)) {
    append_line(lines, *event);
    if (lines.size() < table_piece_size) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
  file.close();
}

}  // namespace tessera
