// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/zarr/support.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using namespace ts::testing::zarr;

/// Reads a box of an array of elements of type `T`.
template <class T>
std::vector<T> read(const ts::zarr_array& array, const ts::region& box) {
  std::vector<T> values(static_cast<std::size_t>(box.num_elements()));
  ts::chunk_buffers buffers(array);
  array.read_region(box, std::as_writable_bytes(std::span(values)), buffers.decoded(),
                    buffers.encoded());
  return values;
}

template <class T>
std::vector<T> read(const ts::zarr_array& array) {
  return read<T>(array, ts::region::whole(array.shape()));
}

// A record of 13 bytes: no field but the first is aligned. As numpy.array([(1, [1.5, -2], b"ab"),
// (258, [0, 3], b"xyz"), ...], [("x", "<i2"), ("y", ">f4", 2), ("z", "S3")]).tobytes() gives it.
struct RecordField : ::testing::Test {
  std::shared_ptr<ts::memory_store> store = in_memory();

  void SetUp() override {
    put(*store, "r/.zarray", R"({"zarr_format": 2, "shape": [4], "chunks": [2],
        "dtype": [["x", "<i2"], ["y", ">f4", [2]], ["z", "|S3"]], "compressor": null,
        "fill_value": null, "order": "C", "filters": null})");
    using namespace std::string_view_literals;
    put(*store, "r/0",
        "\1\0\x3F\xC0\0\0\xC0\0\0\0ab\0"
        "\2\1\0\0\0\0\x40\x40\0\0xyz"sv);
  }
};

TEST_F(RecordField, IsAnArrayOfItsOwn) {
  const auto array = ts::zarr_array::open(store, "r").with({.missing = ts::missing_chunks::fill});
  const auto x = array.field("x");
  EXPECT_EQ(x.dtype(), ts::dtype::int16);
  EXPECT_EQ(x.decoded_bytes(), 4U);
  EXPECT_EQ(x.encoded_bound(), 26U);
  EXPECT_THAT(read<std::int16_t>(x), ElementsAre(1, 258, 0, 0));
  EXPECT_THAT(read<std::int16_t>(x, {{1}, {3}}), ElementsAre(258, 0));
  const auto y = array.field("y");
  EXPECT_EQ(y.shape(), (ts::index_vector{4, 2}));
  EXPECT_THAT(read<float>(y), ElementsAre(1.5F, -2.0F, 0.0F, 3.0F, 0.0F, 0.0F, 0.0F, 0.0F));
  EXPECT_THAT(read<float>(y, {{0, 1}, {2, 2}}), ElementsAre(-2.0F, 3.0F));
  using letters = std::array<char, 3>;
  EXPECT_THAT(read<letters>(array.field("z"), {{1}, {2}}), ElementsAre(letters{'x', 'y', 'z'}));
  EXPECT_EQ(y.chunk_key(ts::index_vector{1, 0}), "r/1");
  EXPECT_TRUE(y.has_chunk(ts::index_vector{0, 0}));
}

TEST_F(RecordField, CannotBeWrittenOrMissing) {
  const auto array = ts::zarr_array::open(store, "r");
  const auto x = array.field("x");
  ts::chunk_buffers buffers(x);
  const std::vector<std::int16_t> values = {1, 2};
  const auto bytes = std::as_bytes(std::span(values));
  EXPECT_THROW(x.write_chunk(ts::index_vector{0}, bytes.data(), buffers.encoded()), ts::zarr_error);
  EXPECT_THROW(x.write_region({{0}, {2}}, bytes, buffers.decoded(), buffers.encoded()),
               ts::zarr_error);
  EXPECT_THROW((void)x.resize(ts::index_vector{1}), ts::zarr_error);
  EXPECT_THROW((void)array.field("w"), ts::zarr_error);
  EXPECT_THROW((void)x.field("x"), ts::zarr_error);
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] {
                (void)read<std::int16_t>(x.with({.missing = ts::missing_chunks::error}));
              }),
              HasSubstr("r/1"));
}

TEST_F(RecordField, OfAFieldInColumnsIsFoundToo) {
  // Records of 3 bytes in columns: a byte, and a record of a big-endian number.
  put(*store, "n/.zarray", R"({"zarr_format": 2, "shape": [2, 3], "chunks": [2, 2],
      "dtype": [["a", "|u1"], ["b", [["c", ">u2"]]]], "compressor": {"id": "zlib", "level": 1},
      "fill_value": "Bw8P", "order": "F", "filters": null})");
  const auto array = ts::zarr_array::open(store, "n");
  std::vector<std::byte> records;
  for (const int i : {0, 1, 2, 3}) {
    // Row-major, in this machine's order, as write_chunk takes them.
    records.push_back(static_cast<std::byte>(i));
    const auto number = static_cast<std::uint16_t>(256 + i);
    const auto bytes = std::as_bytes(std::span(&number, 1));
    records.insert(records.end(), bytes.begin(), bytes.end());
  }
  ts::chunk_buffers buffers(array);
  array.write_chunk(ts::index_vector{0, 0}, records.data(), buffers.encoded(), buffers.decoded());
  EXPECT_THAT(read<std::uint8_t>(array.field("a")), ElementsAre(0, 1, 7, 2, 3, 7));
  const auto c = array.field("b").field("c");
  EXPECT_THAT(read<std::uint16_t>(c), ElementsAre(256, 257, 0x0F0F, 258, 259, 0x0F0F));
  EXPECT_THAT(read<std::uint16_t>(c, {{1, 0}, {2, 2}}), ElementsAre(258, 259));
}

}  // namespace
