// SPDX-License-Identifier: Apache-2.0

/// \file
/// Records, times and strings in the language. NumPy gives these bytes for [(1, (1.5, -2), (1, 2,
/// 3), b"ab"), (258, (0.25, 3), (4, 5, 6), b"xyz"), ...].tobytes().

#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

using namespace std::string_view_literals;

void put(key_value_store& store, const std::string& key, std::string_view text) {
  store.write(key, std::as_bytes(std::span(text)));
}

/// Three records in chunks of two.
std::shared_ptr<memory_store> records() {
  const auto store = std::make_shared<memory_store>();
  put(*store, "r/.zarray", R"({"zarr_format": 2, "shape": [3], "chunks": [2],
      "dtype": [["x", "<i2"], ["pos", [["u", ">f4"], ["v", "<f8"]]], ["rgb", "|u1", [3]],
                ["name", "|S3"]],
      "compressor": null, "fill_value": null, "order": "C", "filters": null})");
  put(*store, "r/0",
      "\x01\x00\x3f\xc0\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc0\x01\x02\x03\x61\x62\x00"
      "\x02\x01\x3e\x80\x00\x00\x00\x00\x00\x00\x00\x00\x08\x40\x04\x05\x06\x78\x79\x7a"sv);
  put(*store, "r/1",
      "\xfd\xff\x40\x80\x00\x00\x00\x00\x00\x00\x00\x00\x16\x40\x07\x08\x09\x71\x00\x00"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv);
  return store;
}

/// A day, "not a time" and another day: of `type`.
std::shared_ptr<memory_store> times(const std::string& type) {
  const auto store = std::make_shared<memory_store>();
  put(*store, "t/.zarray",
      R"({"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": ")" + type +
          R"(", "compressor": null, "fill_value": null, "order": "C",
                                   "filters": null})");
  put(*store, "t/0",
      "\xcd\x2a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80"
      "\x91\x47\x00\x00\x00\x00\x00\x00"sv);
  return store;
}

TEST(Field, OfRecordsIsAnArray) {
  const auto store = records();
  EXPECT_EQ((open<std::int16_t, 1>(store, "r", field("x")).compute()),
            (ndarray<std::int16_t, 1>::of({1, 258, -3})));
  const auto u = open<float, 1>(store, "r", field("pos.u"));
  const auto v = open<double, 1>(store, "r", field("pos.v"));
  EXPECT_EQ((u * v).compute(), (ndarray<double, 1>::of({-3, 0.75, 22})));
  EXPECT_EQ(v(slice(1, 3)).compute(), (ndarray<double, 1>::of({3, 5.5})));
  EXPECT_EQ(sum(open<std::uint8_t, 2>(store, "r", field("rgb")), axis<0>).compute(),
            (ndarray<std::uint64_t, 1>::of({12, 15, 18})));
}

TEST(Field, OfOneTypeIsNotTakenForAnother) {
  const auto store = std::make_shared<memory_store>();
  put(*store, "r/.zarray", R"({"zarr_format": 2, "shape": [2], "chunks": [2],
      "dtype": [["x", "|u1"], ["y", "|u1"]], "compressor": null, "fill_value": null,
      "order": "C", "filters": null})");
  put(*store, "r/0", "\x01\x0a\x02\x14"sv);
  const auto x = open<std::uint8_t, 1>(store, "r", field("x"));
  const auto y = open<std::uint8_t, 1>(store, "r", field("y"));
  const auto [xs, ys] = plan(sum(x), sum(y)).compute();
  EXPECT_EQ(xs(), 3U);
  EXPECT_EQ(ys(), 30U);
}

TEST(Field, IsStoredAsAnArrayOfItsOwn) {
  const auto memory = records();
  store(open<float, 1>(memory, "r", field("pos.u")), memory, "u");
  EXPECT_EQ((open<float, 1>(memory, "u").compute()), (ndarray<float, 1>::of({1.5F, 0.25F, 4})));
}

