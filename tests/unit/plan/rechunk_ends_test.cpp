// SPDX-License-Identifier: Apache-2.0

/// \file
/// Rechunks that are computed by their first copy and read from their last one: the planned
/// traffic, the real traffic, and the values.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/plan/file_bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

namespace ts = tessera;
using ts::test::file_bytes;
using namespace ts::literals;
using ts::index_t;

class RechunkEnds : public ::testing::Test {
 protected:
  RechunkEnds() { std::filesystem::create_directories(spec.work_dir); }
  ~RechunkEnds() override { std::filesystem::remove_all(spec.work_dir); }

  /// Returns a stored array; its elements are their positions, from `first` on.
  template <class T>
  ts::array<T, 2> positions(const std::string& name, const std::array<index_t, 2>& shape,
                            const std::array<index_t, 2>& chunks, T first = T(0)) {
    std::vector<T> values(static_cast<std::size_t>(shape[0] * shape[1]));
    std::iota(values.begin(), values.end(), first);
    (void)ts::store(ts::ndarray<T, 2>(shape, values), store, name,
                    {.chunks = {chunks[0], chunks[1]}, .compressor = ts::codec::none{}});
    return ts::open<T, 2>(store, name, spec);
  }

  /// Computes `plan`, and expects the planned reads and writes: in chunks of `chunk_bytes` for the
  /// store, by the system's counts for the intermediates.
  template <class Plan>
  auto counted(const Plan& plan, long chunk_bytes) {
    const file_bytes before;
    const long reads = store->num_reads();
    const long writes = store->num_writes();
    auto result = plan.compute();
    const file_bytes after;
    const auto read =
        static_cast<double>((store->num_reads() - reads) * chunk_bytes + after.read - before.read);
    const auto written = static_cast<double>(after.written - before.written);
    const auto planned_read = static_cast<double>(plan.bytes_read().count());
    EXPECT_NEAR(read, planned_read, 0.03 * planned_read);
    if (store->num_writes() == writes) {
      // Chunks at the array's end are stored whole, and planned without the part beyond it.
      const auto planned = static_cast<double>(plan.bytes_written().count());
      EXPECT_GE(written, 0.99 * planned);
      EXPECT_LE(written, 1.2 * planned);
    }
    return result;
  }

  std::shared_ptr<ts::test::counting_store> store = std::make_shared<ts::test::counting_store>();
  ts::spec spec{.work_dir = ::testing::TempDir() + "rechunk-ends-" + std::to_string(getpid()),
                .allowed_memory = 600_kB,
                .intermediate_compressor = "none",
                .costs = {.workers = 64}};
  ts::pass_switches in_storage{.memory_tier = false};
  ts::pass_switches direct{.stage_rechunks = false, .memory_tier = false};
  ts::run_with one_thread{.executor = ts::executors::serial()};
};

constexpr std::size_t megabytes(ts::bytes size) { return size.count() / 1'000'000; }

TEST_F(RechunkEnds, WriteNothingThatAFoldReads) {
  const auto x = positions<std::int64_t>("x", {4096, 512}, {16, 512});
  constexpr std::size_t array_bytes = 4096 * 512 * 8;
  const auto series = ts::rechunk(x, {1000, 30});
  const auto stored =
      ts::plan(in_storage, ts::stored(series, store, "y", {.compressor = ts::codec::none{}}));
  const auto folded = ts::plan(in_storage, one_thread, ts::sum(series, ts::axis<1>));
  EXPECT_LE(folded.projected_memory(), spec.allowed_memory);
  // The array is written once less than as a result, and read as often.
  EXPECT_LT(folded.bytes_written().count() + array_bytes * 9 / 10, stored.bytes_written().count());
  EXPECT_LT(folded.bytes_read().count(), stored.bytes_read().count() + array_bytes / 2);
  const ts::ndarray<std::int64_t, 1> sums = counted(folded, 16 * 512 * 8);
  for (index_t i = 0; i < 4096; ++i) ASSERT_EQ(sums(i), 512 * 512 * i + 511 * 256) << i;
}

TEST_F(RechunkEnds, LieBeforeAFoldThatWouldReadChunksAgainAndAgain) {
  const auto x = positions<std::int64_t>("x", {4096, 512}, {16, 512});
  constexpr std::size_t array_bytes = 4096 * 512 * 8;
  const auto sums = ts::sum(ts::rechunk(x, {1024, 30}), ts::axis<0>);
  // The rechunk is read on the way, but not 18 times.
  EXPECT_GT(ts::plan(direct, sums).bytes_read().count(), 17 * array_bytes);
  const auto staged = ts::plan(in_storage, one_thread, sums);
  EXPECT_LT(staged.bytes_read().count(), 4 * array_bytes);
  EXPECT_LT(staged.bytes_written().count(), 3 * array_bytes);
  const ts::ndarray<std::int64_t, 1> column_sums = counted(staged, 16 * 512 * 8);
  for (index_t j = 0; j < 512; ++j)
    ASSERT_EQ(column_sums(j), 4096 * j + index_t{512} * 4095 * 2048) << j;
}

