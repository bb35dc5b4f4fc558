// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The files of a report. Times are in seconds since the computation began, sizes in bytes.

#include "observe/record/run_record.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Returns a table with a line for each operation. Fields that were not measured are empty.
[[nodiscard]] std::string history_csv(const run_record& record,
                                      const std::vector<operation_summary>& summaries);

/// Returns the same figures with the context, the reasons of idle workers and each
/// failure.
[[nodiscard]] nlohmann::json history_facts(const run_record& record,
                                           const std::vector<operation_summary>& summaries);

/// Returns `history_facts` as text.
[[nodiscard]] std::string history_json(const run_record& record,
                                       const std::vector<operation_summary>& summaries);

/// Writes a table with a line for each attempt of a batch, compressed by gzip. If it would be
/// larger than `most_bytes`, a line stands for several neighbours: batches of one operation on one
/// worker. Returns the most batches of a line.
///
/// Throws: store_error <- the file cannot be written.
index_t write_task_table(const run_record& record, const std::string& path,
                         std::uintmax_t most_bytes);

/// Writes the events in Chrome's trace format, compressed by gzip: a process for each host, a track
/// for each worker, with events that do not overlap, and counters of memory and busy workers.
///
/// Throws: store_error <- the file cannot be written.
void write_trace(const run_record& record, const std::string& path);

/// Writes a page that draws all batches on a time axis, with their figures: one file, for a
/// browser. `batches_per_line`: of tasks.csv.gz.
///
/// Throws: store_error <- the file cannot be written.
void write_timeline(const run_record& record, const std::vector<operation_summary>& summaries,
                    index_t batches_per_line, const std::string& path);

}  // namespace tessera
