// SPDX-License-Identifier: Apache-2.0

/// \file
/// Factors of matrices of which a task takes some rows.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/array/holds.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <tuple>

namespace tessera {
namespace {

using test::holds;
using testing::temporary_directory;

template <array_expression X>
double greatest(const X& x) {
  return static_cast<double>(max(abs(x)).compute()());
}

template <class T>
class TallMatrices : public ::testing::Test {
 protected:
  static constexpr double close = 1e3 * std::numeric_limits<real_t<T>>::epsilon();

  /// Returns a matrix of which all columns have about the same length, in chunks of some rows.
  static array<T, 2> random_matrix(index_t rows, index_t columns, index_t chunk,
                                   index_t column_chunk) {
    const auto part = [&](std::uint64_t seed) {
      return random::uniform<real_t<T>>(
          {rows, columns},
          {.chunks = {chunk, std::min(columns, column_chunk)}, .seed = seed, .low = -1});
    };
    if constexpr (std::is_arithmetic_v<T>) {
      return part(1);
    } else {
      return astype<T>(part(1)) + T(0, 1) * astype<T>(part(2));
    }
  }

  /// Returns a matrix of two orthogonal columns, of elements 2^exponent and +-2^second_exponent.
  static array<T, 2> signs(index_t rows, int exponent, int second_exponent, index_t chunk) {
    T unit{1};
    if constexpr (!std::is_arithmetic_v<T>) unit = T(0, 1);
    ndarray<T, 2> values({rows, 2});
    for (index_t i = 0; i < rows; ++i) {
      values(i, 0) = std::ldexp(real_t<T>(1), exponent);
      values(i, 1) = unit * std::ldexp(real_t<T>(i % 2 == 0 ? 1 : -1), second_exponent);
    }
    return asarray(std::move(values), {.chunks = {chunk, 2}});
  }

  /// Tells whether the magnitude of each element is near `expected` times 2^exponent.
  template <array_expression X>
  static bool are_near(const X& x, double expected, int exponent) {
    const auto values = x.compute();
    for (const auto& value : values.span()) {
      const double scaled = std::ldexp(static_cast<double>(std::abs(value)), -exponent);
      if (!(std::abs(scaled - expected) <= close)) return false;
    }
    return true;
  }

  /// Expects the parts of a matrix of `rows` rows of elements +-2^exponent, as `signs` returns it.
  /// Its columns have the length 2^exponent times the root of `rows`, which is a power of two.
  static void expect_parts(const array<T, 2>& x, int exponent) {
    const double length = std::sqrt(static_cast<double>(x.shape()[0]));
    const auto [q, r] = qr(x);
    EXPECT_TRUE(are_near(q, 1 / length, 0)) << exponent;
    EXPECT_TRUE(are_near(diagonal(r), length, exponent)) << exponent;
    EXPECT_TRUE(are_near(r(0, 1), 0, exponent)) << exponent;
    const auto [u, s, vh] = svd(x);
    EXPECT_TRUE(are_near(s, length, exponent)) << exponent;
    EXPECT_TRUE(are_near(matmul(u, vh), 1 / length, 0)) << exponent;
    EXPECT_TRUE(are_near(svdvals(x), length, exponent)) << exponent;
    EXPECT_TRUE(are_near(svdvals(x.T()), length, exponent)) << exponent;
    expect_solution(x);
  }

  /// Expects that least squares find the factors 1 and 1/2 of the columns of `x`.
  static void expect_solution(const array<T, 2>& x) {
    const auto solution = lstsq(x, x(whole, 0) + x(whole, 1) * T(0.5));
    EXPECT_TRUE(are_near(solution.x(0), 1, 0));
    EXPECT_TRUE(are_near(solution.x(1), 0.5, 0));
    EXPECT_EQ(solution.rank.compute()(), 2);
  }

