// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/options.hpp"
#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/zarr/support.hpp"
#include "unit/zarr/v3/foreign_stores.hpp"
#include "unit/zarr/v3/support.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

namespace {

namespace ts = tessera;

using namespace ts::testing::zarr;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

/// Returns a store with the files.
std::shared_ptr<ts::memory_store> store_of(std::span<const foreign_file> files) {
  const auto store = in_memory();
  for (const foreign_file& file : files) {
    std::string bytes;
    for (const char* digits = file.bytes; *digits != '\0'; digits += 2) {
      const char pair[] = {digits[0], digits[1], '\0'};
      bytes.push_back(static_cast<char>(std::strtol(pair, nullptr, 16)));
    }
    put(*store, file.key, bytes);
  }
  return store;
}

std::shared_ptr<ts::memory_store> of_zarr_python() { return store_of(zarr_python_store()); }

/// Returns all elements of an array, row-major.
template <class T>
std::vector<T> elements_of(const ts::zarr_array& array) {
  std::vector<T> values(static_cast<std::size_t>(num_elements(array.shape())));
  ts::chunk_buffers buffers(array);
  array.read_region(ts::region::whole(array.shape()), std::as_writable_bytes(std::span(values)),
                    buffers.decoded(), buffers.encoded());
  return values;
}

/// Returns the numbers from 0 on.
template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

template <class T>
void write(const ts::zarr_array& array, const ts::region& box, const std::vector<T>& values) {
  ts::chunk_buffers buffers(array);
  array.write_region(box, std::as_bytes(std::span(values)), buffers.decoded(), buffers.encoded());
}

std::string text_of(const ts::key_value_store& store, const std::string& key) {
  return ts::detail::read_text(store, key).value_or("");
}

TEST(Version3, ReadsArraysOfZarrPython) {
  const auto store = of_zarr_python();
  const auto plain = ts::zarr_array::open(store, "plain");
  EXPECT_EQ(plain.metadata().format, 3);
  EXPECT_EQ(plain.chunks(), (ts::index_vector{2, 3}));
  EXPECT_EQ(plain.shards(), plain.chunks());
  EXPECT_THAT(plain.dimension_names(), ElementsAre("y", ""));
  EXPECT_EQ(plain.attributes().get<std::string>("units"), "K");
  EXPECT_EQ(plain.chunk_key(ts::index_vector{1, 0}), "plain/c/1/0");
  EXPECT_EQ(elements_of<std::int32_t>(plain), numbers<std::int32_t>(20));

  const auto dotted = ts::zarr_array::open(store, "a/dotted");
  EXPECT_EQ(dotted.metadata().order, ts::chunk_layout('F'));
  EXPECT_EQ(dotted.chunk_key(ts::index_vector{1, 0}), "a/dotted/c.1.0");
  const std::vector<double> values = elements_of<double>(dotted);
  EXPECT_EQ(std::vector<double>(values.begin(), values.begin() + 6), numbers<double>(6));
  for (std::size_t i = 6; i < 12; ++i) EXPECT_TRUE(std::isnan(values[i])) << i;

  for (const char* name : {"scalar", "scalar_v2"}) {
    EXPECT_THAT(elements_of<std::uint8_t>(ts::zarr_array::open(store, name)), ElementsAre(42));
  }
}

// The expected values are those that print_foreign_stores.py wrote.
TEST(Version3, ReadsPartsOfForeignShards) {
  const auto store = of_zarr_python();
  const auto shards = ts::zarr_array::open(store, "shards");
  EXPECT_EQ(shards.chunks(), (ts::index_vector{2, 2}));
  EXPECT_EQ(shards.shards(), (ts::index_vector{4, 6}));
  std::vector<std::int16_t> expected(63, -1);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 2; j < 9; ++j) expected[9 * i + j] = static_cast<std::int16_t>(9 * i + j);
  }
  EXPECT_EQ(elements_of<std::int16_t>(shards), expected);

  const auto cube = ts::zarr_array::open(store, "cube");
  EXPECT_EQ(elements_of<std::uint16_t>(cube), numbers<std::uint16_t>(24));

  const auto transposed = ts::zarr_array::open(store_of(tensorstore_array()), "");
  EXPECT_EQ(transposed.chunks(), (ts::index_vector{2, 3}));
  EXPECT_EQ(elements_of<std::int32_t>(transposed), numbers<std::int32_t>(24));
}

