// SPDX-License-Identifier: Apache-2.0

/// \file
/// The overhead of tasks and of plans.

#include "programs.hpp"

#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;

constexpr ts::index_t num_chunks = 100'000;
constexpr ts::index_t chunk_length = 512;  // 4 KiB of float64

/// Makes an array of ones, "x", with a chunk for each row.
void make_rows(const std::shared_ptr<ts::key_value_store>& store) {
  const auto x = ts::zarr_array::create(store, "x",
                                        {.shape = {num_chunks, chunk_length},
                                         .chunks = {1, chunk_length},
                                         .dtype = ts::dtype::float64,
                                         .compressor = ts::codec::none{}});
  const std::vector<double> ones(chunk_length, 1.0);
  const auto* elements = reinterpret_cast<const std::byte*>(ones.data());
  for (ts::index_t row = 0; row < num_chunks; ++row) {
    x.write_chunk(ts::index_vector{row, 0}, elements, {});
  }
}

std::shared_ptr<ts::key_value_store> rows_in_memory() {
  auto store = std::make_shared<ts::memory_store>();
  make_rows(store);
  return store;
}

/// Returns a store of files with this array, made unless an earlier run did.
std::shared_ptr<ts::key_value_store> rows_in_files() {
  const auto path = data::directory() / "small-chunks.zarr";
  const bool is_there = std::filesystem::exists(path / "x" / fmt::format("{}.0", num_chunks - 1));
  if (!is_there) std::filesystem::remove_all(path);
  auto store = std::make_shared<ts::filesystem_store>(path.string());
  if (!is_there) {
    std::cerr << "making " << path.string() << '\n';
    make_rows(store);
  }
  return store;
}

/// Times of one worker: all of them are busy until the end.
constexpr double tasks_per_worker = static_cast<double>(num_chunks) / hand_written::num_threads;

void sum_of_small_chunks(benchmark::State& state, std::shared_ptr<ts::key_value_store> (*rows)(),
                         double limit) {
  const auto x = ts::open<double, 2>(rows(), "x", programs::spec());
  contest::run_within(state, limit, tasks_per_worker, [&] {
    if (ts::sum(x).compute(programs::run_settings()) !=
        static_cast<double>(num_chunks * chunk_length)) {
      state.SkipWithError("the sum is wrong");
    }
  });
}
BENCHMARK_CAPTURE(sum_of_small_chunks, in_memory, &rows_in_memory, 10e-6)
    ->Name("sum(x), for each chunk of 4 KiB")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(sum_of_small_chunks, in_files, &rows_in_files, 20e-6)
    ->Name("sum(x), for each file of 4 KiB")
    ->Apply(programs::in_rounds);

void sums_of_small_chunks(benchmark::State& state) {
  const auto x = ts::open<double, 2>(rows_in_memory(), "x", programs::spec());
  contest::run_within(state, 10e-6, tasks_per_worker, [&] {
    if (ts::sum(x, ts::axis<1>).compute(programs::run_settings())(num_chunks - 1) !=
        static_cast<double>(chunk_length)) {
      state.SkipWithError("a sum is wrong");
    }
  });
}
BENCHMARK(sums_of_small_chunks)
    ->Name("sum(x, axis<1>), for each task of 4 KiB")
    ->Apply(programs::in_rounds);

void plan_of_many_tasks(benchmark::State& state) {
  const ts::spec& spec = programs::spec();
  contest::run_within(state, 10e-3, 1, [&] {
    const auto a = ts::random::uniform<double>({100'000'000, 4096},
                                               {.chunks = {1000, 512}, .spec = spec, .seed = 1});
    const auto b = ts::random::uniform<double>({4096, 10'000'000},
                                               {.chunks = {512, 1000}, .spec = spec, .seed = 2});
    const auto product = ts::stored(ts::matmul(a, b), std::make_shared<ts::memory_store>(), "c");
    if (ts::plan(product, programs::run_settings()).num_tasks() < 1'000'000'000) {
      state.SkipWithError("the plan has fewer than 10^9 tasks");
    }
  });
}
BENCHMARK(plan_of_many_tasks)
    ->Name("plan(stored(matmul(a, b))) of 10^9 tasks")
    ->Apply(programs::in_rounds);

/// Makes a group of 2,000 arrays with consolidated metadata, unless an earlier run did.
std::string group_of_arrays(int format) {
  const auto path = data::directory() / fmt::format("group-of-2000-v{}.zarr", format);
  const auto done = data::directory() / fmt::format("group-of-2000-v{}.done", format);
  if (std::filesystem::exists(done)) return path.string();
  std::filesystem::remove_all(path);
  const auto store = std::make_shared<ts::filesystem_store>(path.string());
  (void)ts::zarr_group::create(store, "", {}, format);
  ts::zarr_metadata metadata;
  metadata.shape = {10};
  metadata.chunks = {10};
  metadata.format = format;
  for (int i = 0; i < 2000; ++i) {
    (void)ts::zarr_array::create(store, fmt::format("x{}", i), metadata);
  }
  consolidate(ts::zarr_group::open(store, ""));
  std::filesystem::create_directory(done);
  return path.string();
}

void open_group(benchmark::State& state, int format) {
  const std::string path = group_of_arrays(format);
  contest::run_within(state, 0.3, 1, [&] {
    const auto group = ts::zarr_group::open(path);
    std::size_t num_elements = 0;
    for (const std::string& name : group.arrays()) {
      num_elements += static_cast<std::size_t>(group.array(name).shape()[0]);
    }
    if (num_elements != 20'000) state.SkipWithError("the group has other arrays");
  });
}
BENCHMARK_CAPTURE(open_group, version_2, 2)
    ->Name("opening of 2,000 arrays of a group, v2")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(open_group, version_3, 3)
    ->Name("opening of 2,000 arrays of a group, v3")
    ->Apply(programs::in_rounds);

}  // namespace
