// SPDX-License-Identifier: Apache-2.0
//
// Mistakes that other implementations of Zarr have made with each other's files, one test for each.
#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>

namespace ts = tessera;

namespace {

using ::testing::HasSubstr;

void put(ts::key_value_store& store, const std::string& key, std::string_view text) {
  store.write(key, std::as_bytes(std::span(text)));
}

/// An array of three int32, of which a member of its `.zarray` has a text of its own.
std::shared_ptr<ts::memory_store> store_with(const std::string& compressor,
                                             const std::string& fill = "7",
                                             const std::string& others = "") {
  auto store = std::make_shared<ts::memory_store>();
  put(*store, ".zarray",
      fmt::format(R"({{"zarr_format": 2, "shape": [3], "chunks": [2], "dtype": "<i4", "order": "C",
                       "filters": null, "compressor": {}, "fill_value": {}{}}})",
                  compressor, fill, others));
  return store;
}

std::vector<std::int32_t> values_of(const std::shared_ptr<ts::memory_store>& store) {
  const auto array = ts::zarr_array::open(store, "").with({.missing = ts::missing_chunks::fill});
  std::vector<std::int32_t> values(static_cast<std::size_t>(ts::num_elements(array.shape())));
  ts::chunk_buffers buffers(array);
  array.read_region(ts::region::whole(array.shape()), std::as_writable_bytes(std::span(values)),
                    buffers.decoded(), buffers.encoded());
  return values;
}

using ints = std::vector<std::int32_t>;

// TensorStore and zarrs refuse "checksum" of zstd, "typesize" of blosc, and members they do not
// know.
TEST(InteropDefects, MembersOfCompressorsThatAreYoungerAreRead) {
  for (const char* compressor :
       {R"({"id": "zstd", "level": 3, "checksum": false})", R"({"id": "zstd", "level": 3})",
        R"({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "typesize": 4})"}) {
    EXPECT_EQ(values_of(store_with(compressor)), (ints{7, 7, 7})) << compressor;
  }
}

// numcodecs before 0.13 refuses frames without their size, which TensorStore writes.
TEST(InteropDefects, ZstdFramesStateTheirSize) {
  const auto store = store_with(R"({"id": "zstd", "level": 1})");
  const auto array = ts::zarr_array::open(store, "");
  const ints values{1, 2};
  ts::chunk_buffers buffers(array);
  array.write_chunk(ts::index_vector{0}, std::as_bytes(std::span(values)).data(),
                    buffers.encoded());
  const auto frame = store->read_all("0", 100).value();
  ASSERT_GE(frame.size(), 6U);
  // RFC 8878, 3.1.1.1: a single segment states its size; without one, the two highest bits say how.
  const auto descriptor = std::to_integer<unsigned>(frame[4]);
  EXPECT_TRUE((descriptor & 0x20U) != 0 || (descriptor & 0xC0U) != 0);
  EXPECT_EQ(values_of(store), (ints{1, 2, 7}));
}

// z5 reads a missing fill value as NaN, n5-zarr refuses it, Zarr.jl crashed.
TEST(InteropDefects, NoFillValueIsZeroForWhoAsksToFill) {
  EXPECT_EQ(values_of(store_with("null", "null")), (ints{0, 0, 0}));
}

// z5 wrote fill values of integers as doubles, n5-zarr as strings.
TEST(InteropDefects, FillValuesOfIntegersAreReadInEachForm) {
  EXPECT_EQ(values_of(store_with("null", "3.0")), (ints{3, 3, 3}));
  EXPECT_EQ(values_of(store_with("null", "\"3\"")), (ints{3, 3, 3}));
}

// z5 refuses order F, bool, float16 and big-endian data; xtensor-zarr does not know "|b1".
TEST(InteropDefects, EachDtypeOpensInEachOrder) {
  for (const char* dtype : {"|b1", "<f2", ">f2", ">i2", ">f8", ">c16"}) {
    for (const char order : {'C', 'F'}) {
      ts::zarr_metadata metadata{.shape = {2, 2}, .chunks = {2, 2}};
      metadata.dtype = ts::data_type::parse(fmt::format("\"{}\"", dtype));
      metadata.order = order;
      const auto store = std::make_shared<ts::memory_store>();
      EXPECT_EQ(ts::zarr_array::create(store, "", metadata).metadata(), metadata) << dtype;
      EXPECT_EQ(ts::zarr_array::open(store, "").metadata(), metadata) << dtype;
    }
  }
}

