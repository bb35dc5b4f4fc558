// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs that read arrays and compute results that fit into memory.

#include "programs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace {

namespace ts = tessera;
using hand_written::zarr_array;

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

void mean_and_stddev(benchmark::State& state) {
  const zarr_array file = data::large_field();
  const ts::spec& spec = programs::spec();
  double mean = 0;
  double deviation = 0;
  hand_written::mean_and_deviation expected;
  contest::run(state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.15},
               {.tessera = {[&] {
                  const auto x = ts::open<double, 2>(file.path.string(), spec);
                  const auto [m, s] =
                      ts::compute(ts::mean(x), ts::stddev(x), programs::run_settings());
                  mean = m;
                  deviation = s;
                }},
                .by_hand = {[&] { expected = hand_written::mean_and_stddev(file); }},
                .agree = [&] {
                  return is_near(mean, expected.mean) && is_near(deviation, expected.deviation);
                }});
}
BENCHMARK(mean_and_stddev)->Name("mean(x), stddev(x)")->Apply(programs::in_rounds);

void quadratic_means(benchmark::State& state) {
  const zarr_array u_file = data::wind("u");
  const zarr_array v_file = data::wind("v");
  const ts::spec& spec = programs::spec();
  std::array<ts::ndarray<float, 2>, 3> means;
  std::array<std::vector<float>, 3> expected;
  const auto amount = static_cast<double>(u_file.num_bytes() + v_file.num_bytes());
  contest::run(
      state, {.amount = amount, .bound = 1.15},
      {.tessera = {[&] {
         const auto u = ts::open<float, 3>(u_file.path.string(), spec);
         const auto v = ts::open<float, 3>(v_file.path.string(), spec);
         auto [uv, uu, vv] = ts::compute(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>),
                                         ts::mean(v * v, ts::axis<0>), programs::run_settings());
         means = {std::move(uv), std::move(uu), std::move(vv)};
       }},
       .by_hand = {[&] { expected = hand_written::quadratic_means(u_file, v_file); }},
       .agree = [&] {
         const auto equal = [](const ts::ndarray<float, 2>& x, const std::vector<float>& y) {
           const auto elements = x.span();
           const auto same = [](float a, float b) {
             return std::abs(a - b) <= 1e-4F * std::max(1.0F, std::abs(b));
           };
           return std::equal(elements.begin(), elements.end(), y.begin(), y.end(), same);
         };
         return std::equal(means.begin(), means.end(), expected.begin(), equal);
       }});
}
BENCHMARK(quadratic_means)
    ->Name("mean(u*v), mean(u*u), mean(v*v) over time")
    ->Apply(programs::in_rounds);

/// The states of each task are as large as a chunk.
void means_of_layers(benchmark::State& state) {
  const zarr_array u_file = data::large_maps("u");
  const zarr_array v_file = data::large_maps("v");
  ts::spec spec = programs::spec();
  spec.allowed_memory = ts::bytes{400'000'000};
  std::array<ts::ndarray<double, 2>, 3> means;
  std::array<std::vector<double>, 3> expected;
  const auto amount = static_cast<double>(u_file.num_bytes() + v_file.num_bytes());
  const auto equal = [](const ts::ndarray<double, 2>& x, const std::vector<double>& y) {
    const auto elements = x.span();
    return std::equal(elements.begin(), elements.end(), y.begin(), y.end(),
                      [](double a, double b) { return std::abs(a - b) <= 1e-9; });
  };
  contest::run(
      state, {.amount = amount, .bound = 1.1},
      {.tessera = {[&] {
         const auto u = ts::open<double, 3>(u_file.path.string(), spec);
         const auto v = ts::open<double, 3>(v_file.path.string(), spec);
         auto [uv, uu, vv] = ts::compute(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>),
                                         ts::mean(v * v, ts::axis<0>), programs::run_settings());
         means = {std::move(uv), std::move(uu), std::move(vv)};
       }},
       .by_hand = {[&] { expected = hand_written::means_of_layers(u_file, v_file); }},
       .agree = [&] { return std::equal(means.begin(), means.end(), expected.begin(), equal); }});
}
BENCHMARK(means_of_layers)
    ->Name("mean(u*v), mean(u*u), mean(v*v) of whole maps")
    ->Apply(programs::in_rounds);

}  // namespace
