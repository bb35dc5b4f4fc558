// SPDX-License-Identifier: Apache-2.0

/// \file
/// Functions of folds, scans and products, computed by the producers of these.

#include "tessera/lower/lower.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "plan/build.hpp"
#include "plan/passes/passes.hpp"
#include "unit/array/counting_store.hpp"

#include <algorithm>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ts::index_t;

constexpr index_t rows = 30;
constexpr index_t columns = 40;

double element(index_t i, index_t j) { return static_cast<double>(i * i - 3 * i * j + 2 * j); }

/// A stored array of 6 by 4 chunks; its store counts.
class Epilogues : public ::testing::Test {
 protected:
  Epilogues() {
    ts::ndarray<double, 2> values({rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
    }
    // Compressed, so that a chunk is read whole whatever is wanted of it.
    ts::store(ts::asarray(std::move(values), {.chunks = {5, 10}}), store, "x",
              {.compressor = ts::codec::zlib{}});
  }

  [[nodiscard]] ts::array<double, 2> x() const { return ts::open<double, 2>(store, "x", spec); }

  /// Returns the labels of the operations of a plan.
  template <class... Es>
  static std::vector<std::string> labels(const ts::pass_switches& passes, const Es&... es) {
    const ts::plan plan(passes, es...);
    std::vector<std::string> operations;
    for (const auto& planned : plan.bounded().inside().operations)
      operations.push_back(planned.label);
    return operations;
  }

  /// Returns `e` with epilogues, which must be equal to `e` without: the latter took an operation
  /// for each.
  template <class E>
  static auto computed(const E& e) {
    const ts::plan fused(e);
    const ts::plan apart(ts::pass_switches{.fuse_epilogues = false}, e);
    EXPECT_EQ(fused.num_operations() + 1, apart.num_operations());
    auto values = fused.compute();
    const auto others = apart.compute();
    EXPECT_TRUE(std::equal(values.span().begin(), values.span().end(), others.span().begin()));
    return values;
  }

  using list = std::vector<std::string>;

  ts::spec spec;
  std::shared_ptr<ts::test::counting_store> store = std::make_shared<ts::test::counting_store>();
};

TEST_F(Epilogues, OfFoldsAreComputedWithThem) {
  const auto scaled = 2.0 * ts::sum(x(), ts::axis<0>) + 1.0;
  EXPECT_EQ(labels({.fuse_epilogues = false}, scaled).size(), 2U);
  EXPECT_EQ(labels({}, scaled), (list{"(2 * sum(x)) + 1"}));
  const auto values = computed(scaled);
  for (index_t j = 0; j < columns; ++j) {
    double sum = 0;
    for (index_t i = 0; i < rows; ++i) sum += element(i, j);
    EXPECT_EQ(values(j), 2 * sum + 1);
  }
}

TEST_F(Epilogues, TakeOtherOperandsAndMakeOtherTypes) {
  const auto place = ts::argmax(x(), ts::axis<1>);
  const auto later = ts::astype<float>(place) + ts::astype<float>(ts::arange<int>(rows));
  const auto values = computed(later);
  for (index_t i = 0; i < rows; ++i) {
    index_t greatest = 0;
    for (index_t j = 1; j < columns; ++j) {
      if (element(i, j) > element(i, greatest)) greatest = j;
    }
    EXPECT_EQ(values(i), static_cast<float>(greatest + i));
  }
}

TEST_F(Epilogues, OfScansReadTheirInputOnce) {
  const auto before = ts::cumulative_sum(x(), ts::axis<0>) - x();
  const long reads = store->num_reads();
  const auto values = ts::compute(before);
  EXPECT_EQ(store->num_reads() - reads, 24);
  EXPECT_EQ(ts::plan(before).bytes_read(), ts::bytes{24 * 50 * sizeof(double)});
  double sum = 0;
  for (index_t i = 0; i < rows; ++i) {
    EXPECT_EQ(values(i, 7), sum);
    sum += element(i, 7);
  }
  (void)computed(before);
  (void)computed(ts::abs(ts::rolling_max(x(), 7, ts::axis<1>)));
}

// Chunks of the result that two steps of windows fill: the input of the second step stays until the
// step has filled the beginning of the next chunk.
TEST_F(Epilogues, DoNotSpoilWhatWindowsHaveRead) {
  ts::pass_switches on;
  for (const index_t step : {5, 7, 11, 12, 22, 29}) {
    const auto sums = ts::rolling_sum(ts::rechunk(x() * 1.0, {step, 16}), 2, ts::axis<0>);
    for (const bool is_in_memory : {true, false}) {
      on.memory_tier = is_in_memory;
      const ts::plan plan(on, ts::square(sums));
      EXPECT_THAT(labels(on, ts::square(sums)), Contains(HasSubstr("square(rolling_sum")));
      const auto squares = plan.compute();
      for (index_t i = 0; i + 1 < rows; ++i) {
        for (index_t j = 0; j < columns; ++j) {
          const double sum = element(i, j) + element(i + 1, j);
          ASSERT_EQ(squares(i, j), sum * sum) << step << ": " << i << ", " << j;
        }
      }
    }
  }
}

// Sums of integers are exact, so that each value has one result whatever the order.
TEST_F(Epilogues, OfSeveralScansReadTheirInputOnce) {
  const auto sums = ts::rolling_sum(x(), 7, ts::axis<0>);
  const auto squares = ts::rolling_sum(x() * x(), 7, ts::axis<0>);
  const auto spread = 7.0 * squares - sums * sums;
  EXPECT_EQ(labels({}, spread).size(), 1U);
  const long reads = store->num_reads();
  const auto values = ts::compute(spread);
  EXPECT_EQ(store->num_reads() - reads, 24);
  for (index_t i = 0; i + 6 < rows; ++i) {
    double sum = 0;
    double square = 0;
    for (index_t k = i; k < i + 7; ++k) {
      sum += element(k, 7);
      square += element(k, 7) * element(k, 7);
    }
    EXPECT_EQ(values(i, 7), 7 * square - sum * sum) << i;
  }
  (void)computed(spread);
}

TEST_F(Epilogues, OfSeveralFoldsAreComputedWithThem) {
  const auto sums = ts::sum(x(), ts::axis<1>);
  const auto range = ts::max(x(), ts::axis<1>) - ts::min(x(), ts::axis<1>);
  EXPECT_EQ(labels({}, range / sums).size(), 1U);
  const auto values = computed(range + sums * sums);
  for (index_t i = 0; i < rows; ++i) {
    double sum = 0;
    double least = element(i, 0);
    double greatest = element(i, 0);
    for (index_t j = 0; j < columns; ++j) {
      sum += element(i, j);
      least = std::min(least, element(i, j));
      greatest = std::max(greatest, element(i, j));
    }
    EXPECT_EQ(values(i), greatest - least + sum * sum) << i;
  }
}

TEST_F(Epilogues, OfSomeOutputsAreLeft) {
  const auto sums = ts::rolling_sum(x(), 7, ts::axis<0>);
  const auto squares = ts::rolling_sum(x() * x(), 7, ts::axis<0>);
  EXPECT_EQ(labels({}, squares - sums * sums, sums).size(), 2U);
  // The operand begins with the first element, and the output with the seventh.
  EXPECT_EQ(labels({}, squares - sums * sums + x()(ts::slice(0, -6))).size(), 2U);
}

TEST_F(Epilogues, OfProductsAndCellsKeepTheirAxes) {
  const auto product = computed(ts::matmul(x(), ts::matrix_transpose(x())) - 1.0);
  double sum = 0;
  for (index_t j = 0; j < columns; ++j) sum += element(3, j) * element(8, j);
  EXPECT_EQ(product(3, 8), sum - 1);
  const auto greatest = computed(-ts::topk(x(), 3, ts::axis<0>));
  std::vector<double> column;
  for (index_t i = 0; i < rows; ++i) column.push_back(element(i, 4));
  std::sort(column.begin(), column.end());
  EXPECT_EQ(greatest(0, 4), -column[rows - 1]);
  EXPECT_EQ(greatest(2, 4), -column[rows - 3]);
}

TEST_F(Epilogues, OfPartsAreThoseOfTheirCombination) {
  const auto large = ts::ones<double>({4'000'000}, {.chunks = {1000}, .spec = spec});
  EXPECT_EQ(labels({}, ts::sum(large) / 2.0).size(), 2U);
  EXPECT_EQ(ts::compute(ts::sum(large) / 2.0)(), 2'000'000);
}

TEST_F(Epilogues, AreLeftWhereWhatIsMadeIsNeededOrLiesElsewhere) {
  const auto refusals_of = [](const std::vector<ts::plan_output>& outputs) {
    const auto graph = ts::collect(outputs);
    ts::pass_trace trace;
    ts::run_passes(*graph, ts::spec{}, {}, &trace);
    std::vector<std::string> reasons;
    for (const ts::pass_entry& entry : trace) {
      if (entry.pass != "fuse_epilogues") continue;
      for (const auto& refusal : entry.refusals) reasons.push_back(refusal.text);
    }
    return reasons;
  };
  const auto output_of = [](const auto& e, const ts::index_vector& chunks) -> ts::plan_output {
    return {ts::computed(ts::lower(e, chunks))};
  };
  const auto sum = ts::sum(x(), ts::axis<0>);
  EXPECT_THAT(refusals_of({output_of(sum * 2.0, {10}), output_of(sum, {10})}),
              Contains(MatchesRegex("'sum.* 2' reads a requested result of 'sum.*'; only "
                                    "intermediates are fused away")));
  EXPECT_THAT(
      refusals_of({output_of(ts::flip(sum) * 2.0, {10})}),
      Contains(MatchesRegex("'.* 2' does not read the elements of 'sum.*' one by one, at their "
                            "own positions")));
  EXPECT_THAT(refusals_of({output_of(sum * 2.0, {7})}),
              Contains(MatchesRegex(
                  "the output of 'sum.* 2' has other chunks than the output of 'sum.*'")));
  EXPECT_THAT(refusals_of({output_of(ts::flip(sum), {10}), output_of(sum * 2.0, {10})}),
              Contains(MatchesRegex("'.*' is not the only reader of the output of 'sum.*'")));
  const auto late = x()(ts::slice(2, ts::none));
  EXPECT_THAT(refusals_of({output_of(ts::rolling_sum(x(), 3, ts::axis<0>) + late, {5, 10})}),
              Contains(HasSubstr("has no map from the domain of 'rolling_sum")));
}

}  // namespace
