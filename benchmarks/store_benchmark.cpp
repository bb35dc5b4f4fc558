// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs that read arrays and store one of the same size.

#include "stored_results.hpp"

#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using hand_written::zarr_array;

void store_expression(benchmark::State& state) {
  const zarr_array files[] = {data::field(0), data::field(1), data::field(2)};
  const ts::spec& spec = programs::spec();
  stored_results::compare<double>(
      state, files[0], 4.0 * static_cast<double>(files[0].num_bytes()),
      [&](const std::string& path) {
        const auto a = ts::open<double, 2>(files[0].path.string(), spec);
        const auto b = ts::open<double, 2>(files[1].path.string(), spec);
        const auto c = ts::open<double, 2>(files[2].path.string(), spec);
        ts::store(ts::sqrt(a * a + b * b) - 0.5 * c, path, programs::run_settings());
      },
      [&](const zarr_array& out) {
        hand_written::store_expression(files[0], files[1], files[2], out);
      });
}
BENCHMARK(store_expression)->Name("store(sqrt(a*a + b*b) - 0.5*c)")->Apply(programs::in_rounds);

void copy(benchmark::State& state) {
  const zarr_array in = data::large_field();
  const ts::spec& spec = programs::spec();
  stored_results::compare<double>(
      state, in, 2.0 * static_cast<double>(in.num_bytes()),
      [&](const std::string& path) {
        ts::store(ts::open<double, 2>(in.path.string(), spec), path, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::copy(in, out); });
}
BENCHMARK(copy)->Name("store(x)")->Apply(programs::in_rounds);

/// Rechunks `in` into the chunks of `like`; both may use 2 GB for each thread.
void rechunk(benchmark::State& state, const zarr_array& in, const zarr_array& like) {
  ts::spec spec = programs::spec();
  spec.allowed_memory = ts::bytes{2'000'000'000};
  const std::vector<ts::index_t> chunks(like.chunks.begin(), like.chunks.end());
  stored_results::compare<float>(
      state, like, 2.0 * static_cast<double>(in.num_bytes()),
      [&](const std::string& path) {
        const auto x = ts::open<float, 3>(in.path.string(), spec);
        ts::store(x, path, {.chunks = chunks}, programs::run_settings());
      },
      [&](const zarr_array& out) { hand_written::rechunk(in, out); });
}

void maps_to_series(benchmark::State& state) { rechunk(state, data::maps(), data::series()); }
BENCHMARK(maps_to_series)->Name("rechunk, time to space")->Apply(programs::in_rounds);

void series_to_maps(benchmark::State& state) { rechunk(state, data::series(), data::maps()); }
BENCHMARK(series_to_maps)->Name("rechunk, space to time")->Apply(programs::in_rounds);

}  // namespace
