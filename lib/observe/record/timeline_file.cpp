// SPDX-License-Identifier: Apache-2.0
/// \file
/// The page of a run: one file, with its script, its style and all batches.
///
/// Batches are sorted by host, worker and begin. Each of their numbers is a column, deflated, in
/// base64, which the browser unpacks. Times are ticks, of which the run has at most 10^8: the begin
/// is stored as the distance from the end of the batch before on the same worker.
///
/// The first tasks have an order of their own: operation, begin, place in the other columns. A
/// first task is stored as its distance from the end of the tasks before it in that order, in
/// zigzag. Schedulers start tasks in their order, so that nearly all distances are zero.
///
/// A column is split into planes (planes.hpp). The starts of workers have three columns of their
/// own: the distance of the row from the one before, the begin, the duration.
#include "core/api/base64.hpp"
#include "core/api/escaped_text.hpp"
#include "observe/api/text_file.hpp"
#include "observe/page/timeline_page.hpp"
#include "observe/record/critical_path.hpp"
#include "observe/record/deflate.hpp"
#include "observe/record/planes.hpp"
#include "observe/record/report_files.hpp"
#include "observe/record/varint.hpp"
#include "observe/record/worker_starts.hpp"
#include "observe/record/worker_times.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using nlohmann::json;

constexpr std::int64_t most_ticks = 100'000'000;
/// The most samples of memory, of failures and of characters of the explanation on a page.
constexpr std::size_t most_samples = 10'000;
constexpr std::size_t most_failures = 500;
/// The most workers whose times stand in a table.
constexpr std::size_t most_workers = 50;
constexpr std::size_t longest_explanation = 200'000;
/// The most spans of the critical path that are drawn: the longest.
constexpr std::size_t most_spans_of_path = 5000;
/// The most times at which the waits of workers are known.
constexpr std::size_t most_waits = 4000;

/// Returns the length of a tick in nanoseconds: a power of ten, at least a microsecond.
std::int64_t tick_of(session_time elapsed) {
  std::int64_t tick = 1000;
  while (elapsed.count() / tick > most_ticks) tick *= 10;
  return tick;
}

std::uint64_t outcome_number(const run_event& event) {
  if (event.kind == run_event_kind::tasks_ended) return 0;
  return event.kind == run_event_kind::attempt_failed ? 1 : 2;
}

/// Returns the element of the page that holds a column.
std::string element_of(std::string_view name, const std::vector<std::uint64_t>& numbers) {
  const std::string packed = deflated(planes_of(numbers), small_level);
  return fmt::format("<script type=\"text/plain\" id=\"column-{}\">{}</script>\n", name,
                     detail::to_base64(std::as_bytes(std::span(packed))));
}

/// The columns of the batches, and the rows of workers.
class batch_columns {
 public:
  batch_columns(const std::vector<const run_event*>& attempts, std::int64_t tick) : tick_(tick) {
    for (const run_event* event : attempts) add(*event);
    add_first_tasks(attempts);
  }

  /// Returns the elements of the page that hold the columns.
  [[nodiscard]] std::string elements() const {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += element_of(names[i], columns_[i]);
    return text;
  }
  [[nodiscard]] std::size_t size() const { return begins_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::size_t>& workers() const { return workers_; }

 private:
  static constexpr std::array<const char*, 9> names{
      "gap", "duration", "operation", "count", "outcome", "read", "written", "memory", "first"};
  using columns = std::array<std::vector<std::uint64_t>, names.size()>;

  void add(const run_event& event) {
    if (workers_.empty() || workers_.back() != event.worker) {
      workers_.push_back(event.worker);
      rows_.push_back(0);
      end_ = 0;
    }
    ++rows_.back();
    // Clocks of workers may differ: a batch begins no earlier than the one before it ended.
    const std::int64_t begin = std::max(event.started.count() / tick_, end_);
    const std::int64_t end = std::max(event.ended.count() / tick_, begin);
    const traffic moved = event.moved.value_or(traffic{});
    const std::array<std::uint64_t, names.size() - 1> numbers{
        static_cast<std::uint64_t>(begin - end_),
        static_cast<std::uint64_t>(end - begin),
        event.operation,
        static_cast<std::uint64_t>(event.count),
        outcome_number(event),
        moved.read.count(),
        moved.written.count(),
        event.memory.count()};
    for (std::size_t i = 0; i < numbers.size(); ++i) columns_[i].push_back(numbers[i]);
    begins_.push_back(begin);
    end_ = end;
  }

  /// Fills the column of first tasks, in the order of operations and begins.
  void add_first_tasks(const std::vector<const run_event*>& attempts) {
    std::vector<std::size_t> order(attempts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::tuple(attempts[i]->operation, begins_[i], i);
    });
    const run_event* before = nullptr;
    for (const std::size_t i : order) {
      const run_event& event = *attempts[i];
      const bool is_neighbour = before != nullptr && before->operation == event.operation;
      const index_t expected = is_neighbour ? before->first + before->count : 0;
      columns_.back().push_back(zigzag(static_cast<std::uint64_t>(event.first - expected)));
      before = &event;
    }
  }

