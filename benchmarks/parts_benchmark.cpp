// SPDX-License-Identifier: Apache-2.0

/// \file
/// Arrays that are joined, sliced by every second layer, or opened twice; products in a row.

#include "stored_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using hand_written::zarr_array;

ts::array<double, 2> open_matrix(const zarr_array& file) {
  return ts::open<double, 2>(file.path.string(), programs::spec());
}

ts::array<float, 3> open_wind(const zarr_array& file) {
  return ts::open<float, 3>(file.path.string(), programs::spec());
}

void joined(benchmark::State& state) {
  const zarr_array u = data::uneven_field("u");
  const zarr_array v = data::uneven_field("v");
  zarr_array like = u;
  like.shape[0] += v.shape[0];
  stored_results::compare<double>(
      state, like, 2.0 * static_cast<double>(like.num_bytes()),
      [&](const std::string& path) {
        const auto u_above_v = ts::concat(open_matrix(u), open_matrix(v), ts::axis<0>);
        ts::store(2.0 * u_above_v, path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_joined(u, v, out); });
}
BENCHMARK(joined)->Name("store(2 * concat(u, v)), v within a chunk")->Apply(programs::in_rounds);

void every_second(benchmark::State& state) {
  const zarr_array file = data::wind("u");
  zarr_array like = file;
  like.shape[0] /= 2;
  like.chunks[0] /= 2;
  stored_results::compare<float>(
      state, like, static_cast<double>(file.num_bytes() + like.num_bytes()),
      [&](const std::string& path) {
        ts::store(open_wind(file)(ts::slice(ts::none, ts::none, 2)), path,
                  programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_every_second(file, out); });
}
BENCHMARK(every_second)->Name("store of every second step of u")->Apply(programs::in_rounds);

void mean_of_every_second(benchmark::State& state) {
  const zarr_array file = data::wind("u");
  ts::ndarray<float, 2> mean;
  std::vector<float> expected;
  contest::run(state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.1},
               {.tessera = {[&] {
                  const auto steps = open_wind(file)(ts::slice(ts::none, ts::none, 2));
                  mean = ts::mean(steps, ts::axis<0>).compute(programs::run_settings());
                }},
                .by_hand = {[&] { expected = hand_written::mean_of_every_second(file); }},
                .agree = [&] {
                  const auto is_near = [](float a, float b) { return std::abs(a - b) < 1e-5F; };
                  return std::equal(mean.span().begin(), mean.span().end(), expected.begin(),
                                    expected.end(), is_near);
                }});
}
BENCHMARK(mean_of_every_second)->Name("mean of every second step of u")->Apply(programs::in_rounds);

void opened_twice(benchmark::State& state) {
  const zarr_array file = data::large_field();
  double sum = 0;
  double mean = 0;
  double expected = 0;
  const double count = static_cast<double>(file.num_bytes()) / sizeof(double);
  contest::run(state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.1},
               {.tessera = {[&] {
                  const auto [s, m] =
                      ts::compute(ts::sum(open_matrix(file)), ts::mean(open_matrix(file)),
                                  programs::run_settings());
                  sum = s;
                  mean = m;
                }},
                .by_hand = {[&] { expected = hand_written::sum(file); }},
                .agree = [&] {
                  const auto is_near = [&](double a) {
                    return std::abs(a - expected) <= 1e-9 * std::abs(expected);
                  };
                  return is_near(sum) && is_near(mean * count);
                }});
}
BENCHMARK(opened_twice)->Name("sum(open(p)), mean(open(p))")->Apply(programs::in_rounds);

/// Ten products of matrices of 8 MiB, in chunks of a sixteenth.
void products(benchmark::State& state) {
  constexpr std::size_t order = 1024;
  constexpr std::size_t num_products = 10;
  std::vector<std::vector<double>> values;
  for (std::size_t k = 0; k <= num_products; ++k) {
    values.push_back(data::noise(order * order, k));
    // Scaled so that products have elements as large as the factors'.
    for (double& value : values.back()) value *= std::sqrt(3.0 / order);
  }
  // In addition to the process and the factors: two products, the result, and the tasks.
  ts::spec spec = programs::spec();
  spec.allowed_memory = ts::bytes{10'000'000};
  spec.host_memory = ts::memory_with_code() + ts::bytes{60'000'000};
  const auto factor = [&](std::size_t k) {
    return ts::from_memory(values[k].data(), {ts::index_t{order}, ts::index_t{order}},
                           {.chunks = {256, 256}, .spec = spec});
  };
  ts::ndarray<double, 2> result;
  hand_written::result expected;
  const auto agree = [&] {
    return std::equal(result.data(), result.data() + order * order, expected.get(),
                      [](double a, double b) { return std::abs(a - b) <= 1e-9; });
  };
  contest::run(state,
               {.amount = 2.0 * num_products * order * order * order, .unit = "FLOP", .bound = 1.1},
               {.tessera = {.program =
                                [&] {
                                  ts::array<double, 2> product = factor(0);
                                  for (std::size_t k = 1; k <= num_products; ++k) {
                                    product = ts::matmul(product, factor(k));
                                  }
                                  result = product.compute(programs::run_settings());
                                },
                            .prepare = [&] { result = {}; }},
                .by_hand = {.program = [&] { expected = hand_written::product_of(values, order); },
                            .prepare = [&] { expected.reset(); }},
                .agree = agree});
}
BENCHMARK(products)->Name("ten products of 1024 x 1024 in a row")->Apply(programs::in_rounds);

}  // namespace
