// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using names = std::vector<std::string>;

/// A store with the arrays u and v (time, lat, lon: 4, 3, 2), w (lat, lon) and plain (4, 3).
class DimensionNames : public testing::Test {
 protected:
  DimensionNames() {
    const auto put = [this](const auto& x, const char* path, const names& called) {
      static_cast<void>(store(x, memory, path, {.dimension_names = called}));
    };
    put(zeros<double>({4, 3, 2}), "in/u", {"time", "lat", "lon"});
    put(ones<float>({4, 3, 2}), "in/v", {"time", "lat", "lon"});
    put(ones<double>({3, 2}), "in/w", {"lat", "lon"});
    put(ones<double>({4, 3, 2}), "in/turned", {"step", "lat", "lon"});
    put(ones<double>({3, 3}), "in/square", {"y", "x"});
    memory->write("in/plain/.zarray", std::as_bytes(std::span(plain_metadata)));
  }

  [[nodiscard]] array<double, 3> u() const { return open<double, 3>(memory, "in/u"); }
  [[nodiscard]] array<double, 2> w() const { return open<double, 2>(memory, "in/w"); }
  [[nodiscard]] array<double, 2> plain() const { return open<double, 2>(memory, "in/plain"); }

  /// Returns the names of the axes of `x` once it is stored as "a", in a group of its own.
  template <class X>
  names stored_as(const X& x, const std::string& path = "a") {
    const std::string group = "out" + std::to_string(num_groups_++);
    static_cast<void>(store(x, memory, group + "/" + path));
    return names_at(group + "/" + path);
  }
  [[nodiscard]] names names_at(const std::string& path) const {
    return zarr_array::open(memory, path).attributes().get<names>("_ARRAY_DIMENSIONS");
  }

  std::shared_ptr<memory_store> memory = std::make_shared<memory_store>();

 private:
  static constexpr std::string_view plain_metadata =
      R"({"zarr_format": 2, "shape": [4, 3], "chunks": [2, 3], "dtype": "<f8", "fill_value": 0,
          "order": "C", "filters": null, "compressor": null})";
  int num_groups_ = 0;
};

TEST_F(DimensionNames, AxesWithoutNamesAreNamedAfterTheArray) {
  EXPECT_EQ(stored_as(zeros<double>({2, 3})), (names{"a_dim_0", "a_dim_1"}));
  EXPECT_EQ(stored_as(plain() + 1), (names{"a_dim_0", "a_dim_1"}));
  EXPECT_EQ(stored_as(zeros<double>({2}), "deep/below/mean"), (names{"mean_dim_0"}));
  EXPECT_EQ(stored_as(sum(u())), names{});
}

TEST_F(DimensionNames, TheOnlyArrayOfAStoreIsNamedAsItsDirectory) {
  const auto alone = std::make_shared<memory_store>();
  static_cast<void>(store(zeros<double>({2, 3}), alone, ""));
  EXPECT_EQ(zarr_array::open(alone, "").dimension_names(), (names{"dim_0", "dim_1"}));
  const test::scratch_directory folder;
  static_cast<void>(store(zeros<double>({2}), folder / "mean.zarr"));
  EXPECT_EQ(zarr_array::open(folder / "mean.zarr").dimension_names(), names{"mean_dim_0"});
}

TEST_F(DimensionNames, ElementwiseFunctionsKeepThem) {
  const names names_of_u{"time", "lat", "lon"};
  const auto v = open<float, 3>(memory, "in/v");
  EXPECT_EQ(stored_as(u()), names_of_u);
  EXPECT_EQ(stored_as(sqrt(u() * 2 + 1)), names_of_u);
  EXPECT_EQ(stored_as(u() + v), names_of_u);
  EXPECT_EQ(stored_as(where(u() > 0, u(), v)), names_of_u);
  EXPECT_EQ(stored_as(astype<float>(u())), names_of_u);
  EXPECT_EQ(stored_as(u() > 0), names_of_u);
  EXPECT_EQ(stored_as(map([](double x) { return x + 1; }, u())), names_of_u);
  EXPECT_EQ(stored_as(decode_cf(v, cf_packing{.scale_factor = 2})), names_of_u);
}