  std::int64_t tick_;
  std::int64_t end_ = 0;
  columns columns_;
  std::vector<std::int64_t> begins_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> workers_;
};

/// The columns of the starts of workers that have a row, in the order of rows.
class start_columns {
 public:
  start_columns(const worker_starts& starts, const std::vector<std::size_t>& workers,
                std::int64_t tick) {
    std::size_t before = 0;
    for (std::size_t row = 0; row < workers.size(); ++row) {
      for (const start_up& start : starts.of(workers[row])) {
        if (start.began == start.ready) continue;
        columns_[0].push_back(row - before);
        columns_[1].push_back(static_cast<std::uint64_t>(start.began.count() / tick));
        columns_[2].push_back(
            static_cast<std::uint64_t>((start.ready - start.began).count() / tick));
        before = row;
      }
    }
  }

  [[nodiscard]] std::string elements() const {
    return element_of("start-row", columns_[0]) + element_of("start-begin", columns_[1]) +
           element_of("start-duration", columns_[2]);
  }
  [[nodiscard]] std::size_t size() const { return columns_[0].size(); }

 private:
  std::array<std::vector<std::uint64_t>, 3> columns_;
};

/// Returns the hosts in the order of rows: the name and the number of rows of each.
json hosts_of(const worker_starts& starts, const std::vector<std::size_t>& workers) {
  json hosts = json::array();
  std::size_t last_host = 0;
  for (const std::size_t worker : workers) {
    const std::size_t host = starts.host_of(worker);
    if (std::exchange(last_host, host) != host || hosts.empty()) {
      hosts.push_back({starts.name_of_host(host), 0});
    }
    hosts.back()[1] = hosts.back()[1].get<std::size_t>() + 1;
  }
  return hosts;
}

/// Returns samples of memory: the greatest of each of equal parts if there are many.
json samples_of(const run_record& record, std::int64_t tick) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> samples;
  for (const run_event& event : record.events) {
    if (event.kind != run_event_kind::memory_sampled) continue;
    samples.emplace_back(event.started.count() / tick, event.memory.count());
  }
  const std::size_t step = samples.size() / most_samples + 1;
  json kept = json::array();
  for (std::size_t i = 0; i < samples.size(); i += step) {
    const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        samples.begin() + static_cast<std::ptrdiff_t>(std::min(i + step, samples.size()));
    const auto greatest =
        std::max_element(begin, end, [](auto a, auto b) { return a.second < b.second; });
    kept.push_back({greatest->first, greatest->second});
  }
  return kept;
}

/// Returns the times of the workers that were idle for the longest.
json idle_workers_of(const run_record& record) {
  std::vector<worker_times> workers = time_accounts_of(record).workers;
  std::ranges::stable_sort(workers, std::ranges::greater(), &worker_times::idle);
  workers.resize(std::min(workers.size(), most_workers));
  json rows = json::array();
  for (const worker_times& worker : workers) rows.push_back(fields_of(worker));
  return rows;
}

