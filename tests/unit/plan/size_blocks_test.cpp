// SPDX-License-Identifier: Apache-2.0

/// \file
/// Larger blocks where whole chunks would be read again and again.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace {

namespace ts = tessera;
using namespace ts::literals;

// Each of 8 thresholds asks all of u, 600 x 400 float32 (960 kB), in chunks of its own.
TEST(SizeBlocks, WholeChunksAreReadLessOften) {
  const ts::spec spec{.allowed_memory = 100_MB, .costs = {.workers = 1}};
  const auto store = std::make_shared<ts::memory_store>();
  const ts::store_options raw{.compressor = ts::codec::none{}};
  const auto u = ts::zeros<float>({600, 400}, {.chunks = {100, 200}, .spec = spec});
  const auto limits = ts::zeros<float>({8}, {.chunks = {1}, .spec = spec});
  (void)ts::plan(ts::stored(u, store, "u", raw), ts::stored(limits, store, "limits", raw))
      .compute();
  const auto is_above = ts::expand_dims(ts::open<float, 2>(store, "u", spec), ts::axis<0>) >
                        ts::expand_dims(ts::open<float, 1>(store, "limits", spec), ts::axis<1, 2>);
  ts::pass_switches passes{.size_blocks = false};
  EXPECT_GE(ts::plan(passes, is_above).bytes_read(), 7'680_kB);
  passes.size_blocks = true;
  EXPECT_LT(ts::plan(passes, is_above).bytes_read(), 2'000_kB);
}

}  // namespace
