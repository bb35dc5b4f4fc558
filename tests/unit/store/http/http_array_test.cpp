// SPDX-License-Identifier: Apache-2.0
/// \file
/// Zarr arrays and groups on a server.

#include "tessera/store/http.hpp"
#include "tessera/tessera.hpp"

#include "unit/store/http/http_values.hpp"
#include "unit/store/http/served_memory.hpp"
#include "unit/store/http/test_server.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST(ArrayOnAServer, IsReadByItsUrl) {
  served_memory served;
  store(arange<double>(100), served.values, "a.zarr/x", {.chunks = {10}});
  const auto x = open<double, 1>(served.url("a.zarr/x"));
  EXPECT_EQ(x.shape()[0], 100);
  EXPECT_EQ(sum(x).compute()(), 4950);
  EXPECT_EQ(open_any(served.url("a.zarr/x")).shape(), index_vector(1, 100));
}

// The keys of this server are the paths of requests, as they are sent.
TEST(ArrayOnAServer, IsReadByTheEncodingOfItsName) {
  served_memory served;
  store(arange<double>(4), served.values, "a.zarr/b%20c/50%25", {.chunks = {2}});
  for (const char* name : {"a.zarr/b%20c/50%25", "a.zarr/b c/50%"}) {
    EXPECT_EQ(sum(open<double, 1>(served.url(name))).compute()(), 6) << name;
  }
}

TEST(ArrayOnAServer, IsReadInParts) {
  served_memory served;
  store(arange<double>(1000), served.values, "x", {.chunks = {1000}, .compressor = codec::none{}});
  const auto first = plan(sum(open<double, 1>(served.url("x"))(slice(0, 2))));
  EXPECT_EQ(first.bytes_read(), bytes{2 * 8});
  EXPECT_EQ(first.compute()(), 1);
}

// The traits of the store: 12 MB for the client, and 0.3 MB for a request.
TEST(ArrayOnAServer, IsReadInMemoryThatThePlanCounts) {
  served_memory served;
  store(arange<double>(100), served.values, "x", {.chunks = {10}});
  const auto local = plan(sum(open<double, 1>(served.values, "x")));
  const auto remote = plan(sum(open<double, 1>(served.url("x"))));
  EXPECT_LT(local.projected_memory(), bytes{1'000'000});
  EXPECT_GE(remote.projected_memory(), bytes{12'300'000});
}

TEST(ArrayOnAServer, IsReadByProcesses) {
  served_memory served;
  const temporary_directory directory;
  store(arange<double>(100), served.values, "a.zarr/x", {.chunks = {10}});
  spec limits;
  limits.work_dir = directory / "work";
  const auto x = open<double, 1>(served.url("a.zarr/x"), limits);
  static_cast<void>(store(x * 3.0, directory / "y", run_with{.executor = executors::processes(2)}));
  EXPECT_EQ(sum(open<double, 1>(directory / "y")).compute()(), 3 * 4950);
}

// The state of an array without lists is the one of its documents.
TEST(ArrayOnAServer, IsComputedAgainIfItsDocumentsChange) {
  served_memory served;
  store(arange<double>(100), served.values, "x", {.chunks = {10}});
  const auto identity = [&] {
    return plan(sum(open<double, 1>(served.url("x")))).bounded().identity();
  };
  const std::string before = identity();
  EXPECT_EQ(identity(), before);
  const std::string changed = R"({"units": "K"})";
  served.values->write("x/.zattrs", std::as_bytes(std::span(changed)));
  EXPECT_NE(identity(), before);
}

