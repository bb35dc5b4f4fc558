// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chrome's trace format, which Perfetto opens.
///
/// Source: "Trace Event Format" of the Chromium project. Times are microseconds. Perfetto draws
/// complete events of one track that overlap only if they nest, so that an event of a worker is cut
/// at the begin of the next one.
#include "core/api/numbered_label.hpp"
#include "observe/record/gzip_file.hpp"
#include "observe/record/report_files.hpp"
#include "observe/record/worker_starts.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

constexpr std::size_t trace_piece_size = 1 << 16;
constexpr std::size_t most_counters = 20'000;
/// Beyond, neighbours are drawn as one: browsers draw this many.
constexpr std::size_t most_spans = 100'000;
/// The most starts of workers that are drawn: the first.
constexpr std::size_t most_starts = 20'000;

std::string json_text(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::int64_t microseconds(session_time time) { return time / std::chrono::microseconds(1); }

/// Writes the events of a trace, separated by commas.
class trace_writer {
 public:
  explicit trace_writer(const std::string& path) : file_(path) {
    text_ = R"({"displayTimeUnit":"ms","traceEvents":[)";
  }

  void add(std::string_view event) {
    text_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    text_ += event;
    if (text_.size() < trace_piece_size) return;
    file_.write(text_);
    text_.clear();
  }

  void close() {
    file_.write(text_ + "\n]}\n");
    file_.close();
  }

 private:
  gzip_file file_;
  std::string text_;
  bool is_first_ = true;
};

/// Returns the arguments of an event that draws `count` tasks. The rest is in tasks.csv.gz.
std::string arguments_of(const run_event& event, index_t count) {
  std::string text = fmt::format(R"("first":{},"count":{})", event.first, count);
  if (event.attempt > 1) text += fmt::format(R"(,"attempt":{})", event.attempt);
  if (!event.text.empty()) text += fmt::format(R"(,"cause":{})", json_text(event.text));
  return text;
}

/// Returns the process of a worker: process 0 has the counters, and each host is one more.
std::size_t process_of(const worker_starts& starts, std::size_t worker) {
  return 1 + starts.host_of(worker);
}

void add_process_name(trace_writer& trace, std::size_t process, std::string_view name) {
  trace.add(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})",
                        process, json_text(name)));
}

/// Adds the names of hosts and workers. Requires: `attempts` are sorted by host and worker.
void add_names(trace_writer& trace, const run_record& record, const worker_starts& starts,
               const std::vector<const run_event*>& attempts) {
  add_process_name(trace, 0, record.header.executor);
  std::size_t last_process = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const std::size_t worker = attempts[i]->worker;
    if (i > 0 && attempts[i - 1]->worker == worker) continue;
    const std::size_t process = process_of(starts, worker);
    if (std::exchange(last_process, process) != process) {
      const std::string& host = starts.name_of_host(process - 1);
      add_process_name(trace, process, host.empty() ? "unknown host" : host);
    }
    trace.add(fmt::format(
        R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"worker {}"}}}})",
        process, worker, worker));
  }
}

void add_starts(trace_writer& trace, const worker_starts& starts) {
  std::size_t num_drawn = 0;
  for (const start_up& start : starts.list()) {
    if (start.began == start.ready) continue;
    if (++num_drawn > most_starts) return;
    trace.add(fmt::format(
        R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"start-up","cname":"startup"}})",
        process_of(starts, start.worker), start.worker, microseconds(start.began),
        microseconds(start.ready - start.began)));
  }
}

/// Events of a track that are drawn as one: neighbours of an operation.
struct trace_span {
  const run_event* first_event = nullptr;
  session_time ended{};
  index_t count = 0;
};

/// Returns the spans of `attempts`: one each, or one for neighbours if there are too many.
std::vector<trace_span> spans_of(const std::vector<const run_event*>& attempts) {
  const std::size_t per_span = attempts.size() / most_spans + 1;
  std::vector<trace_span> spans;
  std::size_t num_joined = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const run_event& event = *attempts[i];
    if (event.started == event.ended) continue;
    const bool has_next = i + 1 < attempts.size() && attempts[i + 1]->worker == event.worker;
    const session_time ended =
        has_next ? std::min(event.ended, attempts[i + 1]->started) : event.ended;
    const bool is_neighbour = !spans.empty() && num_joined < per_span &&
                              event.kind == run_event_kind::tasks_ended &&
                              spans.back().first_event->kind == event.kind &&
                              spans.back().first_event->worker == event.worker &&
                              spans.back().first_event->operation == event.operation;
    if (is_neighbour) {
      ++num_joined;
      spans.back().ended = ended;
      spans.back().count += event.count;
    } else {
      num_joined = 1;
      spans.push_back({&event, ended, event.count});
    }
  }
  return spans;
}

void add_spans(trace_writer& trace, const run_record& record, const worker_starts& starts,
               const std::vector<const run_event*>& attempts) {
  std::vector<std::string> labels;
  for (const workload_operation& operation : record.header.operations) {
    labels.push_back(json_text(numbered_label(labels.size(), operation.name)));
  }
  for (const trace_span& span : spans_of(attempts)) {
    const run_event& event = *span.first_event;
    const char* const colour =
        event.kind == run_event_kind::attempt_failed    ? R"(,"cname":"terrible")"
        : event.kind == run_event_kind::attempt_dropped ? R"(,"cname":"grey")"
                                                        : "";
    trace.add(
        fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{}{},"args":{{{}}}}})",
                    process_of(starts, event.worker), event.worker, microseconds(event.started),
                    microseconds(span.ended - event.started), labels[event.operation], colour,
                    arguments_of(event, span.count)));
  }
}

void add_counter(trace_writer& trace, session_time time, const char* name, std::uint64_t value) {
  trace.add(fmt::format(R"({{"ph":"C","pid":0,"ts":{},"name":"{}","args":{{"value":{}}}}})",
                        microseconds(time), name, value));
}

/// Adds the number of workers that run tasks when it changes, at most `most_counters` times.
void add_busy_workers(trace_writer& trace, const std::vector<const run_event*>& attempts) {
  std::vector<std::pair<session_time, int>> changes;
  for (const run_event* event : attempts) {
    changes.emplace_back(event->started, 1);
    changes.emplace_back(event->ended, -1);
  }
  std::ranges::sort(changes);
  const std::size_t step = changes.size() / most_counters + 1;
  std::int64_t busy = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    busy += changes[i].second;
    const bool is_last = i + 1 == changes.size();
    const bool is_last_of_time = is_last || changes[i + 1].first != changes[i].first;
    if (is_last || (is_last_of_time && i % step == 0)) {
      add_counter(trace, changes[i].first, "busy workers", static_cast<std::uint64_t>(busy));
    }
  }
}

}  // namespace

void write_trace(const run_record& record, const std::string& path) {
  const worker_starts starts(record);
  const std::vector<const run_event*> attempts = attempts_by_host(record, starts);
  trace_writer trace(path);
  add_names(trace, record, starts, attempts);
  add_starts(trace, starts);
  add_spans(trace, record, starts, attempts);
  for (const run_event& event : record.events) {
    if (event.kind != run_event_kind::memory_sampled) continue;
    add_counter(trace, event.started, "memory of the process", event.memory.count());
  }
  add_busy_workers(trace, attempts);
  trace.close();
}

}  // namespace tessera
