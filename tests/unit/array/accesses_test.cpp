// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chunk reads of programs of shifted, windowed and joined views: as the plan says, and as the
/// store counts.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/array/support.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace tessera {
namespace {

using test::counting_store;

constexpr index_t chunk = 4;
constexpr index_t num_chunks = 32;
constexpr index_t extent = chunk * num_chunks;
constexpr long all_chunks = num_chunks * num_chunks;

double element(index_t i, index_t j) { return static_cast<double>(i * i - 3 * i * j + 2 * j); }

/// A stored array of 32 by 32 chunks; its store counts.
class Accesses : public ::testing::Test {
 protected:
  Accesses() {
    ndarray<double, 2> values({extent, extent});
    for (index_t i = 0; i < extent; ++i) {
      for (index_t j = 0; j < extent; ++j) values(i, j) = element(i, j);
    }
    // Compressed, so that a chunk is read whole whatever is wanted of it.
    store(asarray(std::move(values), {.chunks = {chunk, chunk}}), store_, "x",
          {.compressor = codec::zlib{}});
  }

  [[nodiscard]] array<double, 2> open_x() const { return open<double, 2>(store_, "x"); }

  struct counted {
    long planned = 0;
    long read = 0;
    index_t num_tasks = 0;
  };

  /// Computes an expression, expects `value(i, j)` everywhere, and returns the reads.
  template <class E, class Value>
  counted run(const E& expression, Value value) {
    const auto computed = plan(expression);
    const long before = store_->num_reads();
    const auto result = computed.compute();
    const long read = store_->num_reads() - before;
    for (index_t i = 0; i < result.shape()[0]; ++i) {
      if constexpr (E::rank == 2) {
        for (index_t j = 0; j < result.shape()[1]; ++j) expect_near(result(i, j), value(i, j), i);
      } else {
        expect_near(result(i), value(i), i);
      }
    }
    constexpr auto chunk_bytes = static_cast<long>(chunk * chunk * sizeof(double));
    return {static_cast<long>(computed.bytes_read().count()) / chunk_bytes, read,
            computed.num_tasks()};
  }

  static void expect_near(double value, double expected, index_t at) {
    ASSERT_NEAR(value, expected, 1e-9 * (1 + std::abs(expected))) << "at " << at;
  }

