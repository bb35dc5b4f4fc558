// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/recorder.hpp"

#include "observe/api/text_file.hpp"
#include "observe/record/report_files.hpp"
#include "observe/record/run_record.hpp"
#include "observe/record/timeline_svg.hpp"
#include "observe/record/worker_times.hpp"

#include <string>
#include <vector>

namespace tessera {

void write_report(const std::string& folder) {
  const run_record record = read_record(folder + "/run.tessera-log");
  const std::vector<operation_summary> summaries = summaries_of(record);
  write_text_file(folder + "/history.csv", history_csv(record, summaries));
  write_text_file(folder + "/history.json", history_json(record, summaries));
  write_text_file(folder + "/workers.csv", workers_csv(worker_times_of(record)));
  write_text_file(folder + "/explain.txt", record.header.explanation);
  write_task_table(record, folder + "/tasks.csv.gz");
  write_trace(record, folder + "/trace.json.gz");
  write_timeline(record, summaries, folder + "/timeline.html");
  write_text_file(folder + "/timeline.svg", timeline_svg(record, summaries));
}

}  // namespace tessera
