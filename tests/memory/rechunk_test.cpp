// SPDX-License-Identifier: Apache-2.0

/// \file
/// Rechunks through files, by several copies: their reads, writes, requests and memory, measured,
/// against their plans.
///
/// Arrays have 64 MB, and a task may take 6.4 MB. TESSERA_RECHUNK_SCALE=4 makes them sixteen times
/// as large: 1 GB, in 100 MB.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "unit/plan/file_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <malloc.h>
#include <ostream>
#include <string>
#include <unistd.h>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

index_t scale() {
  const char* const given = std::getenv("TESSERA_RECHUNK_SCALE");
  return given == nullptr ? 1 : std::stol(given);
}

struct rechunk_case {
  const char* name;
  std::array<index_t, 2> shape;
  std::array<index_t, 2> from;
  std::array<index_t, 2> to;
};

void PrintTo(const rechunk_case& parameters, std::ostream* out) { *out << parameters.name; }

/// A folder of its own for each test.
class work_folder {
 public:
  work_folder() { std::filesystem::remove_all(folder_); }
  ~work_folder() { std::filesystem::remove_all(folder_); }
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;

 protected:
  std::string folder_ = ::testing::TempDir() + "tessera-rechunks-" + std::to_string(getpid());
};

class Rechunks : public ::testing::TestWithParam<rechunk_case>, protected work_folder {};

/// Stores the numbers of the elements, in row-major order, as the array to rechunk.
void store_numbers(const rechunk_case& parameters, const std::string& path, const ts::spec& spec,
                   const ts::store_options& options, const ts::run_with& settings) {
  const auto along = [&](std::size_t axis) {
    return ts::arange<double>(static_cast<double>(parameters.shape[axis]),
                              {.chunks = {parameters.from[axis]}, .spec = spec});
  };
  const auto width = static_cast<double>(parameters.shape[1]);
  ts::store(along(0)(ts::whole, ts::newaxis) * width + along(1), path, options, settings);
}

void expect_numbers(const rechunk_case& parameters, const std::string& path) {
  const auto y = ts::open<double, 2>(path).compute();
  for (index_t i = 0; i < parameters.shape[0]; ++i) {
    for (index_t j = 0; j < parameters.shape[1]; ++j) {
      ASSERT_EQ(y(i, j), static_cast<double>(i * parameters.shape[1] + j)) << i << ' ' << j;
    }
  }
}

/// Runs a plan and returns the most memory that was in use beside the memory before.
template <class Plan>
ts::bytes memory_of_run(const Plan& plan) {
  malloc_trim(0);
  EXPECT_TRUE(ts::reset_peak_memory());
  const ts::bytes reserved = ts::resident_memory();
  plan.execute();
  return ts::peak_memory() - reserved;
}

