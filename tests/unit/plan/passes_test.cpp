// SPDX-License-Identifier: Apache-2.0

/// \file
/// The effect of each pass on the printed plan: the same program with the pass off and on.
///
/// Reads and writes follow from the shapes: u and v are 600 x 400 float32 (960 kB) in uncompressed
/// chunks of 100 x 200 (80 kB).

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

/// A store that counts the chunks that are read.
class read_counter final : public ts::key_value_store {
 public:
  explicit read_counter(std::shared_ptr<ts::key_value_store> inner) : inner_(std::move(inner)) {}

  mutable std::atomic<int> num_chunks{0};

  std::string name() const override { return inner_->name(); }
  std::optional<std::size_t> read(std::string_view key, std::span<std::byte> into) const override {
    if (key.find("/.") == std::string_view::npos) ++num_chunks;
    return inner_->read(key, into);
  }
  std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                 std::size_t limit) const override {
    return inner_->read_all(key, limit);
  }
  std::optional<std::size_t> size(std::string_view key) const override { return inner_->size(key); }
  void write(std::string_view key, std::span<const std::byte> value) override {
    inner_->write(key, value);
  }
  void erase(std::string_view key) override { inner_->erase(key); }
  void erase_all(std::string_view folder) override { inner_->erase_all(folder); }
  std::vector<std::string> list(std::string_view folder) const override {
    return inner_->list(folder);
  }
  std::vector<std::string> list_folder(std::string_view folder) const override {
    return inner_->list_folder(folder);
  }
  std::unique_ptr<ts::store_lock> lock(std::string_view key, std::string_view intent) override {
    return inner_->lock(key, intent);
  }

 private:
  std::shared_ptr<ts::key_value_store> inner_;
};

class Passes : public ::testing::Test {
 protected:
  Passes() {
    const auto zeros = ts::zeros<float>({600, 400}, {.chunks = {100, 200}, .spec = spec});
    const ts::store_options raw{.compressor = ts::codec::none{}};
    (void)ts::plan(ts::stored(zeros, store, "u", raw), ts::stored(zeros, store, "v", raw))
        .compute();
  }

  [[nodiscard]] ts::array<float, 2> open(const char* name) const {
    return ts::open<float, 2>(store, name, spec);
  }

  /// Returns the rows of the printed plan, without the columns that depend on the machine.
  template <class Plan>
  static std::vector<std::string> rows(const Plan& plan) {
    std::vector<std::string> rows;
    for (const auto& planned : plan.bounded().inside().operations) {
      rows.push_back(planned.op.name + " | " + std::to_string(planned.num_tasks) +
                     " tasks | reads " + ts::format_short(planned.bytes_read) + " | " +
                     planned.label);
    }
    for (const std::string& row : rows) {
      const std::string label = row.substr(row.rfind("| ") + 2);
      EXPECT_NE(plan.bounded().to_string().find(label), std::string::npos);
    }
    return rows;
  }

  using rows_type = std::vector<std::string>;

  ts::spec spec{.allowed_memory = 100_MB, .costs = {.workers = 64}};
  std::shared_ptr<ts::memory_store> store = std::make_shared<ts::memory_store>();
  ts::pass_switches off{.cull = false,
                        .share = false,
                        .crop = false,
                        .fuse_producers = false,
                        .fuse_siblings = false,
                        .keep = false,
                        .split_folds = false,
                        .fuse_epilogues = false,
                        .size_blocks = false,
                        .fuse_levels = false,
                        .stage_rechunks = false,
                        .bound_memory = false};
};

TEST_F(Passes, FuseProducersComputesAProducerInItsReader) {
  const ts::array<float, 2> sum = open("u") + open("v");
  const auto root = ts::sqrt(sum);
  EXPECT_EQ(rows(ts::plan(off, root)),
            (rows_type{"u + v | 12 tasks | reads 1.9 MB | u + v",
                       "sqrt(u + v) | 12 tasks | reads 0 B | sqrt(u + v)"}));
  off.fuse_producers = true;
  EXPECT_EQ(rows(ts::plan(off, root)),
            (rows_type{"sqrt(u + v) | 12 tasks | reads 1.9 MB | sqrt(u + v)"}));
}

