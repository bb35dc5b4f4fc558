// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws the points of a study as SVG, a series for each kind of scaling on each engine.
///
/// The axis of efficiency is linear, all other axes are logarithmic. A point is a median with its
/// interval; the repetitions are dots beside it.
#include "observe/study/plot.hpp"

#include "core/api/escaped_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

constexpr double width = 720;
constexpr double height = 480;
constexpr double margin = 70;
constexpr double legend_width = 190;
constexpr double top = 40;
constexpr double bottom = 50;
/// Logarithmic axes begin here at the earliest, also for zero.
constexpr double least_value = 1e-9;

constexpr std::array<const char*, 6> colours{"#2b6cb0", "#c05621", "#2f855a",
                                             "#6b46c1", "#b83280", "#4a5568"};

/// A median, its interval, and the repetitions, in units of the plot.
struct plotted_point {
  double workers = 1;
  double value = 0;
  double low = 0;
  double high = 0;
  std::vector<double> repetitions;
};

struct plotted_series {
  std::string label;
  bool is_simulated = false;
  bool is_weak = false;
  std::vector<plotted_point> points;
};

/// Returns the value of a plot for a time of `line`.
double value_of(const point_figures& line, study_plot plot, double seconds) {
  const double ratio = line.seconds.median / seconds;
  switch (plot) {
    case study_plot::time:
      return seconds;
    case study_plot::speed_up:
      return line.speed_up * ratio;
    case study_plot::efficiency:
      return line.efficiency * ratio;
    case study_plot::memory:
      return static_cast<double>(line.point->task_memory.count()) / 1e6;
  }
  return seconds;
}

plotted_point plotted(const point_figures& line, study_plot plot) {
  plotted_point point{static_cast<double>(line.point->workers),
                      value_of(line, plot, line.seconds.median),
                      value_of(line, plot, line.seconds.low),
                      value_of(line, plot, line.seconds.high),
                      {}};
  for (const double seconds : line.point->seconds) {
    point.repetitions.push_back(value_of(line, plot, seconds));
  }
  return point;
}

std::vector<plotted_series> series_of(const study_results& results, study_plot plot) {
  std::vector<plotted_series> series;
  for (const point_figures& line : figures_of(results)) {
    const std::string label =
        line.point->is_weak
            ? fmt::format("weak, {}", line.point->engine)
            : fmt::format("strong, {}, size {:g}", line.point->engine, line.point->scale);
    if (series.empty() || series.back().label != label) {
      series.push_back({label, line.point->is_simulated, line.point->is_weak, {}});
    }
    series.back().points.push_back(plotted(line, plot));
  }
  return series;
}

/// The range of an axis, and the position of a value on it.
class plot_axis {
 public:
  plot_axis(bool is_logarithmic, double from, double to) : is_logarithmic_(is_logarithmic) {
    from_ = is_logarithmic ? std::floor(std::log10(std::max(from, least_value)) * 2) / 2 : 0;
    to_ = is_logarithmic ? std::ceil(std::log10(std::max(to, least_value)) * 2) / 2
                         : std::max(1.1, to);
    if (to_ <= from_) to_ = from_ + 1;
  }

  /// Returns the position of `value` on the axis, from 0 to 1.
  [[nodiscard]] double position(double value) const {
    const double scaled = is_logarithmic_ ? std::log10(std::max(value, least_value)) : value;
    return (scaled - from_) / (to_ - from_);
  }

  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> values;
    if (!is_logarithmic_) {
      double step = 0.2;
      while (to_ / step > 20) step *= 10;
      for (double value = 0; value <= to_ + step * 1e-9; value += step) values.push_back(value);
      return values;
    }
    for (double power = std::floor(from_); power <= to_; power += 1) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double exponent = power + std::log10(digit);
        const bool is_inside = exponent >= from_ - 1e-9 && exponent <= to_ + 1e-9;
        if (is_inside && (digit == 1.0 || to_ - from_ < 3)) {
          values.push_back(digit * std::pow(10, power));
        }
      }
    }
    return values;
  }

 private:
  bool is_logarithmic_;
  double from_ = 0;
  double to_ = 1;
};

/// The elements of a plot.
class drawing {
 public:
  drawing(plot_axis x, plot_axis y) : x_(x), y_(y) {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
        "height=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height, width, height);
  }

  [[nodiscard]] double at_x(double workers) const {
    return margin + x_.position(workers) * (width - margin - legend_width);
  }
  [[nodiscard]] double at_y(double value) const {
    return height - bottom - y_.position(value) * (height - top - bottom);
  }

