// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using names = std::vector<std::string>;

/// A store with the array u (time, lat, lon: 4, 3, 2).
class LabelledInOut : public testing::Test {
 protected:
  LabelledInOut() {
    store(ones<double>({4, 3, 2}), memory, "u", {.dimension_names = {"time", "lat", "lon"}});
  }

  [[nodiscard]] names names_at(const std::string& path) const {
    return zarr_array::open(memory, path).attributes().get<names>("_ARRAY_DIMENSIONS");
  }

  std::shared_ptr<memory_store> memory = std::make_shared<memory_store>();
};

TEST_F(LabelledInOut, OpensUnderTheNamesOfTheFile) {
  const auto u = open<double, dims<"time", "lat", "lon">>(memory, "u");
  EXPECT_EQ(u.dimension_names(), (names{"time", "lat", "lon"}));
  EXPECT_EQ(u.extent(dim<"lat">), 3);
  EXPECT_EQ(sum(u).compute()(), 24);
}

TEST_F(LabelledInOut, RefusesOtherNamesWithBothLists) {
  expect_error<shape_error>(
      [&] { return open<double, dims<"time", "lon", "lat">>(memory, "u"); },
      {"open: u has the dimensions (time, lat, lon), and (time, lon, lat) are asked for"});
  expect_error<shape_error>([&] { return open<double, dims<"time", "lat">>(memory, "u"); },
                            {"u has shape (4, 3, 2) of rank 3, and rank 2 is asked for"});
}

TEST_F(LabelledInOut, OpensAnArrayWithoutNamesAsAskedFor) {
  const zarr_metadata plain{.shape = {2, 3}, .chunks = {2, 3}, .dtype = dtype::float64};
  static_cast<void>(zarr_array::create(memory, "plain", plain));
  const auto x =
      open<double, dims<"y", "x">>(memory, "plain", open_options{.missing = missing_chunks::fill});
  EXPECT_EQ(x.dimension_names(), (names{"y", "x"}));
  EXPECT_EQ(sum(x, dim<"x">).shape(), (std::array<index_t, 1>{2}));
}

TEST_F(LabelledInOut, StoresTheNamesAsTheAttributeOfXarray) {
  const auto u = open<double, dims<"time", "lat", "lon">>(memory, "u");
  const auto stored = store(mean(u, dim<"lat">) - u, memory, "anomaly");
  EXPECT_EQ(names_at("anomaly"), (names{"time", "lon", "lat"}));
  static_assert(std::is_same_v<decltype(stored)::dims, dims<"time", "lon", "lat">>);
  EXPECT_EQ(stored.shape(), (std::array<index_t, 3>{4, 2, 3}));
}

TEST_F(LabelledInOut, StoresNamesThatTheLayoutHasLost) {
  const auto u = open<double, dims<"time", "lat", "lon">>(memory, "u");
  store(diff(u, dim<"time">), memory, "other/difference");
  EXPECT_EQ(names_at("other/difference"), (names{"time", "lat", "lon"}));
  store(u, memory, "other/renamed", {.dimension_names = {"a", "b", "c"}});
  EXPECT_EQ(names_at("other/renamed"), (names{"a", "b", "c"}));
}

TEST_F(LabelledInOut, NamesAnAxisThatHasNoneAfterTheArray) {
  const auto u = open<double, dims<"time", "lat", "lon">>(memory, "u");
  store(sliding_window_view(u, 2, dim<"time">), memory, "other/w");
  EXPECT_EQ(names_at("other/w"), (names{"time", "lat", "lon", "w_dim_3"}));
}

TEST_F(LabelledInOut, PlansTakeNamedArraysBesideOthers) {
  const auto u = open<double, dims<"time", "lat", "lon">>(memory, "u");
  const auto [total, without_names, kept] =
      plan(sum(u, dim<"time", "lat">), ones<int>({2}), stored(u + 1, memory, "v")).compute();
  EXPECT_EQ(total, (ndarray<double, 1>({2}, {12, 12})));
  EXPECT_EQ(names_at("v"), (names{"time", "lat", "lon"}));
  EXPECT_EQ(sum(kept, dim<"lon", "time", "lat">).compute()(), 48);
  const auto [least, alone] = plan(min(u), stored(u, memory, "w")).compute();
  EXPECT_EQ(alone.extent(dim<"lat">), 3);
  EXPECT_EQ(compute(max(u, dim<"lon">), run_with{}).shape(), (std::array<index_t, 2>{4, 3}));
  store(stored(u, memory, "many/a"), stored(u.array(), memory, "many/b"));
  EXPECT_EQ(names_at("many/a"), (names{"time", "lat", "lon"}));
  store(stored(u, memory, "many/c"), stored(u + 1, memory, "many/d"),
        run_with{.executor = executors::serial()});
  EXPECT_EQ(names_at("many/d"), (names{"time", "lat", "lon"}));
}

TEST_F(LabelledInOut, AppendsAlongADimension) {
  const auto u = open<double, dims<"time", "lat", "lon">>(memory, "u");
  const auto longer = append(u, memory, "u", dim<"time">);
  EXPECT_EQ(longer.extent(dim<"time">), 8);
}

TEST_F(LabelledInOut, PrintsTheNames) {
  std::ostringstream out;
  out << open<double, dims<"time", "lat", "lon">>(memory, "u");
  EXPECT_EQ(out.str().substr(0, 57), "(time, lat, lon): lazy array of float64, shape (4, 3, 2),");
}

}  // namespace
}  // namespace tessera