TEST_F(Passes, FuseProducersKeepsWhatIsAskedForOrReadTwice) {
  const ts::array<float, 2> sum = open("u") + open("v");
  off.fuse_producers = true;
  EXPECT_EQ(ts::plan(off, ts::sqrt(sum), sum).num_operations(), 2U);
  const auto twice =
      ts::plan(off, ts::sum(sum, ts::axis<0>), ts::matmul(sum, open("u")(ts::slice(0, 400))));
  EXPECT_EQ(twice.num_operations(), 4U) << "and a copy of u, which tasks read again and again";
}

TEST_F(Passes, ProductsOfFewBlocksAreCutAlongWhatIsSummed) {
  const auto x = ts::ones<double>({65'536, 8}, {.chunks = {1024, 8}});
  const auto plan = ts::plan(ts::matmul(ts::matrix_transpose(x), x));
  const auto& planned = plan.bounded().inside().operations;
  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0].op.name, "matmul, partial");
  EXPECT_EQ(planned[0].num_tasks, 64);
  // Each lies dense, as a product of matrices is made best.
  const auto& partial = plan.bounded().inside().arrays[planned[0].outputs[0].array];
  EXPECT_EQ(partial.shape, (ts::index_vector{64, 8, 8}));
  EXPECT_EQ(partial.chunks, (ts::index_vector{1, 8, 8}));
  EXPECT_EQ(planned[1].op.name, "matmul, combine");
  const auto gram = plan.compute();
  for (const double element : gram.span()) EXPECT_EQ(element, 65'536);
  // Partial sums would be as large as their input.
  const auto wide = ts::ones<double>({4096, 512}, {.chunks = {64, 512}});
  EXPECT_EQ(ts::plan(ts::matmul(ts::matrix_transpose(wide), wide)).num_operations(), 1U);
}

TEST_F(Passes, ProductsInMemoryAreCutAsLongAsBlocksAreLarge) {
  const auto num_tasks = [](ts::index_t order) {
    const ts::spec limits{.costs = {.workers = 64}};
    const auto x = ts::ones<float>({order, order}, {.chunks = {order, order}, .spec = limits});
    return ts::plan(ts::matmul(x, x)).bounded().inside().operations[0].num_tasks;
  };
  EXPECT_EQ(num_tasks(4096), 16) << "of 1024 x 1024";
  EXPECT_EQ(num_tasks(8192), 64) << "of 1024 x 1024";
}

TEST_F(Passes, ProductsInPartsAreTheSameBitsWhateverTheEngineAndTheMemory) {
  const auto gram = [](ts::bytes memory, std::shared_ptr<ts::executor> engine) {
    ts::spec limits;
    limits.allowed_memory = memory;
    const auto x = ts::random::uniform<float>({40'000, 16}, {.chunks = {500, 16}, .spec = limits});
    const auto product = ts::matmul(ts::matrix_transpose(x), ts::sqrt(x));
    return product.compute({.executor = std::move(engine)});
  };
  const auto expected = gram(2_GB, ts::executors::serial());
  for (const ts::bytes memory : {8_MB, 2_GB}) {
    const auto product = gram(memory, ts::executors::threads(3));
    EXPECT_TRUE(std::equal(product.span().begin(), product.span().end(), expected.span().begin()));
  }
}

TEST_F(Passes, FuseProducersDoesNotComputeBroadcastElementsAgain) {
  const ts::array<float, 1> row = ts::sqrt(open("v")(0));
  off.fuse_producers = true;
  EXPECT_EQ(ts::plan(off, open("u") * row).num_operations(), 2U);
}

TEST_F(Passes, FuseSiblingsReadsCommonInputsOnce) {
  const auto u = open("u");
  const auto v = open("v");
  const auto uv = ts::mean(u * v, ts::axis<0>);
  const auto uu = ts::mean(u * u, ts::axis<0>);
  const auto vv = ts::mean(v * v, ts::axis<0>);
  EXPECT_EQ(ts::plan(off, uv, uu, vv).bytes_read(), 960_kB * 4);
  off.fuse_siblings = true;
  off.share = true;
  const auto fused = ts::plan(off, uv, uu, vv);
  EXPECT_EQ(fused.num_operations(), 1U);
  EXPECT_EQ(fused.num_tasks(), 2);
  EXPECT_EQ(fused.bytes_read(), 960_kB * 2);
}

TEST_F(Passes, FuseSiblingsLetsAMapAndAFoldShareTheirWalk) {
  const auto u = open("u");
  off.split_folds = true;
  const auto twice = ts::stored(u * 2.0F, store, "twice");
  EXPECT_EQ(ts::plan(off, twice, ts::mean(u)).bytes_read(), 960_kB * 2);
  off.fuse_siblings = true;
  // Three leaves of two rows of chunks each, walked chunk by chunk: none has fewer than 2^16
  // elements.
  EXPECT_EQ(rows(ts::plan(off, twice, ts::mean(u))),
            (rows_type{"mean, u * 2, partial | 3 tasks | reads 960 kB | mean(u), u * 2, partial",
                       "mean, u * 2, combine | 1 tasks | reads 0 B | mean(u), combined"}));
  // Columns of whole chunks, in two leaves each: the walk of the mean makes whole chunks of the
  // product.
  EXPECT_EQ(rows(ts::plan(off, ts::mean(u, ts::axis<0>), twice)),
            (rows_type{"u * 2, mean, partial | 4 tasks | reads 960 kB | u * 2, mean(u), partial",
                       "u * 2, mean, combine | 2 tasks | reads 0 B | mean(u), combined"}));
}

TEST_F(Passes, FuseSiblingsKeepsAMapWhoseChunksTheFoldCutsToItself) {
  const auto u = open("u");
  off.fuse_siblings = true;
  const ts::store_options crossing{.chunks = {150, 200}};
  EXPECT_EQ(
      ts::plan(off, ts::stored(u * 2.0F, store, "twice", crossing), ts::mean(u)).num_operations(),
      2U);
}

TEST_F(Passes, FuseSiblingsKeepsTheManyTasksOfALargeMap) {
  const auto x = ts::ones<float>({20, 1'000'000}, {.chunks = {1, 1'000'000}, .spec = spec});
  off.fuse_siblings = true;
  off.split_folds = true;
  // The states of a part are as large as a chunk, so that the fold is one task.
  EXPECT_EQ(ts::plan(off, x * 2.0F, ts::mean(x, ts::axis<0>)).num_operations(), 2U);
}

TEST_F(Passes, SharedWalksReallyReadOnce) {
  const auto counted = std::make_shared<read_counter>(store);
  const auto u = ts::open<float, 2>(counted, "u", spec);
  const auto run = [&](const ts::pass_switches& passes) {
    counted->num_chunks = 0;
    (void)ts::plan(passes, ts::stored(u * 2.0F + 1.0F, store, "y"), ts::mean(u), ts::max(u))
        .compute();
    return counted->num_chunks.load();
  };
  EXPECT_EQ(run({}), 12);
  EXPECT_EQ(run({.fuse_siblings = false}), 36);
}

TEST_F(Passes, ShareMakesEqualOperationsOne) {
  const auto u = open("u");
  const auto mean = ts::mean(u, ts::axis<0>);
  const auto anomaly = u - ts::mean(u, ts::axis<0>, ts::keepdims);
  EXPECT_EQ(rows(ts::plan(off, anomaly, mean)).size(), 3U);
  off.share = true;
  EXPECT_EQ(rows(ts::plan(off, anomaly, mean)),
            (rows_type{"mean | 2 tasks | reads 960 kB | mean(u)",
                       "u - mean | 12 tasks | reads 960 kB | u - mean"}));
}

TEST_F(Passes, SplitFoldsMakesPartsForManyWorkers) {
  const auto x = ts::ones<double>({1'000'000}, {.chunks = {1000}, .spec = spec});
  EXPECT_EQ(rows(ts::plan(off, ts::sum(x + 1.0))),
            (rows_type{"sum | 1 tasks | reads 0 B | sum(ones + 1)"}));
  off.split_folds = true;
  // Leaves of 128 chunks each: of 64 they would have fewer than 2^16 elements.
  EXPECT_EQ(rows(ts::plan(off, ts::sum(x + 1.0))),
            (rows_type{"sum, partial | 8 tasks | reads 0 B | sum(ones + 1), partial",
                       "sum, combine | 1 tasks | reads 0 B | sum(ones + 1), combined"}));
}

/// Beside moving states, elements take little.
constexpr ts::costs::seconds little_for_an_element{0.05e-9};

// A leaf takes 256 MB, and its states are 48 MB. An operation of its own combines the states of
// each mean. A plan is for the executor's workers, unless the figures give a number.
TEST_F(Passes, SplitFoldsCutsMeansWithFewLargeStates) {
  const auto tasks_of = [](std::size_t workers, std::optional<std::size_t> figured) {
    const ts::spec limits{.costs = {.element_step = little_for_an_element, .workers = figured}};
    const auto u =
        ts::ones<double>({128, 1000, 1000}, {.chunks = {16, 1000, 1000}, .spec = limits});
    const auto v = ts::sqrt(u);
    const auto plan = ts::plan(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>),
                               ts::mean(v * v, ts::axis<0>),
                               ts::run_with{.executor = ts::executors::threads(workers)});
    const auto& operations = plan.bounded().inside().operations;
    EXPECT_EQ(operations.size() == 1, workers == 1 && !figured);
    EXPECT_EQ(plan.cost().num_workers, workers);
    return operations[0].num_tasks;
  };
  EXPECT_EQ(tasks_of(4, {}), 4) << "leaves of two chunks";
  EXPECT_EQ(tasks_of(2, {}), 4) << "the states of two leaves are merged wherever they are";
  EXPECT_EQ(tasks_of(1, {}), 1) << "nothing gains by states in between";
  EXPECT_EQ(tasks_of(1, 64), 4);
}

/// Plans means of products over the first axis of eight chunks of 128 MB, on two threads.
auto plan_of_quadratic_means(ts::spec spec) {
  spec.costs.element_step = little_for_an_element;
  const auto u = ts::ones<double>({128, 1000, 1000}, {.chunks = {16, 1000, 1000}, .spec = spec});
  const auto v = ts::sqrt(u);
  return ts::plan(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>),
                  ts::mean(v * v, ts::axis<0>),
                  ts::run_with{.executor = ts::executors::threads(2)});
}

// The same with states in memory: all workers combine them, and no task holds the states of whole
// chunks.
TEST_F(Passes, SplitFoldsCombinesStatesInMemoryPieceByPiece) {
  spec.allowed_memory = 2_GB;
  const auto plan = plan_of_quadratic_means(spec);
  const auto& operations = plan.bounded().inside().operations;
  ASSERT_EQ(operations.size(), 4U);
  EXPECT_EQ(operations[0].num_tasks, 4);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(operations[i].num_tasks, 16);
    // Of four leaves three nodes are open at once, of two numbers each.
    const std::size_t states = 3 * 2 * 8 * 1000 * 1000 / 16;
    EXPECT_GE(operations[i].buffers.peak_bytes(), states);
    EXPECT_LE(operations[i].buffers.peak_bytes(), states + 100'000) << "with strips";
  }
}

// States that are merged again and again move once if they stay in a cache: pieces are not as large
// as few workers would let them be.
TEST_F(Passes, SplitFoldsCombinesPiecesThatCachesHold) {
  spec.allowed_memory = 2_GB;
  spec.costs.workers = std::nullopt;
  const auto plan = plan_of_quadratic_means(spec);
  const auto& operations = plan.bounded().inside().operations;
  ASSERT_GE(operations.size(), 2U);
  for (std::size_t i = 1; i < operations.size(); ++i) {
    EXPECT_LE(operations[i].buffers.peak_bytes(), 4'100'000U);
  }
}

TEST_F(Passes, SplitFoldsMakesStoredResultsInTheirChunksWhereverStatesAre) {
  const auto store = std::make_shared<ts::memory_store>();
  spec.allowed_memory = 2_GB;
  spec.costs = ts::costs::object_store();
  spec.costs.workers = 64;
  const auto u = ts::ones<double>({12'800, 1000, 1000}, {.chunks = {16, 1000, 1000}, .spec = spec});
  const auto mean = ts::stored(ts::mean(u, ts::axis<0>), store, "mean", {.chunks = {{1000, 1000}}});
  for (const bool is_in_memory : {false, true}) {
    ts::pass_switches on;
    on.memory_tier = is_in_memory;
    const auto plan = ts::plan(on, mean);
    const auto& operations = plan.bounded().inside().operations;
    const auto& last = operations[operations.size() - 1];
    EXPECT_EQ(last.op.name, "mean, combine");
    EXPECT_EQ(last.num_tasks, 1);
    EXPECT_EQ(last.outputs.front().chunk_writes, 1);
  }
}

TEST_F(Passes, SizeBlocksReadsEachChunkOnceWhereMemoryAllows) {
  const auto columns = ts::rechunk(open("u"), {600, 10});
  // Each of 40 blocks of 10 columns touches a column of 6 chunks: 40 x 6 x 80 kB.
  EXPECT_EQ(rows(ts::plan(off, columns)), (rows_type{"rechunk | 40 tasks | reads 19.2 MB | u"}));
  EXPECT_EQ(ts::plan(off, columns).bytes_read(), 19'200_kB);
  off.size_blocks = true;
  EXPECT_EQ(rows(ts::plan(off, columns)), (rows_type{"rechunk | 2 tasks | reads 960 kB | u"}));
}

TEST_F(Passes, SizeBlocksKeepsToTheAllowedMemory) {
  spec.allowed_memory = 400_kB;
  const auto columns = ts::rechunk(open("u"), {600, 10});
  off.size_blocks = true;
  const auto plan = ts::plan(off, columns);
  EXPECT_LE(plan.projected_memory(), 400_kB);
  EXPECT_NO_THROW(plan.bounded().check_memory());
}

TEST_F(Passes, BoundMemoryRefusesWhatNeedsMoreThanIsAllowed) {
  spec.allowed_memory = 1_MB;
  const auto whole = ts::stored(ts::rechunk(open("u"), {600, 400}), store, "whole");
  const auto plan = ts::plan(off, whole);
  EXPECT_EQ(rows(plan), (rows_type{"rechunk | 1 tasks | reads 960 kB | u"}));
  EXPECT_GT(plan.projected_memory(), 1_MB);
  EXPECT_THROW(plan.bounded().check_memory(), ts::memory_error);
  off.bound_memory = true;
  EXPECT_THROW((void)ts::plan(off, whole), ts::memory_error);
}

TEST_F(Passes, FoldsKeepAllTheirResultsUntilTheyAreStored) {
  const ts::spec elsewhere{.work_dir = ::testing::TempDir() + "passes-test-work"};
  const auto x = ts::arange<double>(100.0, {.chunks = {10}, .spec = elsewhere});
  const ts::pass_switches in_storage{.memory_tier = false};
  const auto [least, greatest, total] =
      ts::plan(in_storage, ts::min(x), ts::max(x), ts::sum(x)).compute();
  EXPECT_EQ(least(), 0.0);
  EXPECT_EQ(greatest(), 99.0);
  EXPECT_EQ(total(), 4950.0);
}

}  // namespace
