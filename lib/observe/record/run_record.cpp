// SPDX-License-Identifier: Apache-2.0
#include "observe/record/run_record.hpp"

#include "observe/record/worker_times.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

/// The mean time of the tasks of a batch, and their number.
struct batch_time {
  session_time task{};
  index_t count = 0;
};

/// Returns the time at the rank `ceil(q n)` of n tasks. Requires: `times` is sorted.
session_time quantile_of(const std::vector<batch_time>& times, index_t num_tasks, double q) {
  const auto rank = std::max<index_t>(
      1, static_cast<index_t>(std::ceil(q * static_cast<double>(num_tasks) - 1e-9)));
  index_t passed = 0;
  for (const batch_time& batch : times) {
    passed += batch.count;
    if (passed >= rank) return batch.task;
  }
  return {};
}

void set_quantiles(operation_summary& summary, std::vector<batch_time>& times) {
  std::ranges::sort(times, {}, &batch_time::task);
  index_t num_tasks = 0;
  for (const batch_time& batch : times) num_tasks += batch.count;
  for (std::size_t i = 0; i < reported_quantiles.size(); ++i) {
    summary.quantiles[i] = quantile_of(times, num_tasks, reported_quantiles[i]);
  }
}

void count_batch(operation_summary& summary, const run_event& event) {
  summary.num_done += event.count;
  summary.num_attempts += event.count;
  summary.busy += event.ended - event.started;
  summary.memory = std::max(summary.memory, event.memory);
  if (event.moved) {
    summary.moved += *event.moved;
  } else {
    summary.is_moved_known = false;
  }
}

void count(operation_summary& summary, const run_event& event) {
  switch (event.kind) {
    case run_event_kind::operation_began:
      summary.began = event.started;
      break;
    case run_event_kind::operation_ended:
      summary.ended = event.started;
      break;
    case run_event_kind::tasks_resumed:
      summary.num_resumed += event.count;
      summary.num_done += event.count;
      break;
    case run_event_kind::tasks_ended:
      count_batch(summary, event);
      break;
    case run_event_kind::attempt_failed:
      ++summary.num_failures;
      ++summary.num_attempts;
      summary.lost += event.ended - event.started;
      break;
    case run_event_kind::attempt_dropped:
      ++summary.num_dropped;
      summary.lost += event.ended - event.started;
      break;
    case run_event_kind::backup_started:
      ++summary.num_backups;
      break;
    default:
      break;
  }
}

bool has_operation(const run_event& event) { return event.kind <= run_event_kind::backup_started; }

}  // namespace

run_record read_record(const std::string& path) {
  run_log_reader reader(path);
  run_record record{.header = reader.header(), .events = {}, .outcome = std::nullopt};
  while (auto block = reader.next_block()) {
    std::ranges::move(*block, std::back_inserter(record.events));
  }
  for (const run_event& event : record.events) {
    record.elapsed = std::max(record.elapsed, event.ended);
    if (event.kind == run_event_kind::run_ended && event.detail <= 2) {
      record.outcome = static_cast<computation_outcome>(event.detail);
    }
  }
  return record;
}

std::vector<const run_event*> attempts_by_worker(const run_record& record) {
  std::vector<const run_event*> attempts;
  for (const run_event& event : record.events) {
    if (event.kind == run_event_kind::tasks_ended || event.kind == run_event_kind::attempt_failed ||
        event.kind == run_event_kind::attempt_dropped) {
      attempts.push_back(&event);
    }
  }
  std::ranges::stable_sort(attempts, {}, [](const run_event* event) {
    return std::pair(event->worker, event->started);
  });
  return attempts;
}

std::vector<operation_summary> summaries_of(const run_record& record) {
  std::vector<operation_summary> summaries(record.header.operations.size());
  std::vector<std::vector<batch_time>> times(summaries.size());
  for (const run_event& event : record.events) {
    if (!has_operation(event)) continue;
    count(summaries[event.operation], event);
    if (event.kind == run_event_kind::tasks_ended && event.count > 0) {
      times[event.operation].push_back({(event.ended - event.started) / event.count, event.count});
    }
  }
  const std::vector<operation_waits> waits = time_accounts_of(record).operations;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    set_quantiles(summaries[i], times[i]);
    summaries[i].start_up_time = waits[i].start_up_time;
    summaries[i].waited = waits[i].by_reason;
  }
  return summaries;
}

idle_times idle_times_of(const run_record& record) {
  return idle_reasons(record).until(record.elapsed);
}

const char* name_of(idle_reason reason) {
  switch (reason) {
    case idle_reason::none:
      return "none";
    case idle_reason::inputs:
      return "inputs";
    case idle_reason::memory:
      return "memory";
    case idle_reason::pause:
      return "pause";
  }
  return "none";
}

const char* name_of(std::optional<computation_outcome> outcome) {
  if (!outcome) return "no end recorded";
  switch (*outcome) {
    case computation_outcome::completed:
      return "completed";
    case computation_outcome::failed:
      return "failed";
    case computation_outcome::interrupted:
      return "interrupted";
  }
  return "no end recorded";
}

std::string seconds_text(session_time time) {
  constexpr std::int64_t second = 1'000'000;
  const std::int64_t microseconds = time / std::chrono::microseconds(1);
  if (microseconds % second == 0) return fmt::format("{}", microseconds / second);
  std::string text = fmt::format("{}.{:06}", microseconds / second, microseconds % second);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace tessera
