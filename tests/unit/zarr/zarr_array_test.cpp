// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_array.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/store/temporary_directory.hpp"
#include "unit/zarr/support.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace ts = tessera;

namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ts::testing::temporary_directory;

using namespace ts::testing::zarr;

TEST(ZarrArray, TellsTheSizesOfItsBuffers) {
  ts::zarr_metadata metadata = plain_int32({10, 20}, {3, 7});
  const auto raw = ts::zarr_array::create(in_memory(), "", metadata);
  EXPECT_EQ(raw.decoded_bytes(), 84U);
  EXPECT_EQ(raw.encoded_bound(), 0U);
  EXPECT_EQ(raw.codec_workspace(), 0U);
  EXPECT_EQ(raw.write_scratch_bytes(), 0U);
  EXPECT_THAT(raw.chunk_strides(), ElementsAre(7, 1));
  metadata.order = 'F';
  metadata.compressor = {};
  const auto packed = ts::zarr_array::create(in_memory(), "", metadata);
  EXPECT_EQ(packed.encoded_bound(), 84U + 16);
  EXPECT_EQ(packed.write_scratch_bytes(), 84U);
  EXPECT_THAT(packed.chunk_strides(), ElementsAre(1, 3));
  metadata.chunks = {1, 7};
  EXPECT_EQ(ts::zarr_array::create(in_memory(), "", metadata).write_scratch_bytes(), 0U);
}

TEST(ZarrArray, WritesKeysAndBytesOfTheSpecification) {
  const auto store = in_memory();
  ts::zarr_metadata metadata = plain_int32({3, 4}, {2, 3});
  const auto rows = ts::zarr_array::create(store, "g/rows", metadata);
  write_iota(rows, {1, 0}, 0);
  EXPECT_EQ(rows.chunk_key(ts::index_vector{1, 0}), "g/rows/1.0");
  metadata.order = 'F';
  metadata.dimension_separator = '/';
  const auto columns = ts::zarr_array::create(store, "g/columns", metadata);
  write_iota(columns, {1, 0}, 0);
  const auto ints = [&](const char* key) {
    const auto bytes = store->read_all(key, 1000).value();
    std::vector<std::int32_t> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  // All of a chunk is stored, overhang too.
  EXPECT_THAT(ints("g/rows/1.0"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(ints("g/columns/1/0"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_TRUE(columns.has_chunk(ts::index_vector{1, 0}));
  EXPECT_FALSE(columns.has_chunk(ts::index_vector{0, 0}));
}

// xtensor-zarr gave the chunk of a 0-d array an empty name.
TEST(ZarrArray, KeyOfRankZeroIsZero) {
  const auto store = in_memory();
  const auto array = ts::zarr_array::create(store, "s", plain_int32({}, {}));
  EXPECT_EQ(array.chunk_key({}), "s/0");
  EXPECT_THAT(read_all(array), ElementsAre(-1));
  write_iota(array, {}, 42);
  EXPECT_THAT(read_all(array), ElementsAre(42));
  EXPECT_TRUE(store->exists("s/0"));
}

TEST(ZarrArray, OfNoElementsHasNoChunks) {
  const auto array = ts::zarr_array::create(in_memory(), "", plain_int32({0, 5}, {1, 2}));
  EXPECT_EQ(array.grid().size(), 0);
  EXPECT_THAT(read_all(array), ElementsAre());
  EXPECT_THROW((void)array.chunk_key(ts::index_vector{0, 0}), ts::shape_error);
}

TEST(ZarrArray, ReadsMissingChunksAsFillValue) {
  const auto array = ts::zarr_array::create(in_memory(), "", plain_int32({5}, {2}));
  write_iota(array, {1}, 7);
  EXPECT_THAT(read_all(array), ElementsAre(-1, -1, 7, 8, -1));
  buffer decoded(array.decoded_bytes(), std::byte{0x77});
  EXPECT_FALSE(array.read_chunk(ts::index_vector{0}, decoded, {}));
  EXPECT_THAT(decoded, Each(std::byte{0x77})) << "a missing chunk is not filled";
}

// z5 read a null fill value as NaN, Zarr.jl crashed on it; zarr-python reads zeros.
TEST(ZarrArray, ReadsMissingChunksWithoutAFillValueOnlyWhenAsked) {
  ts::zarr_metadata metadata = plain_int32({3}, {2});
  metadata.fill_value = std::nullopt;
  const auto array = ts::zarr_array::create(in_memory(), "x", metadata);
  EXPECT_THAT(read_all(array.with({.missing = ts::missing_chunks::fill})), ElementsAre(0, 0, 0));
  write_iota(array, {0}, 5);
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { (void)read_all(array); }),
              AllOf(HasSubstr("\"x/1\" is missing"), HasSubstr("missing_chunks::fill")));
  buffer decoded(8);
  EXPECT_THROW((void)array.read_chunk(ts::index_vector{1}, decoded, {}), ts::zarr_error);
  // New chunks of a grown array are missing as well.
  const auto grown = array.resize(ts::index_vector{6});
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { (void)read_all(grown); }),
              HasSubstr("\"x/1\" is missing"));
}

// A power failure leaves empty files: no chunks for a resumed run, and no fill values for a reader.
TEST(ZarrArray, TakesAnEmptyFileNeitherForAChunkNorForAMissingOne) {
  for (const ts::codec::configuration& codec :
       {ts::codec::configuration(ts::codec::none{}), ts::codec::configuration(ts::codec::zlib{}),
        ts::codec::configuration(ts::codec::blosc{})}) {
    const auto store = in_memory();
    ts::zarr_metadata metadata = plain_int32({3}, {2});
    metadata.compressor = codec;
    const auto array = ts::zarr_array::create(store, "x", metadata);
    put(*store, "x/1", "");
    EXPECT_FALSE(array.has_chunk(ts::index_vector{1}));
    for (const auto missing : {ts::missing_chunks::automatic, ts::missing_chunks::fill}) {
      EXPECT_THAT(
          refusal_of<ts::zarr_error>([&] { (void)read_all(array.with({.missing = missing})); }),
          AllOf(HasSubstr("\"x/1\""), HasSubstr("8 B"), HasSubstr("found 0 B")));
    }
  }
}

TEST(ZarrArray, ReadsAndWritesBigEndian) {
  const auto store = in_memory();
  put(*store, ".zarray", R"({"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": ">i4",
      "compressor": null, "fill_value": 258, "order": "C", "filters": null})");
  const auto array = ts::zarr_array::open(store, "");
  EXPECT_THAT(read_all(array), ElementsAre(258, 258));
  put(*store, "0", std::string_view("\0\0\1\2\xFF\xFF\xFF\xFE", 8));
  EXPECT_THAT(read_all(array), ElementsAre(258, -2));
  EXPECT_EQ(array.write_scratch_bytes(), 8U);
  write_iota(array, {0}, 257);
  const auto stored = store->read_all("0", 100).value();
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(stored.data()), stored.size()),
            std::string_view("\0\0\1\1\0\0\1\2", 8));
  EXPECT_THAT(read_all(array), ElementsAre(257, 258));
}

