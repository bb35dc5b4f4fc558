// SPDX-License-Identifier: Apache-2.0
/// \file
/// The figure is a grid: rows of workers, columns of equal times. A cell has the colour of the
/// operation that fills most of it, as strong as its workers are busy.
#include "observe/record/timeline_svg.hpp"

#include "core/api/escaped_text.hpp"
#include "core/api/numbered_label.hpp"
#include "core/api/text.hpp"
#include "observe/record/worker_starts.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

constexpr double plot_left = 60;
constexpr double plot_width = 720;
constexpr std::size_t num_columns = 360;
constexpr double column_width = plot_width / num_columns;
constexpr std::size_t most_rows = 64;
constexpr double curve_height = 50;
constexpr double gap = 24;
constexpr double line_height = 15;
constexpr std::size_t most_in_legend = 12;
constexpr std::size_t longest_label = 48;
/// The strengths of a colour.
constexpr int num_strengths = 8;

/// Returns the number of an attempt's colour: operations, failures, dropped attempts. The last one
/// is that of starts of workers.
std::size_t operation_key(const run_event& event, std::size_t num_operations) {
  if (event.kind == run_event_kind::attempt_failed) return num_operations;
  return event.kind == run_event_kind::attempt_dropped ? num_operations + 1 : event.operation;
}

/// Returns a colour of its own for each operation; red for failures, grey for dropped attempts,
/// pale blue for starts of workers.
std::string color_of(std::size_t key, std::size_t num_operations) {
  if (key == num_operations) return "#d62728";
  if (key == num_operations + 1) return "#8c8c8c";
  if (key > num_operations) return "#a9c4dc";
  constexpr double golden_angle = 137.508;
  const double hue = std::fmod(static_cast<double>(key) * golden_angle + 210, 360);
  const double light = 0.5 + 0.12 * (static_cast<double>(key % 3) - 1);
  const auto channel = [&](double n) {
    const double k = std::fmod(n + hue / 30, 12);
    const double strength = 0.42 * std::min(light, 1 - light);
    return static_cast<int>(255 *
                            (light - strength * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}))));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

/// The busy time of some workers in each column, by operation.
using row_times = std::vector<std::map<std::size_t, double>>;

/// The figure's grid.
class timeline_grid {
 public:
  explicit timeline_grid(const run_record& record)
      : num_operations_(record.header.operations.size()),
        column_(std::max(1.0, static_cast<double>(record.elapsed.count()) / num_columns)) {
    const std::vector<const run_event*> attempts = attempts_by_worker(record);
    const worker_starts starts(record);
    const std::size_t num_workers =
        std::max({record.header.num_workers, attempts.empty() ? 0 : attempts.back()->worker + 1,
                  starts.list().empty() ? 0 : starts.list().back().worker + 1});
    workers_per_row_ = std::max<std::size_t>(1, (num_workers + most_rows - 1) / most_rows);
    rows_.assign((num_workers + workers_per_row_ - 1) / workers_per_row_, row_times(num_columns));
    for (const run_event* const event : attempts) {
      add(event->worker, operation_key(*event, num_operations_), event->started, event->ended);
    }
    for (const start_up& start : starts.list()) {
      has_starts_ = has_starts_ || start.began < start.ready;
      add(start.worker, num_operations_ + 2, start.began, start.ready);
    }
  }

  [[nodiscard]] const std::vector<row_times>& rows() const { return rows_; }
  /// Tells whether a worker took time to start.
  [[nodiscard]] bool has_starts() const { return has_starts_; }
  [[nodiscard]] std::size_t workers_per_row() const { return workers_per_row_; }
  [[nodiscard]] double row_height() const {
    return std::clamp(400 / static_cast<double>(std::max<std::size_t>(1, rows_.size())), 5.0, 18.0);
  }
  [[nodiscard]] double height() const { return row_height() * static_cast<double>(rows_.size()); }

