// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random programs with functions of lines, blocks and matrices of computed operands, against plain
/// loops, with random chunks, placements, passes and executors.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>
#include <rapidcheck/gtest.h>
#include <span>
#include <vector>

namespace {

using namespace samples;

using line = std::vector<double>;

/// Returns `x` of rank 2 with each line along `axis` replaced by `f` of it.
dense lines_of(const dense& x, std::size_t axis, const std::function<line(const line&)>& f) {
  const std::size_t across = 1 - axis;
  const auto at = [axis](index_t i, index_t j) {
    return axis == 0 ? position{i, j} : position{j, i};
  };
  std::vector<line> lines;
  for (index_t j = 0; j < x.shape[across]; ++j) {
    line values;
    for (index_t i = 0; i < x.shape[axis]; ++i) values.push_back(x(at(i, j)));
    lines.push_back(f(values));
  }
  std::vector<index_t> shape = x.shape;
  shape[axis] = static_cast<index_t>(lines.front().size());
  return reference::make(shape, [&](const position& position) {
    return lines[static_cast<std::size_t>(position[across])]
                [static_cast<std::size_t>(position[axis])];
  });
}

line sorted(line x) {
  std::sort(x.begin(), x.end());
  return x;
}

line positions_in_order(const line& x) {
  line positions(x.size());
  std::iota(positions.begin(), positions.end(), 0.0);
  std::stable_sort(positions.begin(), positions.end(), [&x](double a, double b) {
    return x[static_cast<std::size_t>(a)] < x[static_cast<std::size_t>(b)];
  });
  return positions;
}

/// NumPy's linear quantile.
double quantile_of(const line& x, double q) {
  const line in_order = sorted(x);
  const double position = q * static_cast<double>(x.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, x.size() - 1);
  return in_order[below] +
         (position - static_cast<double>(below)) * (in_order[above] - in_order[below]);
}

/// 2 a + b; `b` may have one row.
struct computed_matrix {
  sample<2> a;
  sample<2> b;

  static computed_matrix pick_one(const ts::spec& spec) {
    const auto shape = pick_extents<2>(1, 9);
    const index_t rows = *rc::gen::arbitrary<bool>() ? shape[0] : 1;
    return {pick_sample(shape, spec), pick_sample<2>({rows, shape[1]}, spec)};
  }
  [[nodiscard]] auto array() const { return 2.0 * a.array + b.array; }
  [[nodiscard]] dense values() const {
    return reference::make(a.values.shape, [this](const position& at) {
      return 2 * a.values(at) + b.values({b.values.shape[0] == 1 ? 0 : at[0], at[1]});
    });
  }
};

RC_GTEST_PROP(Blocks, LinesAreTakenOfWhatIsComputed, ()) {
  const ts::spec spec = pick_spec();
  const auto x = computed_matrix::pick_one(spec);
  const dense values = x.values();
  expect_equal(compute(ts::sort(x.array(), ts::axis<0>), spec), lines_of(values, 0, &sorted));
  const dense in_order = lines_of(values, 1, &sorted);
  expect_equal(compute(ts::sort(x.array()) - x.a.array, spec),
               reference::make(values.shape,
                               [&](const position& at) { return in_order(at) - x.a.values(at); }));
  expect_equal(compute(ts::argsort(x.array(), ts::axis<0>), spec),
               lines_of(values, 0, &positions_in_order));
  const double q = static_cast<double>(pick(0, 8)) / 8;
  expect_equal(compute(ts::quantile(x.array(), q, ts::axis<0>) * 2.0, spec),
               reference::fold(values, {true, false},
                               [q](const line& elements) { return 2 * quantile_of(elements, q); }));
  expect_equal(compute(ts::median(x.array(), ts::axis<1>), spec),
               reference::fold(values, {false, true},
                               [](const line& elements) { return quantile_of(elements, 0.5); }));
}

RC_GTEST_PROP(Blocks, TransformsAreSumsOfWaves, ()) {
  const ts::spec spec = pick_spec();
  const auto x = computed_matrix::pick_one(spec);
  const auto waves = [](const line& elements, bool is_real) {
    line wave;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      std::complex<double> sum;
      for (std::size_t j = 0; j < elements.size(); ++j) {
        const double turns = static_cast<double>(j * k) / static_cast<double>(elements.size());
        sum += std::polar(elements[j], -2 * std::numbers::pi * turns);
      }
      wave.push_back(is_real ? sum.real() : sum.imag());
    }
    return wave;
  };
  const auto transform = ts::fft(x.array(), ts::axis<0>);
  expect_equal(compute(ts::real(transform) + 50.0, spec),
               lines_of(x.values(), 0, [&](const line& elements) {
                 line wave = waves(elements, true);
                 for (double& value : wave) value += 50;
                 return wave;
               }));
  expect_equal(
      compute(ts::imag(ts::fft(x.array())), spec),
      lines_of(x.values(), 1, [&](const line& elements) { return waves(elements, false); }));
}

/// The elements around its blocks that a function sees.
struct depths {
  index_t around[2][2] = {};

  /// As far as all boundaries of an array of `shape` can show.
  static depths pick_one(const std::vector<index_t>& shape) {
    depths result;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      for (index_t& depth : result.around[axis])
        depth = pick(0, std::min<index_t>(3, shape[axis] - 1));
    }
    return result;
  }
};

/// The weighted sum of the neighbours, and of twice the neighbours in another array.
struct sum_of_neighbours {
  index_t rows = 0;
  index_t columns = 0;