TEST(ZarrArray, BooleansAreZeroOrOneWhateverIsStored) {
  const auto store = in_memory();
  ts::zarr_metadata metadata{
      .shape = {4}, .chunks = {4}, .dtype = ts::dtype::boolean, .compressor = ts::codec::none{}};
  const auto array = ts::zarr_array::create(store, "", metadata);
  put(*store, "0", std::string_view("\0\1\2\xFF", 4));
  buffer decoded(4);
  ASSERT_TRUE(array.read_chunk(ts::index_vector{0}, decoded, {}));
  EXPECT_THAT(decoded, ElementsAre(std::byte{0}, std::byte{1}, std::byte{1}, std::byte{1}));
}

// n5-zarr: a writer that crashed leaves empty or short chunks.
TEST(ZarrArray, RefusesChunksOfAnotherSizeByKey) {
  const auto store = in_memory();
  ts::zarr_metadata metadata = plain_int32({4}, {2});
  const auto raw = ts::zarr_array::create(store, "raw", metadata);
  for (const std::size_t size : {0UL, 7UL, 4UL}) {
    store->write("raw/1", buffer(size));
    EXPECT_THAT(refusal_of<ts::zarr_error>([&] { read_all(raw); }),
                AllOf(HasSubstr("raw/1"),
                      HasSubstr("must have 8 B, found " + std::to_string(size) + " B")));
  }
  store->write("raw/1", buffer(9));
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { read_all(raw); }),
              AllOf(HasSubstr("raw/1"), HasSubstr("at most 8 B, found 9 B")));
  metadata.compressor = {};
  const auto packed = ts::zarr_array::create(store, "packed", metadata);
  for (const std::size_t size : {5UL, 24UL}) {
    store->write("packed/0", buffer(size));
    EXPECT_THAT(refusal_of<ts::codec_error>([&] { read_all(packed); }), HasSubstr("packed/0"));
  }
  store->write("packed/0", buffer(25));
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { read_all(packed); }),
              AllOf(HasSubstr("packed/0"), HasSubstr("25 B"), HasSubstr("24 B")));
}

