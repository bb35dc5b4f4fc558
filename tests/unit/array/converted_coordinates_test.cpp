// SPDX-License-Identifier: Apache-2.0
// Coordinates of another format, stored beside a result, when a write fails.
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"
#include "tessera/testing/fault_injecting_store.hpp"

#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace {

namespace ts = tessera;

// A program that dies between two writes leaves the same keys as a failing write.
TEST(ConvertedCoordinates, AppearOnceTheyAreComplete) {
  const std::filesystem::path from =
      std::filesystem::path(::testing::TempDir()) / "tessera-converted-coordinates.zarr";
  std::filesystem::remove_all(from);
  const std::vector<std::int64_t> times{5, 6, 7, 9};
  static_cast<void>(ts::store(ts::asarray(times, {.chunks = {3}}), (from / "time").string(),
                              {.dimension_names = {"time"}}));
  const auto to =
      std::make_shared<ts::testing::fault_injecting_store>(std::make_shared<ts::memory_store>());
  const ts::store_options options{
      .format = 3, .dimension_names = {"time", "lat"}, .coordinates = from.string()};
  // "time" has the chunks "c/0" and "c/1".
  to->inject({.on = ts::testing::store_operation::write, .key_part = "time/c/1"});
  const auto store = [&] {
    static_cast<void>(ts::store(ts::zeros<double>({4, 2}), to, "u", options));
  };
  EXPECT_THROW(store(), ts::store_error);
  EXPECT_FALSE(to->exists("time/zarr.json"));
  to->clear();
  store();
  EXPECT_TRUE(to->exists("time/zarr.json"));
  EXPECT_FALSE(to->exists("time/.tessera-run"));
  const auto stored = ts::open<std::int64_t, 1>(to, "time").compute();
  for (ts::index_t i = 0; i < 4; ++i) {
    EXPECT_EQ(stored(i), times[static_cast<std::size_t>(i)]);
  }
  std::filesystem::remove_all(from);
}

}  // namespace
