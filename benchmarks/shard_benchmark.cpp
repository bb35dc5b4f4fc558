// SPDX-License-Identifier: Apache-2.0

/// \file
/// Arrays in shards against the same arrays in chunks: Tessera on chunks takes the place of the
/// program by hand.

#include "programs.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;

constexpr double mebibyte = 1024 * 1024;

/// Two stored arrays with the same numbers, without compression: in chunks, and in shards of these
/// chunks.
struct pair_of_arrays {
  std::string in_chunks;
  std::string in_shards;
  double num_bytes = 0;
};

ts::store_options in_shards(ts::index_t chunk, ts::index_t shard) {
  return {.chunks = {chunk}, .shards = {shard}, .format = 3, .compressor = ts::codec::none{}};
}

/// Returns the arrays of `size` numbers, which are stored if they are not there.
pair_of_arrays arrays_of(const std::string& name, ts::index_t size, ts::index_t chunk,
                         ts::index_t shard) {
  const pair_of_arrays pair{(data::directory() / (name + "-chunks.zarr")).string(),
                            (data::directory() / (name + "-shards.zarr")).string(),
                            8.0 * static_cast<double>(size)};
  if (!std::filesystem::exists(pair.in_shards)) {
    const auto x = ts::rechunk(
        ts::sin(ts::arange<double>(static_cast<double>(size), {.spec = programs::spec()})),
        {shard});
    ts::store(x, pair.in_chunks, {.chunks = {chunk}, .compressor = ts::codec::none{}},
              programs::run_settings());
    ts::store(x, pair.in_shards, in_shards(chunk, shard), programs::run_settings());
  }
  return pair;
}

double sum_of(const std::string& path) {
  return ts::sum(ts::open<double, 1>(path, programs::spec())).compute(programs::run_settings())();
}

/// Sums both arrays; the bits of the sums are equal.
void read(benchmark::State& state, const pair_of_arrays& pair, double bound) {
  double of_shards = 0;
  double of_chunks = 0;
  contest::run(state, {.amount = pair.num_bytes, .bound = bound},
               {.tessera = {[&] { of_shards = sum_of(pair.in_shards); }},
                .by_hand = {[&] { of_chunks = sum_of(pair.in_chunks); }},
                .agree = [&] { return of_shards == of_chunks; }});
}

void large_parts(benchmark::State& state) {
  constexpr auto chunk = static_cast<ts::index_t>(mebibyte) / 8;
  read(state, arrays_of("parts-of-1-mib", 1024 * chunk, chunk, 32 * chunk), 1.1);
}
BENCHMARK(large_parts)
    ->Name("sum(x) in shards of 1 MiB chunks, in chunks")
    ->Apply(programs::in_rounds);

void small_parts(benchmark::State& state) {
  read(state, arrays_of("parts-of-4-kib", 100'000 * 512, 512, 20 * 512), 1.3);
}
BENCHMARK(small_parts)
    ->Name("sum(x) in shards of 10^5 chunks, in 10^5 files")
    ->Apply(programs::in_rounds);

void write(benchmark::State& state) {
  constexpr auto chunk = static_cast<ts::index_t>(mebibyte) / 8;
  const pair_of_arrays pair = arrays_of("parts-of-1-mib", 1024 * chunk, chunk, 32 * chunk);
  const std::string to = (data::directory() / "copy.zarr").string();
  const auto store_as = [&](const ts::store_options& options) {
    return contest::contestant{[&, options] {
                                 ts::store(ts::open<double, 1>(pair.in_chunks, programs::spec()),
                                           to, options, programs::run_settings());
                               },
                               [&] { std::filesystem::remove_all(to); }};
  };
  contest::run(state, {.amount = 2 * pair.num_bytes, .bound = 1 / 0.9},
               {.tessera = store_as(in_shards(chunk, 32 * chunk)),
                .by_hand = store_as({.chunks = {32 * chunk}, .compressor = ts::codec::none{}}),
                .agree = [&] { return sum_of(to) == sum_of(pair.in_chunks); }});
  std::filesystem::remove_all(to);
}
BENCHMARK(write)->Name("store(x) in shards, in chunks as large")->Apply(programs::in_rounds);

}  // namespace