TEST(ZarrArray, RefusesBuffersAndBoxesThatDoNotFit) {
  const auto array = ts::zarr_array::create(
      in_memory(), "", {.shape = {4, 6}, .chunks = {2, 3}, .dtype = ts::dtype::int8});
  buffer decoded(array.decoded_bytes());
  buffer encoded(array.encoded_bound());
  buffer into(24);
  const std::span<std::byte> small(encoded.data(), encoded.size() - 1);
  EXPECT_THROW((void)array.read_chunk(ts::index_vector{0, 0}, decoded, small), ts::value_error);
  EXPECT_THROW((void)array.read_chunk(ts::index_vector{0, 0}, std::span(decoded).first(5), encoded),
               ts::value_error);
  EXPECT_THROW(array.write_chunk(ts::index_vector{0, 0}, into.data(), small), ts::value_error);
  for (const ts::index_vector& chunk : {ts::index_vector{2, 0}, ts::index_vector{0, -1},
                                        ts::index_vector{0}, ts::index_vector{0, 0, 0}}) {
    EXPECT_THROW((void)array.read_chunk(chunk, decoded, encoded), ts::shape_error);
  }
  const auto read = [&](const ts::region& box, std::size_t size, ts::index_vector steps) {
    array.read_region(box, std::span(into).first(size), decoded, encoded, steps);
  };
  read({{0, 0}, {4, 6}}, 24, {});
  read({{0, 0}, {4, 6}}, 6, {3, 2});
  EXPECT_THROW(read({{0, 0}, {4, 6}}, 23, {}), ts::shape_error);
  EXPECT_THROW(read({{0, 0}, {4, 7}}, 24, {}), ts::shape_error);
  EXPECT_THROW(read({{-1, 0}, {3, 6}}, 24, {}), ts::shape_error);
  EXPECT_THROW(read({{2, 0}, {1, 6}}, 0, {}), ts::shape_error);
  EXPECT_THROW(read({{0}, {4}}, 4, {}), ts::shape_error);
  EXPECT_THROW(read({{0, 0}, {4, 6}}, 24, {1, 0}), ts::shape_error);
  EXPECT_THROW(read({{0, 0}, {4, 6}}, 24, {1}), ts::shape_error);
}

TEST(ZarrArray, RefusesChunksThatItsCodecCannotHold) {
  const ts::zarr_metadata metadata{.shape = {1 << 30}, .chunks = {1 << 30}};
  EXPECT_THAT(
      refusal_of<ts::zarr_error>([&] { (void)ts::zarr_array::create(in_memory(), "", metadata); }),
      AllOf(HasSubstr("blosc"), HasSubstr("smaller chunks")));
}

// A chunk may be of any size in the metadata of a hostile file: nothing is allocated for it.
TEST(ZarrArray, OpensWhatItCouldNeverHold) {
  const auto store = in_memory();
  put(*store, ".zarray", R"({"zarr_format": 2, "shape": [1000000000000000000],
      "chunks": [1000000000000000000], "dtype": "|u1", "compressor": null, "fill_value": 0,
      "order": "C", "filters": null})");
  EXPECT_EQ(ts::zarr_array::open(store, "").decoded_bytes(), 1000000000000000000U);
}

TEST(ZarrArray, CreatesTheGroupsAboveIt) {
  const auto store = in_memory();
  (void)ts::zarr_array::create(store, "/a//b/c/", plain_int32({1}, {1}), {{"units", "K"}});
  EXPECT_THAT(store->list(""),
              ElementsAre(".zgroup", "a/.zgroup", "a/b/.zgroup", "a/b/c/.zarray", "a/b/c/.zattrs"));
  EXPECT_EQ(ts::zarr_array::open(store, "a/b/c").attributes().get<std::string>("units"), "K");
  EXPECT_THAT(refusal_of<ts::zarr_error>(
                  [&] { (void)ts::zarr_array::create(store, "a/b/c/d/e", plain_int32({1}, {1})); }),
              AllOf(HasSubstr("memory/a/b/c/d/e"), HasSubstr("memory/a/b/c is an array")));
}

TEST(ZarrArray, IsNotCreatedInsideOfAnotherWhateverTheStore) {
  const ts::testing::temporary_directory directory;
  (void)ts::zarr_array::create(directory / "a", plain_int32({1}, {1}));
  const auto refused = AllOf(HasSubstr(directory / "a/b/c"), HasSubstr((directory / "a") + " is"));
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] {
                (void)ts::zarr_array::create(directory / "a/b/c", plain_int32({1}, {1}));
              }),
              refused);
  EXPECT_THAT(
      refusal_of<ts::zarr_error>([&] { (void)ts::zarr_group::create(directory / "a/b/c"); }),
      refused);
}

TEST(ZarrArray, OfTooManyElementsIsRefused) {
  const auto store = in_memory();
  const ts::index_t half = 4294967296;
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] {
                (void)ts::zarr_array::create(store, "x", plain_int32({half, half}, {1, 1}));
              }),
              AllOf(HasSubstr("(4294967296, 4294967296)"), HasSubstr("2^63 - 1 elements")));
  EXPECT_FALSE(store->exists("x/.zarray"));
  const auto array = ts::zarr_array::create(store, "x", plain_int32({half, 1}, {1, 1}));
  EXPECT_THROW((void)array.resize(ts::index_vector{half, half}), ts::error);
}

