// SPDX-License-Identifier: Apache-2.0

/// \file
/// Larger blocks, if whole chunks would be read again and again.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>

namespace {

namespace ts = tessera;
using namespace ts::literals;

const ts::spec one_worker{.allowed_memory = 100_MB, .costs = {.workers = 1}};

// Writes 8 planes of 600 x 400 float32 (960 kB each), in six chunks each, and 8 thresholds, each in
// a chunk of its own.
std::shared_ptr<ts::memory_store> planes_and_limits() {
  const auto store = std::make_shared<ts::memory_store>();
  const ts::store_options raw{.compressor = ts::codec::none{}};
  const auto planes =
      ts::zeros<float>({8, 600, 400}, {.chunks = {1, 100, 200}, .spec = one_worker});
  const auto limits = ts::zeros<float>({8}, {.chunks = {1}, .spec = one_worker});
  (void)ts::plan(ts::stored(planes, store, "planes", raw), ts::stored(limits, store, "limits", raw))
      .compute();
  return store;
}

// Each of the thresholds needs a whole plane: as many chunks as all planes have, and the chunks of
// one plane.
TEST(SizeBlocks, WholeChunksAreReadLessOften) {
  const auto store = planes_and_limits();
  const auto plane = ts::open<float, 3>(store, "planes", one_worker)(0);
  const auto limits = ts::open<float, 1>(store, "limits", one_worker);
  const auto is_above =
      ts::expand_dims(plane, ts::axis<0>) > ts::expand_dims(limits, ts::axis<1, 2>);
  ts::pass_switches passes{.size_blocks = false};
  EXPECT_GE(ts::plan(passes, is_above).bytes_read(), 7'680_kB);
  passes.size_blocks = true;
  EXPECT_LT(ts::plan(passes, is_above).bytes_read(), 2'000_kB);
}

// A step of (4096, 1024) holds four chunks of the result one behind the other. In a step of
// (1024, 4096) they lie side by side, and each is copied before it is written.
TEST(SizeBlocks, SweepsHoldChunksOfResultsInARow) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, "x", {.shape = {32768, 8192}, .chunks = {1024, 1024}, .dtype = ts::dtype::float64});
  const ts::spec two_workers{.allowed_memory = 200_MB, .costs = {.workers = 2}};
  const auto x = ts::open<double, 2>(store, "x", two_workers);
  const auto inner = ts::slice(1, -1);
  const auto before = ts::slice(ts::none, -2);
  const auto behind = ts::slice(2, ts::none);
  const auto laplacian = x(before, inner) + x(behind, inner) + x(inner, before) + x(inner, behind) -
                         4 * x(inner, inner);
  std::ostringstream text;
  text << ts::plan(ts::stored(laplacian, store, "y")).explain();
  EXPECT_THAT(text.str(), ::testing::HasSubstr("in steps of (4096, 1024)"));
}

}  // namespace