  static auto adjoint(const array<T, 2>& x) {
    if constexpr (std::is_arithmetic_v<T>) {
      return x.T();
    } else {
      return conj(x.T());
    }
  }
};

using element_types = ::testing::Types<float, double, complex64, complex128>;
TYPED_TEST_SUITE(TallMatrices, element_types);

TYPED_TEST(TallMatrices, KeepTheLawsInWhateverChunks) {
  using T = TypeParam;
  struct shape {
    index_t rows, columns, chunk;
  };
  // Trees of one to four levels; last blocks of a single row, and of fewer rows than columns.
  for (const shape& of : {shape{97, 3, 12}, shape{25, 3, 12}, shape{1000, 4, 3}, shape{500, 1, 1},
                          shape{411, 20, 100}, shape{2001, 7, 40}}) {
    const auto x = this->random_matrix(of.rows, of.columns, of.chunk, 2);
    const std::string context = std::to_string(of.rows) + " in " + std::to_string(of.chunk);
    const auto [q, r] = qr(x);
    ASSERT_EQ(q.shape(), x.shape());
    EXPECT_EQ(q.chunks()[0], of.chunk);
    const auto identity = eye<T>(of.columns);
    EXPECT_LE(greatest(matmul(q, r) - x), this->close) << context;
    EXPECT_LE(greatest(matmul(this->adjoint(q), q) - identity), this->close) << context;
    EXPECT_EQ(greatest(r - triu(r)), 0) << context;
    // A fold reads whole blocks of Q, which depend on its blocks.
    EXPECT_LE(greatest(matmul(sum(q, axis<0>), r) - sum(x, axis<0>)), 100 * this->close) << context;
    // A diagonal that is not negative makes both unique.
    const auto [whole_q, whole_r] = qr(rechunk(x, {of.rows, of.columns}));
    EXPECT_LE(greatest(r - whole_r), this->close * greatest(r)) << context;
    EXPECT_LE(greatest(q - whole_q), this->close) << context;
    const auto [u, s, vh] = svd(x);
    EXPECT_LE(greatest(matmul(u * astype<T>(s), vh) - x), this->close) << context;
    EXPECT_LE(greatest(matmul(this->adjoint(u), u) - identity), this->close) << context;
    EXPECT_LE(greatest(matmul(this->adjoint(vh), vh) - identity), this->close) << context;
    EXPECT_LE(greatest(svdvals(x) - svdvals(rechunk(x, {of.rows, of.columns}))),
              this->close * greatest(s))
        << context;
    // Wide ones are tall ones, transposed.
    const auto [wide_u, wide_s, wide_vh] = svd(x.T());
    EXPECT_LE(greatest(matmul(wide_u * astype<T>(wide_s), wide_vh) - x.T()), this->close)
        << context;
    EXPECT_LE(greatest(wide_s - s), this->close * greatest(s)) << context;
  }
}

TYPED_TEST(TallMatrices, SolveLeastSquaresAsWholeOnesDo) {
  using T = TypeParam;
  const auto a = this->random_matrix(811, 6, 50, 4);
  const auto b =
      array(this->random_matrix(811, 8, 30, 3)(whole, slice(6, none)) + a(whole, slice(0, 2)));
  const auto solution = lstsq(a, b);
  const auto whole_solution = lstsq(rechunk(a, {811, 6}), rechunk(b, {811, 2}));
  EXPECT_LE(greatest(solution.x - whole_solution.x), this->close);
  EXPECT_LE(greatest(solution.residuals / whole_solution.residuals - real_t<T>(1)), this->close);
  EXPECT_LE(greatest(solution.singular_values - whole_solution.singular_values),
            this->close * greatest(solution.singular_values));
  EXPECT_EQ(solution.rank.compute()(), 6);
  // The residuals are at right angles to all columns.
  EXPECT_LE(greatest(matmul(this->adjoint(a), b - matmul(a, solution.x))), 300 * this->close);
}

TYPED_TEST(TallMatrices, OfLowerRankHaveOrthonormalFactorsAsWell) {
  using T = TypeParam;
  const auto u = this->random_matrix(900, 2, 64, 2);
  const auto v = this->random_matrix(2, 6, 2, 6);
  const auto x = array(rechunk(matmul(u, v), {64, 6}));
  const auto [q, r] = qr(x);
  EXPECT_LE(greatest(matmul(q, r) - x), this->close);
  EXPECT_LE(greatest(matmul(this->adjoint(q), q) - eye<T>(6)), this->close);
  EXPECT_EQ(matrix_rank(x).compute()(), 2);
  const auto [zero_q, zero_r] = qr(x * T(0));
  EXPECT_EQ(greatest(zero_r), 0);
  EXPECT_LE(greatest(matmul(this->adjoint(zero_q), zero_q) - eye<T>(6)), this->close);
}

/// The greatest exponent of a power of two, and that of twice the least one.
template <class T>
constexpr int greatest_exponent = std::numeric_limits<real_t<T>>::max_exponent - 1;
template <class T>
constexpr int least_exponent =
    std::numeric_limits<real_t<T>>::min_exponent - std::numeric_limits<real_t<T>>::digits + 1;

// Squares of their elements are infinite, or 0.
TYPED_TEST(TallMatrices, OfVeryGreatAndSmallElementsHaveTheirParts) {
  using T = TypeParam;
  constexpr int great = greatest_exponent<T> - 1;
  this->expect_parts(this->signs(4, great, great, 4), great);
  EXPECT_TRUE(this->are_near(pinv(this->signs(4, great, great, 4)), 0.25, -great));
  this->expect_parts(this->signs(4, least_exponent<T>, least_exponent<T>, 4), least_exponent<T>);
  // By a tree of factors. The factors of blocks are multiples of the least element.
  constexpr int great_in_tree = greatest_exponent<T> - 7;
  this->expect_parts(this->signs(4096, great_in_tree, great_in_tree, 1024), great_in_tree);
  this->expect_parts(this->signs(4096, least_exponent<T>, least_exponent<T>, 1024),
                     least_exponent<T>);
}

TYPED_TEST(TallMatrices, OfColumnsOfDifferentMagnitudesHaveOrthonormalFactors) {
  using T = TypeParam;
  const auto x = this->signs(4, greatest_exponent<T> - 1, least_exponent<T>, 4);
  const auto [q, r] = qr(x);
  EXPECT_TRUE(this->are_near(q, 0.5, 0));
  EXPECT_TRUE(this->are_near(r(0, 0), 1, greatest_exponent<T>));
  EXPECT_TRUE(this->are_near(r(1, 1), 2, least_exponent<T>));
}

TYPED_TEST(TallMatrices, OfColumnsOfInfiniteLengthHaveSingularVectors) {
  using T = TypeParam;
  const auto x = this->signs(100, greatest_exponent<T> - 1, greatest_exponent<T> - 1, 100);
  const auto [u, s, vh] = svd(x);
  EXPECT_TRUE(holds(isinf(s)));
  EXPECT_TRUE(this->are_near(matmul(u, vh), 0.1, 0));
  this->expect_solution(x);
}

TEST(TallMatricesOf, ManyChunksAreReadOnceForTheValuesAndTwiceForTheVectors) {
  const auto counting = std::make_shared<test::counting_store>();
  constexpr index_t num_chunks = 40;
  store(random::uniform<double>({num_chunks * 50, 10}, {.chunks = {50, 10}}), counting, "x",
        {.chunks = {50, 10}});
  const auto x = open<double, 2>(counting, "x");
  const auto reads_of = [&](const auto&... results) {
    const long before = counting->num_reads();
    static_cast<void>(compute(results...));
    return counting->num_reads() - before;
  };
  EXPECT_EQ(reads_of(svdvals(x)), num_chunks);
  EXPECT_EQ(reads_of(std::get<1>(qr(x))), num_chunks);
  const auto [q, r] = qr(x);
  EXPECT_EQ(reads_of(q, r), 2 * num_chunks);
  const auto [u, s, vh] = svd(x);
  EXPECT_EQ(reads_of(u, s, vh), 2 * num_chunks);
  // Both operands see the same chunks.
  const auto solution = lstsq(x, x);
  EXPECT_EQ(reads_of(solution.x, solution.residuals, solution.rank), num_chunks);
}

TEST(TallMatricesOf, ManyChunksAreBoundedByOne) {
  const spec limits{.allowed_memory = bytes{20'000'000}};
  const auto x = random::uniform<double>({400'000, 50}, {.chunks = {4000, 50}, .spec = limits});
  const auto [u, s, vh] = svd(x);
  const auto planned = plan(u, s, vh);
  EXPECT_LE(planned.projected_memory(), limits.allowed_memory);
  EXPECT_GE(planned.num_tasks(), 200);
}

TEST(TallMatricesOf, LittleMemoryAreRefusedWithARemedyThatExists) {
  const spec limits{.allowed_memory = bytes{400'000}};
  const auto x = random::uniform<double>({5001, 7}, {.chunks = {1000, 7}, .spec = limits});
  try {
    static_cast<void>(svdvals(x).compute());
    ADD_FAILURE() << "was not refused";
  } catch (const memory_error& refusal) {
    const std::string text = refusal.what();
    EXPECT_NE(text.find("an allowed_memory of at least"), std::string::npos) << text;
    EXPECT_EQ(text.find("0 x 0"), std::string::npos) << text;
  }
}

TEST(TallMatricesOn, OtherProcessesAreTheSame) {
  const temporary_directory directory;
  store(random::uniform<double>({900, 8}, {.chunks = {50, 8}}), directory / "x",
        {.chunks = {50, 8}});
  const auto x = open<double, 2>(directory / "x");
  const auto [q, r] = qr(x);
  store(stored(q, directory / "q"), stored(r, directory / "r"),
        run_with{.executor = executors::processes(2)});
  EXPECT_TRUE(holds(open<double, 2>(directory / "q") == q));
  EXPECT_TRUE(holds(open<double, 2>(directory / "r") == r));
  // A part of Q is made of the blocks that it is in.
  EXPECT_TRUE(holds(q(slice(120, 130), 3) == open<double, 2>(directory / "q")(slice(120, 130), 3)));
}

}  // namespace
}  // namespace tessera