// xtensor-zarr's key of an array of rank 0 is empty.
TEST(InteropDefects, TheKeyOfAnArrayWithoutAxesIsZero) {
  const auto store = std::make_shared<ts::memory_store>();
  put(*store, ".zarray", R"({"zarr_format": 2, "shape": [], "chunks": [], "dtype": "<i4",
      "order": "C", "filters": null, "compressor": null, "fill_value": 0})");
  put(*store, "0", std::string_view("\x09\0\0\0", 4));
  EXPECT_EQ(values_of(store), (ints{9}));
}

// xtensor-zarr writes edge chunks cut off; a reader must not take the bytes behind them.
TEST(InteropDefects, EdgeChunksThatAreCutOffAreErrors) {
  const auto store = store_with("null");
  put(*store, "1", std::string_view("\x01\0\0\0", 4));
  try {
    (void)values_of(store);
    FAIL() << "accepted";
  } catch (const ts::zarr_error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("\"1\""));
  }
  // Writers that crashed leave chunks without bytes.
  put(*store, "1", "");
  EXPECT_THROW((void)values_of(store), ts::zarr_error);
}

// xtensor-zarr stores attributes as JSON in a string.
TEST(InteropDefects, AttributesInAStringAreAnError) {
  const auto store = store_with("null");
  put(*store, ".zattrs", R"("{\"units\": \"m\"}")");
  const auto array = ts::zarr_array::open(store, "");
  EXPECT_THROW((void)array.attributes().contains("units"), ts::zarr_error);
  EXPECT_THROW((void)array.attributes().empty(), ts::zarr_error);
}

// zarr-python 2 decodes metadata as ASCII, and fails on other characters, which JSON allows.
TEST(InteropDefects, MetadataAreWrittenInAscii) {
  const auto store = std::make_shared<ts::memory_store>();
  const std::string text = "\u03bc \u20ac \U0001F600";
  const auto group = ts::zarr_group::create(store, "", {{text, text}});
  ts::consolidate(group);
  for (const char* key : {".zattrs", ".zmetadata"}) {
    const auto bytes = store->read_all(key, 1000).value();
    const std::string text_of_file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_THAT(text_of_file, HasSubstr(R"("\u03bc \u20ac \ud83d\ude00")")) << key;
    for (const char character : text_of_file) EXPECT_GE(character, 0);
  }
  EXPECT_EQ(ts::zarr_group::open(store, "").attributes().get<std::string>(text), text);
}

// A GDAL without zstd gave zeros for chunks that it could not decode.
TEST(InteropDefects, CodecsThatAreNotThereAreErrorsAndNeverFillValues) {
  try {
    (void)ts::zarr_array::open(store_with(R"({"id": "pcodec"})", "null"), "");
    FAIL() << "accepted";
  } catch (const ts::zarr_error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("pcodec"));
  }
}

// The specification says null, many write an empty list; netcdf-c leaves the fill value out.
TEST(InteropDefects, MembersThatAreEmptyOrMissingHaveTheirDefaults) {
  auto store = std::make_shared<ts::memory_store>();
  put(*store, ".zarray", R"({"zarr_format": 2, "shape": [3], "chunks": [2], "dtype": "<i4",
      "order": "C", "filters": [], "compressor": null})");
  EXPECT_EQ(values_of(store), (ints{0, 0, 0}));
  EXPECT_THAT(ts::zarr_array::open(store, "").metadata().to_json(), HasSubstr("\"filters\": null"));
}

// xarray reads no array without names of its dimensions; NetCDF states them in its own way.
TEST(InteropDefects, DimensionsHaveTheNamesThatNetcdfStates) {
  using names = std::vector<std::string>;
  const auto older = store_with("null", "0", R"(, "_NCZARR_ARRAY": {"dimrefs": ["/grid/x"]})");
  EXPECT_EQ(ts::zarr_array::open(older, "").dimension_names(), names{"x"});
  const auto younger = store_with("null");
  put(*younger, ".zattrs", R"({"_nczarr_array": {"dimrefs": ["/y"], "storage": "chunked"}})");
  EXPECT_EQ(ts::zarr_array::open(younger, "").dimension_names(), names{"y"});
  put(*younger, ".zattrs", R"({"_ARRAY_DIMENSIONS": ["t"], "_nczarr_array": {"dimrefs": ["/y"]}})");
  EXPECT_EQ(ts::zarr_array::open(younger, "").dimension_names(), names{"t"});
  put(*younger, ".zattrs", R"({"_nczarr_array": {"dimrefs": ["/y", "/x"]}})");
  EXPECT_EQ(ts::zarr_array::open(younger, "").dimension_names(), names{});
}

}  // namespace