TEST(Version3, ReadsConsolidatedGroups) {
  const auto store = of_zarr_python();
  const auto group = ts::zarr_group::open(store, "");
  EXPECT_TRUE(group.is_consolidated());
  EXPECT_EQ(group.attributes().get<std::string>("title"), "of zarr-python");
  EXPECT_THAT(group.arrays(),
              UnorderedElementsAre("cube", "plain", "scalar", "scalar_v2", "shards"));
  EXPECT_THAT(group.groups(), ElementsAre("a"));
  EXPECT_EQ(elements_of<std::int32_t>(group.array("plain")), numbers<std::int32_t>(20));
}

TEST(Version3, KeepsInlineMetadataTrue) {
  const auto store = of_zarr_python();
  (void)ts::zarr_array::create(
      store, "more", {.shape = {3}, .chunks = {2}, .dtype = ts::dtype::int8, .format = 3});
  ts::zarr_group::open(store, "").erase("plain");
  const auto group = ts::zarr_group::open(store, "");
  EXPECT_TRUE(group.is_consolidated());
  EXPECT_THAT(group.arrays(),
              UnorderedElementsAre("cube", "more", "scalar", "scalar_v2", "shards"));
}

TEST(Version3, WinsBesideVersion2) {
  const auto store = of_zarr_python();
  put(*store, "plain/.zarray", R"({"zarr_format": 2})");
  EXPECT_EQ(ts::zarr_array::open(store, "plain").metadata().format, 3);
}

ts::zarr_metadata small(int format = 3) {
  return {.shape = {5, 4},
          .chunks = {2, 3},
          .dtype = ts::dtype::int32,
          .compressor = ts::codec::zlib{.level = 1},
          .fill_value = ts::element_bytes(std::int32_t{-1}),
          .dimension_separator = '/',
          .format = format,
          .key_style = ts::chunk_key_style::prefixed};
}

TEST(Version3, WritesWhatItReads) {
  const auto store = in_memory();
  ts::zarr_metadata metadata = small();
  metadata.order = 'F';
  metadata.dtype = ts::data_type(ts::dtype::int32, std::endian::big);
  metadata.dimension_names = {"y", std::nullopt};
  const auto created = ts::zarr_array::create(store, "x", metadata);
  write(created, ts::region::whole(ts::index_vector{5, 4}), numbers<std::int32_t>(20));
  const auto opened = ts::zarr_array::open(store, "x");
  EXPECT_EQ(opened.metadata(), created.metadata());
  EXPECT_EQ(elements_of<std::int32_t>(opened), numbers<std::int32_t>(20));
  EXPECT_TRUE(store->exists("x/c/2/1"));
  EXPECT_THAT(text_of(*store, "zarr.json"), HasSubstr("\"group\""));
}

// The default of `zarr_metadata` is Blosc, which chunks without a codec of bytes do not have.
TEST(Version3, HasNoCompressorUnlessItsDocumentNamesOne) {
  const auto metadata = ts::zarr_metadata::parse(R"({"zarr_format": 3, "node_type": "array",
    "shape": [4], "data_type": "int16", "fill_value": 0, "chunk_grid": {"name": "regular",
    "configuration": {"chunk_shape": [2]}}, "chunk_key_encoding": {"name": "default"},
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]})");
  EXPECT_EQ(metadata.compressor, ts::codec::configuration(ts::codec::none{}));
}

TEST(Version3, KeepsUnknownMembersOnRewrite) {
  const auto store = in_memory();
  const auto array = ts::zarr_array::create(store, "x", small());
  std::string text = text_of(*store, "x/zarr.json");
  text.insert(1, R"("later": {"must_understand": false, "a": [1,  2]},)");
  put(*store, "x/zarr.json", text);
  const auto longer = ts::zarr_array::open(store, "x").resize(ts::index_vector{7, 4});
  EXPECT_THAT(text_of(*store, "x/zarr.json"),
              HasSubstr(R"("later": {"must_understand": false, "a": [1,  2]})"));
  EXPECT_EQ(ts::zarr_array::open(store, "x").shape(), longer.shape());
}

