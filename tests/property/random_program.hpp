// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Random programs: a function of every family of a random matrix, with its expected values,
/// computed by plain loops.

#include "property/random_matrix.hpp"
#include "property/window_sum.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace random_program {

/// Looks at a plan before it runs.
using inspection = std::function<void(const ts::bounded_plan&)>;

/// Draws programs that are planned with some passes, and inspected.
class generator {
 public:
  generator(
      draw pick, ts::spec spec, ts::pass_switches passes, ts::run_with run,
      inspection inspect = [](const ts::bounded_plan&) {})
      : matrices_(std::move(pick), std::move(spec), std::move(run)),
        passes_(passes),
        inspect_(std::move(inspect)) {}

  /// Computes a random function of a random matrix.
  [[nodiscard]] result next() { return reader(matrices_.next()); }

 private:
  static constexpr index_t num_readers = 17;

  index_t pick(index_t low, index_t high) { return matrices_.pick(low, high); }

  template <std::size_t N>
  result checked(const ts::array<double, N>& array, dense expected, std::string text) {
    const ts::ndarray<double, N> computed = compute(array, text);
    return {{computed.shape().begin(), computed.shape().end()},
            {computed.span().begin(), computed.span().end()},
            std::move(expected),
            std::move(text)};
  }

  template <std::size_t N>
  ts::ndarray<double, N> compute(const ts::array<double, N>& array, const std::string& text) {
    try {
      const ts::plan plan(passes_, matrices_.run(), array);
      inspect_(plan.bounded());
      return plan.compute();
    } catch (const std::exception& failure) {
      throw std::runtime_error(text + ": " + failure.what());
    }
  }

  result reader(const matrix& x) {
    const index_t kind = pick(0, num_readers - 1);
    if (kind < 6) return read_around(x, kind);
    if (kind < 12) return read_folded(x, kind - 6);
    return read_lines(x, kind - 12);
  }

  result overlapped(const matrix& x) {
    const auto beyond = static_cast<ts::boundary>(pick(0, 4));
    const index_t most_rows = std::min<index_t>(3, x.rows() - 1);
    const index_t most_columns = std::min<index_t>(3, x.columns() - 1);
    const index_t depth[2][2] = {{pick(0, most_rows), pick(0, most_rows)},
                                 {pick(0, most_columns), pick(0, most_columns)}};
    const window_sum sum{depth[0][0] + depth[0][1] + 1, depth[1][0] + depth[1][1] + 1};
    const dense expected = reference::make(x.values.shape, [&](const position& element) {
      double total = 0;
      for (index_t k = 0; k < sum.rows; ++k) {
        for (index_t l = 0; l < sum.columns; ++l) {
          const auto i = mirrored(element[0] + k - depth[0][0], x.rows(), beyond);
          const auto j = mirrored(element[1] + l - depth[1][0], x.columns(), beyond);
          if (i && j) total += window_sum::weight(k, l) * x.values({*i, *j});
        }
      }
      return total;
    });
    const ts::array<double, 2> y = ts::map_overlap<double>(
        sum, x.array,
        {.depth = {{depth[0][0], depth[0][1]}, {depth[1][0], depth[1][1]}}, .beyond = beyond});
    return checked<2>(y, expected, "map_overlap(" + x.text + ")");
  }

  /// The sums of rows with their neighbours, each row weighed by its place among them.
  result correlated(const matrix& x) {
    const auto beyond = static_cast<ts::boundary>(pick(0, 4));
    const index_t most = std::min<index_t>(3, x.rows() - 1);
    const row_windows windows{pick(0, most), pick(0, most), beyond};
    const double factor = static_cast<double>(pick(1, 2));
    const dense expected = reference::make(x.values.shape, [&](const position& element) {
      return factor * windows.sum_at(x.values, element);
    });
    return checked<2>(windows.sums(x.array * factor), expected, "correlate(" + x.text + ")");
  }