  /// Returns the mean number of workers with an attempt in a column.
  [[nodiscard]] double busy_at(std::size_t column) const {
    double sum = 0;
    for (const row_times& row : rows_) {
      for (const auto& [key, time] : row[column]) sum += key < num_operations_ + 2 ? time : 0;
    }
    return sum / column_;
  }

  /// Returns the colour and the strength, at most `num_strengths`, of a cell.
  [[nodiscard]] std::pair<std::size_t, int> cell(std::size_t row, std::size_t column) const {
    std::pair<std::size_t, double> most{0, 0.0};
    double sum = 0;
    for (const auto& [key, time] : rows_[row][column]) {
      sum += time;
      if (time > most.second) most = {key, time};
    }
    const double share = sum / (column_ * static_cast<double>(workers_per_row_));
    return {most.first, static_cast<int>(std::ceil(std::min(1.0, share) * num_strengths))};
  }

 private:
  void add(std::size_t worker, std::size_t key, session_time started, session_time ended) {
    const auto begin = static_cast<double>(started.count());
    const auto end = static_cast<double>(ended.count());
    row_times& row = rows_[worker / workers_per_row_];
    const auto first = static_cast<std::size_t>(begin / column_);
    for (std::size_t i = first; i < num_columns && static_cast<double>(i) * column_ < end; ++i) {
      const double from = std::max(begin, static_cast<double>(i) * column_);
      const double to = std::min(end, static_cast<double>(i + 1) * column_);
      if (to > from) row[i][key] += to - from;
    }
  }

  std::size_t num_operations_;
  double column_;  ///< in nanoseconds
  std::size_t workers_per_row_ = 1;
  std::vector<row_times> rows_;
  bool has_starts_ = false;
};

std::string text_at(double x, double y, std::string_view anchor, std::string_view words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     markup_text(words));
}

/// Returns the rectangles of a row: one for equal neighbours.
std::string row_text(const timeline_grid& grid, std::size_t row, double top,
                     std::size_t num_operations) {
  std::string text;
  for (std::size_t begin = 0; begin < num_columns;) {
    const auto cell = grid.cell(row, begin);
    std::size_t end = begin + 1;
    while (end < num_columns && grid.cell(row, end) == cell) ++end;
    if (cell.second > 0) {
      text += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
          "fill-opacity=\"{}\"/>\n",
          plot_left + static_cast<double>(begin) * column_width, top,
          static_cast<double>(end - begin) * column_width, grid.row_height() - 1,
          color_of(cell.first, num_operations), static_cast<double>(cell.second) / num_strengths);
    }
    begin = end;
  }
  return text;
}

/// Returns the distance of at most eight marks: 1, 2 or 5 times a power of ten.
double mark_distance(double length) {
  const double least = length / 8;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

std::string axis_text(double top, double seconds) {
  std::string text = text_at(plot_left + plot_width, top + 28, "end", "seconds");
  if (seconds <= 0) return text;
  const double distance = mark_distance(seconds);
  for (int i = 0; i * distance <= seconds; ++i) {
    const double x = plot_left + plot_width * i * distance / seconds;
    text += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n", x,
                        top, top + 4);
    text += text_at(x, top + 15, "middle", fmt::format("{:.6g}", i * distance));
  }
  return text;
}

/// Returns a curve of heights in [0, 1] with its name and its greatest value.
std::string curve_text(double top, const std::vector<std::pair<double, double>>& points,
                       std::string_view words) {
  std::string line;
  for (const auto& [x, height] : points) {
    line += fmt::format("{:.1f},{:.1f} ", plot_left + plot_width * x,
                        top + curve_height * (1 - height));
  }
  return fmt::format("<polyline points=\"{}\"/>\n", line) +
         text_at(plot_left, top - 5, "start", words);
}

std::string busy_text(double top, const timeline_grid& grid, std::size_t num_workers) {
  const double most = static_cast<double>(std::max<std::size_t>(1, num_workers));
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < num_columns; ++i) {
    points.emplace_back((static_cast<double>(i) + 0.5) / num_columns,
                        std::min(1.0, grid.busy_at(i) / most));
  }
  return curve_text(top, points, fmt::format("busy workers, of {}", num_workers));
}

