// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <concepts>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace tessera::literals;
using test::expect_error;
using test::expect_values;

TEST(Program, AnArrayIsAssignedInALoop) {
  array<double, 1> x = ones<double>({4}, {.chunks = {3}});
  const array<double, 1> y = arange<double>(4);
  for (int i = 0; i < 3; ++i) x = x * 2 + y;
  expect_values<double, 1>(x.compute(), {4}, {8, 15, 22, 29});
}

TEST(Program, APlanOfALongLoopStaysShort) {
  array<double, 1> x = ones<double>({4}, {.chunks = {3}});
  for (int i = 0; i < 100; ++i) x = x * x - x * 0.5 + 0.5;
  std::ostringstream text;
  text << plan(x);
  EXPECT_LT(text.str().size(), 10'000U);
  expect_values<double, 1>(x.compute(), {4}, {1, 1, 1, 1});
}

TEST(Program, PassesCanBeSwitchedOff) {
  const auto x = ones<double>({4}, {.chunks = {3}});
  const array<double, 1> y = x + 1;
  EXPECT_EQ(plan(y * 2).num_operations(), 1U);
  const auto p = plan(pass_switches{.fuse_producers = false}, y * 2);
  EXPECT_EQ(p.num_operations(), 2U);
  EXPECT_EQ(p.compute()(3), 4);
}

TEST(Program, AnArrayIsMadeFromAnyExpression) {
  const auto a = arange<double>(6);
  const array from_view = a(slice(0, 4, 2));
  static_assert(std::same_as<decltype(from_view), const array<double, 1>>);
  expect_values<double, 1>((from_view + 1).compute(), {2}, {1, 3});
  const array<double, 0> total = sum(a);
  EXPECT_EQ(double{total.compute()}, 15);
}

TEST(Program, ExpressionsOwnTheirOperands) {
  auto make = [] {
    const auto a = arange<double>(3);
    return (a + 1) * sum(a);
  };
  expect_values<double, 1>(make().compute(), {3}, {3, 6, 9});
}

TEST(Program, SeveralResultsComeTogether) {
  const auto u = random::uniform<double>({20, 30}, {.chunks = {7, 11}, .seed = 3});
  const auto [m, s, d] = compute(mean(u, axis<0>), sum(u), u - mean(u, axis<0>, keepdims));
  EXPECT_EQ(m.shape(), (std::array<index_t, 1>{30}));
  EXPECT_NEAR(double{s}, double{sum(u).compute()}, 1e-12);
  EXPECT_EQ(d.shape(), (std::array<index_t, 2>{20, 30}));
  EXPECT_NEAR(d(4, 5), u.compute()(4, 5) - m(5), 1e-15);
}

TEST(Program, ComputingTwiceGivesTheSame) {
  const auto x = random::normal<double>({50}, {.chunks = {7}, .seed = 3}) * 2;
  EXPECT_EQ(x.compute(), x.compute());
}

TEST(Program, MixedSpecsAreRefused) {
  const spec small_spec{.work_dir = "a", .allowed_memory = 1_GB};
  const spec large_spec{.work_dir = "a", .allowed_memory = 2_GB};
  const auto a = ones<double>({3}, {.spec = small_spec});
  const auto b = ones<double>({3}, {.spec = large_spec});
  const auto c = ones<double>({3}, {.spec = spec{.work_dir = "a", .allowed_memory = 1_GB}});
  expect_error<value_error>([&] { static_cast<void>(a + b); },
                            {"add", "allowed_memory", "1.0 GB", "2.0 GB"});
  EXPECT_EQ((a + c).spec(), small_spec);
  EXPECT_EQ((ones<double>({3}) * 2 + a).spec(), small_spec);
  expect_error<value_error>([&] { static_cast<void>(plan(a, b)); }, {"plan", "allowed_memory"});
}

TEST(Program, APlanTellsWhatItWillDo) {
  const auto u = random::uniform<float>({100, 100}, {.chunks = {10, 100}, .seed = 1});
  const auto p = plan(mean(u * u, axis<0>), mean(u, axis<0>));
  EXPECT_GE(p.num_operations(), 1U);
  EXPECT_GE(p.num_tasks(), 1);
  EXPECT_GT(p.projected_memory(), 0_B);
  EXPECT_EQ(p.bytes_read(), 0_B);
  std::ostringstream text;
  text << p;
  EXPECT_NE(text.str().find("mean"), std::string::npos);
  EXPECT_EQ((u + 1).plan().num_operations(), 1U);
}

TEST(Program, APlanOverTheLimitIsRefusedOrElseLookedAtButNotRun) {
  const spec small{.allowed_memory = 100_kB};
  const auto x = ones<double>({1000, 1000}, {.chunks = {1000, 1000}, .spec = small});
  const auto memory = std::make_shared<memory_store>();
  expect_error<memory_error>([&] { static_cast<void>(plan(stored(x + 1, memory, "x"))); },
                             {"\"ones + 1\"", "100 kB"});
  const auto p = plan(pass_switches{.bound_memory = false}, stored(x + 1, memory, "x"));
  EXPECT_GT(p.projected_memory(), 100_kB);
  expect_error<memory_error>([&] { static_cast<void>(p.compute()); }, {"100 kB"});
  EXPECT_TRUE(memory->list("").empty());
}

TEST(Program, StoresBelowADirectoryOfZarrAsAMemberOfItsGroups) {
  const test::scratch_directory folder;
  static_cast<void>(store(arange<double>(3), folder / "g.zarr/monthly/v"));
  const std::vector<zarr_member> members{{"monthly", false}, {"monthly/v", true}};
  EXPECT_EQ(zarr_group::open(folder / "g.zarr").members(), members);
  EXPECT_EQ((open<double, 1>(folder / "g.zarr/monthly/v").compute()(2)), 2.0);
}

TEST(Program, StoresAndOpens) {
  const test::scratch_directory folder;
  const auto x = astype<float>(arange<double>(60));
  const auto y = concat(x(newaxis), x(newaxis) * 2);
  const auto stored = store(y, folder / "y.zarr",
                            {.chunks = {1, 25},
                             .compressor = codec::blosc{.cname = "zstd"},
                             .attributes = {{"units", std::string("m s-1")}},
                             .dimension_names = {"what", "x"}});
  EXPECT_EQ(stored.chunks(), (std::array<index_t, 2>{1, 25}));
  const auto again = open<float, 2>(folder / "y.zarr");
  EXPECT_EQ(again.compute(), y.compute());
  const zarr_array raw = zarr_array::open(folder / "y.zarr");
  EXPECT_EQ(raw.dimension_names(), (std::vector<std::string>{"what", "x"}));
  EXPECT_EQ(raw.attributes().get<std::string>("units"), "m s-1");
  EXPECT_NE(raw.metadata().compressor.to_json().find("zstd"), std::string::npos);
}

TEST(Program, StoresSeveralArraysAtOnce) {
  const test::scratch_directory folder;
  const auto x = random::uniform<double>({10, 10}, {.chunks = {4, 4}, .seed = 1});
  store(stored(x, folder / "x"),
        stored(mean(x, axis<0>), folder / "m", {.dimension_names = {"j"}}));
  EXPECT_EQ((open<double, 2>(folder / "x").compute()), x.compute());
  EXPECT_EQ((open<double, 1>(folder / "m").size()), 10);
}

TEST(Program, StoringIsPartOfAPlan) {
  const auto memory = std::make_shared<memory_store>();
  const auto x = random::uniform<double>({10, 10}, {.chunks = {4, 4}, .seed = 1});
  const auto [m, kept] = plan(mean(x), stored(x * 2, memory, "twice")).compute();
  static_assert(std::same_as<std::remove_cvref_t<decltype(kept)>, array<double, 2>>);
  EXPECT_EQ(kept.compute(), (x * 2).compute());
  EXPECT_EQ((open<double, 2>(memory, "twice").compute()), (x * 2).compute());
  EXPECT_NEAR(double{m}, double{mean(x).compute()}, 1e-15);
}

TEST(Program, AStoredArrayIsComputedWithFromThenOn) {
  const test::scratch_directory folder;
  const auto x = store(arange<double>(100), folder / "x", {.chunks = {13}});
  const auto y = open<double, 1>(folder / "x");
  EXPECT_EQ(double{sum(x(slice(none, none, -1)) - y(slice(none, none, -1))).compute()}, 0);
  EXPECT_EQ(double{sum(rechunk(y, {40})).compute()}, 4950);
  const auto copy = store(rechunk(y, {40}), folder / "copy");
  EXPECT_EQ(copy.chunks(), (std::array<index_t, 1>{40}));
  EXPECT_EQ(copy.compute(), y.compute());
}

TEST(Program, OpeningAnotherDtypeOrRankSaysBoth) {
  const test::scratch_directory folder;
  store(ones<double>({2, 3}), folder / "x");
  expect_error<dtype_error>([&] { static_cast<void>(open<float, 2>(folder / "x")); },
                            {"open", "/x", "float64", "float32"});
  expect_error<shape_error>([&] { static_cast<void>(open<double, 3>(folder / "x")); },
                            {"open", "/x", "(2, 3)", "rank 2", "rank 3"});
  expect_error<zarr_error>([&] { static_cast<void>(open<double, 2>(folder / "y")); }, {"/y"});
}

TEST(Program, StoreOptionsMustFitTheArray) {
  const test::scratch_directory folder;
  const auto x = ones<double>({2, 3});
  expect_error<shape_error>([&] { store(x, folder / "x", {.chunks = {2}}); },
                            {"store", "1 chunk lengths", "(2, 3)"});
  expect_error<value_error>(
      [&] {
        store(x, folder / "x", {.chunks = {0, 1}});
      },
      {"store", "axis 0", "at least 1"});
  expect_error<shape_error>([&] { store(x, folder / "x", {.dimension_names = {"a"}}); },
                            {"store", "1 dimension names", "(2, 3)"});
}

TEST(Program, EmptyArraysWorkEverywhere) {
  const test::scratch_directory folder;
  const auto x = zeros<double>({0, 4});
  EXPECT_EQ((x + 1).compute().size(), 0);
  EXPECT_EQ(concat(x, x).compute().size(), 0);
  EXPECT_EQ(concat(x, ones<double>({2, 4})).compute().size(), 8);
  EXPECT_EQ(x(slice(0, 3), 1).compute().size(), 0);
  EXPECT_EQ(store(x, folder / "x").compute().size(), 0);
}

}  // namespace
}  // namespace tessera