TEST(ZarrArray, ReplacesAnArrayOnlyWhenAsked) {
  const auto store = in_memory();
  write_iota(ts::zarr_array::create(store, "x", plain_int32({4}, {2}), {{"old", true}}), {1}, 5);
  EXPECT_THAT(refusal_of<ts::zarr_error>(
                  [&] { (void)ts::zarr_array::create(store, "x", plain_int32({4}, {2})); }),
              AllOf(HasSubstr("memory/x"), HasSubstr("replace")));
  const auto array =
      ts::zarr_array::create(store, "x", plain_int32({4}, {2}), {}, ts::existing::replace);
  EXPECT_THAT(read_all(array), Each(-1)) << "a chunk of the old array is still there";
  EXPECT_TRUE(ts::zarr_array::open(store, "x").attributes().empty());
  (void)ts::zarr_group::create(store, "g");
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] {
                (void)ts::zarr_array::create(store, "g", plain_int32({1}, {1}), {},
                                             ts::existing::replace);
              }),
              HasSubstr("a group is there"));
}

TEST(ZarrArray, LeavesNoConsolidatedMetadataThatIsNotTrue) {
  const auto store = in_memory();
  for (const char* key : {".zmetadata", "a/.zmetadata", "b/.zmetadata"}) put(*store, key, "{}");
  (void)ts::zarr_array::create(store, "a/x", plain_int32({1}, {1}));
  EXPECT_FALSE(store->exists(".zmetadata"));
  EXPECT_FALSE(store->exists("a/.zmetadata"));
  EXPECT_TRUE(store->exists("b/.zmetadata"));
}

TEST(ZarrArray, NamesItsDimensionsWhereTheyFit) {
  const auto store = in_memory();
  const auto named = [&](ts::attribute_value names) {
    return ts::zarr_array::create(store, "x", plain_int32({1, 1}, {1, 1}),
                                  {{"_ARRAY_DIMENSIONS", std::move(names)}}, ts::existing::replace)
        .dimension_names();
  };
  EXPECT_THAT(named(std::vector<std::string>{"y", "x"}), ElementsAre("y", "x"));
  EXPECT_THAT(named(std::vector<std::string>{"x"}), ElementsAre());
  EXPECT_THAT(named(std::string("xy")), ElementsAre());
}

TEST(ZarrArray, ErrorsOfOpeningNamePathAndCause) {
  const auto store = in_memory();
  (void)ts::zarr_group::create(store, "g");
  const auto open = [&](const char* path) {
    return refusal_of<ts::zarr_error>([&] { (void)ts::zarr_array::open(store, path); });
  };
  EXPECT_THAT(open("nothing"),
              AllOf(HasSubstr("memory/nothing"), HasSubstr("neither zarr.json nor .zarray")));
  EXPECT_THAT(open("g"), HasSubstr("it is a group"));
  put(*store, "bad/.zarray", "{}");
  EXPECT_THAT(open("bad"), AllOf(HasSubstr("memory/bad"), HasSubstr("\"zarr_format\"")));
  EXPECT_THAT(open("../etc"), HasSubstr("\"..\""));
  (void)ts::zarr_array::create(store, "x", plain_int32({1}, {1}));
  put(*store, "x/.zattrs", "{");
  const auto array = ts::zarr_array::open(store, "x");
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { (void)array.attributes().empty(); }),
              HasSubstr("memory/x/.zattrs: "));
}

TEST(ZarrArray, BelongsToTheStoreThatADirectoryIsIn) {
  const temporary_directory directory;
  const auto array = ts::zarr_array::create(directory / "sub/run.zarr/u", plain_int32({2}, {2}));
  EXPECT_EQ(array.path(), "u");
  EXPECT_EQ(array.name(), directory / "sub/run.zarr/u");
  EXPECT_TRUE(std::filesystem::exists(directory / "sub/run.zarr/.zgroup"));
  EXPECT_FALSE(std::filesystem::exists(directory / "sub/.zgroup"));
  EXPECT_FALSE(std::filesystem::exists(directory / ".zgroup"));
  const auto lone = ts::zarr_array::create(directory / "lone", plain_int32({2}, {2}));
  EXPECT_EQ(lone.path(), "");
  write_iota(lone, {0}, 3);
  EXPECT_THAT(read_all(ts::zarr_array::open(directory / "lone/")), ElementsAre(3, 4));
  (void)ts::zarr_group::create(directory / "top/inner");
  (void)ts::zarr_group::create(directory / "top");
  EXPECT_EQ(ts::zarr_array::create(directory / "top/inner/x", plain_int32({1}, {1})).path(),
            "inner/x");
}

}  // namespace