/// Returns 1.5 MB of attributes: `first`, and "a0" to "a99999" with their numbers.
std::string long_attributes(const std::string& first) {
  std::string text = "{" + first;
  for (int i = 0; i < 100'000; ++i) text += fmt::format(", \"a{}\": {}", i, i);
  return text + "}";
}

TEST(Version3, ParsesLongAttributesAtTheirFirstUse) {
  const auto store = in_memory();
  put(*store, "x/zarr.json",
      ts::testing::document_with("attributes",
                                 long_attributes(R"("_ARRAY_DIMENSIONS": ["y", "x"])")));
  const auto array = ts::zarr_array::open(store, "x");
  EXPECT_THAT(array.dimension_names(), ElementsAre("y", "x"));
  // A handle keeps the attributes that it was opened with.
  store->erase("x/zarr.json");
  const auto copy = array.with({.missing = ts::missing_chunks::fill});
  std::thread reader([&] { EXPECT_EQ(array.attributes().size(), 100'001U); });
  EXPECT_EQ(copy.attributes().get<std::int64_t>("a99999"), 99'999);
  reader.join();
  EXPECT_EQ(&copy.attributes(), &array.attributes());
}

TEST(Version3, ReportsFaultsOfLongAttributesAtTheirFirstUse) {
  const auto store = in_memory();
  put(*store, "x/zarr.json",
      ts::testing::document_with("attributes", long_attributes(R"("a7": "seven")")));
  const auto array = ts::zarr_array::open(store, "x");
  EXPECT_TRUE(array.dimension_names().empty());
  EXPECT_EQ(array.attributes().get<std::int64_t>("a8"), 8);
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { (void)array.attributes().get<std::int64_t>("a7"); }),
              HasSubstr("\"a7\" cannot be read: its name occurs 2 times"));
}

TEST(Version3, AGroupHasOneFormat) {
  const auto store = in_memory();
  (void)ts::zarr_group::create(store, "three", {}, 3);
  (void)ts::zarr_group::create(store, "three/inner");
  EXPECT_TRUE(store->exists("three/inner/zarr.json"));
  EXPECT_THAT(refusal_of<ts::value_error>(
                  [&] { (void)ts::zarr_array::create(store, "three/x", small(2)); }),
              HasSubstr("format = 3"));
  EXPECT_THAT(
      refusal_of<ts::value_error>([&] { (void)ts::zarr_group::create(store, "three", {}, 2); }),
      HasSubstr("format = 3"));
}

TEST(Version3, ReplacesDocumentsOfBothFormats) {
  const auto store = in_memory();
  (void)ts::zarr_array::create(store, "", {.shape = {2}, .chunks = {1}}, {{"a", "b"}});
  put(*store, "0", "chunk");
  (void)ts::zarr_array::create(store, "", small(), {}, ts::existing::replace);
  EXPECT_THAT(store->list(""), ElementsAre("zarr.json"));
}

/// An array whose shards have other extents along each axis than its chunks.
ts::zarr_metadata sharded() {
  ts::zarr_metadata metadata = small();
  metadata.shape = {7, 9};
  metadata.chunks = {2, 2};
  metadata.shards = {4, 6};
  return metadata;
}

TEST(Version3, WritesShardsAndParts) {
  const auto store = in_memory();
  const auto array = ts::zarr_array::create(store, "x", sharded());
  write(array, ts::region::whole(ts::index_vector{7, 9}), numbers<std::int32_t>(63));
  EXPECT_THAT(store->list("x"),
              UnorderedElementsAre("x/c/0/0", "x/c/0/1", "x/c/1/0", "x/c/1/1", "x/zarr.json"));
  std::vector<std::int32_t> expected = numbers<std::int32_t>(63);
  EXPECT_EQ(elements_of<std::int32_t>(array), expected);
  write(array, {{3, 1}, {5, 8}}, std::vector<std::int32_t>(14, 100));
  for (std::size_t i = 3; i < 5; ++i) {
    for (std::size_t j = 1; j < 8; ++j) expected[9 * i + j] = 100;
  }
  EXPECT_EQ(elements_of<std::int32_t>(ts::zarr_array::open(store, "x")), expected);
}

TEST(Version3, ResizesShards) {
  const auto store = in_memory();
  const auto array = ts::zarr_array::create(store, "x", sharded());
  write(array, ts::region::whole(ts::index_vector{7, 9}), numbers<std::int32_t>(63));
  const auto smaller = array.resize(ts::index_vector{3, 9});
  EXPECT_FALSE(store->exists("x/c/1/0"));
  const auto larger = smaller.resize(ts::index_vector{5, 10});
  std::vector<std::int32_t> expected(50, -1);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 9; ++j) expected[10 * i + j] = static_cast<std::int32_t>(9 * i + j);
  }
  EXPECT_EQ(elements_of<std::int32_t>(larger), expected);
}

TEST(Version3, RefusesDamagedShards) {
  const auto store = of_zarr_python();
  put(*store, "shards/c/0/0", "short");
  EXPECT_THAT(refusal_of<ts::zarr_error>(
                  [&] { (void)elements_of<std::int16_t>(ts::zarr_array::open(store, "shards")); }),
              HasSubstr("shards/c/0/0"));
}

}  // namespace
