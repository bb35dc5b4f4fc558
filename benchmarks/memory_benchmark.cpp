// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs over arrays in memory: kernels without storage.

#include "programs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

namespace ts = tessera;

/// Tells whether two arrays agree but for rounding.
bool hold_the_same(const double* x, const double* y, std::size_t count, double tolerance) {
  return std::equal(x, x + count, y,
                    [=](double a, double b) { return std::abs(a - b) <= tolerance; });
}

void elementwise(benchmark::State& state) {
  constexpr std::size_t count = std::size_t{1} << 25U;
  const std::vector<double> values[] = {data::noise(count, 1), data::noise(count, 2),
                                        data::noise(count, 3)};
  const auto array_of = [](const std::vector<double>& x) {
    return ts::from_memory(x.data(), {ts::index_t{count}},
                           {.chunks = {ts::index_t{1} << 20}, .spec = programs::spec()});
  };
  const auto a = array_of(values[0]);
  const auto b = array_of(values[1]);
  const auto c = array_of(values[2]);
  ts::ndarray<double, 1> result;
  hand_written::result expected;
  contest::run(
      state, {.amount = 4.0 * count * sizeof(double), .bound = 1 / 0.9},
      {.tessera = {.program =
                       [&] {
                         result =
                             (ts::sqrt(a * a + b * b) - 0.5 * c).compute(programs::run_settings());
                       },
                   .prepare = [&] { result = {}; }},
       .by_hand = {
           .program = [&] { expected = hand_written::expression(values[0], values[1], values[2]); },
           .prepare = [&] { expected.reset(); }},
       .agree = [&] { return hold_the_same(result.data(), expected.get(), count, 1e-12); }});
}
// Short, and dominated by the system's clearing of pages, so that it needs many rounds.
BENCHMARK(elementwise)
    ->Name("sqrt(a*a + b*b) - 0.5*c in memory")
    ->Apply(programs::in_rounds)
    ->Iterations(5 * contest::rounds);

void matmul(benchmark::State& state) {
  constexpr std::size_t order = 4096;
  const std::vector<double> values[] = {data::noise(order * order, 1),
                                        data::noise(order * order, 2)};
  const auto array_of = [](const std::vector<double>& x) {
    return ts::from_memory(x.data(), {ts::index_t{order}, ts::index_t{order}},
                           {.chunks = {1024, 1024}, .spec = programs::spec()});
  };
  const auto a = array_of(values[0]);
  const auto b = array_of(values[1]);
  ts::ndarray<double, 2> result;
  hand_written::result expected;
  contest::run(
      state, {.amount = 2.0 * order * order * order, .unit = "FLOP", .bound = 1 / 0.9},
      {.tessera = {.program = [&] { result = ts::matmul(a, b).compute(programs::run_settings()); },
                   .prepare = [&] { result = {}; }},
       .by_hand = {.program = [&] { expected = hand_written::matmul(values[0], values[1], order); },
                   .prepare = [&] { expected.reset(); }},
       .agree = [&] { return hold_the_same(result.data(), expected.get(), order * order, 1e-9); }});
}
BENCHMARK(matmul)->Name("matmul(a, b), 4096 x 4096, in memory")->Apply(programs::in_rounds);

/// `count` products of float32 matrices of `order`, in chunks of a quarter of an order, or of eight
/// matrices.
void matmul_of_float32(benchmark::State& state, std::size_t count, std::size_t order) {
  const std::size_t size = count * order * order;
  std::vector<float> values[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<double> noise = data::noise(size, i + 1);
    values[i].assign(noise.begin(), noise.end());
  }
  const auto extent = static_cast<ts::index_t>(order);
  const ts::index_t chunk = count == 1 ? extent / 4 : extent;
  const auto array_of = [&](const std::vector<float>& x) {
    return ts::from_memory(x.data(), {static_cast<ts::index_t>(count), extent, extent},
                           {.chunks = {8, chunk, chunk}, .spec = programs::spec()});
  };
  const auto a = array_of(values[0]);
  const auto b = array_of(values[1]);
  ts::ndarray<float, 3> result;
  hand_written::result_of<float> expected;
  const auto agree = [&] {
    return std::equal(result.data(), result.data() + size, expected.get(),
                      [](float x, float y) { return std::abs(x - y) <= 1e-3F; });
  };
  contest::run(
      state, {.amount = 2.0 * static_cast<double>(size * order), .unit = "FLOP", .bound = 1 / 0.9},
      {.tessera = {.program = [&] { result = ts::matmul(a, b).compute(programs::run_settings()); },
                   .prepare = [&] { result = {}; }},
       .by_hand = {
           .program = [&] { expected = hand_written::matmul(values[0], values[1], count, order); },
           .prepare = [&] { expected.reset(); }},
       .agree = agree});
}
BENCHMARK_CAPTURE(matmul_of_float32, one, 1, 4096)
    ->Name("matmul(a, b), 4096 x 4096 float32, in memory")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(matmul_of_float32, batch, 64, 512)
    ->Name("matmul(a, b), 64 of 512 x 512 float32, in memory")
    ->Apply(programs::in_rounds);

}  // namespace
