// SPDX-License-Identifier: Apache-2.0

/// \file
/// Expressions of many arrays: the reads of their tasks, and their values.
///
/// x0, x1, ... are 400 x 500 float64 (1.6 MB) in 2 x 2 uncompressed chunks of 400 kB, of which the
/// store counts reads.

#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/array/counting_store.hpp"
#include "unit/store/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

constexpr index_t rows = 400;
constexpr index_t columns = 500;

double element(int array, index_t i, index_t j) {
  return static_cast<double>((array + 1) * i + array * array - j);
}

/// The sum of the first ten: 55 i + 285 - 10 j.
double sum_of_ten(index_t i, index_t j) { return static_cast<double>(55 * i + 285 - 10 * j); }

class WideExpressions : public ::testing::Test {
 protected:
  WideExpressions() {
    for (int array = 0; array < 10; ++array) {
      ts::ndarray<double, 2> values({rows, columns});
      for (index_t i = 0; i < rows; ++i) {
        for (index_t j = 0; j < columns; ++j) values(i, j) = element(array, i, j);
      }
      ts::store(ts::asarray(std::move(values), {.chunks = {200, 250}}), store_,
                "x" + std::to_string(array), raw_);
    }
  }

  [[nodiscard]] ts::array<double, 2> x(int array) const {
    return ts::open<double, 2>(store_, "x" + std::to_string(array), spec_);
  }

  [[nodiscard]] auto ten() const {
    return x(0) + x(1) + x(2) + x(3) + x(4) + x(5) + x(6) + x(7) + x(8) + x(9);
  }

  /// Stores `e`, which must be the sum of all, and returns how many chunks were read and written.
  template <class E>
  std::pair<long, long> store_sum(const E& e) {
    const ts::plan plan(ts::stored(e, store_, "sum", raw_), settings_);
    EXPECT_EQ(plan.bytes_read(), 16_MB);
    EXPECT_EQ(plan.num_operations(), 1U);
    const long reads = store_->num_reads();
    const long writes = store_->num_writes();
    plan.execute();
    const std::pair moved{store_->num_reads() - reads, store_->num_writes() - writes};
    const auto computed = ts::open<double, 2>(store_, "sum").compute();
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) EXPECT_EQ(computed(i, j), sum_of_ten(i, j));
    }
    return moved;
  }

  ts::spec spec_{.allowed_memory = 4_MB};
  ts::run_with settings_{.executor = ts::executors::threads(2)};
  ts::store_options raw_{.compressor = ts::codec::none{}};
  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
};

// A task that held a chunk of each array would need 4.4 MB: it adds up some of them, and then the
// rest.
TEST_F(WideExpressions, ReadEachChunkOnceWhereATaskHoldsNotAll) {
  EXPECT_EQ(store_sum(ten()), (std::pair{40L, 4L}));
}

// Of arrays that are added one by one, as many are taken at once as a task holds.
TEST_F(WideExpressions, ReadEachChunkOnceStepByStep) {
  spec_.allowed_memory = 2400_kB;
  ts::array<double, 2> sum = x(0);
  for (int array = 1; array < 10; ++array) sum = sum + x(array);
  EXPECT_EQ(store_sum(sum), (std::pair{40L, 4L}));
}

// One loop of up to seven arrays; of more, several, each with the sum of the loops before as one
// operand.
TEST_F(WideExpressions, AreAFewKernelsInOneProgram) {
  spec_.allowed_memory = 100_MB;
  const auto num_steps = [](const auto& e) {
    const ts::plan plan(e);
    EXPECT_EQ(plan.num_operations(), 1U);
    return plan.bounded().inside().operations[0].op.primitive->num_steps();
  };
  EXPECT_EQ(num_steps(x(0) + x(1) + x(2) + x(3) + x(4) + x(5) + x(6)), 1U);
  EXPECT_EQ(num_steps(x(0) + x(1) + x(2) + x(3) + x(4) + x(5) + x(6) + x(7)), 2U);
  EXPECT_EQ(num_steps(ts::sqrt(ts::abs(ten()) + 2.0)), 2U);
}

/// Returns 1,100 arrays of (2, 3), of which array k has the elements k + 10 i + j, times k.
std::vector<ts::array<double, 2>> scaled_arrays() {
  std::vector<ts::array<double, 2>> arrays;
  for (int k = 0; k < 1100; ++k) {
    ts::ndarray<double, 2> values({2, 3});
    for (index_t i = 0; i < 2; ++i) {
      for (index_t j = 0; j < 3; ++j) values(i, j) = static_cast<double>(k + 10 * i + j);
    }
    arrays.emplace_back(ts::asarray(std::move(values)) * static_cast<double>(k));
  }
  return arrays;
}

