// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs over very many small chunks, with a file for each: the cost of a file.

#include "stored_results.hpp"

#include <cmath>
#include <memory>
#include <string>

namespace {

namespace ts = tessera;
using hand_written::zarr_array;

ts::array<double, 2> open_files(const zarr_array& file) {
  return ts::open<double, 2>(file.path.string(), programs::spec());
}

void sum_of_files(benchmark::State& state) {
  const zarr_array file = data::small_files();
  double sum = 0;
  double expected = 0;
  contest::run(
      state, {.amount = static_cast<double>(file.num_bytes()), .bound = 1.1},
      {.tessera = {[&] { sum = ts::sum(open_files(file)).compute(programs::run_settings()); }},
       .by_hand = {[&] { expected = hand_written::sum(file); }},
       .agree = [&] { return std::abs(sum - expected) <= 1e-9 * std::abs(expected); }});
}
BENCHMARK(sum_of_files)->Name("sum(x) of 10^5 files of 4 KiB")->Apply(programs::in_rounds);

void compare_copy_of_files(benchmark::State& state,
                           void (*by_hand)(const zarr_array&, const zarr_array&)) {
  const zarr_array file = data::small_files();
  stored_results::compare<double>(
      state, file, 2.0 * static_cast<double>(file.num_bytes()),
      [&](const std::string& path) { ts::store(open_files(file), path, programs::run_settings()); },
      [&](const zarr_array& out) { by_hand(file, out); });
}

void copy_of_files(benchmark::State& state) { compare_copy_of_files(state, hand_written::copy); }
BENCHMARK(copy_of_files)->Name("store(x) of 10^5 files of 4 KiB")->Apply(programs::in_rounds);

/// The loop gives the guarantees of `store`.
void resumable_copy_of_files(benchmark::State& state) {
  compare_copy_of_files(state, hand_written::copy_resumably);
}
BENCHMARK(resumable_copy_of_files)
    ->Name("the same, the loop may be killed as well")
    ->Apply(programs::in_rounds);

/// A program that stores a row looks at all files of its input before its only task, to record its
/// identity.
void start(benchmark::State& state) {
  const zarr_array file = data::very_many_files();
  zarr_array row = file;
  row.shape[0] = 1;
  zarr_array from_tessera;
  zarr_array from_loop;
  contest::run(
      state, {.amount = static_cast<double>(file.num_chunks()), .unit = "files", .bound = 1.1},
      {.tessera = {.program =
                       [&] {
                         ts::store(open_files(file)(ts::slice(0, 1)), from_tessera.path.string(),
                                   programs::run_settings());
                       },
                   .prepare = [&] { from_tessera = data::result(row, "tessera"); }},
       .by_hand = {.program =
                       [&] {
                         benchmark::DoNotOptimize(hand_written::state_of(file));
                         zarr_array first = row;
                         first.path = file.path;
                         hand_written::copy(first, from_loop);
                       },
                   .prepare = [&] { from_loop = data::result(row, "by-hand"); }},
       .agree = [&] { return stored_results::hold_the_same<double>(from_tessera, from_loop); }});
  data::remove_results();
}
BENCHMARK(start)->Name("store of a row of 10^6 files")->Apply(programs::in_rounds);

/// The gain of the second thread: Tessera on one thread takes the place of the program by hand.
void copy_on_either(benchmark::State& state) {
  const zarr_array file = data::small_files();
  zarr_array out;
  const auto copy_on = [&](std::size_t num_threads) {
    return contest::contestant{
        [&, settings = ts::run_with{.executor = ts::executors::threads(num_threads)}] {
          ts::store(open_files(file), out.path.string(), settings);
        },
        [&] { out = data::result(file, "tessera"); }};
  };
  contest::run(state, {.amount = 2.0 * static_cast<double>(file.num_bytes()), .bound = 0.9},
               {.tessera = copy_on(2), .by_hand = copy_on(1), .agree = [] { return true; }});
  data::remove_results();
}
BENCHMARK(copy_on_either)
    ->Name("store(x) of 10^5 files: two threads, one")
    ->Apply(programs::in_rounds);

}  // namespace
