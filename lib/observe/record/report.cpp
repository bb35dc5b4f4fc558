// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/recorder.hpp"

#include "observe/api/text_file.hpp"
#include "observe/record/report_files.hpp"
#include "observe/record/run_record.hpp"
#include "observe/record/timeline_svg.hpp"
#include "observe/record/worker_times.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

namespace {

/// Returns the bytes that are left for tasks.csv.gz. The files of 10^6 batches are below 30 MB,
/// with the log. Requires: the log and the trace are in `folder`.
std::uintmax_t bytes_for_tasks(const run_record& record, const std::string& folder) {
  constexpr std::uintmax_t least = 2'000'000;
  constexpr std::uintmax_t most = 28'500'000;
  constexpr std::uintmax_t million = 1'000'000;
  const std::uintmax_t log = std::filesystem::file_size(folder + "/run.tessera-log");
  const std::uintmax_t trace = std::filesystem::file_size(folder + "/trace.json.gz");
  const std::uintmax_t num_events = record.events.size();
  const std::uintmax_t limit = std::max(most, most / million * num_events);
  // The page has a part of the figures in the log, in text, and the times in its own columns.
  const std::uintmax_t page = num_events * 5 / 2 + log * 3 / 10;
  const std::uintmax_t others = log + trace + page;
  return limit > others + least ? limit - others : least;
}

}  // namespace

void write_report(const std::string& folder) {
  const run_record record = read_record(folder + "/run.tessera-log");
  const std::vector<operation_summary> summaries = summaries_of(record);
  write_text_file(folder + "/history.csv", history_csv(record, summaries));
  write_text_file(folder + "/history.json", history_json(record, summaries));
  write_text_file(folder + "/workers.csv", workers_csv(time_accounts_of(record).workers));
  write_text_file(folder + "/explain.txt", record.header.explanation);
  write_trace(record, folder + "/trace.json.gz");
  const index_t per_line =
      write_task_table(record, folder + "/tasks.csv.gz", bytes_for_tasks(record, folder));
  write_timeline(record, summaries, per_line, folder + "/timeline.html");
  write_text_file(folder + "/timeline.svg", timeline_svg(record, summaries));
}

}  // namespace tessera