// Price by price, the planner would end before all producers are inlined.
TEST(ManyArrays, AreComputedWhereTheyAreConcatenated) {
  const ts::plan plan(ts::concat(scaled_arrays(), ts::axis<0>));
  EXPECT_EQ(plan.num_operations(), 1U);
  const auto computed = plan.compute();
  for (index_t row = 0; row < 2200; ++row) {
    for (index_t j = 0; j < 3; ++j) {
      const auto k = static_cast<double>(row / 2);
      ASSERT_EQ(computed(row, j), k * (k + static_cast<double>(10 * (row % 2) + j)));
    }
  }
}

// An array is read in its own part of the stack: none of its elements is computed twice.
TEST(ManyArrays, AreComputedWhereTheMeanOfTheirStackReadsThem) {
  const ts::plan plan(ts::mean(ts::stack(scaled_arrays()), ts::axis<0>));
  EXPECT_LE(plan.num_operations(), 2U);
  const auto computed = plan.compute();
  for (index_t i = 0; i < 2; ++i) {
    for (index_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (int k = 0; k < 1100; ++k)
        sum += static_cast<double>(k) * static_cast<double>(k + 10 * i + j);
      EXPECT_NEAR(computed(i, j), sum / 1100, 1e-9 * sum);
    }
  }
}

// A roll of no elements has no pieces.
TEST(ManyArrays, MayHaveNoElements) {
  const auto x = ts::asarray(ts::ndarray<double, 1>({3}, {1, 2, 4}), {.chunks = {2}});
  const auto none = ts::roll(x(ts::slice(0, 0)), 5, ts::axis<0>);
  EXPECT_EQ((2.0 * none).compute().shape()[0], 0);
  EXPECT_EQ(ts::sum(2.0 * none).compute()(), 0);
  EXPECT_EQ(ts::concat(2.0 * none, x + 1.0, ts::axis<0>).compute(),
            (ts::ndarray<double, 1>({3}, {2, 3, 5})));
}

TEST_F(WideExpressions, AreReadFromAPlansFile) {
  const ts::testing::temporary_directory folder;
  spec_.allowed_memory = 2400_kB;
  const auto of_files = [&](int array) {
    const std::string path = folder / ("x" + std::to_string(array));
    ts::store(x(array), path, raw_);
    return ts::open<double, 2>(path, spec_);
  };
  ts::array<double, 2> sum = of_files(0);
  for (int array = 1; array < 10; ++array) sum = sum + of_files(array);
  const std::string file = folder / "plan";
  ts::plan(sum, settings_).save(file);
  const auto plan = ts::bounded_plan::load(file);
  EXPECT_EQ(plan.num_operations(), 1U);
  const auto outputs = ts::execute(plan, settings_);
  const auto* const computed = reinterpret_cast<const double*>(outputs.front().elements.get());
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_EQ(computed[i * columns + j], sum_of_ten(i, j));
    }
  }
}

TEST_F(WideExpressions, ComputeWhatTheySay) {
  const auto part = (ten() * 2.0)(ts::slice(10, 300, 3), ts::slice(499, 0, -2)).compute();
  for (index_t i = 0; i < part.shape()[0]; ++i) {
    for (index_t j = 0; j < part.shape()[1]; ++j) {
      ASSERT_EQ(part(i, j), 2 * sum_of_ten(10 + 3 * i, 499 - 2 * j));
    }
  }
  const auto mixed =
      ts::where(x(0) > x(1), x(2) - ts::astype<float>(x(3)), x(4) * x(5)) - (x(6) - (x(7) - x(8)));
  const auto computed = mixed.compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      const auto at = [&](int array) { return element(array, i, j); };
      const double chosen = at(0) > at(1) ? at(2) - at(3) : at(4) * at(5);
      ASSERT_EQ(computed(i, j), chosen - (at(6) - (at(7) - at(8))));
    }
  }
}

TEST_F(WideExpressions, BroadcastWhatIsSmaller) {
  const auto row = [&](int array) { return x(array)(0, ts::whole); };
  const auto e = x(0) + (row(1) + row(2) + row(3) + row(4) + row(5) + row(6)) + x(7) + x(8);
  const auto computed = e.compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      double expected = element(0, i, j) + element(7, i, j) + element(8, i, j);
      for (int array = 1; array <= 6; ++array) expected += element(array, 0, j);
      ASSERT_EQ(computed(i, j), expected);
    }
  }
}

TEST_F(WideExpressions, AreFoldedAndScannedOnTheWay) {
  spec_.allowed_memory = 100_MB;
  const auto sums = ts::sum(ten(), ts::axis<0>);
  const long reads = store_->num_reads();
  const auto computed = sums.compute(settings_);
  EXPECT_EQ(store_->num_reads() - reads, 40);
  for (index_t j = 0; j < columns; ++j) {
    ASSERT_EQ(computed(j), static_cast<double>(55 * 79800 + 400 * (285 - 10 * j)));
  }
  const auto scanned = ts::cumulative_sum(ten(), ts::axis<0>).compute(settings_);
  for (index_t j = 0; j < columns; ++j) ASSERT_EQ(scanned(rows - 1, j), computed(j));
}

}  // namespace
