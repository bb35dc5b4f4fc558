// SPDX-License-Identifier: Apache-2.0
#include "observe/record/worker_times.hpp"

#include "core/api/escaped_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

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

/// Sums the times of workers, one after the other.
class accountant {
 public:
  explicit accountant(const run_record& record)
      : reasons_(record),
        starts_(record),
        elapsed_(record.elapsed),
        accounts_{.workers = {},
                  .operations = std::vector<operation_waits>(record.header.operations.size())} {}

  /// Counts the attempts of a worker, which are sorted by begin.
  void count(std::size_t worker, std::span<const run_event* const> attempts) {
    begin_worker(worker);
    for (const run_event* const attempt : attempts) {
      add_starts(attempt->started);
      add_gap(attempt->started);
      add_attempt(*attempt);
    }
    add_starts(session_time::max());
    add_gap(elapsed_);
  }

  /// Counts the workers before `worker` that have no attempt.
  void count_until(std::size_t worker) {
    while (next_start_ < starts_.list().size() && starts_.list()[next_start_].worker < worker) {
      count(starts_.list()[next_start_].worker, {});
    }
  }

  [[nodiscard]] time_accounts take() { return std::move(accounts_); }

 private:
  [[nodiscard]] worker_times& current() { return accounts_.workers.back(); }

  void begin_worker(std::size_t worker) {
    accounts_.workers.push_back({.worker = worker, .host = {}, .first_start = {}});
    const std::span<const start_up> starts = starts_.of(worker);
    if (!starts.empty()) {
      current().first_start = starts.front();
      current().host = starts_.name_of_host(starts.front().host);
    }
    end_ = {};
    waits_ = {};
  }

  /// Adds the starts of the worker that were ready until `time`.
  void add_starts(session_time time) {
    const std::vector<start_up>& list = starts_.list();
    for (; next_start_ < list.size() && list[next_start_].worker == current().worker &&
           list[next_start_].ready <= time;
         ++next_start_) {
      const start_up& start = list[next_start_];
      add_gap(start.began);
      current().start_up_time += start.ready - start.began;
      waits_.start_up_time += start.ready - start.began;
      end_ = std::max(end_, start.ready);
    }
  }

  /// Adds the time to `begin`, in which the worker had no attempt.
  void add_gap(session_time begin) {
    if (begin <= end_) return;
    const idle_times times = between(reasons_, end_, begin);
    current().idle += begin - end_;
    add(current().by_reason, times);
    add(waits_.by_reason, times);
    end_ = begin;
  }

  void add_attempt(const run_event& event) {
    const session_time time = event.ended - event.started;
    if (event.kind == run_event_kind::tasks_ended) {
      current().num_done += event.count;
      current().busy += time;
    } else {
      current().lost += time;
    }
    operation_waits& operation = accounts_.operations[event.operation];
    operation.start_up_time += waits_.start_up_time;
    add(operation.by_reason, waits_.by_reason);
    waits_ = {};
    // Clocks of workers may differ, so that attempts overlap.
    end_ = std::max(end_, event.ended);
  }

  idle_reasons reasons_;
  worker_starts starts_;
  session_time elapsed_;
  time_accounts accounts_;
  std::size_t next_start_ = 0;
  session_time end_{};       ///< of the last attempt or start of the worker
  operation_waits waits_{};  ///< of the worker since its last attempt
};

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

time_accounts time_accounts_of(const run_record& record) {
  const std::vector<const run_event*> attempts = attempts_by_worker(record);
  accountant sums(record);
  for (std::size_t first = 0; first < attempts.size();) {
    const std::size_t worker = attempts[first]->worker;
    std::size_t last = first;
    while (last < attempts.size() && attempts[last]->worker == worker) ++last;
    sums.count_until(worker);
    sums.count(worker, std::span(attempts).subspan(first, last - first));
    first = last;
  }
  sums.count_until(std::numeric_limits<std::size_t>::max());
  return sums.take();
}

std::vector<std::string> fields_of(const worker_times& worker) {
  std::vector<std::string> fields{fmt::format("{}", worker.worker), worker.host};
  const std::optional<start_up>& start = worker.first_start;
  fields.push_back(start ? seconds_text(start->asked) : "");
  fields.push_back(start ? seconds_text(start->ready) : "");
  fields.push_back(seconds_text(worker.start_up_time));
  fields.push_back(fmt::format("{}", worker.num_done));
  for (const session_time time : {worker.busy, worker.lost, worker.idle}) {
    fields.push_back(seconds_text(time));
  }
  for (std::size_t i = 1; i < worker.by_reason.size(); ++i) {
    fields.push_back(seconds_text(worker.by_reason[i]));
  }
  return fields;
}

std::string workers_csv(const std::vector<worker_times>& workers) {
  std::string table = "worker,host,asked_s,ready_s,start_up_s,done,busy_s,lost_s,idle_s";
  for (std::size_t i = 1; i < idle_times{}.size(); ++i) {
    table += fmt::format(",idle_{}_s", name_of(static_cast<idle_reason>(i)));
  }
  table += "\n";
  for (const worker_times& worker : workers) {
    std::vector<std::string> fields = fields_of(worker);
    fields[1] = csv_field(fields[1]);
    table += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return table;
}

}  // namespace tessera