  void add_label(double x, double y, std::string_view anchor, std::string_view label) {
    text_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#333\">{}</text>\n",
                    x, y, anchor, label);
  }

  void add_line(double x0, double y0, double x1, double y1, std::string_view style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x0,
                         y0, x1, y1, style);
  }

  void add_axes(std::string_view title, std::string_view quantity) {
    constexpr std::string_view grid = R"(stroke="#ddd")";
    for (const double value : x_.ticks()) {
      add_line(at_x(value), top, at_x(value), height - bottom, grid);
      add_label(at_x(value), height - bottom + 18, "middle", fmt::format("{:g}", value));
    }
    for (const double value : y_.ticks()) {
      add_line(margin, at_y(value), width - legend_width, at_y(value), grid);
      add_label(margin - 8, at_y(value) + 4, "end", fmt::format("{:g}", value));
    }
    add_label((margin + width - legend_width) / 2, height - 12, "middle", "workers");
    add_label(margin, top - 14, "start", fmt::format("{}: {}", title, quantity));
  }

  void add_series(const plotted_series& series, const char* colour, double legend_y) {
    std::string path;
    for (const plotted_point& point : series.points) {
      const double x = at_x(point.workers);
      path += fmt::format("{:.1f},{:.1f} ", x, at_y(point.value));
      add_line(x, at_y(point.low), x, at_y(point.high),
               fmt::format("stroke=\"{}\" stroke-width=\"2\"", colour));
      for (const double value : point.repetitions) {
        text_ += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\" fill-opacity=\"0.4\"/>\n", x,
            at_y(value), colour);
      }
    }
    const char* const dashes = series.is_simulated ? " stroke-dasharray=\"6 4\"" : "";
    text_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"{}/>\n", path, colour,
                         dashes);
    add_line(width - legend_width + 12, legend_y - 4, width - legend_width + 36, legend_y - 4,
             fmt::format("stroke=\"{}\"{}", colour, dashes));
    add_label(width - legend_width + 42, legend_y, "start", markup_text(series.label));
  }

  /// Adds the ideal line through the first point of a series.
  void add_ideal(const plotted_series& series, study_plot plot) {
    const plotted_point& first = series.points.front();
    const plotted_point& last = series.points.back();
    const double ratio = last.workers / first.workers;
    double value = first.value;
    if (plot == study_plot::speed_up) value *= ratio;
    if (plot == study_plot::time && !series.is_weak) value /= ratio;
    add_line(at_x(first.workers), at_y(first.value), at_x(last.workers), at_y(value),
             R"(stroke="#999" stroke-width="0.8")");
  }

  /// Adds the circumstances, which are not drawn.
  void add_context(const std::map<std::string, std::string>& context) {
    text_ += "<desc>\n";
    for (const auto& [name, fact] : context) {
      text_ += fmt::format("{}: {}\n", markup_text(name), markup_text(fact));
    }
    text_ += "</desc>\n";
  }

  [[nodiscard]] std::string text() const { return text_ + "</svg>\n"; }

 private:
  plot_axis x_;
  plot_axis y_;
  std::string text_;
};

/// Returns the least and the greatest of all values of a plot, ideal lines included.
std::array<double, 4> ranges_of(const std::vector<plotted_series>& series, study_plot plot) {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::array<double, 4> ranges{none, 0, none, 0};
  const auto extend = [&](double workers, double value) {
    if (!std::isfinite(workers) || !std::isfinite(value)) return;
    ranges = {std::min(ranges[0], workers), std::max(ranges[1], workers),
              std::min(ranges[2], value), std::max(ranges[3], value)};
  };
  for (const plotted_series& one_series : series) {
    for (const plotted_point& point : one_series.points) {
      for (const double value : point.repetitions) extend(point.workers, value);
    }
    const double ratio = one_series.points.back().workers / one_series.points.front().workers;
    const double first = one_series.points.front().value;
    if (plot == study_plot::speed_up) extend(1, first * ratio);
    if (plot == study_plot::time && !one_series.is_weak) extend(1, first / ratio);
  }
  return std::isfinite(ranges[0]) ? ranges : std::array<double, 4>{1, 1, 1, 1};
}

std::string_view quantity_of(study_plot plot) {
  switch (plot) {
    case study_plot::time:
      return "time (s)";
    case study_plot::speed_up:
      return "speed-up";
    case study_plot::efficiency:
      return "efficiency";
    case study_plot::memory:
      return "promised memory of a task (MB)";
  }
  return "";
}

}  // namespace

std::string_view name_of(study_plot plot) {
  constexpr std::array<std::string_view, 4> names{"time", "speed-up", "efficiency", "memory"};
  return names[static_cast<std::size_t>(plot)];
}

std::string svg_of(const study_results& results, study_plot plot) {
  const std::vector<plotted_series> series = series_of(results, plot);
  const std::array<double, 4> ranges = ranges_of(series, plot);
  const bool is_logarithmic = plot != study_plot::efficiency;
  drawing plotted_figure(plot_axis(true, ranges[0], ranges[1]),
                         plot_axis(is_logarithmic, ranges[2], ranges[3]));
  plotted_figure.add_context(results.context);
  plotted_figure.add_axes(markup_text(results.name), quantity_of(plot));
  double legend_y = top + 10;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (plot != study_plot::memory) plotted_figure.add_ideal(series[i], plot);
    plotted_figure.add_series(series[i], colours[i % colours.size()], legend_y);
    legend_y += 18;
  }
  return plotted_figure.text();
}

}  // namespace tessera
