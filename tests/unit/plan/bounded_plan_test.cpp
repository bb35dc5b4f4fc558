// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/bounded_plan.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "unit/core/message_of.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

TEST(BoundedPlan, SizeDoesNotDependOnTheNumberOfChunks) {
  const auto big = ts::ones<float>({32'000'000, 32'000'000}, {.chunks = {1000, 1000}});
  const auto store = std::make_shared<ts::memory_store>();
  const auto plan = ts::plan(ts::stored(ts::matmul(big, big), store, "product"));
  EXPECT_EQ(plan.num_tasks(), 32'000 * 32'000);
  EXPECT_EQ(plan.num_operations(), 1U);
}

TEST(BoundedPlan, PrintsATableOfItsOperations) {
  const ts::spec spec{.allowed_memory = 1_MB};
  const auto x = ts::ones<double>({8}, {.chunks = {4}, .spec = spec});
  const auto plan = ts::plan(x + 1.0, ts::run_with{.executor = ts::executors::threads(3)});
  std::ostringstream out;
  out << plan;
  // A task holds a strip of 4 elements of the operand and one of the result; the result has 64 B.
  const std::string text = out.str();
  const std::size_t bound = text.find("at once");
  EXPECT_EQ(text.substr(0, bound),
            "operation                         tasks    memory     reads    writes\n"
            "0 ones + 1                            2     128 B       0 B       0 B\n"
            "\n"
            "result                             size  place\n"
            "ones + 1                           64 B  memory\n"
            "\n"
            "memory                          at most\n"
            "of a task                         128 B  of 1.0 MB allowed\n"
            "between tasks                      64 B  results and intermediates in memory\n");
  // The memory of the process differs from run to run.
  EXPECT_NE(text.find("  3 workers x 128 B, 64 B of results, ", bound), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(" MB of processes\n")) << text;
}