TEST_F(DimensionNames, BroadcastOperandsNameTheAxesWhoseExtentTheyHave) {
  const names names_of_u{"time", "lat", "lon"};
  EXPECT_EQ(stored_as(w() * u()), names_of_u);
  EXPECT_EQ(stored_as(u() - mean(u(), axis<0>, keepdims)), names_of_u);
  EXPECT_EQ(stored_as(w() * ones<double>({4, 1, 1})), (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(u()(slice(0, 1)) + ones<double>({4, 3, 2})),
            (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(plain()(whole, whole, newaxis) + u()), names_of_u);
}

TEST_F(DimensionNames, OperandsThatDisagreeLeaveAnAxisWithoutName) {
  const auto turned = open<double, 3>(memory, "in/turned");
  EXPECT_EQ(stored_as(u() + turned), (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(turned + u()), (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(where(u() > 0, turned, u())), (names{"a_dim_0", "lat", "lon"}));
}

TEST_F(DimensionNames, ViewsKeepThoseOfAxesThatKeepTheirExtent) {
  EXPECT_EQ(stored_as(permute_dims(u(), axis<2, 0, 1>)), (names{"lon", "time", "lat"}));
  EXPECT_EQ(stored_as(matrix_transpose(u())), (names{"time", "lon", "lat"}));
  EXPECT_EQ(stored_as(flip(u(), axis<0>)), (names{"time", "lat", "lon"}));
  EXPECT_EQ(stored_as(u()(slice(1, 3))), (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(u()(slice(none, none, 2))), (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(u()(slice(none, none, -1))), (names{"time", "lat", "lon"}));
  EXPECT_EQ(stored_as(u()(ellipsis, slice(0, 9))), (names{"time", "lat", "lon"}));
  EXPECT_EQ(stored_as(u()(0)), (names{"lat", "lon"}));
  EXPECT_EQ(stored_as(u()(whole, -1)), (names{"time", "lon"}));
  EXPECT_EQ(stored_as(u()(newaxis, 0, newaxis)), (names{"a_dim_0", "a_dim_1", "lat", "lon"}));
  EXPECT_EQ(stored_as(expand_dims(w(), axis<1>)), (names{"lat", "a_dim_1", "lon"}));
  EXPECT_EQ(stored_as(squeeze(expand_dims(w(), axis<0>), axis<0>)), (names{"lat", "lon"}));
  EXPECT_EQ(stored_as(broadcast_to(w(), {5, 3, 2})), (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(broadcast_to(w()(slice(0, 1)), {3, 2})), (names{"a_dim_0", "lon"}));
}

TEST_F(DimensionNames, ReductionsKeepThoseOfAxesThatStay) {
  EXPECT_EQ(stored_as(mean(u(), axis<0>)), (names{"lat", "lon"}));
  EXPECT_EQ(stored_as(sum(u() * u(), axis<0, 2>)), (names{"lat"}));
  EXPECT_EQ(stored_as(stddev(u(), axis<1>, keepdims)), (names{"time", "a_dim_1", "lon"}));
  EXPECT_EQ(stored_as(max(u(), axis<-1>)), (names{"time", "lat"}));
}

TEST_F(DimensionNames, ProductsAndJoinedArraysKeepThose) {
  EXPECT_EQ(stored_as(matmul(u()(0), permute_dims(u()(whole, whole, 0), axis<1, 0>)(slice(0, 2)))),
            (names{"lat", "time"}));
  const auto v = astype<double>(open<float, 3>(memory, "in/v"));
  EXPECT_EQ(stored_as(concat(u(), v)), (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(concat(std::vector{u(), u()}, axis<1>)), (names{"time", "a_dim_1", "lon"}));
  EXPECT_EQ(stored_as(stack(u(), v)), (names{"a_dim_0", "time", "lat", "lon"}));
  EXPECT_EQ(stored_as(stack(std::vector{u(), u()}, axis<-1>)),
            (names{"time", "lat", "lon", "a_dim_3"}));
}

TEST_F(DimensionNames, CoarsenedAndGroupedArraysKeepThoseOfAxesThatKeepTheirExtent) {
  EXPECT_EQ(stored_as(coarsen(op::mean{}, u(), {2, 1, 1})), (names{"a_dim_0", "lat", "lon"}));
  EXPECT_EQ(stored_as(coarsen(op::mean{}, u(), {2, 3, 1})), (names{"a_dim_0", "a_dim_1", "lon"}));
  const auto labels = asarray(std::vector<std::int64_t>{0, 1, 0, 1});
  EXPECT_EQ(stored_as(groupby_reduce(u(), labels, op::mean{}, 2, axis<0>)),
            (names{"a_dim_0", "lat", "lon"}));
}

TEST_F(DimensionNames, RechunkedAndLikeAndLoweredArraysKeepThem) {
  const names names_of_u{"time", "lat", "lon"};
  EXPECT_EQ(stored_as(rechunk(u(), {1, 1, 1})), names_of_u);
  EXPECT_EQ(stored_as(rechunk(u() + 1, {1, 1, 1})), names_of_u);
  EXPECT_EQ(stored_as(full_like(u(), 3.0)), names_of_u);
  EXPECT_EQ(stored_as(zeros_like(u() * 2)), names_of_u);
  array<double, 3> x = u();
  for (int i = 0; i < 3; ++i) x = x * 2 + u();
  EXPECT_EQ(stored_as(x), names_of_u);
  EXPECT_EQ(stored_as(store(x, memory, "later/x") + 1), names_of_u);
  EXPECT_EQ(x.dimension_names(), names_of_u);
}

TEST_F(DimensionNames, AnAxisWithTheNameOfOneBeforeItIsNamedAfterTheArray) {
  const auto square = open<double, 2>(memory, "in/square");
  EXPECT_EQ(stored_as(matmul(square, matrix_transpose(square))), (names{"y", "a_dim_1"}));
}

TEST_F(DimensionNames, ANameThatAnAxisHasIsNotGivenToAnother) {
  static_cast<void>(store(zeros<double>({5, 5}), memory, "out/a"));
  const auto a = open<double, 2>(memory, "out/a");
  EXPECT_EQ(stored_as(permute_dims(a, axis<1, 0>)(slice(0, 2))), (names{"a_dim_2", "a_dim_0"}));
}

TEST_F(DimensionNames, ThoseThatAreGivenGoBefore) {
  static_cast<void>(store(u(), memory, "out/a", {.dimension_names = {"t", "", "lon"}}));
  EXPECT_EQ(names_at("out/a"), (names{"t", "a_dim_1", "lon"}));
  const attributes given{{"_ARRAY_DIMENSIONS", names{"p", "q", "r"}}};
  static_cast<void>(store(u(), memory, "out/b", {.attributes = given}));
  EXPECT_EQ(names_at("out/b"), (names{"p", "q", "r"}));
}

TEST_F(DimensionNames, AttributesOfAnInputOfAnotherRankGiveNone) {
  const attributes of_u = zarr_array::open(memory, "in/u").attributes();
  static_cast<void>(store(mean(u(), axis<0>), memory, "out/m", {.attributes = of_u}));
  EXPECT_EQ(names_at("out/m"), (names{"lat", "lon"}));
}

TEST_F(DimensionNames, FieldsHaveThoseOfTheirRecords) {
  constexpr std::string_view metadata =
      R"({"zarr_format": 2, "shape": [3], "chunks": [3], "fill_value": null, "order": "C",
          "dtype": [["t", "<f8"], ["p", "<f4", [2]]], "filters": null, "compressor": null})";
  constexpr std::string_view called = R"({"_ARRAY_DIMENSIONS": ["particle"]})";
  memory->write("in/r/.zarray", std::as_bytes(std::span(metadata)));
  memory->write("in/r/.zattrs", std::as_bytes(std::span(called)));
  memory->write("in/r/0", std::vector<std::byte>(3 * 16));
  EXPECT_EQ(stored_as((open<double, 1>(memory, "in/r", field("t")))), names{"particle"});
  EXPECT_EQ(stored_as((open<float, 2>(memory, "in/r", field("p")))),
            (names{"particle", "a_dim_1"}));
  static_cast<void>(store(open_any(memory, "in/r").field(field("p")), memory, "out/p"));
  EXPECT_EQ(names_at("out/p"), (names{"particle", "p_dim_1"}));
}

TEST_F(DimensionNames, CopiesKeepThemAndAreNamedWhereTheyHaveNone) {
  static_cast<void>(store(open_any(memory, "in/u"), memory, "out/u"));
  EXPECT_EQ(names_at("out/u"), (names{"time", "lat", "lon"}));
  static_cast<void>(store(open_any(memory, "in/plain"), memory, "out/p"));
  EXPECT_EQ(names_at("out/p"), (names{"p_dim_0", "p_dim_1"}));
}

TEST_F(DimensionNames, TheyDoNotTellPlansApart) {
  const test::scratch_directory folder;
  const auto x = random::uniform<double>({6, 4}, {.chunks = {3, 4}, .seed = 1});
  static_cast<void>(store(x, folder / "in.zarr/x"));
  const auto identity_of = [&](const store_options& options) {
    const auto read = open<double, 2>(folder / "in.zarr/x");
    return plan(stored(read + 1, folder / "out.zarr/y", options)).bounded().identity();
  };
  const std::string before = identity_of({});
  EXPECT_EQ(identity_of({.dimension_names = {"p", "q"}}), before);
  const zarr_array raw = zarr_array::open(folder / "in.zarr/x");
  const std::string_view renamed = R"({"_ARRAY_DIMENSIONS": ["r", "s"]})";
  raw.store()->write("x/.zattrs", std::as_bytes(std::span(renamed)));
  EXPECT_EQ(identity_of({}), before);
}

TEST_F(DimensionNames, EqualOperationsOfOtherNamesAreOne) {
  const auto turned = open<double, 3>(memory, "in/turned");
  const auto x = mean(zeros_like(u()), axis<1>);
  const auto y = mean(zeros_like(turned), axis<1>);
  EXPECT_EQ(x.dimension_names(), (names{"time", "lon"}));
  EXPECT_EQ(y.dimension_names(), (names{"step", "lon"}));
  EXPECT_EQ(plan(x * 2, y * 3).num_operations(), plan(x * 2, x * 3).num_operations());
}

TEST_F(DimensionNames, ASavedPlanKeepsThem) {
  const test::scratch_directory folder;
  const auto x = arange<double>(5);
  plan(stored(x, folder / "g.zarr/x", {.dimension_names = {"t"}})).save(folder / "plan");
  plan<>::load(folder / "plan").execute();
  EXPECT_EQ(zarr_array::open(folder / "g.zarr/x").dimension_names(), names{"t"});
}

TEST_F(DimensionNames, AnArrayBesideWithAnotherExtentIsRefusedBeforeAnythingIsComputed) {
  static_cast<void>(store(mean(u(), axis<0>), memory, "out/m"));
  const auto short_lat = store(zeros<double>({2}), memory, "in2/s", {.dimension_names = {"lat"}});
  expect_error<shape_error>([&] { store(short_lat + 1, memory, "out/s"); },
                            {"out/s", "axis 0", "\"lat\"", "extent 2", "out/m", "extent 3"});
  EXPECT_TRUE(memory->list("out/s").empty());
  static_cast<void>(store(short_lat, memory, "out/s", {.dimension_names = {"lat"}}));
  EXPECT_EQ(names_at("out/s"), names{"lat"});
  static_cast<void>(store(short_lat, memory, "out/deeper/s"));
  static_cast<void>(store(short_lat, memory, "elsewhere/s"));
}

TEST_F(DimensionNames, CopiesOfAnyTypeAreRefusedBesideAnotherExtent) {
  static_cast<void>(store(zeros<double>({5}), memory, "out/l", {.dimension_names = {"lat"}}));
  expect_error<shape_error>([&] { store(open_any(memory, "in/w"), memory, "out/w"); },
                            {"\"lat\"", "extent 3", "out/l", "extent 5"});
  EXPECT_TRUE(memory->list("out/w").empty());
}

TEST_F(DimensionNames, AnArrayThatIsReplacedIsNoneBesideItself) {
  static_cast<void>(store(zeros<double>({5}), memory, "out/x", {.dimension_names = {"t"}}));
  const auto t = store(zeros<double>({7}), memory, "in2/t", {.dimension_names = {"t"}});
  static_cast<void>(store(t, memory, "out/x"));
  EXPECT_EQ(zarr_array::open(memory, "out/x").shape(), index_vector{7});
}

TEST_F(DimensionNames, SeveralResultsReplaceAGroupTogether) {
  static_cast<void>(store(zeros<double>({5}), memory, "out/x", {.dimension_names = {"t"}}));
  static_cast<void>(store(zeros<double>({5}), memory, "out/y", {.dimension_names = {"t"}}));
  const auto t = store(zeros<double>({7}), memory, "in2/t", {.dimension_names = {"t"}});
  static_cast<void>(plan(stored(t, memory, "out/x"), stored(t + 1, memory, "out/y")).compute());
  EXPECT_EQ(names_at("out/y"), names{"t"});
  EXPECT_EQ(zarr_array::open(memory, "out/y").shape(), index_vector{7});
}

TEST_F(DimensionNames, ResultsOfOneComputationMustFitEachOther) {
  const auto t = store(zeros<double>({7}), memory, "in2/t", {.dimension_names = {"lat"}});
  expect_error<shape_error>(
      [&] { static_cast<void>(plan(stored(w(), memory, "out/w"), stored(t, memory, "out/t"))); },
      {"out/t", "\"lat\"", "extent 7", "out/w", "extent 3"});
  static_cast<void>(plan(stored(w(), memory, "out/w"), stored(t, memory, "out2/t")).compute());
}

TEST_F(DimensionNames, ConsolidatedMetadataAreAskedAndOldOnesAreNotBelieved) {
  static_cast<void>(store(zeros<double>({5}), memory, "out/x", {.dimension_names = {"lat"}}));
  consolidate(zarr_group::open(memory, "out"));
  expect_error<shape_error>([&] { store(w(), memory, "out/w"); }, {"out/x", "extent 5"});
  consolidate(zarr_group::open(memory, ""));
  expect_error<shape_error>([&] { store(w(), memory, "out/w"); }, {"out/x", "extent 5"});
  // Somebody else removes it, and does not tell.
  memory->erase_all("out/x");
  static_cast<void>(store(w(), memory, "out/w"));
  EXPECT_EQ(names_at("out/w"), (names{"lat", "lon"}));
}

TEST_F(DimensionNames, ArraysBesideThatCannotBeReadDoNotMatter) {
  const std::string_view broken = "{";
  memory->write("out/broken/.zarray", std::as_bytes(std::span(broken)));
  memory->write("out/half/.zattrs", std::as_bytes(std::span(broken)));
  static_cast<void>(store(w(), memory, "out/w"));
  EXPECT_EQ(names_at("out/w"), (names{"lat", "lon"}));
}

}  // namespace
}  // namespace tessera
