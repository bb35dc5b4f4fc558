// SPDX-License-Identifier: Apache-2.0
#include "core/api/escaped_text.hpp"
#include "json/values.hpp"
#include "observe/record/critical_path.hpp"
#include "observe/record/report_files.hpp"
#include "observe/record/worker_starts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

constexpr std::string_view columns =
    "operation,label,tasks,done,resumed,attempts,failures,dropped,backups,begin_s,end_s,busy_s,"
    "lost_s,start_up_s,waited_inputs_s,waited_memory_s,waited_pause_s,shortest_s,quartile_s,median_"
    "s,upper_quartile_s,ninth_decile_s,longest_s,"
    "bytes_read,bytes_written,requests,encoded_read,encoded_written,storage_s,codec_s,"
    "memory_measured,memory_promised,memory_of_outputs\n";

std::string measured(std::uint64_t number, bool is_known) {
  return is_known ? fmt::format("{}", number) : "";
}

std::string line_of(std::size_t number, const workload_operation& operation,
                    const operation_summary& summary) {
  std::array<std::string, reported_quantiles.size()> quantiles;
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    quantiles[i] = seconds_text(summary.quantiles[i]);
  }
  std::array<std::string, std::tuple_size_v<idle_times>> before_attempts{
      seconds_text(summary.start_up_time)};
  for (std::size_t i = 1; i < before_attempts.size(); ++i) {
    before_attempts[i] = seconds_text(summary.waited[i]);
  }
  const bool is_known = summary.is_moved_known;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", number,
      csv_field(operation.name), operation.num_tasks, summary.num_done, summary.num_resumed,
      summary.num_attempts, summary.num_failures, summary.num_dropped, summary.num_backups,
      seconds_text(summary.began), seconds_text(summary.ended), seconds_text(summary.busy),
      seconds_text(summary.lost), fmt::join(before_attempts, ","), fmt::join(quantiles, ","),
      measured(summary.moved.read.count(), is_known),
      measured(summary.moved.written.count(), is_known), measured(summary.moved.requests, is_known),
      measured(summary.moved.encoded_read.count(), is_known),
      measured(summary.moved.encoded_written.count(), is_known),
      is_known ? seconds_text(summary.moved.storage_time) : "",
      is_known ? seconds_text(summary.moved.codec_time) : "",
      measured(summary.memory.count(), summary.memory > bytes{}), operation.task_memory.count(),
      operation.resident_memory.count());
}

/// Seconds as the table has them, so that the figures of both files are equal.
json seconds(session_time time) { return fields::parse(seconds_text(time)); }

/// Returns the times of idle workers by their reasons.
json json_of(const idle_times& times) {
  json idle = json::object();
  for (std::size_t reason = 1; reason < times.size(); ++reason) {
    idle[name_of(static_cast<idle_reason>(reason))] = seconds(times[reason]);
  }
  return idle;
}

json json_of(const operation_summary& summary) {
  json quantiles = json::object();
  for (std::size_t i = 0; i < reported_quantiles.size(); ++i) {
    quantiles[fmt::format("{}", reported_quantiles[i])] = seconds(summary.quantiles[i]);
  }
  json fields{{"done", summary.num_done},
              {"resumed", summary.num_resumed},
              {"attempts", summary.num_attempts},
              {"failures", summary.num_failures},
              {"dropped", summary.num_dropped},
              {"backups", summary.num_backups},
              {"begin_s", seconds(summary.began)},
              {"end_s", seconds(summary.ended)},
              {"busy_s", seconds(summary.busy)},
              {"lost_s", seconds(summary.lost)},
              {"start_up_s", seconds(summary.start_up_time)},
              {"waited_s", json_of(summary.waited)},
              {"task_s", std::move(quantiles)}};
  if (summary.is_moved_known) {
    fields["bytes_read"] = summary.moved.read.count();
    fields["bytes_written"] = summary.moved.written.count();
    fields["requests"] = summary.moved.requests;
    fields["encoded_read"] = summary.moved.encoded_read.count();
    fields["encoded_written"] = summary.moved.encoded_written.count();
    fields["storage_s"] = seconds(summary.moved.storage_time);
    fields["codec_s"] = seconds(summary.moved.codec_time);
  }
  if (summary.memory > bytes{}) fields["memory_measured"] = summary.memory.count();
  return fields;
}

json operations_json(const run_record& record, const std::vector<operation_summary>& summaries) {
  json operations = json::array();
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const workload_operation& operation = record.header.operations[i];
    json fields = json_of(summaries[i]);
    fields["operation"] = i;
    fields["label"] = operation.name;
    fields["tasks"] = operation.num_tasks;
    fields["memory_promised"] = operation.task_memory.count();
    fields["memory_of_outputs"] = operation.resident_memory.count();
    fields["after"] = operation.after;
    operations.push_back(std::move(fields));
  }
  return operations;
}

json failures_json(const run_record& record) {
  json failures = json::array();
  for (const run_event& event : record.events) {
    if (event.kind != run_event_kind::attempt_failed) continue;
    failures.push_back({{"operation", event.operation},
                        {"task", event.first},
                        {"worker", event.worker},
                        {"attempt", event.attempt},
                        {"begin_s", seconds(event.started)},
                        {"end_s", seconds(event.ended)},
                        {"is_retried", event.detail == 1},
                        {"cause", event.text}});
  }
  return failures;
}

/// Returns the attempts of the critical path and their times, by operation, and the time that the
/// path waits.
json critical_path_json(const run_record& record) {
  struct sum {
    std::size_t num_attempts = 0;
    session_time busy{};
  };
  std::map<std::size_t, sum> sums;
  session_time busy{};
  session_time ended{};
  for (const critical_span& span : critical_path_of(record)) {
    sums[span.operation].num_attempts += span.num_attempts;
    sums[span.operation].busy += span.busy;
    busy += span.busy;
    ended = std::max(ended, span.ended);
  }
  json operations = json::array();
  for (const auto& [operation, part] : sums) {
    operations.push_back({{"operation", operation},
                          {"attempts", part.num_attempts},
                          {"busy_s", seconds(part.busy)}});
  }
  return {{"operations", std::move(operations)},
          {"busy_s", seconds(busy)},
          {"waits_s", seconds(ended - busy)},
          {"end_s", seconds(ended)}};
}

}  // namespace

std::string history_csv(const run_record& record, const std::vector<operation_summary>& summaries) {
  std::string table(columns);
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    table += line_of(i, record.header.operations[i], summaries[i]);
  }
  return table;
}

json history_facts(const run_record& record, const std::vector<operation_summary>& summaries) {
  const run_header& header = record.header;
  return {{"executor", header.executor},
          {"workers", header.num_workers},
          {"is_simulated", header.is_simulated},
          {"began", header.began},
          {"outcome", name_of(record.outcome)},
          {"elapsed_s", seconds(record.elapsed)},
          {"context", header.context},
          {"allowed_memory", header.allowed_memory.count()},
          {"start_up_s", seconds(worker_starts(record).total())},
          {"idle_s", json_of(idle_times_of(record))},
          {"operations", operations_json(record, summaries)},
          {"critical_path", critical_path_json(record)},
          {"failures", failures_json(record)}};
}

std::string history_json(const run_record& record,
                         const std::vector<operation_summary>& summaries) {
  return history_facts(record, summaries).dump(1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

}  // namespace tessera