/// Returns the memory of the process: the greatest sample of each column.
std::string memory_text(double top, const run_record& record) {
  std::map<std::size_t, bytes> samples;
  bytes most{};
  for (const run_event& event : record.events) {
    if (event.kind != run_event_kind::memory_sampled || record.elapsed.count() == 0) continue;
    const double part =
        static_cast<double>(event.started.count()) / static_cast<double>(record.elapsed.count());
    bytes& sample = samples[static_cast<std::size_t>(part * num_columns)];
    sample = std::max(sample, event.memory);
    most = std::max(most, event.memory);
  }
  if (samples.empty() || most == bytes{}) return {};
  std::vector<std::pair<double, double>> points;
  for (const auto& [column, memory] : samples) {
    points.emplace_back(static_cast<double>(column) / num_columns,
                        static_cast<double>(memory.count()) / static_cast<double>(most.count()));
  }
  return curve_text(top, points,
                    fmt::format("memory of the process, at most {}", format_short(most)));
}

/// Returns the operations with the most time, by number.
std::vector<std::size_t> longest_operations(const std::vector<operation_summary>& summaries) {
  std::vector<std::size_t> numbers(summaries.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::ranges::stable_sort(numbers, std::ranges::greater{},
                           [&](std::size_t i) { return summaries[i].busy; });
  numbers.resize(std::min(numbers.size(), most_in_legend));
  std::ranges::sort(numbers);
  return numbers;
}

/// The number of a colour and its words.
using legend_entry = std::pair<std::size_t, std::string>;

std::vector<legend_entry> legend_of(const run_record& record, const timeline_grid& grid,
                                    const std::vector<operation_summary>& summaries) {
  std::vector<legend_entry> legend;
  for (const std::size_t i : longest_operations(summaries)) {
    legend.emplace_back(
        i, shortened(numbered_label(i, record.header.operations[i].name), longest_label));
  }
  if (grid.has_starts()) {
    legend.emplace_back(record.header.operations.size() + 2, "start-up of a worker");
  }
  return legend;
}

std::string legend_text(double top, std::size_t num_operations,
                        const std::vector<legend_entry>& legend) {
  std::string text;
  for (const auto& [key, words] : legend) {
    text += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                        plot_left, top, color_of(key, num_operations));
    text += text_at(plot_left + 16, top + 9, "start", words);
    top += line_height;
  }
  return text;
}

}  // namespace

std::string timeline_svg(const run_record& record,
                         const std::vector<operation_summary>& summaries) {
  const timeline_grid grid(record);
  const std::size_t num_operations = record.header.operations.size();
  std::string text;
  double top = 30;
  text += text_at(plot_left, top - 10, "start",
                  fmt::format("{}, {} s: {}", record.header.executor, seconds_text(record.elapsed),
                              name_of(record.outcome)));
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    if (grid.row_height() >= 11) {
      text +=
          text_at(plot_left - 6, top + 10, "end", fmt::format("{}", row * grid.workers_per_row()));
    }
    text += row_text(grid, row, top, num_operations);
    top += grid.row_height();
  }
  text += axis_text(top + 2, std::chrono::duration<double>(record.elapsed).count());
  top += 2 * gap;
  text += busy_text(top, grid, record.header.num_workers);
  top += curve_height + gap;
  text += memory_text(top, record);
  top += curve_height + gap;
  const std::vector<legend_entry> legend = legend_of(record, grid, summaries);
  text += legend_text(top, num_operations, legend);
  const double height = top + line_height * static_cast<double>(legend.size()) + 10;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"{0:.0f}\" "
             "viewBox=\"0 0 800 {0:.0f}\">\n<style>text{{font:11px Helvetica,Arial,sans-serif}}"
             "polyline{{fill:none;stroke:#303030}}line{{stroke:#303030}}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             height) +
         text + "</svg>\n";
}

}  // namespace tessera