/// Compares the bytes and requests of a run with the cost of its plan.
void expect_planned(const ts::plan_cost& cost, double read, double written, double requests) {
  // Besides chunks there are metadata, and the record of a run.
  const auto planned_read = static_cast<double>(cost.bytes_read.count());
  const auto planned_written = static_cast<double>(cost.bytes_written.count());
  const auto planned_requests = static_cast<double>(cost.num_requests);
  EXPECT_GE(read, 0.999 * planned_read);
  EXPECT_LE(read, 1.001 * planned_read + 20'000);
  EXPECT_GE(written, planned_written);
  EXPECT_LE(written, planned_written + 20'000);
  EXPECT_GE(requests, planned_requests);
  EXPECT_LE(requests, planned_requests + 200);
}

TEST_P(Rechunks, MoveWhatTheyPlanToInTheMemoryThatTheyPlan) {
  const rechunk_case& parameters = GetParam();
  ts::spec spec{.work_dir = folder_ + "/work", .intermediate_compressor = "none"};
  const ts::run_with serial{.executor = ts::executors::serial()};
  const ts::store_options raw{.compressor = ts::codec::none{}};
  store_numbers(parameters, folder_ + "/x", spec, raw, serial);

  spec.allowed_memory = ts::bytes{6'400'000} * static_cast<std::uint64_t>(scale() * scale());
  const auto x = ts::open<double, 2>(folder_ + "/x", spec);
  const ts::plan plan(ts::pass_switches{.memory_tier = false}, serial,
                      ts::stored(ts::rechunk(x, parameters.to), folder_ + "/y", raw));
  const ts::plan_cost cost = plan.cost(1);
  EXPECT_GE(plan.num_operations(), 2U);
  EXPECT_LE(plan.projected_memory(), spec.allowed_memory);

  const ts::test::file_bytes before;
  const ts::bytes measured = memory_of_run(plan);
  const ts::test::file_bytes after;

  const auto read = static_cast<double>(after.read - before.read);
  const auto written = static_cast<double>(after.written - before.written);
  const auto requests = static_cast<double>(after.calls - before.calls);
  std::cout << plan << "cost: " << cost << "\nmeasured: " << read << " B read, " << written
            << " B written, " << requests << " requests, " << measured << '\n';
  expect_planned(cost, read, written, requests);
  // Code that runs for the first time is counted as well.
  EXPECT_LE(measured, plan.projected_memory() + plan.bounded().resident_memory() + 256_kB);

  expect_numbers(parameters, folder_ + "/y");
}

/// A copy into other chunks by one operation.
struct copy_case {
  rechunk_case grids;
  ts::codec::configuration compressor;
};

void PrintTo(const copy_case& parameters, std::ostream* out) { *out << parameters.grids.name; }

class CopiesInPlace : public ::testing::TestWithParam<copy_case>, protected work_folder {
 protected:
  /// Returns the memory that a task needs if it gathers the elements of a chunk where it encodes
  /// them: the chunk, and beside it a chunk of the source or the encoded chunk.
  [[nodiscard]] std::size_t memory_of_copy(const ts::codec::configuration& compressor) const {
    const rechunk_case& grids = GetParam().grids;
    const auto array = [&](const std::array<index_t, 2>& chunks) {
      return ts::zarr_array::create(folder_ + "/grid",
                                    {.shape = {grids.shape[0], grids.shape[1]},
                                     .chunks = {chunks[0], chunks[1]},
                                     .dtype = ts::dtype::float64,
                                     .compressor = compressor},
                                    {}, ts::existing::replace);
    };
    const auto source = array(grids.from);
    const auto copy = array(grids.to);
    return copy.decoded_bytes() +
           std::max(source.decoded_bytes() + source.encoded_bound(), copy.encoded_bound()) +
           std::max(source.codec_workspace(), copy.codec_workspace());
  }
};

TEST_P(CopiesInPlace, KeepToTheMemoryThatTheyPlan) {
  const rechunk_case& grids = GetParam().grids;
  ts::spec spec{.work_dir = folder_ + "/work"};
  const ts::run_with serial{.executor = ts::executors::serial()};
  const ts::store_options layout{.compressor = GetParam().compressor};
  store_numbers(grids, folder_ + "/x", spec, layout, serial);

  // A task needs 4 % and a few kB more, of which its stack is a part.
  const std::size_t least = memory_of_copy(GetParam().compressor);
  spec.allowed_memory = ts::bytes{least + least / 25 + 20'000};
  const auto x = ts::open<double, 2>(folder_ + "/x", spec);
  (void)ts::sum(x).compute(serial);
  const ts::plan plan(ts::stored(ts::rechunk(x, grids.to), folder_ + "/y", layout), serial);
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_LE(plan.projected_memory(), spec.allowed_memory);
  const ts::bytes projected = plan.projected_memory() + plan.bounded().resident_memory();
  const ts::bytes measured = memory_of_run(plan);
  std::cout << plan << "measured: " << measured << ", projected: " << projected << '\n';
  EXPECT_LE(measured, projected + 256_kB);
  // A bound that is much too high would hold as well. Numbers compress, so that codecs need less,
  // and pages beyond the end of the array may stay untouched.
  const bool is_inside = grids.to[0] <= grids.shape[0] && grids.to[1] <= grids.shape[1];
  if (GetParam().compressor.is_none() && is_inside) {
    EXPECT_GE(measured.count() * 120, projected.count() * 100);
  }
  expect_numbers(grids, folder_ + "/y");
}

INSTANTIATE_TEST_SUITE_P(
    OfFiles, CopiesInPlace,
    ::testing::Values(
        copy_case{{"coprime grids", {2500, 2600}, {700, 900}, {1000, 1100}}, ts::codec::none{}},
        copy_case{{"compressed", {2500, 2600}, {700, 900}, {1000, 1100}}, ts::codec::blosc{}},
        copy_case{{"whole chunks", {2500, 2600}, {500, 550}, {1000, 1100}}, ts::codec::blosc{}},
        copy_case{{"beyond the end", {1900, 1500}, {1000, 1300}, {1700, 1400}}, ts::codec::zlib{}},
        copy_case{{"one chunk", {1100, 1300}, {400, 1300}, {1500, 1600}}, ts::codec::none{}}));

const index_t s = scale();
INSTANTIATE_TEST_SUITE_P(
    OfFiles, Rechunks,
    ::testing::Values(
        rechunk_case{"time to space", {8192 * s * s, 1024}, {64, 1024}, {8192 * s * s, 4}},
        rechunk_case{"space to time", {8192 * s * s, 1024}, {8192 * s * s, 4}, {64, 1024}},
        rechunk_case{"coprime grids", {2900 * s, 2891 * s}, {90, 2891 * s}, {2900 * s, 89}},
        rechunk_case{"transposed", {2880 * s, 2880 * s}, {2880 * s, 32}, {32, 2880 * s}},
        rechunk_case{"columns to rows", {2880 * s, 2880 * s}, {2880 * s, 1}, {1, 2880 * s}}));

}  // namespace
