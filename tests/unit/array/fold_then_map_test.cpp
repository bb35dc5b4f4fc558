// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of a block before and after its fold, in one task: their reads and writes in the plan
/// and in the store.

#include "tessera/primitive/primitive.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/array/counting_store.hpp"
#include "unit/array/support.hpp"

#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

namespace tessera {
namespace {

using test::counting_store;

constexpr index_t rows = 64;
constexpr index_t columns = 450;
constexpr long all_chunks = 2 * 25;
/// Less than an array, 230 kB, so that intermediates go to storage.
const spec little{.allowed_memory = bytes{100'000},
                  .reserved_memory = bytes{0},
                  .intermediate_compressor = "none"};

double element(index_t i, index_t j) {
  return static_cast<double>((i * 7 + j * j) % 11) + 0.25 * static_cast<double>(i % 3);
}

class FoldThenMap : public ::testing::Test {
 protected:
  FoldThenMap() {
    ndarray<double, 2> values({rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
    }
    const auto x = asarray(std::move(values), {.chunks = {32, 18}});
    store(x, store_, "x", {.compressor = codec::none{}});
    store(x, store_, "y", {.compressor = codec::none{}});
  }

  [[nodiscard]] array<double, 2> open_x(const spec& limits = {}) const {
    return open<double, 2>(store_, "x", limits);
  }
  /// The same, in another place.
  [[nodiscard]] array<double, 2> open_y(const spec& limits = {}) const {
    return open<double, 2>(store_, "y", limits);
  }

  struct computed {
    ndarray<double, 2> values;
    long read = 0;
    bytes planned_reads{};
    bytes written{};
    std::size_t num_operations = 0;
  };

  template <class E>
  computed run(const E& e, const pass_switches& passes = {}) {
    const auto planned = plan(passes, e);
    for (const auto& planned_op : planned.bounded().inside().operations) {
      const primitive& body = *planned_op.op.primitive;
      EXPECT_TRUE(equal(*parse_primitive(std::string(body.kind()), body.to_json()), body));
    }
    const long before = store_->num_reads();
    ndarray<double, 2> values = planned.compute();
    return {std::move(values), store_->num_reads() - before, planned.bytes_read(),
            planned.bytes_written(), planned.bounded().inside().operations.size()};
  }

  std::shared_ptr<counting_store> store_ = std::make_shared<counting_store>();
  /// Each function is an operation of its own, and intermediates are stored.
  pass_switches apart{.fuse_producers = false, .fuse_epilogues = false, .memory_tier = false};
};

template <class X>
auto standardized(const X& x) {
  return (x - mean(x, axis<1>, keepdims)) / stddev(x, axis<1>, keepdims);
}

TEST_F(FoldThenMap, OfRowsThatAreStandardizedAreReadOnce) {
  const auto z = standardized(open_x());
  const computed twice = run(z, {.fuse_epilogues = false, .memory_tier = false});
  EXPECT_EQ(twice.read, 2 * all_chunks);
  const computed once = run(z);
  EXPECT_EQ(once.read, all_chunks);
  EXPECT_EQ(once.num_operations, 1U);
  EXPECT_EQ(once.values, twice.values);
  for (index_t i = 0; i < rows; ++i) {
    double sum = 0;
    double squares = 0;
    for (index_t j = 0; j < columns; ++j) sum += element(i, j);
    const double mean = sum / columns;
    for (index_t j = 0; j < columns; ++j) squares += std::pow(element(i, j) - mean, 2);
    const double deviation = std::sqrt(squares / columns);
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_NEAR(once.values(i, j), (element(i, j) - mean) / deviation, 1e-12);
    }
  }
}

TEST_F(FoldThenMap, OfRowsReadThemOnceIfTheFoldIsAskedForToo) {
  const auto x = open_x();
  const auto means = mean(x, axis<1>, keepdims);
  const plan both(stored(x - means, store_, "centred"), stored(means, store_, "means"));
  // The second one gives the means their axis.
  EXPECT_EQ(both.num_operations(), 2U);
  const long before = store_->num_reads();
  both.execute();
  EXPECT_EQ(store_->num_reads() - before, all_chunks);
  const ndarray<double, 2> centred = open<double, 2>(store_, "centred").compute();
  const ndarray<double, 2> stored_means = open<double, 2>(store_, "means").compute();
  // Each has the bits that it has if it is computed alone.
  EXPECT_EQ(stored_means, means.compute());
  EXPECT_EQ(centred, (x - means).compute());
  for (index_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += element(i, j);
    ASSERT_NEAR(stored_means(i, 0), sum / columns, 1e-12);
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_NEAR(centred(i, j), element(i, j) - sum / columns, 1e-12);
    }
  }
}

// The rows of two matrices are read once, for their product and for the minuend.
TEST_F(FoldThenMap, OfProductsAreTakenFromWhatTheyAreMadeOf) {
  const auto x = open_x()(slice(0, 8));
  const auto y = open_y()(slice(32, 40));
  const auto product = matmul(x, matrix_transpose(y));
  const auto less = x(whole, newaxis) * y(newaxis) - product(whole, whole, newaxis);
  const plan once(pass_switches{.memory_tier = false}, less);
  ASSERT_EQ(once.num_operations(), 1U);
  const plan twice(pass_switches{.fuse_epilogues = false, .memory_tier = false}, less);
  const long before = store_->num_reads();
  const ndarray<double, 3> values = once.compute();
  const long between = store_->num_reads();
  EXPECT_EQ(values, twice.compute());
  EXPECT_LT(between - before, store_->num_reads() - between);
  for (index_t i = 0; i < 8; ++i) {
    for (index_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (index_t k = 0; k < columns; ++k) sum += element(i, k) * element(32 + j, k);
      for (index_t k = 0; k < columns; ++k) {
        ASSERT_NEAR(values(i, j, k), element(i, k) * element(32 + j, k) - sum, 1e-9);
      }
    }
  }
}

TEST_F(FoldThenMap, OfRowsKeepToTheMemory) {
  // A row of chunks is 1 MB.
  const auto x = zeros<double>({64, 16'384}, {.chunks = {8, 512}});
  store(x, store_, "long", {.compressor = codec::none{}});
  const auto operations = [&](bytes allowed) {
    const spec limits{.allowed_memory = allowed, .reserved_memory = bytes{0}};
    const auto planned = plan(standardized(open<double, 2>(store_, "long", limits)));
    EXPECT_LE(planned.projected_memory(), allowed);
    return planned.bounded().inside().operations.size();
  };
  EXPECT_EQ(operations(bytes{20'000'000}), 1U);
  EXPECT_GT(operations(bytes{1'200'000}), 1U);
}

TEST_F(FoldThenMap, OfRowsAreNoneWhereOthersReadWhatIsFolded) {
  const auto x = open_x();
  const auto [centred, spread] =
      plan(x - mean(x, axis<1>, keepdims), stddev(x, axis<1>) + 1.0).compute();
  double sum = 0;
  double squares = 0;
  for (index_t j = 0; j < columns; ++j) sum += element(7, j);
  for (index_t j = 0; j < columns; ++j) squares += std::pow(element(7, j) - sum / columns, 2);
  EXPECT_NEAR(centred(7, 3), element(7, 3) - sum / columns, 1e-12);
  EXPECT_NEAR(spread(7), std::sqrt(squares / columns) + 1, 1e-12);
}

TEST_F(FoldThenMap, OfAWholeArrayLeaveTasksToOtherWorkers) {
  const auto x = zeros<double>({2048, 512}, {.chunks = {64, 512}});
  store(x, store_, "large", {.compressor = codec::zlib{}});
  const auto large = open<double, 2>(store_, "large");
  const auto planned = plan(large - mean(large));
  EXPECT_GE(planned.num_tasks(), 32);
}

// Each operand is taken at most twice, whoever has computed it.
TEST_F(FoldThenMap, OfAProductsOperandsAreNotStored) {
  const auto product = matmul(2.0 * open_x(little), matrix_transpose(sqrt(open_y(little)) + 1.0));
  const computed stored = run(product, apart);
  const computed once = run(product);
  EXPECT_GE(once.read, 2 * all_chunks);
  EXPECT_LE(once.read, 4 * all_chunks);
  constexpr std::size_t chunk_bytes = rows * columns * sizeof(double) / all_chunks;
  EXPECT_EQ(once.planned_reads.count(), static_cast<std::size_t>(once.read) * chunk_bytes);
  EXPECT_LT(once.planned_reads, stored.planned_reads);
  EXPECT_GE(stored.written, bytes{2 * rows * columns * sizeof(double)});
  EXPECT_EQ(once.num_operations, 1U);
  EXPECT_EQ(once.written, bytes{0});
  for (index_t i = 0; i < rows; ++i) {
    for (index_t k = 0; k < rows; ++k) {
      double sum = 0;
      for (index_t j = 0; j < columns; ++j) {
        sum += 2 * element(i, j) * (std::sqrt(element(k, j)) + 1);
      }
      ASSERT_NEAR(once.values(i, k), sum, 1e-9);
      ASSERT_NEAR(stored.values(i, k), sum, 1e-9);
    }
  }
}

TEST_F(FoldThenMap, OfProductsAreTakenFurther) {
  const computed product =
      run(matmul(open_x(little) - 1.0, matrix_transpose(open_y(little))) + 3.0);
  EXPECT_EQ(product.num_operations, 1U);
  for (index_t i = 0; i < rows; ++i) {
    double sum = 3;
    for (index_t j = 0; j < columns; ++j) sum += (element(i, j) - 1) * element(5, j);
    ASSERT_NEAR(product.values(i, 5), sum, 1e-9);
  }
}

// Rows are taken in two blocks, so that each element of the other operand is computed twice.
TEST_F(FoldThenMap, OfOperandsThatTakeLongAreStored) {
  const auto operations = [&](costs::seconds element_step) {
    spec limits = little;
    limits.costs = {.latency = costs::seconds{0}, .element_step = element_step};
    const auto product = matmul(exp(open_x(limits)), matrix_transpose(open_y(limits)));
    return plan(product).bounded().inside().operations.size();
  };
  EXPECT_EQ(operations(costs::seconds{1e-10}), 1U);
  EXPECT_EQ(operations(costs::seconds{1e-6}), 2U);
}

}  // namespace
}  // namespace tessera
