// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/map_blocks.hpp"

#include "tessera/tessera.hpp"

#include "unit/array/holds.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using ::testing::HasSubstr;

using test::holds;
using testing::temporary_directory;

/// Writes the start and the extents of each block.
struct where_blocks_are {
  void operator()(block_view<const float, 2> x, block_view<double, 2> result) const {
    const auto [rows, columns] = result.shape();
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) {
        result(i, j) = static_cast<double>(x(i, j)) + 1e3 * static_cast<double>(result.start(0)) +
                       1e6 * static_cast<double>(result.start(1)) +
                       1e9 * static_cast<double>(rows) + 1e10 * static_cast<double>(columns);
      }
    }
  }
};

struct weighted_sum {
  double factor = 1;

  template <class X, class Y>
  void operator()(X x, Y y, block_view<double, 2> result) const {
    for (index_t i = 0; i < result.shape()[0]; ++i) {
      for (index_t j = 0; j < result.shape()[1]; ++j) result(i, j) = x(i, j) + factor * y(i, j);
    }
  }
};

/// Sums the elements from two before to one behind each element along the first axis, and the one
/// before along the second.
struct sum_around {
  void operator()(block_view<const double, 2> x, block_view<double, 2> result) const {
    for (index_t i = 0; i < result.shape()[0]; ++i) {
      for (index_t j = 0; j < result.shape()[1]; ++j) {
        result(i, j) = 0;
        for (index_t k = 0; k < 4; ++k)
          result(i, j) += x(i + k, j) * std::pow(7.0, k) + x(i, j + 1);
      }
    }
  }
};

struct dot_product {
  double operator()(std::span<const double> a, std::span<const double> b) const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
};

constexpr index_t rows = 7;
constexpr index_t columns = 9;

double element(index_t i, index_t j) { return static_cast<double>((5 * i * i + 3 * j) % 17); }

ndarray<double, 2> elements() {
  ndarray<double, 2> values(std::array{rows, columns});
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
  }
  return values;
}

array<double, 2> matrix(index_t row_chunk, index_t column_chunk) {
  return asarray(elements(), {.chunks = {row_chunk, column_chunk}});
}

class MapBlocks : public ::testing::Test {
 protected:
  temporary_directory directory_;
  std::string input_ = directory_ / "input.zarr";
  std::string output_ = directory_ / "output.zarr";
};

TEST_F(MapBlocks, CallsTheFunctionForEachChunk) {
  store(astype<float>(matrix(3, 4)), input_, {.chunks = {3, 4}});
  const auto blocks = map_blocks<double>(where_blocks_are{}, open<float, 2>(input_));
  EXPECT_EQ(blocks.chunks(), (std::array<index_t, 2>{3, 4}));
  const auto values = blocks.compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      const auto start = [](index_t at, index_t chunk) {
        return static_cast<double>(at / chunk * chunk);
      };
      const double long_rows = i < 6 ? 3 : 1;
      const double long_columns = j < 8 ? 4 : 1;
      EXPECT_EQ(values(i, j), element(i, j) + 1e3 * start(i, 3) + 1e6 * start(j, 4) +
                                  1e9 * long_rows + 1e10 * long_columns)
          << i << ", " << j;
    }
  }
}

TEST_F(MapBlocks, KeepsToItsChunksWhereOthersAreStored) {
  const auto blocks = map_blocks<double>(where_blocks_are{}, astype<float>(matrix(3, 4)));
  store(blocks, output_, {.chunks = {2, 5}});
  const auto stored = open<double, 2>(output_);
  EXPECT_EQ(stored.chunks(), (std::array<index_t, 2>{2, 5}));
  EXPECT_TRUE(holds(stored == asarray(blocks.compute())));
}

TEST_F(MapBlocks, BroadcastsItsArrays) {
  const auto x = matrix(3, 4);
  const auto y = asarray(elements(), {.chunks = {2, 9}});
  const auto sums = map_blocks<double>(weighted_sum{100}, x, y(4)).compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      EXPECT_EQ(sums(i, j), element(i, j) + 100 * element(4, j)) << i << ", " << j;
    }
  }
}

