// SPDX-License-Identifier: Apache-2.0
/// \file
/// Folds of pieces that share labels: if a step has several pieces, the labels are read for all.

#include "tessera/tessera.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

namespace {

namespace ts = tessera;
using ts::index_t;

// Element (i, j) of 200 x 8 is 7 i + j; the first 70 rows are another array, and the seam lies
// within a step. The encoded rows of a step must not share a buffer with its labels.
TEST(LabelsOfPieces, AreThoseOfTheirElements) {
  const auto store = std::make_shared<ts::memory_store>();
  ts::ndarray<double, 2> values({200, 8});
  ts::ndarray<std::int64_t, 1> numbers({200});
  for (index_t i = 0; i < 200; ++i) {
    numbers(i) = i * i % 5 - 1;
    for (index_t j = 0; j < 8; ++j) values(i, j) = static_cast<double>(7 * i + j);
  }
  const auto rows = ts::asarray(std::move(values), {.chunks = {10, 8}});
  const ts::store_options compressed{.compressor = ts::codec::zlib{}};
  ts::store(ts::rechunk(rows(ts::slice(0, 70)), {30, 8}), store, "a", compressed);
  ts::store(ts::rechunk(rows(ts::slice(70, 200)), {30, 8}), store, "b", compressed);
  ts::store(ts::asarray(numbers, {.chunks = {10}}), store, "labels");
  const auto joined =
      ts::concat(ts::open<double, 2>(store, "a"), ts::open<double, 2>(store, "b"), ts::axis<0>);
  const auto labels = ts::rechunk(ts::open<std::int64_t, 1>(store, "labels"), {30});
  const auto means = ts::groupby_reduce(joined, labels, ts::op::mean{}, 4, ts::axis<0>).compute();
  for (index_t group = 0; group < 4; ++group) {
    double sum = 0;
    double count = 0;
    for (index_t i = 0; i < 200; ++i) {
      if (numbers(i) != group) continue;
      sum += static_cast<double>(7 * i);
      ++count;
    }
    for (index_t j = 0; j < 8; ++j) {
      if (count == 0) continue;
      EXPECT_NEAR(means(group, j), sum / count + static_cast<double>(j), 1e-9);
    }
  }
}

}  // namespace