  /// Functions of neighbours and of blocks.
  result read_around(const matrix& x, index_t kind) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const dense& v = x.values;
    switch (kind) {
      case 0:
        return overlapped(x);
      case 1:
        return correlated(x);
      case 2: {
        const ts::array<double, 2> y = ts::map_blocks<double>(window_sum{}, x.array);
        return checked<2>(y, v, "map_blocks(" + x.text + ")");
      }
      case 3: {
        const index_t length = pick(1, n);
        const ts::array<double, 2> y = ts::rolling_sum(x.array, length, ts::axis<0>);
        const dense expected = reference::make({n - length + 1, m}, [&](const position& element) {
          double total = 0;
          for (index_t k = 0; k < length; ++k) total += v({element[0] + k, element[1]});
          return total;
        });
        return checked<2>(y, expected, "rolling_sum(" + x.text + ")");
      }
      case 4: {
        if (m < 2) return checked<2>(x.array, v, x.text);
        const ts::array<double, 2> y = ts::diff(x.array, 1, ts::axis<1>);
        const dense expected = reference::make({n, m - 1}, [&](const position& element) {
          return v({element[0], element[1] + 1}) - v(element);
        });
        return checked<2>(y, expected, "diff(" + x.text + ")");
      }
      default: {
        const ts::array<double, 2> y = ts::where(x.array > 0.0, x.array, -1.0);
        const dense expected = reference::make(
            v.shape, [&](const position& element) { return v(element) > 0 ? v(element) : -1; });
        return checked<2>(y, expected, "where(" + x.text + ")");
      }
    }
  }

  static double sum_of(const std::vector<double>& line) {
    return std::accumulate(line.begin(), line.end(), 0.0);
  }

  /// The products of all pairs of rows.
  result gram_matrix(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const dense& v = x.values;
    const ts::array<double, 2> y = ts::matmul(x.array, ts::matrix_transpose(x.array));
    const dense expected = reference::make({n, n}, [&](const position& element) {
      double total = 0;
      for (index_t k = 0; k < m; ++k) total += v({element[0], k}) * v({element[1], k});
      return total;
    });
    return checked<2>(y, expected, "matmul(" + x.text + ")");
  }

  /// The deviations from the means of columns.
  result deviations(const matrix& x) {
    const dense& v = x.values;
    const ts::array<double, 2> y = x.array - ts::mean(x.array, ts::axis<0>, ts::keepdims);
    const dense mean = reference::fold(v, {true, false}, [](const auto& line) {
      return sum_of(line) / static_cast<double>(line.size());
    });
    const dense expected = reference::make(
        v.shape, [&](const position& element) { return v(element) - mean({element[1]}); });
    return checked<2>(y, expected, x.text + " - mean");
  }

  /// The sums of three groups of rows.
  result sums_of_groups(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const dense& v = x.values;
    std::vector<std::int64_t> labels;
    for (index_t i = 0; i < n; ++i) labels.push_back(i % 3);
    const ts::array<double, 2> y = ts::groupby_reduce(
        x.array, ts::asarray(labels, {.spec = matrices_.spec()}), ts::op::sum{}, 3, ts::axis<0>);
    const dense expected = reference::make({3, m}, [&](const position& element) {
      double total = 0;
      for (index_t i = element[0]; i < n; i += 3) total += v({i, element[1]});
      return total;
    });
    return checked<2>(y, expected, "groupby_reduce(" + x.text + ")");
  }

  /// The sums of blocks of one or two elements along each axis.
  result coarse_sums(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const dense& v = x.values;
    const std::array<index_t, 2> lengths{n % 2 == 0 ? 2 : 1, m % 2 == 0 ? 2 : 1};
    const ts::array<double, 2> y = ts::coarsen(ts::op::sum{}, x.array, lengths);
    const dense expected =
        reference::make({n / lengths[0], m / lengths[1]}, [&](const position& element) {
          double total = 0;
          for (index_t k = 0; k < lengths[0]; ++k) {
            for (index_t l = 0; l < lengths[1]; ++l) {
              total += v({element[0] * lengths[0] + k, element[1] * lengths[1] + l});
            }
          }
          return total;
        });
    return checked<2>(y, expected, "coarsen(" + x.text + ")");
  }

  /// Folds, products, and functions of them.
  result read_folded(const matrix& x, index_t kind) {
    const dense& v = x.values;
    switch (kind) {
      case 0: {
        const ts::array<double, 1> y = ts::sum(x.array, ts::axis<0>);
        return checked<1>(y, reference::fold(v, {true, false}, sum_of), "sum(" + x.text + ")");
      }
      case 1: {
        const ts::array<double, 1> y = ts::max(x.array, ts::axis<1>);
        const dense expected = reference::fold(v, {false, true}, [](const auto& line) {
          return *std::max_element(line.begin(), line.end());
        });
        return checked<1>(y, expected, "max(" + x.text + ")");
      }
      case 2:
        return gram_matrix(x);
      case 3:
        return deviations(x);
      case 4:
        return sums_of_groups(x);
      default:
        return coarse_sums(x);
    }
  }

  static std::vector<double> sorted(std::vector<double> line) {
    std::sort(line.begin(), line.end());
    return line;
  }

  /// Functions of whole lines.
  result read_lines(const matrix& x, index_t kind) {
    const dense& v = x.values;
    switch (kind) {
      case 0: {
        const ts::array<double, 2> y = ts::sort(x.array, ts::axis<0>);
        return checked<2>(y, columns_of(v, sorted), "sort(" + x.text + ")");
      }
      case 1: {
        const ts::array<double, 1> y = ts::median(x.array, ts::axis<1>);
        const dense expected = reference::fold(v, {false, true}, [](const auto& line) {
          const auto in_order = sorted(line);
          const std::size_t middle = line.size() / 2;
          return line.size() % 2 == 1 ? in_order[middle]
                                      : (in_order[middle - 1] + in_order[middle]) / 2;
        });
        return checked<1>(y, expected, "median(" + x.text + ")");
      }
      case 2: {
        const ts::array<double, 2> y = ts::cumulative_sum(x.array, ts::axis<0>);
        const dense expected = columns_of(v, [](std::vector<double> line) {
          std::partial_sum(line.begin(), line.end(), line.begin());
          return line;
        });
        return checked<2>(y, expected, "cumulative_sum(" + x.text + ")");
      }
      case 3: {
        const ts::array<double, 1> y = ts::astype<double>(ts::argmax(x.array, ts::axis<1>));
        const dense expected = reference::fold(v, {false, true}, [](const auto& line) {
          return static_cast<double>(std::max_element(line.begin(), line.end()) - line.begin());
        });
        return checked<1>(y, expected, "argmax(" + x.text + ")");
      }
      default: {
        const ts::array<double, 1> y = ts::ravel(x.array) * 2.0;
        dense expected{{x.rows() * x.columns()}, v.values};
        for (double& value : expected.values) value *= 2;
        return checked<1>(y, expected, "ravel(" + x.text + ")");
      }
    }
  }

  matrix_generator matrices_;
  ts::pass_switches passes_;
  inspection inspect_;
};

}  // namespace random_program