TEST_F(RechunkEnds, LetAMapTakeBlocksThatSuit) {
  spec.allowed_memory = 1500_kB;
  const auto x = positions<double>("x", {4096, 512}, {16, 512});
  const auto y = positions<double>("y", {4096, 512}, {4096, 1}, 0.5);
  const auto sum = ts::rechunk(x, {4096, 1}) + y;
  const auto plan = ts::plan(in_storage, one_thread,
                             ts::stored(sum, store, "z", {.compressor = ts::codec::none{}}));
  constexpr std::size_t array_bytes = 4096 * 512 * 8;
  // x is read and written in between, once or twice; y is read once, and the sum is written.
  EXPECT_GT(ts::plan(direct, ts::stored(sum, store, "z2", {.compressor = ts::codec::none{}}))
                .bytes_read()
                .count(),
            20 * array_bytes);
  EXPECT_LT(plan.bytes_read().count(), 7 * array_bytes);
  EXPECT_LE(plan.bytes_written().count(), 3 * array_bytes);
  EXPECT_LE(plan.projected_memory(), spec.allowed_memory);
  const auto result = plan.compute();
  const ts::ndarray<double, 2> values = result;
  for (index_t i = 0; i < 4096; ++i) {
    for (index_t j = 0; j < 512; ++j) {
      ASSERT_EQ(values(i, j), 2.0 * static_cast<double>(i * 512 + j) + 0.5);
    }
  }
}

TEST_F(RechunkEnds, ComputeOfSeveralArraysInTheFirstCopy) {
  const auto x = positions<std::int64_t>("x", {4096, 512}, {16, 512});
  const auto y = positions<std::int64_t>("y", {4096, 512}, {16, 512}, 7);
  const auto plan = ts::plan(in_storage, ts::stored(ts::rechunk(x + y, {4096, 2}), store, "z",
                                                    {.compressor = ts::codec::none{}}));
  constexpr std::size_t array_bytes = 4096 * 512 * 8;
  EXPECT_GT(ts::plan(direct, ts::stored(ts::rechunk(x + y, {4096, 2}), store, "z2",
                                        {.compressor = ts::codec::none{}}))
                .bytes_read()
                .count(),
            100 * array_bytes);
  // Both once, and their sum as often as it is written in between.
  EXPECT_LT(plan.bytes_read().count(), 2 * array_bytes + plan.bytes_written().count() * 4 / 3);
  EXPECT_LE(plan.projected_memory(), spec.allowed_memory);
  const long reads = store->num_reads();
  const auto result = plan.compute();
  EXPECT_EQ(store->num_reads() - reads, 2 * 256);
  const ts::ndarray<std::int64_t, 2> values = result;
  for (index_t i = 0; i < 4096; ++i) {
    for (index_t j = 0; j < 512; ++j) ASSERT_EQ(values(i, j), 2 * (i * 512 + j) + 7);
  }
}

TEST_F(RechunkEnds, CopyTheShorterElements) {
  const auto x = positions<double>("x", {4096, 512}, {16, 512});
  const auto narrow =
      ts::plan(in_storage, ts::stored(ts::rechunk(ts::astype<float>(x), {4096, 2}), store, "narrow",
                                      {.compressor = ts::codec::none{}}));
  const auto wide = ts::plan(in_storage, ts::stored(ts::rechunk(x, {4096, 2}), store, "wide",
                                                    {.compressor = ts::codec::none{}}));
  // The array is read once in eight bytes, and between in four.
  constexpr std::size_t array_bytes = 4096 * 512 * 4;
  EXPECT_GT(narrow.num_operations(), 2U);
  EXPECT_EQ(narrow.bytes_written().count(), narrow.num_operations() * array_bytes);
  EXPECT_LT(narrow.bytes_written(), wide.bytes_written());
  const auto y = positions<float>("y", {4096, 512}, {16, 512});
  const auto widened =
      ts::plan(in_storage, ts::stored(ts::rechunk(ts::astype<double>(y), {4096, 2}), store,
                                      "widened", {.compressor = ts::codec::none{}}));
  EXPECT_LT(widened.bytes_written().count(), wide.bytes_written().count() * 9 / 10);
  const auto result = narrow.compute();
  const ts::ndarray<float, 2> values = result;
  EXPECT_EQ(values(4095, 511), static_cast<float>(4096 * 512 - 1));
  EXPECT_EQ(values(17, 3), static_cast<float>(17 * 512 + 3));
}

