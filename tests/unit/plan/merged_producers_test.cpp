// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operands of any kind, computed in the steps of their readers.

#include "tessera/lower/lower.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/build.hpp"
#include "plan/passes/passes.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ts::index_t;

constexpr index_t length = 1000;
constexpr index_t num_draws = 8;

/// A stored line of the integers from 0 on, in one chunk, and draws of its positions.
class MergedProducers : public ::testing::Test {
 protected:
  MergedProducers() {
    ts::store(ts::arange<double>(length), store_, "x", {.compressor = ts::codec::none{}});
  }

  [[nodiscard]] ts::array<double, 1> x() const { return ts::open<double, 1>(store_, "x", limits_); }

  /// Returns `num_draws` lines of positions.
  static auto draws() {
    return ts::random::integers<std::int64_t>(0, length, {num_draws, length},
                                              {.chunks = {1, length}, .spec = limits_, .seed = 1});
  }

  /// Returns the picture of `plan` in a file of the format `ending`.
  template <class Plan>
  static std::string drawn(const Plan& plan, const std::string& ending) {
    const std::string path = ::testing::TempDir() + "merged_producers_test." + ending;
    EXPECT_EQ(plan.visualize(path), path);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    return text.str();
  }

  /// Returns the refusals of the pass for the request of `e`.
  template <class E>
  static std::vector<std::string> refusals_of(const E& e, const ts::index_vector& chunks) {
    const auto graph = ts::collect({{ts::computed(ts::lower(e, chunks))}});
    ts::pass_trace trace;
    ts::run_passes(*graph, ts::spec{}, {}, &trace);
    std::vector<std::string> reasons;
    for (const ts::pass_entry& entry : trace) {
      if (entry.pass != "merge_producers") continue;
      for (const auto& refusal : entry.refusals) reasons.push_back(refusal.text);
    }
    return reasons;
  }

