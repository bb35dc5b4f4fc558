// SPDX-License-Identifier: Apache-2.0

/// \file
/// Functions of whole lines, and a selection of rows by indices.

#include "stored_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using hand_written::zarr_array;

ts::array<float, 3> open_series(const zarr_array& file) {
  return ts::open<float, 3>(file.path.string(), programs::spec());
}

void sorted_lines(benchmark::State& state) {
  const zarr_array file = data::series();
  stored_results::compare<float>(
      state, file, 2.0 * static_cast<double>(file.num_bytes()),
      [&](const std::string& path) {
        ts::store(ts::sort(open_series(file), ts::axis<0>), path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_sorted_lines(file, out); });
}
BENCHMARK(sorted_lines)->Name("sort(x) over time")->Apply(programs::in_rounds);

void quantiles(benchmark::State& state) {
  const zarr_array file = data::series();
  ts::ndarray<float, 2> upper_decile;
  std::vector<float> expected;
  contest::run(
      state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.15},
      {.tessera = {[&] {
         upper_decile =
             ts::quantile(open_series(file), 0.9, ts::axis<0>).compute(programs::run_settings());
       }},
       .by_hand = {[&] { expected = hand_written::quantiles_of_lines(file, 0.9); }},
       .agree = [&] {
         const auto is_near = [](float a, float b) { return std::abs(a - b) < 1e-5F; };
         return std::equal(upper_decile.span().begin(), upper_decile.span().end(), expected.begin(),
                           expected.end(), is_near);
       }});
}
BENCHMARK(quantiles)->Name("quantile(x, 0.9) over time")->Apply(programs::in_rounds);

void spectra(benchmark::State& state) {
  const zarr_array file = data::series();
  zarr_array like = file;
  like.shape[0] = like.chunks[0] = file.shape[0] / 2 + 1;
  stored_results::compare<float>(
      state, like, static_cast<double>(file.num_bytes() + like.num_bytes()),
      [&](const std::string& path) {
        const auto waves = ts::rfft(open_series(file), ts::axis<0>, ts::fft_norm::forward);
        ts::store(ts::square(ts::real(waves)) + ts::square(ts::imag(waves)), path,
                  programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_spectra(file, out); });
}
BENCHMARK(spectra)->Name("power of rfft(x) over time")->Apply(programs::in_rounds);

void rows(benchmark::State& state) {
  const zarr_array file = data::large_field();
  std::vector<std::size_t> chosen(file.shape[0] / 10);
  std::mt19937 random(1);
  for (std::size_t& row : chosen) row = random() % file.shape[0];
  const std::vector<std::int64_t> indices(chosen.begin(), chosen.end());
  zarr_array like = file;
  like.shape[0] = chosen.size();
  stored_results::compare<double>(
      state, like, static_cast<double>(file.num_bytes() + like.num_bytes()),
      [&](const std::string& path) {
        const auto x = ts::open<double, 2>(file.path.string(), programs::spec());
        ts::store(ts::take(x, indices, ts::axis<0>), path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::store_rows(file, chosen, out); });
}
BENCHMARK(rows)->Name("take(x) of a tenth of the rows")->Apply(programs::in_rounds);

}  // namespace