TEST_F(MapBlocks, SeesBlocksAsMatricesOfEigen) {
  const auto doubled =
      map_blocks<double>([](block_view<const double, 2> x,
                            block_view<double, 2> result) { eigen(result) = 2 * eigen(x); },
                         matrix(3, 4).T());
  EXPECT_TRUE(holds(doubled == 2 * matrix(7, 9).T()));
}

TEST_F(MapBlocks, HandsOutSpansOfDenseBlocksAlone) {
  std::vector<double> values{1, 2, 3, 4, 5, 6};
  const block_view<double, 2> dense(values.data(), {2, 3}, {3, 1}, {0, 0});
  EXPECT_EQ(dense.span().size(), 6U);
  const block_view<double, 2> part(values.data(), {2, 2}, {3, 1}, {0, 0});
  EXPECT_FALSE(part.is_dense());
  EXPECT_EQ(part(1, 1), 5);
  EXPECT_THROW(static_cast<void>(part.span()), value_error);
  const block_view<double, 2> row(values.data(), {1, 2}, {3, 1}, {0, 0});
  EXPECT_TRUE(row.is_dense());
}

/// Returns the position of the element that stands for `i`, which may lie beyond the ends of `n`
/// elements.
index_t seen_at(index_t i, index_t n, boundary beyond) {
  switch (beyond) {
    case boundary::edge:
      return std::clamp<index_t>(i, 0, n - 1);
    case boundary::reflect:
      return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
    case boundary::symmetric:
      return i < 0 ? -i - 1 : i >= n ? 2 * n - 1 - i : i;
    case boundary::wrap:
      return (i + n) % n;
    default:
      return i;
  }
}

TEST_F(MapBlocks, SeesWhatLiesAroundBlocks) {
  store(elements(), input_, {.chunks = {2, 4}});
  const std::array inputs{open<double, 2>(input_), matrix(3, 9), matrix(7, 2), matrix(1, 1)};
  for (const boundary beyond : {boundary::constant, boundary::edge, boundary::reflect,
                                boundary::symmetric, boundary::wrap}) {
    const auto value = [&](index_t i, index_t j) {
      const index_t row = seen_at(i, rows, beyond);
      const index_t column = seen_at(j, columns, beyond);
      const bool is_there = 0 <= row && row < rows && 0 <= column && column < columns;
      return is_there ? element(row, column) : 0.0;
    };
    for (const array<double, 2>& x : inputs) {
      const auto sums =
          map_overlap<double>(sum_around{}, x, {.depth = {{2, 1}, {1, 0}}, .beyond = beyond})
              .compute();
      ASSERT_EQ(sums.shape(), (std::array{rows, columns}));
      for (index_t i = 0; i < rows; ++i) {
        for (index_t j = 0; j < columns; ++j) {
          double expected = 0;
          for (index_t k = 0; k < 4; ++k) {
            expected += value(i - 2 + k, j - 1) * std::pow(7.0, k) + value(i - 2, j);
          }
          ASSERT_EQ(sums(i, j), expected) << i << ", " << j;
        }
      }
    }
  }
}

TEST_F(MapBlocks, SeesWhatLiesAroundBlocksOfSeveralArrays) {
  const auto x = matrix(3, 4);
  const auto shifted = map_overlap<double>(weighted_sum{10}, x, matrix(2, 5),
                                           {.depth = {{1, 0}, {0, 0}}, .beyond = boundary::wrap});
  const auto expected = roll(x, 1, axis<0>) * 11.0;
  EXPECT_TRUE(holds(shifted == expected));
  EXPECT_THROW(static_cast<void>(map_overlap<double>(weighted_sum{}, x, x(slice(1, none)),
                                                     {.depth = {{1, 0}, {0, 0}}})),
               shape_error);
}

