// SPDX-License-Identifier: Apache-2.0
#include "observe/record/worker_times.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace tessera {

namespace {

void add(idle_times& sums, const idle_times& added) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += added[i];
}

/// Returns the time of each reason from `begin` to `end`.
idle_times between(const idle_reasons& reasons, session_time begin, session_time end) {
  idle_times times = reasons.until(end);
  const idle_times before = reasons.until(begin);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] -= before[i];
  return times;
}

/// Adds the time from `begin` to `end`, in which the worker had no attempt.
void add_gap(worker_times& worker, const idle_reasons& reasons, session_time begin,
             session_time end) {
  if (end <= begin) return;
  worker.idle += end - begin;
  add(worker.by_reason, between(reasons, begin, end));
}

void add_attempt(worker_times& worker, const run_event& event) {
  const session_time time = event.ended - event.started;
  if (event.kind == run_event_kind::tasks_ended) {
    worker.num_done += event.count;
    worker.busy += time;
  } else {
    worker.lost += time;
  }
}

}  // namespace

idle_reasons::idle_reasons(const run_record& record) {
  for (const run_event& event : record.events) {
    if (event.kind != run_event_kind::workers_idle || event.detail >= idle_times{}.size()) continue;
    changes_.push_back({.time = event.started, .reason = event.detail});
  }
  std::ranges::stable_sort(changes_, {}, &change::time);
  for (std::size_t i = 1; i < changes_.size(); ++i) {
    const change& last = changes_[i - 1];
    changes_[i].before = last.before;
    if (last.reason != 0) changes_[i].before[last.reason] += changes_[i].time - last.time;
  }
}

idle_times idle_reasons::until(session_time time) const {
  const auto next = std::ranges::upper_bound(changes_, time, {}, &change::time);
  if (next == changes_.begin()) return {};
  const change& last = *std::prev(next);
  idle_times times = last.before;
  if (last.reason != 0) times[last.reason] += time - last.time;
  return times;
}

std::vector<worker_times> worker_times_of(const run_record& record) {
  const idle_reasons reasons(record);
  std::vector<worker_times> workers;
  session_time end{};
  for (const run_event* event : attempts_by_worker(record)) {
    if (workers.empty() || workers.back().worker != event->worker) {
      if (!workers.empty()) add_gap(workers.back(), reasons, end, record.elapsed);
      workers.push_back({.worker = event->worker});
      end = {};
    }
    add_gap(workers.back(), reasons, end, event->started);
    add_attempt(workers.back(), *event);
    // Clocks of workers may differ, so that attempts overlap.
    end = std::max(end, event->ended);
  }
  if (!workers.empty()) add_gap(workers.back(), reasons, end, record.elapsed);
  return workers;
}

std::string workers_csv(const std::vector<worker_times>& workers) {
  std::string table = "worker,done,busy_s,lost_s,idle_s";
  for (std::size_t i = 1; i < idle_times{}.size(); ++i) {
    table += fmt::format(",idle_{}_s", name_of(static_cast<idle_reason>(i)));
  }
  table += "\n";
  for (const worker_times& worker : workers) {
    table +=
        fmt::format("{},{},{},{},{}", worker.worker, worker.num_done, seconds_text(worker.busy),
                    seconds_text(worker.lost), seconds_text(worker.idle));
    for (std::size_t i = 1; i < worker.by_reason.size(); ++i) {
      table += fmt::format(",{}", seconds_text(worker.by_reason[i]));
    }
    table += "\n";
  }
  return table;
}

}  // namespace tessera
