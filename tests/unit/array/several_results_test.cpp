// SPDX-License-Identifier: Apache-2.0

/// \file
/// Functions of blocks, and of whole axes, that make several results.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/array/holds.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <tuple>

namespace tessera {
namespace {

using test::holds;
using testing::temporary_directory;

constexpr index_t rows = 7;
constexpr index_t columns = 9;

array<double, 2> matrix(index_t row_chunk, index_t column_chunk) {
  ndarray<double, 2> values(std::array{rows, columns});
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      values(i, j) = static_cast<double>((5 * i * i + 3 * j) % 17);
    }
  }
  return asarray(std::move(values), {.chunks = {row_chunk, column_chunk}});
}

/// The least and the greatest element of a line, and the position of the latter.
struct ends_of_line {
  std::tuple<double, double, std::int64_t> operator()(std::span<const double> line) const {
    const auto [least, greatest] = std::minmax_element(line.begin(), line.end());
    return {*least, *greatest, greatest - line.begin()};
  }
};

/// The means of columns, the differences from them, and the number of rows.
struct centred {
  void operator()(block_view<const double, 2> x, std::span<double> means,
                  block_view<float, 2> residuals, std::int64_t& count) const {
    const auto [rows, columns] = x.shape();
    for (index_t j = 0; j < columns; ++j) {
      double& mean = means[static_cast<std::size_t>(j)] = 0;
      for (index_t i = 0; i < rows; ++i) mean += x(i, j) / static_cast<double>(rows);
      for (index_t i = 0; i < rows; ++i) residuals(i, j) = static_cast<float>(x(i, j) - mean);
    }
    count = rows;
  }
};

class SeveralResults : public ::testing::Test {
 protected:
  temporary_directory directory_;
  std::string input_ = directory_ / "input.zarr";
};

TEST_F(SeveralResults, AreMadeOfOneRead) {
  const auto store = std::make_shared<test::counting_store>();
  tessera::store(matrix(3, 4), store, "x", {.chunks = {3, 4}});
  const auto x = open<double, 2>(store, "x");
  const double half = 0.5;
  const auto parts = [&half](block_view<const double, 2> from, block_view<double, 2> whole,
                             block_view<float, 2> rest) {
    for (index_t i = 0; i < from.shape()[0]; ++i) {
      for (index_t j = 0; j < from.shape()[1]; ++j) {
        whole(i, j) = from(i, j) * half;
        rest(i, j) = static_cast<float>(from(i, j) - 1);
      }
    }
  };
  const auto [halves, rests] = map_blocks<double, float>(parts, x);
  static_assert(std::same_as<decltype(rests)::value_type, float>);
  EXPECT_EQ(halves.chunks(), (std::array<index_t, 2>{3, 4}));
  EXPECT_EQ(plan(halves, rests).num_operations(), 1U);
  const long before = store->num_reads();
  const auto [of_halves, of_rests] = compute(halves, rests);
  EXPECT_EQ(store->num_reads() - before, 9);
  EXPECT_TRUE(holds(asarray(of_halves) == x / 2));
  EXPECT_TRUE(holds(asarray(of_rests) == astype<float>(x - 1)));
  // One alone, and both in one expression.
  EXPECT_TRUE(holds(rests == astype<float>(x - 1)));
  EXPECT_TRUE(holds(2 * halves == rests + 1));
}

TEST_F(SeveralResults, AreMadeOfWhatLiesAround) {
  const auto before_and_behind = [](block_view<const double, 2> from, block_view<double, 2> before,
                                    block_view<double, 2> behind) {
    for (index_t i = 0; i < before.shape()[0]; ++i) {
      for (index_t j = 0; j < before.shape()[1]; ++j) {
        before(i, j) = from(i, j);
        behind(i, j) = from(i + 2, j);
      }
    }
  };
  const auto x = matrix(3, 4);
  const auto [before, behind] = map_overlap<double, double>(
      before_and_behind, x, {.depth = {{1, 1}, {0, 0}}, .beyond = boundary::wrap});
  EXPECT_TRUE(holds(before == roll(x, 1, axis<0>)));
  EXPECT_TRUE(holds(behind == roll(x, -1, axis<0>)));
}

