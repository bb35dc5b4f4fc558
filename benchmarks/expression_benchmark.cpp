// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs of many operations, which read each chunk once and store no intermediate array.

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
using matrix = ts::array<double, 2>;

matrix open_matrix(const zarr_array& file) {
  return ts::open<double, 2>(file.path.string(), programs::spec());
}

void chain(benchmark::State& state) {
  constexpr std::size_t num_roots = 50;
  const zarr_array file = data::field(0);
  stored_results::compare<double>(
      state, file, 2.0 * static_cast<double>(file.num_bytes()),
      [&](const std::string& path) {
        matrix x = ts::abs(open_matrix(file));
        for (std::size_t k = 0; k < num_roots; ++k) x = ts::sqrt(x + 1.0);
        ts::store(x, path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_chain(file, num_roots, out); });
}
BENCHMARK(chain)->Name("store of 100 steps on x")->Apply(programs::in_rounds);

/// A task may hold ten chunks, but not ten operands together with intermediate chunks.
void sum_of_ten(benchmark::State& state) {
  constexpr ts::index_t num_bands = 10;
  const zarr_array file = data::large_field();
  zarr_array like = file;
  like.shape[0] = file.shape[0] / num_bands / file.chunks[0] * file.chunks[0];
  const auto rows = static_cast<ts::index_t>(like.shape[0]);
  ts::spec spec = programs::spec();
  spec.allowed_memory = ts::bytes{80'000'000};
  stored_results::compare<double>(
      state, like, static_cast<double>(11 * like.num_bytes()),
      [&](const std::string& path) {
        const auto x = ts::open<double, 2>(file.path.string(), spec);
        const auto band = [&](ts::index_t i) { return x(ts::slice(i * rows, (i + 1) * rows)); };
        ts::store(band(0) + band(1) + band(2) + band(3) + band(4) + band(5) + band(6) + band(7) +
                      band(8) + band(9),
                  path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_sum_of_bands(file, num_bands, out); });
}
BENCHMARK(sum_of_ten)->Name("store(x0 + x1 + ... + x9)")->Apply(programs::in_rounds);

void flip(benchmark::State& state) {
  const zarr_array file = data::field(0);
  stored_results::compare<double>(
      state, file, 2.0 * static_cast<double>(file.num_bytes()),
      [&](const std::string& path) {
        ts::store(ts::flip(open_matrix(file)), path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_flipped(file, out); });
}
BENCHMARK(flip)->Name("store(flip(x))")->Apply(programs::in_rounds);

/// Returns the destinations of three levels of means of `file`.
std::vector<zarr_array> levels_of(const zarr_array& file, const std::string& name) {
  std::vector<zarr_array> levels;
  zarr_array level = file;
  for (int i = 1; i <= 3; ++i) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      level.shape[axis] /= 2;
      level.chunks[axis] /= 2;
    }
    levels.push_back(data::result(level, name + "-" + std::to_string(i)));
  }
  return levels;
}

void pyramid(benchmark::State& state) {
  const zarr_array file = data::field(0);
  std::vector<zarr_array> stored_levels;
  std::vector<zarr_array> expected;
  const auto halved = [](const matrix& y) -> matrix {
    const ts::slice even(0, ts::none, 2);
    const ts::slice odd(1, ts::none, 2);
    return (y(even, even) + y(even, odd) + y(odd, even) + y(odd, odd)) / 4.0;
  };
  contest::run(state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.1},
               {.tessera = {.program =
                                [&] {
                                  const matrix first = halved(open_matrix(file));
                                  const matrix second = halved(first);
                                  ts::plan(
                                      ts::stored(first, stored_levels[0].path.string()),
                                      ts::stored(second, stored_levels[1].path.string()),
                                      ts::stored(halved(second), stored_levels[2].path.string()),
                                      programs::run_settings())
                                      .execute();
                                },
                            .prepare = [&] { stored_levels = levels_of(file, "tessera"); }},
                .by_hand = {.program = [&] { hand_written::store_pyramid(file, expected); },
                            .prepare = [&] { expected = levels_of(file, "by-hand"); }},
                .agree = [&] {
                  return std::equal(stored_levels.begin(), stored_levels.end(), expected.begin(),
                                    stored_results::hold_the_same<double>);
                }});
  data::remove_results();
}
BENCHMARK(pyramid)->Name("three levels of means of 2 x 2 elements")->Apply(programs::in_rounds);

void gram_matrix(benchmark::State& state) {
  const zarr_array file = data::tall_matrix();
  ts::ndarray<double, 2> product;
  std::vector<double> expected;
  contest::run(
      state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.1},
      {.tessera = {[&] {
         const matrix x = open_matrix(file);
         product = ts::matmul(ts::matrix_transpose(x), x).compute(programs::run_settings());
       }},
       .by_hand = {[&] { expected = hand_written::gram_matrix(file); }},
       .agree = [&] {
         const auto is_near = [](double a, double b) {
           return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b));
         };
         return std::equal(product.span().begin(), product.span().end(), expected.begin(), is_near);
       }});
}
BENCHMARK(gram_matrix)->Name("matmul(transpose(x), x), 10^6 x 128")->Apply(programs::in_rounds);

}  // namespace