TEST_F(MapBlocks, RunsInOtherProcesses) {
  store(elements(), input_, {.chunks = {3, 4}});
  const auto x = open<double, 2>(input_);
  store(map_blocks<double>(weighted_sum{3}, x, x), output_, {},
        {.executor = executors::processes(2)});
  EXPECT_TRUE(holds(open<double, 2>(output_) == 4 * x));
  double factor = 2;
  const auto refers = [&factor](block_view<const double, 2> from, block_view<double, 2> result) {
    for (index_t i = 0; i < result.shape()[0]; ++i) {
      for (index_t j = 0; j < result.shape()[1]; ++j) result(i, j) = factor * from(i, j);
    }
  };
  const auto doubled = map_blocks<double>(refers, x);
  EXPECT_TRUE(holds(doubled == 2 * x));
  try {
    store(doubled, directory_ / "other.zarr", {}, {.executor = executors::processes(2)});
    ADD_FAILURE() << "was not refused";
  } catch (const value_error& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("cannot go to other processes"));
    EXPECT_THAT(refusal.what(), HasSubstr("MapBlocks_RunsInOtherProcesses"));
  }
}

TEST_F(MapBlocks, FunctionsTravelWithTheNumbersThatTheyCapture) {
  store(elements(), input_, {.chunks = {3, 4}});
  const auto x = open<double, 2>(input_);
  const double factor = 3;
  long number = 2;
  const float shift = 0.5F;
  const auto fill = [](const auto& from, const auto& result, auto f) {
    for (index_t i = 0; i < result.shape()[0]; ++i) {
      for (index_t j = 0; j < result.shape()[1]; ++j) result(i, j) = f(from(i, j));
    }
  };
  using from_view = block_view<const double, 2>;
  using result_view = block_view<double, 2>;
  const auto scale = [factor, fill](from_view from, result_view result) {
    fill(from, result, [&](double value) { return factor * value; });
  };
  const auto scale_and_shift = [factor, shift, fill](from_view from, result_view result) {
    fill(from, result, [&](double value) { return factor * value + shift; });
  };
  const auto weigh = [shift, number](std::span<const double> line) {
    return shift * line[0] + static_cast<double>(number) * line[1];
  };
  const auto two_processes = run_with{.executor = executors::processes(2)};
  const auto [scaled, shifted, around, mapped] = compute(
      map_blocks<double>(scale, x), map_blocks<double>(scale_and_shift, x),
      map_overlap<double>(scale_and_shift, x, {.depth = {{0, 0}, {0, 0}}}),
      map([factor, shift](double value) { return factor * value + shift; }, x), two_processes);
  const auto [weighed, along] = compute(apply_gufunc<"(i)->()">(weigh, x),
                                        apply_along_axis(weigh, x, axis<0>), two_processes);
  const auto equals = [](const auto& a, const auto& b) { return holds(asarray(a) == b); };
  EXPECT_TRUE(equals(scaled, 3 * x));
  EXPECT_TRUE(equals(shifted, 3 * x + 0.5));
  EXPECT_TRUE(equals(around, 3 * x + 0.5));
  EXPECT_TRUE(equals(mapped, 3 * x + 0.5));
  EXPECT_TRUE(equals(weighed, 0.5 * x(whole, 0) + 2.0 * x(whole, 1)));
  EXPECT_TRUE(equals(along, 0.5 * x(0) + 2.0 * x(1)));
}

TEST_F(MapBlocks, CountsTheMemoryThatAFunctionDeclares) {
  const auto x = matrix(3, 4);
  const auto plain = plan(map_blocks<double>(weighted_sum{}, x, x)).projected_memory();
  const auto declared = plan(map_blocks<double>(allocating{weighted_sum{}, bytes{5'000'000}}, x, x))
                            .projected_memory();
  EXPECT_EQ(declared, plain + bytes{5'000'000});
}