// Of chunks of 200 MB that Blosc compresses, two live at once for a map or a copy of one chunk, and
// three for a map of two. Codecs take less than 10 MB beside.
TEST(BoundedPlan, PromisesWhatLivesAtOnce) {
  const auto store = std::make_shared<ts::memory_store>();
  for (const char* name : {"x", "y"}) {
    (void)ts::zarr_array::create(
        store, name,
        {.shape = {20'000, 5000}, .chunks = {5000, 5000}, .dtype = ts::dtype::float64});
  }
  const auto x = ts::open<double, 2>(store, "x");
  const auto y = ts::open<double, 2>(store, "y");
  const auto promised = [&](const auto& e) {
    return ts::plan(ts::stored(e, store, "result")).projected_memory();
  };
  EXPECT_LE(promised(ts::sqrt(x)), 410_MB);
  EXPECT_LE(promised(x + y), 610_MB);
  EXPECT_LE(promised(x(ts::slice(5000, 15'000))), 410_MB);
  EXPECT_LE(promised(2.0 * x(ts::slice(5000, 15'000))), 410_MB);
}

// The buffers of chunks are used again: an output lies in the buffer of an earlier input.
TEST(BoundedPlan, ChunksThatTheEndCutsAreFilledBehindIt) {
  const auto store = std::make_shared<ts::memory_store>();
  ts::ndarray<double, 1> values({6});
  for (ts::index_t i = 0; i < 6; ++i) values(i) = static_cast<double>(i * i);
  ts::store(ts::asarray(values, {.chunks = {4}}), store, "x", {.compressor = ts::codec::zlib{}});
  ts::store(ts::sqrt(ts::open<double, 1>(store, "x")), store, "y",
            {.compressor = ts::codec::none{}, .fill_value = 7.0});
  const std::vector<std::byte> stored = store->read_all("y/1", 1000).value();
  ASSERT_EQ(stored.size(), 4 * sizeof(double));
  std::array<double, 4> chunk{};
  std::memcpy(chunk.data(), stored.data(), stored.size());
  EXPECT_EQ(chunk, (std::array{4.0, 5.0, 7.0, 7.0}));
}

TEST(BoundedPlan, ChunksThatAreMovedStayAsTheyAre) {
  const auto store = std::make_shared<ts::memory_store>();
  const auto values = ts::arange<double>(0, 20, 1, {.chunks = {4}}).compute();
  ts::store(ts::asarray(values, {.chunks = {4}}), store, "x");
  const auto x = ts::open<double, 1>(store, "x");
  for (const auto& [first, last] : {std::pair{4, 16}, {4, 15}, {8, 20}, {5, 17}}) {
    ts::store(x(ts::slice(first, last)), store, "y", {.chunks = {4}});
    const auto stored = ts::open<double, 1>(store, "y").compute();
    ASSERT_EQ(stored.size(), last - first);
    for (ts::index_t i = 0; i < stored.size(); ++i) {
      EXPECT_EQ(stored(i), static_cast<double>(first + i)) << first;
    }
  }
}

TEST(BoundedPlan, OverTheBoundIsRefusedBeforeAnyTask) {
  const ts::spec spec{.allowed_memory = 100_kB};
  auto store = std::make_shared<ts::memory_store>();
  const auto x = ts::ones<double>({300, 300}, {.chunks = {300, 300}, .spec = spec});
  try {
    (void)ts::plan(ts::stored(x + 1.0, store, "y"));
    FAIL() << "the plan was made";
  } catch (const ts::memory_error& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("a task of operation 0 \"ones + 1\" needs"), std::string::npos)
        << message;
    EXPECT_NE(message.find("the allowed memory is 100 kB (100,000 B)"), std::string::npos)
        << message;
    EXPECT_NE(message.find("result ones + 1: chunk 720 kB"), std::string::npos) << message;
    EXPECT_NE(message.find("take smaller chunks or an allowed memory of at least"),
              std::string::npos)
        << message;
  }
  EXPECT_TRUE(store->list("").empty());
}

TEST(BoundedPlan, ReservedMemoryCounts) {
  const auto projected = [](ts::bytes reserved) {
    const ts::spec spec{.allowed_memory = 1_MB, .reserved_memory = reserved};
    return ts::plan(ts::ones<double>({8}, {.chunks = {8}, .spec = spec}) + 1.0).projected_memory();
  };
  EXPECT_EQ(projected(5000_B), projected(0_B) + 5000_B);
}

TEST(BoundedPlan, ASumOfBytesInRowChunksNeedsLittleMoreThanItsData) {
  // Ten bytes a chunk: the operand and the state and result of one element.
  const ts::spec spec{.allowed_memory = 2000_B};
  std::vector<std::uint8_t> values(1000, 1);
  const auto x =
      ts::from_memory<std::uint8_t, 2>(values.data(), {100, 10}, {.chunks = {1, 10}, .spec = spec});
  const auto plan = ts::plan(ts::sum(x));
  EXPECT_LE(plan.projected_memory(), 1000_B);
  EXPECT_EQ(plan.compute()(), 1000U);
}

TEST(BoundedPlan, LongLoopsArePlannedInPrograms) {
  ts::array<double, 1> x = ts::zeros<double>({10}, {.chunks = {5}});
  for (int i = 0; i < 1000; ++i) x = x + 1.0;
  const auto plan = ts::plan(ts::sum(x));
  EXPECT_LT(plan.num_operations(), 100U);
  EXPECT_EQ(plan.compute()(), 10'000.0);
}

TEST(BoundedPlan, AChainOfAHundredStepsIsOneOperation) {
  ts::array<double, 1> x = ts::ones<double>({8}, {.chunks = {4}});
  double expected = 1;
  for (int i = 0; i < 100; ++i) {
    x = i % 2 == 0 ? ts::array<double, 1>(ts::sqrt(x) + 3.0) : ts::array<double, 1>(x * 0.5 - 1.0);
    expected = i % 2 == 0 ? std::sqrt(expected) + 3.0 : expected * 0.5 - 1.0;
  }
  const auto plan = ts::plan(x);
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_EQ(plan.bytes_written(), 0_B);
  EXPECT_EQ(plan.bounded().resident_memory(), 64_B);
  // Strips of 4 elements: the operand's, and two in turns.
  EXPECT_EQ(plan.projected_memory(), 192_B);
  const auto results = plan.compute();
  for (const double result : results.span()) EXPECT_NEAR(result, expected, 1e-12);
}

/// A tree of 63 nodes over 64 leaves: the output of the left side waits for the right one.
ts::array<double, 1> tree_of(const ts::array<double, 1>& x, int depth, int number) {
  if (depth == 0) return x + static_cast<double>(number);
  const auto a = tree_of(x, depth - 1, 2 * number);
  const auto b = tree_of(x, depth - 1, 2 * number + 1);
  if (depth % 2 == 0) return a * 3.0 - b;
  return ts::astype<double>(ts::astype<float>(a) - ts::astype<float>(b));
}

double tree_of(double x, int depth, int number) {
  if (depth == 0) return x + number;
  const double a = tree_of(x, depth - 1, 2 * number);
  const double b = tree_of(x, depth - 1, 2 * number + 1);
  return depth % 2 == 0 ? a * 3.0 - b : a - b;  // small integers, exact in float
}

TEST(BoundedPlan, StepsThatShareRegistersDoNotMeet) {
  const ts::array<double, 1> x = ts::arange<double>(0, 1000, 1, {.chunks = {300}});
  const auto plan = ts::plan(tree_of(x, 6, 1));
  EXPECT_EQ(plan.num_operations(), 1U);
  const auto computed = plan.compute();
  for (ts::index_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(computed(i), tree_of(static_cast<double>(i), 6, 1)) << i;
  }
}

TEST(BoundedPlan, SumsOfManyLargeArraysKeepToTheMemory) {
  // Of 10 chunks of 200 MB and their sum, 2.2 GB, 2 GB hold not all.
  const ts::spec limits{.allowed_memory = 2_GB};
  const auto store = std::make_shared<ts::memory_store>();
  std::vector<ts::array<double, 2>> x;
  for (const char* name : {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
    (void)ts::zarr_array::create(
        store, name,
        {.shape = {20'000, 10'000}, .chunks = {5000, 5000}, .dtype = ts::dtype::float64});
    x.push_back(ts::open<double, 2>(store, name, limits));
  }
  const ts::run_with settings{.executor = ts::executors::threads(2)};
  ts::array<double, 2> one_by_one = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) one_by_one = one_by_one + x[i];
  const auto cut = ts::plan(ts::stored(one_by_one, store, "sum"), settings);
  EXPECT_LE(cut.projected_memory(), 2_GB);
  // Each array once, and the intermediates between two operations.
  EXPECT_LE(cut.bytes_read(), 16_GB + 1600_MB);
  const auto at_once = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] + x[8] + x[9];
  EXPECT_LE(ts::plan(ts::stored(at_once, store, "sum"), settings).projected_memory(), 2_GB);
}

TEST(BoundedPlan, DrawsItsGraph) {
  const auto x = ts::ones<double>({8}, {.chunks = {4}});
  const std::string path = ::testing::TempDir() + "plan.dot";
  EXPECT_EQ(ts::plan(ts::sum(x + 1.0)).visualize(path), path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str().rfind("digraph", 0), 0U);
  EXPECT_NE(text.str().find("sum(ones + 1)"), std::string::npos);
  EXPECT_NE(text.str().find("->"), std::string::npos);
  std::filesystem::remove(path);
}

// Without Graphviz, and with every operation by its label.
TEST(BoundedPlan, DrawsAPictureByItself) {
  const auto x = ts::ones<double>({8}, {.chunks = {4}});
  const std::string path = ::testing::TempDir() + "plan.svg";
  EXPECT_EQ(ts::plan(ts::sum(x + 1.0)).visualize(path), path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str().rfind("<svg", 0), 0U);
  EXPECT_NE(text.str().find("sum(ones + 1)"), std::string::npos);
  EXPECT_NE(text.str().find("<polyline"), std::string::npos);
  EXPECT_TRUE(text.str().ends_with("</svg>\n"));
  std::filesystem::remove(path);
}

TEST(BoundedPlan, NamesAMissingFolderOfItsDrawing) {
  const auto plan = ts::plan(ts::ones<double>({8}) + 1.0);
  const std::string path = ::testing::TempDir() + "no_such_folder/plan.dot";
  EXPECT_EQ(
      ts::testing::message_of<ts::store_error>([&] { static_cast<void>(plan.visualize(path)); }),
      "visualize: the file '" + path +
          "' cannot be written: No such file or directory; make its folder first");
}

TEST(BoundedPlan, CopiesOfChunksHoldOneChunk) {
  auto store = std::make_shared<ts::memory_store>();
  const ts::store_options raw{.compressor = ts::codec::none{}};
  const auto x = ts::ones<double>({1000}, {.chunks = {100}});
  (void)ts::plan(ts::stored(x, store, "x", raw)).compute();
  const auto plan = ts::plan(ts::stored(ts::open<double, 1>(store, "x"), store, "y", raw));
  EXPECT_EQ(plan.projected_memory(), 800_B);
  (void)plan.compute();
  EXPECT_EQ((ts::open<double, 1>(store, "y").compute()), x.compute());
}

}  // namespace