  /// All drawn elements together exceed the memory of a task.
  static inline const ts::spec limits_{.allowed_memory = ts::bytes{60'000},
                                       .intermediate_compressor = "none"};
  std::shared_ptr<ts::memory_store> store_ = std::make_shared<ts::memory_store>();
};

// Sums of integers are exact, in any order.
TEST_F(MergedProducers, GatherInTheStepsOfAFold) {
  const auto means = ts::mean(ts::take(x(), draws()), ts::axis<1>);
  const ts::plan merged(means);
  const ts::plan apart(ts::pass_switches{.fuse_epilogues = false}, means);
  EXPECT_EQ(merged.num_operations() + 1, apart.num_operations());
  const auto values = merged.compute();
  const auto values_apart = apart.compute();
  const auto positions = ts::compute(draws());
  for (index_t i = 0; i < num_draws; ++i) {
    std::int64_t sum = 0;
    for (index_t j = 0; j < length; ++j) sum += positions(i, j);
    EXPECT_EQ(values(i), static_cast<double>(sum) / static_cast<double>(length)) << i;
    EXPECT_EQ(values(i), values_apart(i)) << i;
  }
}

// Blocks of the product alone have five rows, blocks of the transform ten. Each column of the
// product is a ramp, and its transform has the real parts -n / 2 behind the first.
TEST_F(MergedProducers, ComputeAProductInTheBlocksOfATransform) {
  constexpr index_t size = 10;
  std::vector<double> rows;
  for (index_t i = 0; i < size * size; ++i) rows.push_back(static_cast<double>(i / size));
  ts::store(ts::asarray(ts::ndarray<double, 2>({size, size}, rows)), store_, "a",
            {.chunks = {5, 3}});
  ts::store(ts::matrix_transpose(ts::asarray(ts::ndarray<double, 2>({size, size}, rows))), store_,
            "b", {.chunks = {3, 10}});
  ts::spec slow_store{.allowed_memory = ts::bytes{10'000'000}};
  slow_store.costs.workers = 1;
  slow_store.costs.read_bandwidth = slow_store.costs.write_bandwidth = ts::bytes{1'000'000};
  const auto a = ts::open<double, 2>(store_, "a", slow_store);
  const auto b = ts::open<double, 2>(store_, "b", slow_store);
  const ts::plan plan(ts::real(ts::fft(ts::matmul(a, b), ts::axis<0>)));
  EXPECT_EQ(plan.num_operations(), 1U);
  const auto values = plan.compute();
  for (index_t k = 0; k < size; ++k) {
    const double transformed = k == 0 ? size * (size - 1) / 2.0 : -size / 2.0;
    for (index_t j = 0; j < size; ++j) {
      EXPECT_NEAR(values(k, j), static_cast<double>(size * j) * transformed, 1e-9) << k << j;
    }
  }
}

// Calls take three columns, as the chunks have. The last call has the column that is left.
TEST_F(MergedProducers, KeepTheCallsOfAReaderThatTakesItsAxisWhole) {
  const auto a = ts::asarray(ts::ndarray<double, 2>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
                             {.chunks = {1, 3}, .spec = limits_});
  const auto rows = a(ts::index(std::vector<index_t>{1, 0}));
  const auto pairs = [](ts::block_view<const double, 2> x, ts::block_view<double, 2> y) {
    for (index_t i = 0; i < y.shape()[0]; ++i) {
      for (index_t j = 0; j < y.shape()[1]; ++j) {
        y(i, j) = x(i, j) + 10 * x(i, j + 1) + 1000 * static_cast<double>(y.shape()[1]);
      }
    }
  };
  const auto overlap = ts::map_overlap<double>(
      pairs, rows, {.depth = {{0, 0}, {0, 1}}, .beyond = ts::boundary::constant});
  for (const bool is_inlined : {false, true}) {
    const ts::plan plan(ts::pass_switches{.fuse_producers = is_inlined, .size_blocks = false},
                        overlap);
    const auto values = plan.compute();
    EXPECT_EQ(std::vector<double>(values.span().begin(), values.span().end()),
              (std::vector<double>{3065, 3076, 3087, 1008, 3021, 3032, 3043, 1004}));
  }
}

TEST_F(MergedProducers, AreNamedInTheFormulaOfTheirReader) {
  const ts::plan plan(ts::mean(ts::take(x(), draws()), ts::axis<1>));
  EXPECT_THAT(plan.explain().to_string(), HasSubstr("mean(take)"));
}

// A step has the 1000 drawn elements of a line.
TEST_F(MergedProducers, AreDrawnInsideTheOperationOfTheirReader) {
  const ts::plan plan(ts::mean(ts::take(x(), draws()), ts::axis<1>));
  EXPECT_THAT(drawn(plan, "dot"),
              AllOf(HasSubstr(">step: take(x, integers), holds 8.0 kB</font><br/>"),
                    HasSubstr(">step: mean(take)")));
  EXPECT_THAT(drawn(plan, "svg"), AllOf(HasSubstr(">step: take(x, integers), holds 8.0 kB</text>"),
                                        HasSubstr(">step: mean(take)")));
}

// A chunk of the product has at most 2^22 elements: 50,000 columns are halved four times, to 3125.
// A step computes one, of 12.5 MB. The tree of the 16 chunks of a task has 5 levels of least
// elements of 1000 lines.
TEST_F(MergedProducers, AreStagesInTheExplanation) {
  (void)ts::zarr_array::create(
      store_, "q", {.shape = {1000, 16}, .chunks = {1000, 16}, .dtype = ts::dtype::float32});
  (void)ts::zarr_array::create(
      store_, "y", {.shape = {1'000'000, 16}, .chunks = {50'000, 16}, .dtype = ts::dtype::float32});
  const ts::spec limits{.allowed_memory = ts::bytes{100'000'000}};
  const auto q = ts::open<float, 2>(store_, "q", limits);
  const auto y = ts::open<float, 2>(store_, "y", limits);
  const ts::plan plan(ts::min(ts::matmul(q, ts::matrix_transpose(y)), ts::axis<1>));
  const ts::plan_explanation explanation = plan.explain();
  const auto of_stages = std::ranges::find_if(
      explanation.operations, [](const auto& operation) { return !operation.stages.empty(); });
  ASSERT_NE(of_stages, explanation.operations.end()) << explanation;
  const std::vector<ts::plan_explanation::stage>& stages = of_stages->stages;
  ASSERT_EQ(stages.size(), 2U) << explanation;
  EXPECT_EQ(stages[0].scope, "step");
  EXPECT_EQ(stages[0].label, "matmul(q, y)");
  EXPECT_EQ(stages[1].buffers, ts::bytes{5 * 1000 * 4});
  EXPECT_GE(stages[0].buffers, ts::bytes{1000 * 3125 * 4});
  EXPECT_THAT(explanation.to_string(),
              HasSubstr("\n    stage   step: matmul(q, y), holds 12.6 MB\n    stage   step: "
                        "min(matmul), partial, holds 20.0 kB\n"));
}

// Each of the steps of `draws` would compute the greatest element of the line.
TEST_F(MergedProducers, AreComputedOnce) {
  const auto scaled = ts::astype<double>(draws()) * ts::max(x());
  EXPECT_EQ(ts::plan(scaled).num_operations(), 2U);
  EXPECT_THAT(refusals_of(scaled, {1, length}),
              Contains(HasSubstr("in one operation would leave workers idle")));
}

TEST_F(MergedProducers, AreExplainedWhereTheyAreRefused) {
  const auto scaled = ts::astype<double>(draws()) * ts::max(x());
  for (const bool has_memory : {false, true}) {
    const ts::plan plan(ts::pass_switches{.memory_tier = has_memory}, scaled);
    std::vector<std::string> reasons;
    for (const auto& array : plan.explain().arrays) {
      if (!array.is_result) reasons.push_back(array.reason);
    }
    EXPECT_THAT(reasons,
                ElementsAre(AllOf(HasSubstr("not merged into its reader by merge_producers: "),
                                  HasSubstr("would compute it in each: 8 times"))));
  }
}

TEST_F(MergedProducers, AreLeftWhereTheirOutputIsRequested) {
  const auto gathered = ts::take(x(), draws());
  const ts::plan plan(gathered, ts::mean(gathered, ts::axis<1>));
  EXPECT_GE(plan.num_operations(), 2U);
}

/// The position of the greatest correlation of stored images with the first of them. Each image is
/// the one before, rolled by a row and two columns.
class PhaseCorrelation : public MergedProducers {
 protected:
  static constexpr index_t num_images = 3;
  static constexpr index_t size = 16;

  PhaseCorrelation() {
    const auto pixels = ts::compute(ts::random::uniform<double>({size, size}, {.seed = 1}));
    std::vector<double> values;
    for (index_t k = 0; k < num_images; ++k) {
      for (index_t i = 0; i < size; ++i) {
        for (index_t j = 0; j < size; ++j) {
          values.push_back(pixels((i + size - k) % size, (j + size - 2 * k) % size));
        }
      }
    }
    const ts::ndarray<double, 3> images({num_images, size, size}, values);
    ts::store(ts::asarray(images), folder_ / "images",
              {.chunks = {1, size, size}, .compressor = ts::codec::none{}});
  }

  [[nodiscard]] auto shifts() const {
    ts::spec slow_store{.allowed_memory = ts::bytes{10'000'000}};
    slow_store.costs.read_bandwidth = slow_store.costs.write_bandwidth = ts::bytes{1'000'000};
    const auto images = ts::open<double, 3>(folder_ / "images", slow_store);
    const auto cross = ts::fft2(images) * ts::conj(ts::fft2(images(0)));
    const auto correlation = ts::real(ts::ifft2(cross / ts::abs(cross)));
    return ts::argmax(ts::reshape(correlation, {num_images, size * size}), ts::axis<1>);
  }

  template <class Values>
  static void expect_shifts(const Values& values) {
    for (index_t k = 0; k < num_images; ++k) EXPECT_EQ(values(k), k * size + 2 * k) << k;
  }

  const ts::testing::temporary_directory folder_;
};

// One operation transforms the first image, the other one finds the shift of each image.
TEST_F(PhaseCorrelation, NumbersTheAxesOfATransformAnewInMemory) {
  const ts::plan plan(shifts());
  EXPECT_EQ(plan.num_operations(), 2U) << plan.explain();
  EXPECT_EQ(plan.bytes_written(), ts::bytes{0});
  expect_shifts(plan.compute());
  const ts::plan apart(ts::pass_switches{.fuse_epilogues = false}, shifts());
  EXPECT_GT(apart.num_operations(), 2U);
  expect_shifts(apart.compute());
}

TEST_F(PhaseCorrelation, IsKeptInAPlanFile) {
  ts::plan(ts::stored(shifts(), folder_ / "shifts")).save(folder_ / "plan");
  ts::plan<>::load(folder_ / "plan").execute();
  expect_shifts(ts::open<std::int64_t, 1>(folder_ / "shifts").compute());
}

// Columns do not follow each other in the memory of sorted lines.
TEST_F(PhaseCorrelation, IsNotNumberedAnewInAnotherOrder) {
  const auto sorted = ts::sort(ts::open<double, 3>(folder_ / "images"), ts::axis<2>);
  const auto turned = ts::reshape(ts::matrix_transpose(sorted), {num_images, size * size});
  EXPECT_THAT(refusals_of(ts::max(turned, ts::axis<1>), {num_images}),
              Contains(HasSubstr("gathers elements of the output of")));
}

}  // namespace