TEST_F(RechunkEnds, ReadEachOfManyFilesOnce) {
  std::vector<ts::array<std::int64_t, 2>> parts;
  for (index_t i = 0; i < 8; ++i) {
    parts.push_back(
        positions<std::int64_t>("part" + std::to_string(i), {500, 512}, {10, 512}, i * 500 * 512));
  }
  const auto joined = ts::concat(parts, ts::axis<0>);
  const auto plan = ts::plan(in_storage, ts::stored(ts::rechunk(joined, {4000, 2}), store, "z",
                                                    {.compressor = ts::codec::none{}}));
  const long reads = store->num_reads();
  const auto result = plan.compute();
  EXPECT_LE(store->num_reads() - reads, 2 * 400);
  const ts::ndarray<std::int64_t, 2> values = result;
  for (index_t i = 0; i < 4000; ++i) {
    for (index_t j = 0; j < 512; ++j) ASSERT_EQ(values(i, j), i * 512 + j);
  }
}

TEST_F(RechunkEnds, DropARechunkThatAFoldNeedNotHave) {
  const auto x = positions<std::int64_t>("x", {4096, 512}, {16, 512});
  constexpr std::size_t array_bytes = 4096 * 512 * 8;
  // Steps of whole chunks are read in place.
  const auto plan = ts::plan(in_storage, ts::sum(ts::rechunk(x, {64, 512})));
  EXPECT_EQ(plan.bytes_read().count() / 1000, array_bytes / 1000);
  EXPECT_LT(megabytes(plan.bytes_written()), 1U);
}

TEST_F(RechunkEnds, KeepTheBitsOfFolds) {
  spec.allowed_memory = 150_kB;
  const auto values = ts::random::normal<double>({2060, 256}, {.chunks = {16, 256}, .seed = 11});
  (void)ts::store(values, store, "x", {.compressor = ts::codec::none{}});
  const auto bits_of = [&](const auto& fold, const ts::spec& limits,
                           const ts::pass_switches& passes) {
    const auto x = ts::open<double, 2>(store, "x", limits);
    const auto folded = ts::plan(passes, one_thread, fold(x)).compute();
    std::vector<std::uint64_t> bits(folded.span().size());
    std::memcpy(bits.data(), folded.span().data(), folded.span().size_bytes());
    return bits;
  };
  const auto total = [](const auto& x) { return ts::sum(ts::rechunk(x, {500, 15})); };
  const auto rows = [](const auto& x) { return ts::var(ts::rechunk(x, {500, 15}), ts::axis<1>); };
  const auto columns = [](const auto& x) {
    return ts::mean(ts::rechunk(x, {512, 15}), ts::axis<0>);
  };
  const auto computed = [](const auto& x) {
    return ts::var(ts::rechunk(ts::sqrt(ts::abs(x)), {450, 10}));
  };
  EXPECT_EQ(bits_of(total, spec, in_storage), bits_of(total, spec, direct));
  EXPECT_EQ(bits_of(rows, spec, in_storage), bits_of(rows, spec, direct));
  EXPECT_EQ(bits_of(columns, spec, in_storage), bits_of(columns, spec, direct));
  EXPECT_EQ(bits_of(computed, spec, in_storage), bits_of(computed, spec, direct));
  // A copy before a fold is not in memory: the fold would take other steps there.
  ts::spec roomy = spec;
  roomy.host_memory = 1_GB;
  EXPECT_EQ(bits_of(columns, roomy, {}), bits_of(columns, spec, direct));
}

TEST_F(RechunkEnds, SayWhatTheyHaveDone) {
  const auto x = positions<std::int64_t>("x", {4096, 512}, {16, 512});
  const ts::plan_explanation explanation =
      ts::plan(in_storage, ts::sum(ts::rechunk(x, {1000, 30}), ts::axis<1>)).explain();
  std::string text;
  for (const auto& operation : explanation.operations) {
    for (const auto& note : operation.notes) text += note.text + "\n";
  }
  EXPECT_NE(text.find("reads 'rechunk' in its own blocks, by copies, block > chunks: ("),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(". Next best: ("), std::string::npos) << text;
  EXPECT_NE(text.find(" times as long with "), std::string::npos) << text;
}

}  // namespace