// The document and its targets are on the server; a worker finds both by the URL.
TEST(ArrayOfReferences, IsReadFromAServer) {
  served_memory served;
  const temporary_directory directory;
  store(arange<double>(100), served.values, "x", {.chunks = {25}, .compressor = codec::none{}});
  std::string file = "head";
  std::string document = R"({"version": 1, "refs": {"x/.zarray": )" +
                         text_of(*served.values->read_all("x/.zarray", 10'000));
  for (int i = 0; i < 4; ++i) {
    const auto chunk = *served.values->read_all("x/" + std::to_string(i), 10'000);
    document += ",\"x/" + std::to_string(i) + "\": [\"a%20b.nc\", " + std::to_string(file.size()) +
                ", " + std::to_string(chunk.size()) + "]";
    file += text_of(chunk);
  }
  document += "}}";
  served.values->write("refs/a%20b.nc", std::as_bytes(std::span(file)));
  served.values->write("refs/all.json", std::as_bytes(std::span(document)));
  const std::string url = "reference://" + served.url("refs/all.json/x");
  EXPECT_EQ(sum(open<double, 1>(url)).compute()(), 4950);
  EXPECT_EQ(plan(sum(open<double, 1>(url)(slice(0, 2)))).bytes_read(), bytes{2 * 8});
  spec limits;
  limits.work_dir = directory / "work";
  const auto x = open<double, 1>(url, limits);
  static_cast<void>(store(x * 3.0, directory / "y", run_with{.executor = executors::processes(2)}));
  EXPECT_EQ(sum(open<double, 1>(directory / "y")).compute()(), 3 * 4950);
}

TEST(ArrayOnAServer, CannotBeWritten) {
  const served_memory served;
  try {
    store(arange<double>(100), served.url("x"), {.chunks = {10}});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const store_error& failure) {
    EXPECT_EQ(failure.kind(), store_failure::unsupported);
    EXPECT_THAT(failure.what(), HasSubstr("/data/x': the store is read-only"));
  }
}

/// Writes the array u (time: 5) and its coordinate, which lacks a chunk, in `format`.
void write_with_coordinate(const std::shared_ptr<memory_store>& values, int format) {
  (void)zarr_group::create(values, "in.zarr", {}, format);
  store(arange<double>(5), values, "in.zarr/u", {.dimension_names = {"time"}});
  store(arange<double>(5) + 7.0, values, "in.zarr/time",
        {.chunks = {2},
         .attributes = {{"units", std::string("s")}},
         .dimension_names = {"time"},
         .fill_value = -1.0});
  values->erase(format == 2 ? "in.zarr/time/1" : "in.zarr/time/c/1");
}

// A server has no lists: the names of chunks come from the grid, and without consolidated metadata
// the paths of coordinates come from the names of the axes.
TEST(ArrayOnAServer, HasCoordinatesForResultsOfEitherFormat) {
  for (const int format : {2, 3}) {
    for (const bool is_consolidated : {false, true}) {
      served_memory served;
      write_with_coordinate(served.values, format);
      if (is_consolidated) consolidate(zarr_group::open(served.values, "in.zarr"));
      const auto u = open<double, 1>(served.url("in.zarr/u"));
      for (const int format_of_result : {2, 3}) {
        const temporary_directory directory;
        store(u * 2.0, directory / "out.zarr/v",
              {.format = format_of_result, .coordinates = served.url("in.zarr")});
        const auto time = zarr_array::open(directory / "out.zarr/time");
        EXPECT_EQ(time.chunks(), index_vector(1, 2));
        EXPECT_EQ(time.attributes().get<std::string>("units"), "s");
        const auto elements = open<double, 1>(directory / "out.zarr/time").compute();
        EXPECT_THAT(elements.span(), ::testing::ElementsAre(7, 8, -1, -1, 11));
      }
    }
  }
}

/// Writes a group of 2,000 arrays with consolidated metadata.
void write_many_arrays(const std::shared_ptr<memory_store>& values, int format) {
  const auto group = zarr_group::create(values, "a.zarr", {}, format);
  zarr_metadata metadata;
  metadata.shape = {10};
  metadata.chunks = {10};
  metadata.format = format;
  for (int i = 0; i < 2000; ++i) {
    (void)zarr_array::create(values, "a.zarr/x" + std::to_string(1000 + i), metadata);
  }
  consolidate(zarr_group::open(values, "a.zarr"));
}

TEST(GroupOnAServer, OfManyArraysIsOpenedByTwoRequests) {
  for (const int format : {2, 3}) {
    served_memory served;
    write_many_arrays(served.values, format);
    const auto opened = zarr_group::open(served.url("a.zarr"));
    const auto names = opened.arrays();
    ASSERT_EQ(names.size(), 2000U);
    EXPECT_THAT(opened.groups(), ::testing::IsEmpty());
    for (const std::string& name : names) {
      EXPECT_EQ(opened.array(name).shape(), index_vector(1, 10));
    }
    EXPECT_THAT(served.server.targets(),
                UnorderedElementsAre("/data/a.zarr/zarr.json", "/data/a.zarr/.zmetadata"));
  }
}

// The documents of either format are asked for at once, and none of them twice.
TEST(NodeOnAServer, IsOpenedInTheTimeOfOneRequest) {
  for (const int format : {2, 3}) {
    served_memory served;
    store(arange<double>(10), served.values, "g/x", {.chunks = {10}, .format = format});
    const auto remote = open_http_store(served.server.url() + "/data");
    (void)zarr_array::open(remote, "g/x");
    EXPECT_THAT(
        served.server.targets(),
        UnorderedElementsAre("/data/g/x/zarr.json", "/data/g/x/.zarray", "/data/g/x/.zattrs"));
    (void)zarr_group::open(remote, "g");
    const std::vector<std::string> targets = served.server.targets();
    EXPECT_EQ(std::ranges::count(targets, "/data/g/zarr.json"), 1);
    EXPECT_EQ(targets.size(), 3U + 4U);
  }
}

TEST(GroupOnAServer, WithoutConsolidatedMetadataHasNoList) {
  served_memory served;
  (void)zarr_group::create(served.values, "a.zarr");
  store(arange<double>(10), served.values, "a.zarr/x", {.chunks = {10}});
  const auto group = zarr_group::open(served.url("a.zarr"));
  EXPECT_EQ(group.array("x").shape(), index_vector(1, 10));
  const store_error failure = failure_of([&] { return group.arrays(); });
  EXPECT_EQ(failure.kind(), store_failure::unsupported);
  EXPECT_THAT(failure.what(), HasSubstr("have no lists"));
}

// The names of a host are no folders.
TEST(GroupOnAServer, IsNotLookedForAboveTheHost) {
  served_memory served;
  store(arange<double>(10), served.values, "x", {.chunks = {10}});
  (void)zarr_array::open(served.url("x"));
  EXPECT_THAT(served.server.targets(),
              UnorderedElementsAre("/data/zarr.json", "/data/.zgroup", "/zarr.json", "/.zgroup",
                                   "/data/x/zarr.json", "/data/x/.zarray", "/data/x/.zattrs"));
}

}  // namespace
}  // namespace tessera::testing