  void operator()(ts::block_view<const double, 2> x, ts::block_view<const double, 2> y,
                  ts::block_view<double, 2> out) const {
    for (index_t i = 0; i < out.shape()[0]; ++i) {
      for (index_t j = 0; j < out.shape()[1]; ++j) {
        out(i, j) = 0;
        for (index_t k = 0; k < rows; ++k) {
          for (index_t l = 0; l < columns; ++l) {
            out(i, j) += weight(k, l) * (x(i + k, j + l) + 2 * y(i + k, j + l));
          }
        }
      }
    }
  }
  static double weight(index_t k, index_t l) { return static_cast<double>(1 + 3 * k + 7 * l); }
};

/// Returns the element of `x` at `at`, which may lie beyond its ends, as `numpy.pad` shows it.
double padded_at(const dense& x, position at, ts::boundary beyond) {
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const index_t n = x.shape[axis];
    index_t& i = at[axis];
    if (0 <= i && i < n) continue;
    switch (beyond) {
      case ts::boundary::constant:
        return 0;
      case ts::boundary::edge:
        i = i < 0 ? 0 : n - 1;
        break;
      case ts::boundary::reflect:
        i = i < 0 ? -i : 2 * (n - 1) - i;
        break;
      case ts::boundary::symmetric:
        i = i < 0 ? -i - 1 : 2 * n - 1 - i;
        break;
      case ts::boundary::wrap:
        i = (i + n) % n;
        break;
    }
  }
  return x(at);
}

/// The element, and its position in the array.
struct with_position {
  void operator()(ts::block_view<const double, 2> x, ts::block_view<double, 2> out) const {
    for (index_t i = 0; i < out.shape()[0]; ++i) {
      for (index_t j = 0; j < out.shape()[1]; ++j) {
        out(i, j) = x(i, j) + 100 * static_cast<double>(out.start(0) + i) +
                    10'000 * static_cast<double>(out.start(1) + j);
      }
    }
  }
};

struct dot_product {
  double operator()(std::span<const double> a, std::span<const double> b) const {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }
};

RC_GTEST_PROP(Blocks, FunctionsGetWhatIsComputed, ()) {
  const ts::spec spec = pick_spec();
  const auto x = computed_matrix::pick_one(spec);
  const dense values = x.values();
  expect_equal(compute(ts::map_blocks<double>(with_position{}, x.array()) - 1.0, spec),
               reference::make(values.shape, [&](const position& at) {
                 return values(at) + 100 * static_cast<double>(at[0]) +
                        10'000 * static_cast<double>(at[1]) - 1;
               }));
  expect_equal(
      compute(ts::apply_gufunc<"(i),(i)->()">(dot_product{}, x.array(), x.a.array + 1.0), spec),
      reference::make({values.shape[0]}, [&](const position& at) {
        double sum = 0;
        for (index_t j = 0; j < values.shape[1]; ++j) {
          sum += values({at[0], j}) * (x.a.values({at[0], j}) + 1);
        }
        return sum;
      }));
}

RC_GTEST_PROP(Blocks, FunctionsSeeAroundWhatIsComputed, ()) {
  const ts::spec spec = pick_spec();
  const auto x = computed_matrix::pick_one(spec);
  const dense values = x.values();
  const auto y = pick_sample<2>({values.shape[0], values.shape[1]}, spec);
  const auto beyond = static_cast<ts::boundary>(pick(0, 4));
  const depths depth = depths::pick_one(values.shape);
  const auto& [rows, columns] = depth.around;
  const sum_of_neighbours sum{rows[0] + rows[1] + 1, columns[0] + columns[1] + 1};
  const auto neighbours = ts::map_overlap<double>(
      sum, x.array(), y.array - 1.0,
      {.depth = {{rows[0], rows[1]}, {columns[0], columns[1]}}, .beyond = beyond});
  const dense less =
      reference::make(values.shape, [&](const position& at) { return y.values(at) - 1; });
  const dense expected = reference::make(values.shape, [&](const position& at) {
    double weighted_sum = 0;
    for (index_t k = 0; k < sum.rows; ++k) {
      for (index_t l = 0; l < sum.columns; ++l) {
        const position there{at[0] + k - rows[0], at[1] + l - columns[0]};
        weighted_sum += sum_of_neighbours::weight(k, l) *
                        (padded_at(values, there, beyond) + 2 * padded_at(less, there, beyond));
      }
    }
    return weighted_sum;
  });
  expect_equal(compute(neighbours, spec), expected);
  const index_t first = pick(0, values.shape[0] - 1);
  expect_equal(compute(neighbours(ts::slice(first, ts::none)) * 2.0, spec),
               reference::make({values.shape[0] - first, values.shape[1]}, [&](const position& at) {
                 return 2 * expected({at[0] + first, at[1]});
               }));
}

// The test multiplies the solution by the matrix.
RC_GTEST_PROP(Blocks, MatricesAreSolvedThatAreComputed, ()) {
  const ts::spec spec = pick_spec();
  const index_t n = pick(1, 6);
  const auto a = pick_sample<2>({n, n}, spec);
  const auto b = pick_sample<2>({n, pick(1, 4)}, spec);
  const auto strong = a.array + 100.0 * ts::eye<double>(n, {.spec = spec});
  const auto solution = compute(ts::solve(strong, b.array - 1.0), spec);
  const dense x{b.values.shape, {solution.span().begin(), solution.span().end()}};
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < x.shape[1]; ++j) {
      double sum = 100 * x({i, j});
      for (index_t k = 0; k < n; ++k) sum += a.values({i, k}) * x({k, j});
      RC_ASSERT(std::abs(sum - (b.values({i, j}) - 1)) < 1e-11);
    }
  }
}

}  // namespace