TEST_F(SeveralResults, AreStoredFromOtherProcesses) {
  tessera::store(matrix(7, 9), input_, {.chunks = {3, 4}});
  const auto x = open<double, 2>(input_);
  const auto [least, greatest, positions] = apply_gufunc<"(i)->(),(),()">(ends_of_line{}, x);
  tessera::store(stored(least, directory_ / "least"), stored(greatest, directory_ / "greatest"),
                 stored(positions, directory_ / "places"),
                 run_with{.executor = executors::processes(2)});
  EXPECT_TRUE(holds(open<double, 1>(directory_ / "least") == min(x, axis<1>)));
  EXPECT_TRUE(holds(open<double, 1>(directory_ / "greatest") == max(x, axis<1>)));
  EXPECT_TRUE(holds(open<std::int64_t, 1>(directory_ / "places") == argmax(x, axis<1>)));
}

TEST_F(SeveralResults, HaveShapesOfTheirOwn) {
  const auto x = matrix(3, 4);
  const auto [means, residuals, counts] =
      apply_gufunc<"(i,j)->(j),(i,j),()", double, float, std::int64_t>(centred{}, stack(x, 2 * x));
  ASSERT_EQ(means.shape(), (std::array<index_t, 2>{2, columns}));
  ASSERT_EQ(residuals.shape(), (std::array<index_t, 3>{2, rows, columns}));
  EXPECT_LT(max(abs(means(1) - 2 * mean(x, axis<0>))).compute()(), 1e-12);
  EXPECT_LT(max(abs(residuals(0) - astype<float>(x - mean(x, axis<0>)))).compute()(), 1e-5F);
  EXPECT_TRUE(holds(counts == rows));
  const auto converted = apply_gufunc<"(i)->(),(),()", float, double, double>(ends_of_line{}, x);
  EXPECT_TRUE(holds(std::get<2>(converted) == astype<double>(argmax(x, axis<1>))));
}

TEST_F(SeveralResults, OfASquareSeeAllOfIt) {
  const auto parts = [](block_view<const double, 2> square, block_view<double, 2> turned,
                        std::span<double> sums) {
    for (index_t i = 0; i < square.shape()[0]; ++i) {
      double& sum = sums[static_cast<std::size_t>(i)] = 0;
      for (index_t j = 0; j < square.shape()[1]; ++j) {
        sum += square(i, j);
        turned(j, i) = square(i, j);
      }
    }
  };
  const auto x = matrix(3, 4)(whole, slice(0, rows));
  const auto [turned, sums] = apply_gufunc<"(n,n)->(n,n),(n)", double, double>(parts, x);
  EXPECT_TRUE(holds(turned == x.T()));
  EXPECT_TRUE(holds(sums == sum(x, axis<1>)));
}

TEST_F(SeveralResults, HaveAxesThatNoArrayHas) {
  const auto powers = [](double from, std::span<double> values, std::span<double> inverse) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::pow(from, static_cast<double>(i));
      inverse[i % inverse.size()] = -from;
    }
  };
  const auto x = matrix(3, 4);
  const auto [all_powers, negative] = apply_gufunc<"()->(power),(half)", double, double>(
      powers, x, letter<"power">(4), letter<"half">(2));
  ASSERT_EQ(all_powers.shape(), (std::array<index_t, 3>{rows, columns, 4}));
  ASSERT_EQ(negative.shape(), (std::array<index_t, 3>{rows, columns, 2}));
  EXPECT_TRUE(holds(all_powers(ellipsis, 3) == x * x * x));
  EXPECT_TRUE(holds(negative(ellipsis, 1) == -x));
  EXPECT_THROW(static_cast<void>(apply_gufunc<"()->(power),(half)", double, double>(
                   powers, x, letter<"power">(4), letter<"half">(0))),
               shape_error);
}

}  // namespace
}  // namespace tessera