TEST(Field, FollowsTheOptions) {
  const auto store = records();
  store->erase("r/1");
  const auto filled =
      open<std::int16_t, 1>(store, "r", field("x"), {.missing = missing_chunks::fill});
  EXPECT_EQ(filled.compute(), (ndarray<std::int16_t, 1>::of({1, 258, 0})));
  const auto strict =
      open<std::int16_t, 1>(store, "r", field("x"), {.missing = missing_chunks::error});
  test::expect_error<error>([&] { static_cast<void>(strict.compute()); }, {"r/1"});
  const auto usual = open<std::int16_t, 1>(store, "r", field("x"));
  test::expect_error<error>([&] { static_cast<void>(usual.compute()); }, {"r/1", "no fill value"});
}

TEST(Field, ThatIsNotThereIsAnErrorWithThoseThatAre) {
  const auto store = records();
  test::expect_error<zarr_error>(
      [&] { static_cast<void>(open<float, 1>(store, "r", field("pos.w"))); },
      {"\"pos.w\"", "\"x\" (int16)", "\"pos.u\" (float32)", "\"rgb\" (uint8)", "\"name\""});
  test::expect_error<zarr_error>(
      [&] { static_cast<void>(open<float, 1>(store, "r", field("pos."))); }, {"\"pos.\""});
  put(*store, "plain/.zarray", R"({"zarr_format": 2, "shape": [3], "chunks": [2], "dtype": "<i2",
      "compressor": null, "fill_value": null, "order": "C", "filters": null})");
  test::expect_error<zarr_error>(
      [&] { static_cast<void>(open<float, 1>(store, "plain", field("x"))); },
      {"int16", "\"x\"", "without a field"});
}

TEST(Field, OfAnotherTypeOrRankIsAnErrorWithBoth) {
  const auto store = records();
  test::expect_error<dtype_error>(
      [&] { static_cast<void>(open<double, 1>(store, "r", field("pos.u"))); },
      {"r.pos.u", "float32", "float64"});
  test::expect_error<shape_error>(
      [&] { static_cast<void>(open<std::uint8_t, 1>(store, "r", field("rgb"))); },
      {"r.rgb", "(3, 3)", "rank 1"});
  test::expect_error<dtype_error>(
      [&] { static_cast<void>(open<double, 1>(store, "r", field("pos"))); },
      {"r.pos", "records", "\"u\" (float32)", "tessera::field"});
  test::expect_error<dtype_error>(
      [&] { static_cast<void>(open<double, 1>(store, "r", field("name"))); },
      {"r.name", "|S3", "open_any"});
}

TEST(Field, CountsTheChunkOfRecordsInTheMemoryOfATask) {
  const auto store = records();
  // A chunk of 40 B of records, and 4 B of the field that is kept of them.
  const auto planned = plan(open<std::int16_t, 1>(store, "r", field("x")) + std::int16_t{1});
  EXPECT_GE(planned.projected_memory().count(), 44U);
  const spec narrow{.allowed_memory = bytes{43}};
  test::expect_error<memory_error>(
      [&] {
        static_cast<void>(plan(open<std::int16_t, 1>(store, "r", field("x"), {.spec = narrow}) +
                               std::int16_t{1}));
      },
      {"43"});
  // A field that is only copied into memory goes there from the chunk, without a buffer of its own.
  const spec narrower{.allowed_memory = bytes{39}};
  test::expect_error<memory_error>(
      [&] {
        static_cast<void>(plan(open<std::int16_t, 1>(store, "r", field("x"), {.spec = narrower})));
      },
      {"39"});
}

TEST(Records, AreNoArrayOfNumbers) {
  test::expect_error<dtype_error>([] { static_cast<void>(open<double, 1>(records(), "r")); },
                                  {"records", "float64", "\"pos.v\" (float64)", "tessera::field"});
}

