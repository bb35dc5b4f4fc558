// SPDX-License-Identifier: Apache-2.0
#include "observe/record/log_file.hpp"

#include "tessera/core/error.hpp"

#include "core/api/fingerprint.hpp"
#include "json/values.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

json json_of(const workload_operation& operation) {
  return {{"label", operation.name},
          {"tasks", operation.num_tasks},
          {"steps_per_task", operation.element_steps_per_task},
          {"bytes_read_per_task", operation.bytes_read_per_task.count()},
          {"bytes_written_per_task", operation.bytes_written_per_task.count()},
          {"task_memory", operation.task_memory.count()},
          {"resident_memory", operation.resident_memory.count()},
          {"after", operation.after}};
}

bytes size_in(const json& value, const char* key) { return bytes{fields::count(value.at(key))}; }

workload_operation operation_of(const json& value) {
  workload_operation operation;
  operation.name = fields::text(value.at("label"));
  operation.num_tasks = static_cast<index_t>(fields::count(value.at("tasks")));
  operation.element_steps_per_task =
      static_cast<index_t>(fields::count(value.at("steps_per_task")));
  operation.bytes_read_per_task = size_in(value, "bytes_read_per_task");
  operation.bytes_written_per_task = size_in(value, "bytes_written_per_task");
  operation.task_memory = size_in(value, "task_memory");
  operation.resident_memory = size_in(value, "resident_memory");
  operation.after = fields::counts(value.at("after"));
  return operation;
}

void put_little_endian(std::string& out, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

}  // namespace

std::string record_of(std::string_view content) {
  std::string record;
  record.reserve(record_head_size + content.size());
  put_little_endian(record, content.size(), 4);
  put_little_endian(record, fingerprint::words_of(content)[1], 8);
  record += content;
  return record;
}

std::string header_text(const run_header& header) {
  json operations = json::array();
  for (const workload_operation& operation : header.operations) {
    operations.push_back(json_of(operation));
  }
  const json text{{"version", run_log_version},
                  {"executor", header.executor},
                  {"workers", header.num_workers},
                  {"is_simulated", header.is_simulated},
                  {"allowed_memory", header.allowed_memory.count()},
                  {"began", header.began},
                  {"context", header.context},
                  {"explanation", header.explanation},
                  {"operations", std::move(operations)}};
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

run_header parse_header(const std::string& text) try {
  const json parsed = fields::parse(text);
  run_header header;
  header.version = fields::count(parsed.at("version"));
  if (header.version < oldest_run_log_version || header.version > run_log_version) {
    throw value_error(
        fmt::format("log of a run: it has version {}, this program reads versions {} to {}",
                    header.version, oldest_run_log_version, run_log_version));
  }
  header.executor = fields::text(parsed.at("executor"));
  constexpr std::size_t most_workers = std::size_t{1} << 24;
  header.num_workers = fields::number_below(parsed.at("workers"), most_workers);
  header.is_simulated = fields::flag(parsed.at("is_simulated"));
  if (header.version > oldest_run_log_version) {
    header.allowed_memory = size_in(parsed, "allowed_memory");
  }
  header.began = fields::text(parsed.at("began"));
  header.explanation = fields::text(parsed.at("explanation"));
  for (const auto& [name, fact] : parsed.at("context").get_ref<const json::object_t&>()) {
    header.context[name] = fields::text(fact);
  }
  for (const json& operation : parsed.at("operations").get_ref<const json::array_t&>()) {
    header.operations.push_back(operation_of(operation));
  }
  return header;
} catch (const json::exception& failure) {
  throw value_error(fmt::format("log of a run: its header is damaged: {}", failure.what()));
}

run_log_writer::run_log_writer(std::string path, const run_header& header)
    : path_(std::move(path)) {
  file_.open(path_, std::ios::binary | std::ios::out | std::ios::trunc);
  if (!file_) {
    throw store_error(
        fmt::format("report: cannot create the log \"{}\": {}", path_, std::strerror(errno)));
  }
  file_ << run_log_magic;
  write(header_text(header));
}

void run_log_writer::add(run_event event) {
  events_.push_back(std::move(event));
  if (events_.size() == written_block_events) flush();
}

void run_log_writer::flush() {
  if (events_.empty()) return;
  write(encoder_.encode(events_));
  events_.clear();
}

void run_log_writer::write(std::string_view content) {
  file_ << record_of(content) << std::flush;
  if (file_) return;
  throw store_error(
      fmt::format("report: cannot write the log \"{}\": {}; the run is not recorded "
                  "from here on",
                  path_, std::strerror(errno)));
}

}  // namespace tessera
