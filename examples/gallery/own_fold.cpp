// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A statistic of your own
///
/// The logarithm of a sum of exponentials, for scores too great for their exponentials. A monoid
/// says how one element is taken and how two parts meet; the library folds it along any axes, in
/// parallel.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <tessera/tessera.hpp>
#include <tuple>

namespace ts = tessera;

namespace {

/// The greatest element, and the sum of exponentials relative to it.
struct log_sum_exp {
  using state = std::tuple<double, double>;
  static constexpr state identity{-std::numeric_limits<double>::infinity(), 0.0};

  static state take(state s, double x) { return merge(s, {x, 1.0}); }
  static state merge(state a, state b) {
    const double most = std::max(std::get<0>(a), std::get<0>(b));
    return {most, scaled(a, most) + scaled(b, most)};
  }
  static double finish(state s) { return std::get<0>(s) + std::log(std::get<1>(s)); }

  static double scaled(state s, double most) {
    return std::get<1>(s) == 0 ? 0 : std::get<1>(s) * std::exp(std::get<0>(s) - most);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto row = ts::arange(40.0)(ts::whole, ts::newaxis);
  const auto column = ts::arange(3'000.0, {.chunks = {500}});
  ts::store(1'000 + row * ts::sin(column / 50), "data.zarr/scores", {.chunks = {20, 500}});

  const auto scores = ts::open<double, 2>("data.zarr/scores");
  const auto plan = ts::plan(
      ts::stored(ts::reduction(log_sum_exp{}, scores, ts::axis<1>), "results.zarr/log_sum"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto sums = plan.compute();
  std::cout << sums(ts::slice(0, 5)).compute() << '\n';
}