TEST(Records, AreCopiedAsTheyAre) {
  const auto memory = records();
  put(*memory, "r/.zattrs", R"({"units": "K"})");
  const any_array copy = store(open_any(memory, "r"), memory, "copy");
  EXPECT_EQ(copy.metadata(), open_any(memory, "r").metadata());
  EXPECT_EQ(copy.attributes().get<std::string>("units"), "K");
  for (const std::string chunk : {"0", "1"}) {
    std::vector<std::byte> original(40);
    std::vector<std::byte> copied(41);
    ASSERT_EQ(memory->read("r/" + chunk, original), 40U);
    ASSERT_EQ(memory->read("copy/" + chunk, copied), 40U);
    copied.resize(40);
    EXPECT_EQ(copied, original) << chunk;
  }
  EXPECT_EQ((open_any(memory, "copy").field(field("pos.v")).as<double, 1>().compute()),
            (ndarray<double, 1>::of({-2, 3, 5.5})));
}

TEST(Records, AreCopiedWithinTheAllowedMemory) {
  const auto memory = records();
  // A task holds the 40 B of a chunk, and as many in which its bytes are swapped, from byte 64 on.
  store(open_any(memory, "r", {.spec = spec{.allowed_memory = bytes{104}}}), memory, "fits");
  EXPECT_TRUE(memory->exists("fits/1"));
  const any_array large = open_any(memory, "r", {.spec = spec{.allowed_memory = bytes{103}}});
  test::expect_error<memory_error>([&] { store(large, memory, "copy"); },
                                   {"\"r\"", "104 B", "103 B"});
  EXPECT_FALSE(memory->exists("copy/.zarray"));
}

TEST(Records, AreCopiedOverThemselves) {
  const auto memory = records();
  store(open_any(memory, "r"), memory, "r");
  EXPECT_EQ((open<std::int16_t, 1>(memory, "r", field("x")).compute()),
            (ndarray<std::int16_t, 1>::of({1, 258, -3})));
}

TEST(Records, AreNotVisited) {
  test::expect_error<dtype_error>([] { visit(open_any(records(), "r"), [](const auto&) {}); },
                                  {"memory/r", "no numbers", "field"});
}

TEST(Copies, KeepDataTypeAndFillValueWhateverTheOptionsSay) {
  const test::scratch_directory folder;
  const auto memory = times(">M8[D]");
  store(open_any(memory, "t"), folder / "copy", {.chunks = {2}, .compressor = codec::none{}});
  const any_array copy = open_any(folder / "copy");
  EXPECT_EQ(copy.metadata().dtype, open_any(memory, "t").metadata().dtype);
  EXPECT_EQ(copy.chunks(), index_vector{2});
  EXPECT_EQ((copy.as<std::int64_t, 1>().compute()), (open<std::int64_t, 1>(memory, "t").compute()));
}

TEST(Copies, TakeOnlyFillValuesThatElementsCanHave) {
  const test::scratch_directory folder;
  const any_array source = open_any(records(), "r");
  test::expect_error<value_error>([&] { store(source, folder / "copy", {.fill_value = 7}); },
                                  {"fill value", "records"});
}

TEST(Times, AreNumbersOfTheirUnits) {
  const auto store = times("<M8[D]");
  const auto days = open<std::int64_t, 1>(store, "t");
  EXPECT_EQ(days.compute(), (ndarray<std::int64_t, 1>::of({10957, not_a_time, 18321})));
  EXPECT_EQ(stored_type(days).kind(), data_kind::datetime);
  EXPECT_EQ(stored_type(days).unit(), "D");
  test::expect_error<value_error>([&] { static_cast<void>(stored_type(array(days + 1))); },
                                  {"not a stored array"});
}

TEST(Times, AreOpenedAsNothingElse) {
  test::expect_error<dtype_error>([] { static_cast<void>(open<double, 1>(times("<M8[D]"), "t")); },
                                  {"datetime64[D]", "float64", "as int64"});
  test::expect_error<dtype_error>(
      [] { static_cast<void>(open<std::int32_t, 1>(times("<m8[10us]"), "t")); },
      {"timedelta64[10us]", "int32", "as int64"});
}

}  // namespace
}  // namespace tessera
