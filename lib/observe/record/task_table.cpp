// SPDX-License-Identifier: Apache-2.0
#include "core/api/escaped_text.hpp"
#include "observe/record/gzip_file.hpp"
#include "observe/record/report_files.hpp"

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

namespace {

/// The size of texts that are compressed at once.
constexpr std::size_t piece_size = 1 << 16;

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

void append_line(std::string& lines, const std::string& label, const run_event& event,
                 std::string_view outcome) {
  fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},{},{},", event.operation, label,
                 event.first, event.count, event.worker, event.attempt, outcome,
                 seconds_text(event.started), seconds_text(event.ended - event.started));
  if (event.moved) {
    fmt::format_to(std::back_inserter(lines), "{},{},{},", event.moved->read.count(),
                   event.moved->written.count(), event.moved->requests);
  } else {
    lines += ",,,";
  }
  if (event.memory > bytes{}) lines += fmt::format_int(event.memory.count()).str();
  lines += ',';
  if (!event.text.empty()) lines += csv_field(event.text);
  lines += '\n';
}

}  // namespace

void write_task_table(const run_record& record, const std::string& path) {
  gzip_file file(path);
  std::string lines =
      "operation,label,first,count,worker,attempt,outcome,begin_s,time_s,bytes_read,bytes_written,"
      "requests,memory,cause\n";
  std::vector<std::string> labels;
  for (const workload_operation& operation : record.header.operations) {
    labels.push_back(csv_field(operation.name));
  }
  for (const run_event& event : record.events) {
    const std::string_view outcome = outcome_of(event);
    if (outcome.empty()) continue;
    append_line(lines, labels[event.operation], event, outcome);
    if (lines.size() < piece_size) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
  file.close();
}

}  // namespace tessera
