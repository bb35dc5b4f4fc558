// SPDX-License-Identifier: Apache-2.0
// Coordinates that are stored beside a result.
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using names = std::vector<std::string>;

/// A group with the array u (time, lat, lon: 4, 3, 2), coordinates of its axes, and other arrays.
class Coordinates : public testing::Test {
 protected:
  Coordinates() {
    const auto put = [this](const auto& x, const std::string& path, const names& called,
                            const attributes& values = {}) {
      static_cast<void>(store(x, folder / ("in.zarr/" + path),
                              {.attributes = values, .dimension_names = called}));
    };
    put(zeros<double>({4, 3, 2}), "u", {"time", "lat", "lon"});
    put(asarray(std::vector<std::int64_t>{5, 6, 7, 9}, {.chunks = {3}}), "time", {"time"},
        {{"units", std::string("days since 2000-01-01")}});
    put(asarray({-30.0, 0.0, 30.0}), "lat", {"lat"});
    put(asarray({1.0, 2.0, 3.0}), "weight", {"lat"});
    put(zeros<double>({2, 2}), "lon", {"lon", "bound"});
  }

  [[nodiscard]] array<double, 3> u() const { return open<double, 3>(folder / "in.zarr/u"); }
  [[nodiscard]] store_options of_input() const { return {.coordinates = folder / "in.zarr"}; }
  [[nodiscard]] names arrays_in(const std::string& group) const {
    names members;
    for (const auto& entry : std::filesystem::directory_iterator(folder / group)) {
      if (entry.is_directory()) members.push_back(entry.path().filename());
    }
    std::sort(members.begin(), members.end());
    return members;
  }

  const test::scratch_directory folder;
};

TEST_F(Coordinates, AreStoredBesideTheResult) {
  static_cast<void>(store(u() + 1, folder / "out.zarr/v", of_input()));
  EXPECT_EQ(arrays_in("out.zarr"), (names{"lat", "time", "v"}));
  test::expect_values<std::int64_t, 1>(open<std::int64_t, 1>(folder / "out.zarr/time").compute(),
                                       {4}, {5, 6, 7, 9});
  test::expect_values<double, 1>(open<double, 1>(folder / "out.zarr/lat").compute(), {3},
                                 {-30, 0, 30});
  const zarr_array time = zarr_array::open(folder / "out.zarr/time");
  EXPECT_EQ(time.attributes().get<std::string>("units"), "days since 2000-01-01");
  EXPECT_EQ(time.chunks(), index_vector{3});
}

TEST_F(Coordinates, AreThoseOfTheAxesThatAreLeft) {
  static_cast<void>(store(mean(u(), axis<0>), folder / "out.zarr/m", of_input()));
  EXPECT_EQ(arrays_in("out.zarr"), (names{"lat", "m"}));
  static_cast<void>(store(u()(slice(1, 3)), folder / "cut.zarr/m", of_input()));
  EXPECT_EQ(arrays_in("cut.zarr"), (names{"lat", "m"}));
  static_cast<void>(store(sum(u()), folder / "sum.zarr/m", of_input()));
  EXPECT_EQ(arrays_in("sum.zarr"), names{"m"});
}

TEST_F(Coordinates, ThatAreThereStay) {
  static_cast<void>(
      store(asarray({1.0, 2.0, 3.0}), folder / "out.zarr/lat", {.dimension_names = {"lat"}}));
  consolidate(zarr_group::open(folder / "out.zarr"));
  static_cast<void>(store(u(), folder / "out.zarr/v", of_input()));
  test::expect_values<double, 1>(open<double, 1>(folder / "out.zarr/lat").compute(), {3},
                                 {1, 2, 3});
  EXPECT_EQ(zarr_group::open(folder / "out.zarr").arrays(), (names{"lat", "time", "v"}));
  static_cast<void>(store(u() + 1, folder / "in.zarr/v", of_input()));
  EXPECT_EQ(arrays_in("in.zarr"), (names{"lat", "lon", "time", "u", "v", "weight"}));
}

TEST_F(Coordinates, ThatTheRunComputesAreNotCopied) {
  const auto time = open<std::int64_t, 1>(folder / "in.zarr/time");
  static_cast<void>(plan(stored(u() + 1, folder / "out.zarr/v", of_input()),
                         stored(time + 10, folder / "out.zarr/time", of_input()))
                        .compute());
  EXPECT_EQ(arrays_in("out.zarr"), (names{"lat", "time", "v"}));
  test::expect_values<std::int64_t, 1>(open<std::int64_t, 1>(folder / "out.zarr/time").compute(),
                                       {4}, {15, 16, 17, 19});
}

TEST_F(Coordinates, OfASavedPlanAreStored) {
  plan(stored(u() + 1, folder / "out.zarr/v", of_input())).save(folder / "plan");
  plan<>::load(folder / "plan").execute();
  EXPECT_EQ(arrays_in("out.zarr"), (names{"lat", "time", "v"}));
}

TEST_F(Coordinates, ThatAGroupDoesNotHaveAreAnError) {
  expect_error<value_error>(
      [&] { store(ones<double>({4}), folder / "out.zarr/v", of_input()); },
      {"out.zarr/v", "in.zarr", "no coordinates of the axes", "\"v_dim_0\" of 4"});
  expect_error<value_error>([&] { store(u(), folder / "alone.zarr", of_input()); },
                            {"alone.zarr", "in no group", "alone.zarr/x"});
  expect_error<value_error>(
      [&] {
        store(u()(slice(0, 1)), folder / "in.zarr/u",
              {.coordinates = folder / "in.zarr", .region = {slice(0, 1), whole, whole}});
      },
      {"coordinates", "leave it out"});
  EXPECT_FALSE(std::filesystem::exists(std::string(folder / "out.zarr")));
}

}  // namespace
}  // namespace tessera