/// Returns the longest spans of the critical path: operation, row, begin and end, in ticks.
json path_spans_of(std::vector<critical_span> path, const std::vector<std::size_t>& workers,
                   std::int64_t tick) {
  if (path.size() > most_spans_of_path) {
    std::ranges::stable_sort(path, std::ranges::greater(), &critical_span::busy);
    path.resize(most_spans_of_path);
    std::ranges::sort(path, {}, &critical_span::started);
  }
  std::unordered_map<std::size_t, std::size_t> rows;
  for (std::size_t row = 0; row < workers.size(); ++row) rows[workers[row]] = row;
  json spans = json::array();
  for (const critical_span& span : path) {
    spans.push_back({span.operation, rows[span.worker], span.started.count() / tick,
                     span.ended.count() / tick});
  }
  return spans;
}

/// Returns for some times the ticks of each reason of idle workers until then.
json waits_of(const run_record& record, std::int64_t tick) {
  const idle_reasons reasons(record);
  std::vector<session_time> times{{}};
  for (const run_event& event : record.events) {
    if (event.kind == run_event_kind::workers_idle) times.push_back(event.started);
  }
  times.push_back(record.elapsed);
  std::ranges::sort(times);
  const std::size_t step = times.size() / most_waits + 1;
  json waits = json::array();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i % step != 0 && i + 1 != times.size()) continue;
    const idle_times until = reasons.until(times[i]);
    json line = json::array({times[i].count() / tick});
    for (std::size_t reason = 1; reason < until.size(); ++reason) {
      line.push_back(until[reason].count() / tick);
    }
    waits.push_back(std::move(line));
  }
  return waits;
}

/// Returns the facts of the page besides batches.
json facts_of(const run_record& record, const std::vector<operation_summary>& summaries,
              const worker_starts& starts, const batch_columns& columns,
              const start_columns& start_ups) {
  json facts = history_facts(record, summaries);
  const std::int64_t tick = tick_of(record.elapsed);
  const auto program = record.header.context.find("program");
  facts["title"] = program == record.header.context.end() ? "run" : program->second;
  facts["tick_s"] = static_cast<double>(tick) * 1e-9;
  facts["elapsed_ticks"] = record.elapsed.count() / tick;
  facts["batches"] = columns.size();
  facts["starts"] = start_ups.size();
  facts["rows"] = columns.rows();
  facts["workers_of_rows"] = columns.workers();
  facts["hosts"] = hosts_of(starts, columns.workers());
  facts["idle_workers"] = idle_workers_of(record);
  facts["samples"] = samples_of(record, tick);
  facts["waits"] = waits_of(record, tick);
  facts["critical_spans"] = path_spans_of(critical_path_of(record), columns.workers(), tick);
  facts["explanation"] = record.header.explanation.substr(0, longest_explanation);
  json& failures = facts["failures"];
  while (failures.size() > most_failures) failures.erase(failures.size() - 1);
  return facts;
}

/// Returns JSON as it may stand in an element of a page: "</script>" would end it.
std::string text_of(const json& facts) {
  std::string text = facts.dump(-1, ' ', false, json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

/// Returns `page` with the parts in the places of "@NAME@". Parts are not searched.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
  std::string text;
  for (const auto& [name, part] : parts) {
    const std::size_t at = page.find(name);
    text += page.substr(0, at);
    text += part;
    page.remove_prefix(at + name.size());
  }
  return text.append(page);
}

}  // namespace

void write_timeline(const run_record& record, const std::vector<operation_summary>& summaries,
                    index_t batches_per_line, const std::string& path) {
  const worker_starts starts(record);
  const std::int64_t tick = tick_of(record.elapsed);
  const batch_columns columns(attempts_by_host(record, starts), tick);
  const start_columns start_ups(starts, columns.workers(), tick);
  json facts = facts_of(record, summaries, starts, columns, start_ups);
  facts["batches_per_line"] = batches_per_line;
  const std::string title = markup_text(facts.at("title").get<std::string>());
  const std::string text = text_of(facts);
  const std::string elements = columns.elements() + start_ups.elements();
  write_text_file(path, filled(timeline_html, {{"@TITLE@", title},
                                               {"@STYLE@", timeline_css},
                                               {"@RECORD@", text},
                                               {"@COLUMNS@", elements},
                                               {"@SCRIPT@", timeline_js}}));
}

}  // namespace tessera