  std::shared_ptr<counting_store> store_ = std::make_shared<counting_store>();
};

TEST_F(Accesses, OfDifferencesReadOnceAlongEitherAxis) {
  const auto x = open_x();
  const counted rows = run(x(slice(1, none)) - x(slice(none, -1)),
                           [](index_t i, index_t j) { return element(i + 1, j) - element(i, j); });
  EXPECT_EQ(rows.read, all_chunks);
  EXPECT_EQ(rows.planned, rows.read);
  EXPECT_GE(rows.num_tasks, 8);
  const counted columns =
      run(x(whole, slice(1, none)) - x(whole, slice(none, -1)),
          [](index_t i, index_t j) { return element(i, j + 1) - element(i, j); });
  EXPECT_EQ(columns.read, all_chunks);
  EXPECT_EQ(columns.planned, columns.read);
  EXPECT_GE(columns.num_tasks, 8);
}

TEST_F(Accesses, OfAStencilReadLittleAgainInManyTasks) {
  const auto x = open<double, 2>(store_, "x", spec{.costs = {.workers = 8}});
  const slice inner(1, -1);
  const auto laplacian = x(slice(2, none), inner) + x(slice(none, -2), inner) +
                         x(inner, slice(2, none)) + x(inner, slice(none, -2)) -
                         4.0 * x(inner, inner);
  const counted counts = run(laplacian, [](index_t i, index_t j) {
    return element(i + 2, j + 1) + element(i, j + 1) + element(i + 1, j + 2) + element(i + 1, j) -
           4 * element(i + 1, j + 1);
  });
  EXPECT_LE(counts.read, all_chunks * 5 / 4);
  EXPECT_EQ(counts.planned, counts.read);
  EXPECT_GE(counts.num_tasks, 8);
}

TEST_F(Accesses, OfOneShiftedViewReadOnce) {
  const auto x = open_x();
  const counted counts =
      run(2.0 * x(slice(1, none)), [](index_t i, index_t j) { return 2 * element(i + 1, j); });
  EXPECT_EQ(counts.read, all_chunks);
  EXPECT_EQ(counts.planned, counts.read);
}

TEST_F(Accesses, OfViewsByStepReadOnce) {
  const auto x = open_x();
  const slice even(0, none, 2);
  const slice odd(1, none, 2);
  const counted counts = run((x(even, even) + x(even, odd) + x(odd, even) + x(odd, odd)) / 4.0,
                             [](index_t i, index_t j) {
                               return (element(2 * i, 2 * j) + element(2 * i, 2 * j + 1) +
                                       element(2 * i + 1, 2 * j) + element(2 * i + 1, 2 * j + 1)) /
                                      4;
                             });
  EXPECT_EQ(counts.read, all_chunks);
  EXPECT_EQ(counts.planned, counts.read);
}

TEST_F(Accesses, OfCoarsenReadOnce) {
  const auto mean_of = [](index_t n) {
    return [n](index_t i, index_t j) {
      double sum = 0;
      for (index_t a = 0; a < n; ++a) {
        for (index_t b = 0; b < n; ++b) sum += element(n * i + a, n * j + b);
      }
      return sum / static_cast<double>(n * n);
    };
  };
  const counted aligned = run(coarsen(op::mean{}, open_x(), {2, 2}), mean_of(2));
  EXPECT_EQ(aligned.read, all_chunks);
  EXPECT_EQ(aligned.planned, aligned.read);
  const counted larger = run(coarsen(op::mean{}, open_x(), {16, 16}), mean_of(16));
  EXPECT_EQ(larger.read, all_chunks);
  EXPECT_EQ(larger.planned, larger.read);
  // Blocks of 3 begin inside of chunks.
  const auto part = open_x()(slice(0, 126), slice(0, 126));
  const counted unaligned = run(coarsen(op::mean{}, part, {3, 3}), mean_of(3));
  EXPECT_LE(unaligned.read, all_chunks * 5 / 4);
  EXPECT_EQ(unaligned.planned, unaligned.read);
}

// The elements of a flipped chunk lie in one chunk.
TEST_F(Accesses, OfAFlippedArrayReadOnce) {
  const counted flipped = run(flip(open_x()) * 2.0, [](index_t i, index_t j) {
    return 2 * element(extent - 1 - i, extent - 1 - j);
  });
  EXPECT_EQ(flipped.read, all_chunks);
  EXPECT_EQ(flipped.planned, flipped.read);
  EXPECT_GT(flipped.num_tasks, 1);
}

// A task computes all levels of its part, so that nothing is read again.
TEST_F(Accesses, OfAPyramidReadEachLevelOnce) {
  const auto halved = [](const array<double, 2>& y) -> array<double, 2> {
    const slice even(0, none, 2);
    const slice odd(1, none, 2);
    return (y(even, even) + y(even, odd) + y(odd, even) + y(odd, odd)) / 4.0;
  };
  const array<double, 2> first = halved(open_x());
  const array<double, 2> second = halved(first);
  const array<double, 2> third = halved(second);
  const auto levels = std::make_shared<memory_store>();
  const plan pyramid(stored(first, levels, "first"), stored(second, levels, "second"),
                     stored(third, levels, "third"));
  const long before = store_->num_reads();
  pyramid.execute();
  EXPECT_EQ(store_->num_reads() - before, all_chunks);
  EXPECT_EQ(pyramid.bytes_read(), bytes{extent * extent * sizeof(double)});
  const auto coarse = open<double, 2>(levels, "third").compute();
  constexpr index_t width = 8;
  ASSERT_EQ(coarse.shape(), (std::array{extent / width, extent / width}));
  for (index_t i = 0; i < extent / width; ++i) {
    for (index_t j = 0; j < extent / width; ++j) {
      double sum = 0;
      for (index_t k = 0; k < width * width; ++k) {
        sum += element(width * i + k / width, width * j + k % width);
      }
      expect_near(coarse(i, j), sum / (width * width), i);
    }
  }
}

TEST_F(Accesses, OfAFoldOfDifferencesReadOnceAndARowForEachPart) {
  const auto x = open_x();
  const counted counts = run(mean(x(slice(1, none)) - x(slice(none, -1)), axis<0>), [](index_t j) {
    return (element(extent - 1, j) - element(0, j)) / static_cast<double>(extent - 1);
  });
  EXPECT_LE(counts.read, all_chunks * 5 / 4);
  EXPECT_EQ(counts.planned, counts.read);
}

TEST_F(Accesses, OfARollingMeanReadLittleAgain) {
  const counted counts =
      run(mean(sliding_window_view(open_x(), 7, axis<0>), axis<-1>), [](index_t i, index_t j) {
        double sum = 0;
        for (index_t w = 0; w < 7; ++w) sum += element(i + w, j);
        return sum / 7;
      });
  EXPECT_EQ(counts.read, all_chunks);
  EXPECT_EQ(counts.planned, counts.read);
  EXPECT_GE(counts.num_tasks, 8);
}

TEST_F(Accesses, OfADiagonalReadItsChunksAlone) {
  const counted counts =
      run(2.0 * diagonal(open_x(), 2), [](index_t i) { return 2 * element(i, i + 2); });
  EXPECT_EQ(counts.planned, counts.read);
  EXPECT_LE(counts.read, 2 * num_chunks);
}

TEST_F(Accesses, OfARollReadARowOfChunksMore) {
  const auto x = open_x();
  const counted counts = run(x - roll(x, 1, axis<0>), [](index_t i, index_t j) {
    return element(i, j) - element((i + extent - 1) % extent, j);
  });
  EXPECT_EQ(counts.read, all_chunks + num_chunks);
  EXPECT_EQ(counts.planned, counts.read);
  EXPECT_GE(counts.num_tasks, 8);
}

TEST_F(Accesses, OfAPaddedStencilReadLittleAgain) {
  const auto p = pad(open_x(), 1, boundary::reflect);
  const slice inner(1, -1);
  const counted counts = run(p(slice(2, none), inner) + p(slice(none, -2), inner) +
                                 p(inner, slice(2, none)) + p(inner, slice(none, -2)),
                             [](index_t i, index_t j) {
                               const auto at = [](index_t a, index_t b) {
                                 const auto in = [](index_t n) {
                                   return n < 0 ? -n : n < extent ? n : 2 * (extent - 1) - n;
                                 };
                                 return element(in(a), in(b));
                               };
                               return at(i + 1, j) + at(i - 1, j) + at(i, j + 1) + at(i, j - 1);
                             });
  EXPECT_LE(counts.read, all_chunks * 3 / 2);
  EXPECT_EQ(counts.planned, counts.read);
  EXPECT_GE(counts.num_tasks, 8);
}

TEST_F(Accesses, OfWindowsOfAPaddedArrayReadLittleAgain) {
  const auto smoothed = sum(
      sliding_window_view(pad(open_x(), {{2, 2}, {0, 0}}, boundary::edge), 5, axis<0>), axis<-1>);
  EXPECT_EQ(plan(smoothed).num_operations(), 1U);
  const counted counts = run(smoothed, [](index_t i, index_t j) {
    double sum = 0;
    for (index_t a = i - 2; a <= i + 2; ++a)
      sum += element(std::clamp<index_t>(a, 0, extent - 1), j);
    return sum;
  });
  EXPECT_EQ(counts.planned, counts.read);
  EXPECT_LE(counts.read, all_chunks + 2 * num_chunks);
  EXPECT_GE(counts.num_tasks, 8);
}

TEST_F(Accesses, OfAScanOfAnAssemblyReadItsPartsOnce) {
  const auto x = open_x();
  const auto joined = concat(x(slice(0, 62)), x(slice(64, none)), axis<0>);
  EXPECT_EQ(plan(cumulative_sum(joined, axis<0>)).num_operations(), 1U);
  const counted down = run(cumulative_sum(joined, axis<0>), [](index_t i, index_t j) {
    double sum = 0;
    for (index_t k = 0; k <= i; ++k) sum += element(k < 62 ? k : k + 2, j);
    return sum;
  });
  EXPECT_EQ(down.planned, down.read);
  EXPECT_LE(down.read, all_chunks + num_chunks);
  const counted padded =
      run(cumulative_sum(pad(x, {{0, 0}, {3, 0}}), axis<1>), [](index_t i, index_t j) {
        double sum = 0;
        for (index_t k = 0; k <= j - 3; ++k) sum += element(i, k);
        return sum;
      });
  EXPECT_EQ(padded.planned, padded.read);
  EXPECT_EQ(padded.read, all_chunks);
}

TEST_F(Accesses, OfWhatReadsAnAssemblyReadItsPartsOnce) {
  const auto x = open_x();
  // The second part begins inside of a chunk of the result.
  const auto u = x(slice(0, 62));
  const auto v = x(slice(64, none));
  const auto value = [](index_t i, index_t j) { return element(i < 62 ? i : i + 2, j); };
  const counted twice =
      run(2.0 * concat(u, v), [&](index_t i, index_t j) { return 2 * value(i, j); });
  EXPECT_EQ(twice.planned, twice.read);
  EXPECT_LE(twice.read, all_chunks * 5 / 4);
  const counted mean_of = run(mean(concat(u, v), axis<0>), [&](index_t j) {
    double sum = 0;
    for (index_t i = 0; i < 126; ++i) sum += value(i, j);
    return sum / 126;
  });
  EXPECT_EQ(mean_of.planned, mean_of.read);
  EXPECT_LE(mean_of.read, all_chunks + 4 * num_chunks);
  const counted rows = run(mean(concat(u, v), axis<1>), [&](index_t i) {
    double sum = 0;
    for (index_t j = 0; j < extent; ++j) sum += value(i, j);
    return sum / static_cast<double>(extent);
  });
  EXPECT_EQ(rows.planned, rows.read);
  // The rows of the second part lie across chunks, and steps follow each other along the other
  // axis.
  EXPECT_LE(rows.read, all_chunks * 3 / 2);
}

TEST_F(Accesses, OfASliceOfAnAssemblyReadWhatItShows) {
  const auto x = open_x();
  const auto joined = concat(x, x + 1.0);
  const counted counts = run(sum(joined(slice(0, 4)), axis<1>), [](index_t i) {
    double sum = 0;
    for (index_t j = 0; j < extent; ++j) sum += element(i, j);
    return sum;
  });
  EXPECT_EQ(counts.read, num_chunks);
  EXPECT_EQ(counts.planned, counts.read);
}

TEST(Assemblies, OfManyPartsAreReadByTheirReader) {
  constexpr index_t num_parts = 2000;
  std::vector<array<double, 1>> parts;
  ndarray<double, 1> expected({3 * num_parts});
  for (index_t i = 0; i < num_parts; ++i) {
    const auto first = static_cast<double>(10 * i);
    parts.push_back(asarray(ndarray<double, 1>::of({first, first + 1, first + 2})));
    for (index_t k = 0; k < 3; ++k) expected(3 * i + k) = 2 * (first + static_cast<double>(k));
  }
  const auto few = plan(2.0 * rechunk(concat(parts), {300}));
  EXPECT_EQ(few.num_operations(), 1);
  EXPECT_EQ(few.compute(), expected);
  const auto program = plan(2.0 * rechunk(concat(parts), {3 * num_parts}));
  EXPECT_EQ(program.num_operations(), 1);
  EXPECT_EQ(program.compute(), expected);
}

}  // namespace
}  // namespace tessera