TEST(ApplyGufunc, CallsTheFunctionForEachIndexOfTheOthers) {
  const auto x = matrix(3, 4);
  const auto y = matrix(2, 9);
  const auto dots = apply_gufunc<"(i),(i)->()">(dot_product{}, x(whole, newaxis), y);
  ASSERT_EQ(dots.shape(), (std::array{rows, rows}));
  EXPECT_TRUE(holds(dots == matmul(x, y.T())));
  const auto of_columns = apply_gufunc<"(i),(i)->()">(dot_product{}, x.T(), y.T());
  EXPECT_TRUE(holds(of_columns == sum(x * y, axis<0>)));
  const auto with_one = apply_gufunc<"(i),(i)->()">(dot_product{}, x, y(3));
  EXPECT_TRUE(holds(with_one == sum(x * y(3), axis<1>)));
  EXPECT_EQ((apply_gufunc<"(i),(i)->()">(dot_product{}, x(1), y(3)).compute()()),
            sum(x(1) * y(3)).compute()());
}

TEST(ApplyGufunc, MakesAxesOfItsOwn) {
  const auto x = matrix(3, 4);
  const auto running = [](double from, std::span<const double> line, std::span<double> sums) {
    for (std::size_t i = 0; i < line.size(); ++i) sums[i] = from += line[i];
  };
  const auto sums = apply_gufunc<"(),(n)->(n)", double>(running, x(whole, 0), x);
  EXPECT_TRUE(holds(sums == cumulative_sum(x, axis<1>) + x(whole, slice(0, 1))));
  const auto transposed = [](block_view<const double, 2> from, block_view<float, 2> result) {
    for (index_t i = 0; i < from.shape()[0]; ++i) {
      for (index_t j = 0; j < from.shape()[1]; ++j) result(j, i) = static_cast<float>(from(i, j));
    }
  };
  const auto turned = apply_gufunc<"(i,j)->(j,i)", float>(transposed, stack(x, x + 1));
  ASSERT_EQ(turned.shape(), (std::array<index_t, 3>{2, columns, rows}));
  EXPECT_TRUE(holds(turned(1) == x.T() + 1));
}

// Lines of 800 kB, of two arrays, and as much to make them dense: two at once are too many.
TEST(ApplyGufunc, TakesAsManyLinesAsAreAllowed) {
  const spec limits{.allowed_memory = bytes{4'000'000}};
  const auto x = ones<double>({16, 100'000}, {.chunks = {16, 10'000}, .spec = limits});
  const auto plan = tessera::plan(apply_gufunc<"(i),(i)->()">(dot_product{}, x, x));
  EXPECT_EQ(plan.num_tasks(), 16);
  EXPECT_LE(plan.projected_memory(), limits.allowed_memory);
  const auto dots = apply_gufunc<"(i),(i)->()">(dot_product{}, x, x).compute();
  for (const double dot : dots.span()) EXPECT_EQ(dot, 100'000);
}

TEST(ApplyGufunc, RefusesExtentsThatDiffer) {
  const auto x = matrix(3, 4);
  try {
    static_cast<void>(
        apply_gufunc<"(time),(time)->()">(dot_product{}, x, x(whole, slice(1, none))));
    ADD_FAILURE() << "was not refused";
  } catch (const shape_error& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("'time' stands for 9 elements and, in array 1, for 8"));
  }
  EXPECT_THROW(static_cast<void>(apply_gufunc<"(i),(i)->()">(dot_product{}, x(whole, slice(0)),
                                                             x(whole, slice(0)))),
               shape_error);
}

TEST(Signatures, AreReadByTheCompiler) {
  constexpr gufunc_signature matrix_vector = signature_of<"(m, n), (n) -> (m)">;
  static_assert(matrix_vector.is_valid && matrix_vector.num_inputs == 2);
  static_assert(matrix_vector.num_letters == 2 && matrix_vector.result(0).letters[0] == 0);
  static_assert(signature_of<"(),(long_name)->()">.letters[0] == "long_name");
  static_assert(!signature_of<"(i),->()">.is_valid && !signature_of<"(i)">.is_valid);
  static_assert(!signature_of<"(i,)->()">.is_valid && !signature_of<"(i)->() x">.is_valid);
  static_assert(!signature_of<"i->i">.is_valid && !signature_of<"">.is_valid);
  static_assert(!signature_of<"(a,b,c,d,e,f,g,h,i)->()">.is_valid);
  EXPECT_EQ(matrix_vector.letters[1], "n");
}

}  // namespace
}  // namespace tessera
