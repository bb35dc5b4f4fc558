// SPDX-License-Identifier: Apache-2.0

/// \file
/// Windows, scans, folds with positions, and groups.

#include "stored_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace ts = tessera;
using hand_written::zarr_array;

ts::array<float, 3> open_wind(const zarr_array& file) {
  return ts::open<float, 3>(file.path.string(), programs::spec());
}

/// Compares two programs that read `file` and store an array of `shape`.
template <class T>
void compare_stored(benchmark::State& state, const zarr_array& file,
                    const std::vector<std::size_t>& shape,
                    const std::function<void(const std::string&)>& tessera,
                    const std::function<void(const zarr_array&)>& by_hand) {
  zarr_array like = file;
  like.shape = shape;
  stored_results::compare<T>(state, like, 2.0 * static_cast<double>(file.num_bytes()), tessera,
                             by_hand);
}

void rolling_mean(benchmark::State& state) {
  const zarr_array file = data::wind("u");
  compare_stored<float>(
      state, file, {file.shape[0] - 23, file.shape[1], file.shape[2]},
      [&](const std::string& path) {
        ts::store(ts::rolling_mean(open_wind(file), 24, ts::axis<0>), path,
                  programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_rolling_mean(file, 24, out); });
}
BENCHMARK(rolling_mean)->Name("rolling mean of 24 steps")->Apply(programs::in_rounds);

void running_sum(benchmark::State& state) {
  const zarr_array file = data::wind("u");
  compare_stored<float>(
      state, file, file.shape,
      [&](const std::string& path) {
        ts::store(ts::cumulative_sum(open_wind(file), ts::axis<0>), path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_running_sum(file, out); });
}
BENCHMARK(running_sum)->Name("cumulative_sum(u) over time")->Apply(programs::in_rounds);

void anomaly(benchmark::State& state) {
  const zarr_array file = data::wind("u");
  compare_stored<float>(
      state, file, file.shape,
      [&](const std::string& path) {
        const auto u = open_wind(file);
        const auto mean = ts::mean(u, ts::axis<0>, ts::keepdims);
        const auto deviation = ts::stddev(u, ts::axis<0>, ts::keepdims);
        ts::store((u - mean) / deviation, path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_anomaly(file, out); });
}
BENCHMARK(anomaly)->Name("anomaly of u over time")->Apply(programs::in_rounds);

void laplacian(benchmark::State& state) {
  const zarr_array file = data::large_field();
  compare_stored<double>(
      state, file, {file.shape[0] - 2, file.shape[1] - 2},
      [&](const std::string& path) {
        const auto x = ts::open<double, 2>(file.path.string(), programs::spec());
        const auto inner = ts::slice(1, -1);
        const auto before = ts::slice(ts::none, -2);
        const auto behind = ts::slice(2, ts::none);
        ts::store(x(before, inner) + x(behind, inner) + x(inner, before) + x(inner, behind) -
                      4 * x(inner, inner),
                  path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_laplacian(file, out); });
}
BENCHMARK(laplacian)->Name("Laplacian of slices")->Apply(programs::in_rounds);

/// Returns labels of twelve groups, as months of days would be.
std::vector<std::int64_t> months_of(std::size_t num_steps) {
  std::vector<std::int64_t> labels(num_steps);
  for (std::size_t t = 0; t < num_steps; ++t) {
    labels[t] = static_cast<std::int64_t>(t * 2 / 61 % 12);
  }
  return labels;
}

void climatology(benchmark::State& state) {
  const zarr_array file = data::wind("u");
  const std::vector<std::int64_t> labels = months_of(file.shape[0]);
  const auto months = ts::asarray(labels);
  ts::ndarray<float, 3> means;
  std::vector<float> expected;
  contest::run(
      state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.15},
      {.tessera = {[&] {
         means = ts::groupby_reduce(open_wind(file), months, ts::op::mean{}, 12, ts::axis<0>)
                     .compute(programs::run_settings());
       }},
       .by_hand = {[&] { expected = hand_written::group_means(file, labels, 12); }},
       .agree = [&] {
         const auto is_near = [](float a, float b) { return std::abs(a - b) < 1e-4F; };
         return std::equal(means.span().begin(), means.span().end(), expected.begin(), is_near);
       }});
}
BENCHMARK(climatology)->Name("mean(u) of 12 groups over time")->Apply(programs::in_rounds);

void argmax(benchmark::State& state) {
  const zarr_array file = data::wind("u");
  ts::ndarray<std::int64_t, 2> positions;
  std::vector<std::int64_t> expected;
  contest::run(state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.15},
               {.tessera = {[&] {
                  positions =
                      ts::argmax(open_wind(file), ts::axis<0>).compute(programs::run_settings());
                }},
                .by_hand = {[&] { expected = hand_written::positions_of_greatest(file); }},
                .agree = [&] {
                  return std::equal(positions.span().begin(), positions.span().end(),
                                    expected.begin(), expected.end());
                }});
}
BENCHMARK(argmax)->Name("argmax(u) over time")->Apply(programs::in_rounds);

void compare_sums_over_either_axis(benchmark::State& state, const zarr_array& file) {
  std::tuple<ts::ndarray<double, 1>, ts::ndarray<double, 1>> sums;
  std::array<std::vector<double>, 2> expected;
  const auto is_near = [](double a, double b) { return std::abs(a - b) < 1e-6; };
  const auto are_near = [&](const ts::ndarray<double, 1>& a, const std::vector<double>& b) {
    return std::equal(a.span().begin(), a.span().end(), b.begin(), b.end(), is_near);
  };
  contest::run(state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.1},
               {.tessera = {[&] {
                  const auto x = ts::open<double, 2>(file.path.string(), programs::spec());
                  sums = ts::plan(ts::sum(x, ts::axis<0>), ts::sum(x, ts::axis<1>),
                                  programs::run_settings())
                             .compute();
                }},
                .by_hand = {[&] { expected = hand_written::sums_over_either_axis(file); }},
                .agree = [&] {
                  return are_near(std::get<0>(sums), expected[0]) &&
                         are_near(std::get<1>(sums), expected[1]);
                }});
}

void sums_over_either_axis(benchmark::State& state) {
  compare_sums_over_either_axis(state, data::large_field());
}
BENCHMARK(sums_over_either_axis)
    ->Name("sum(x, axis<0>), sum(x, axis<1>)")
    ->Apply(programs::in_rounds);

void sums_of_large_chunks(benchmark::State& state) {
  compare_sums_over_either_axis(state, data::broad_field());
}
BENCHMARK(sums_of_large_chunks)->Name("the same of chunks of 32 MiB")->Apply(programs::in_rounds);

void histogram(benchmark::State& state) {
  const zarr_array file = data::large_field();
  ts::ndarray<std::int64_t, 1> counts;
  std::vector<std::int64_t> expected;
  contest::run(
      state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.15},
      {.tessera = {[&] {
         const auto x = ts::open<double, 2>(file.path.string(), programs::spec());
         counts = ts::histogram(x, ts::bins{100, -12.5, 12.5}).compute(programs::run_settings());
       }},
       .by_hand = {[&] { expected = hand_written::histogram(file, -12.5, 12.5, 100); }},
       .agree = [&] {
         return std::equal(counts.span().begin(), counts.span().end(), expected.begin(),
                           expected.end());
       }});
}
BENCHMARK(histogram)->Name("histogram(x) of 100 bins")->Apply(programs::in_rounds);

}  // namespace
