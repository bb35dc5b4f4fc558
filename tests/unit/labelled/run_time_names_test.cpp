// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;

/// A store with the array u (time, lat, lon: 4, 3, 2), which counts from 0.
class RunTimeNames : public testing::Test {
 protected:
  RunTimeNames() {
    const array<double, 3> numbers = reshape(arange<double>(24), {4, 3, 2});
    store(numbers, memory, "u", {.chunks = {2, 3, 2}, .dimension_names = {"time", "lat", "lon"}});
  }
  std::shared_ptr<memory_store> memory = std::make_shared<memory_store>();
};

TEST_F(RunTimeNames, FindTheAxisOfAnyArray) {
  const auto u = open<double, 3>(memory, "u");
  const std::string name = "lat";
  EXPECT_EQ(sum(u, axis_named(u, name)).compute(), sum(u, axis<1>).compute());
  EXPECT_EQ(axis_named(open_any(memory, "u"), "lon").value, 2);
  EXPECT_EQ(axis_named(label<"a", "b", "c">(u), "b").value, 1);
  expect_error<shape_error>(
      [&] { return axis_named(u, "tiem"); },
      {"axis_named: no dimension is called \"tiem\", the array has (time, lat, lon)",
       "did you mean \"time\"?"});
}

TEST_F(RunTimeNames, SelectAlongADimension) {
  const auto u = open<double, 3>(memory, "u");
  EXPECT_EQ(isel(u, "lon", slice(1, 2)).compute(), u(whole, whole, slice(1, 2)).compute());
  const auto row = isel(u, "time", -1);
  EXPECT_EQ(row.compute(), u(-1).compute());
  EXPECT_THROW(static_cast<void>(isel(u, "x", 0)), shape_error);
}

TEST_F(RunTimeNames, AnArrayOfAnyOrderIsSeenAsAskedFor) {
  const auto u = open<double, 3>(memory, "u");
  const auto turned = as<double, dims<"lon", "time", "lat">>(open_any(memory, "u"));
  EXPECT_EQ(turned.compute(), permute_dims(u, axis<2, 0, 1>).compute());
  expect_error<shape_error>(
      [&] { return as<double, dims<"lon", "time", "x">>(open_any(memory, "u")); },
      {"has the dimensions (time, lat, lon), and (lon, time, x) are asked for"});
}

TEST_F(RunTimeNames, RechunkTheDimensionsThatAreNamed) {
  const auto u = open_any(memory, "u");
  const auto rechunked = rechunk(u, {{"time", whole}, {"lon", 1}});
  EXPECT_EQ(rechunked.chunks(), (index_vector{4, 3, 1}));
  EXPECT_THROW(static_cast<void>(rechunk(u, {{"t", 1}})), shape_error);
}

}  // namespace
}  // namespace tessera
