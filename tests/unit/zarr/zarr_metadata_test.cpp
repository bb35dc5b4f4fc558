// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_metadata.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_v2.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace ts = tessera;

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A `.zarray` in which one member has another value; an empty value leaves the member out.
std::string with(const std::string& name, const std::string& value) {
  const std::pair<const char*, const char*> members[] = {
      {"zarr_format", "2"},   {"shape", "[10, 20]"}, {"chunks", "[5, 6]"}, {"dtype", "\"<f8\""},
      {"compressor", "null"}, {"fill_value", "0"},   {"order", "\"C\""},   {"filters", "null"}};
  std::string text;
  bool is_known = false;
  for (const auto& [known, usual] : members) {
    const std::string chosen = known == name ? value : usual;
    is_known = is_known || known == name;
    if (!chosen.empty())
      text += (text.empty() ? "\"" : ", \"") + std::string(known) + "\": " + chosen;
  }
  if (!is_known) text += ", \"" + name + "\": " + value;
  return "{" + text + "}";
}

ts::zarr_metadata parsed(const std::string& name, const std::string& value) {
  return ts::zarr_metadata::parse(with(name, value));
}

std::string refusal_of_text(const std::string& text) {
  try {
    (void)ts::zarr_metadata::parse(text);
  } catch (const ts::zarr_error& failure) {
    return failure.what();
  }
  return "accepted";
}

std::string refusal_of(const std::string& name, const std::string& value) {
  return refusal_of_text(with(name, value));
}

/// The element that `fill` stands for in an array of the dtype of `T`.
template <class T>
T fill_of(const std::string& code, const std::string& fill) {
  std::string text = with("fill_value", fill);
  text.replace(text.find("<f8"), 3, code);
  return ts::zarr_metadata::parse(text).fill_value.value().as<T>();
}

std::string refusal_of_fill(const std::string& code, const std::string& fill) {
  std::string text = with("fill_value", fill);
  text.replace(text.find("<f8"), 3, code);
  return refusal_of_text(text);
}

TEST(ZarrMetadata, ReadsWhatTheSpecificationShows) {
  const auto metadata = ts::zarr_metadata::parse(R"({
    "chunks": [1000, 1000],
    "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1},
    "dtype": "<f8", "fill_value": "NaN", "filters": null, "order": "F",
    "shape": [10000, 10000], "zarr_format": 2, "dimension_separator": "/"})");
  EXPECT_EQ(metadata.shape, (ts::index_vector{10000, 10000}));
  EXPECT_EQ(metadata.chunks, (ts::index_vector{1000, 1000}));
  EXPECT_EQ(metadata.dtype, ts::dtype::float64);
  EXPECT_EQ(metadata.compressor, ts::codec::blosc{});
  EXPECT_TRUE(std::isnan(metadata.fill_value->as<double>()));
  EXPECT_EQ(metadata.order, 'F');
  EXPECT_EQ(metadata.dimension_separator, '/');
  EXPECT_EQ(metadata.dtype.byte_order(), std::endian::little);
}

TEST(ZarrMetadata, GivesBackWhatItWrote) {
  for (const char order : {'C', 'F'}) {
    for (const char separator : {'.', '/'}) {
      const ts::zarr_metadata written{.shape = {0, 7, 1'000'000'000'000},
                                      .chunks = {1, 3, 1},
                                      .dtype = ts::dtype::int16,
                                      .compressor = ts::codec::zlib{.level = 3},
                                      .fill_value = ts::element_bytes(std::int16_t{-5}),
                                      .order = order,
                                      .dimension_separator = separator};
      EXPECT_EQ(ts::zarr_metadata::parse(written.to_json()), written);
    }
  }
  const ts::zarr_metadata scalar{.compressor = ts::codec::none{}, .fill_value = std::nullopt};
  EXPECT_EQ(ts::zarr_metadata::parse(scalar.to_json()), scalar);
}

// NumPy: np.zeros((2, 3, 4), order=...).strides, and np.zeros((4, 2, 3)).transpose(1, 2,
// 0).strides, divided by the itemsize.
TEST(ChunkLayout, HasTheStridesOfNumPy) {
  const ts::index_vector extents{2, 3, 4};
  EXPECT_EQ(ts::chunk_layout().strides(extents), (ts::index_vector{12, 4, 1}));
  EXPECT_EQ(ts::chunk_layout('F').strides(extents), (ts::index_vector{1, 2, 6}));
  EXPECT_EQ(ts::chunk_layout(ts::index_vector{2, 0, 1}).strides(extents),
            (ts::index_vector{3, 1, 6}));
  EXPECT_EQ(ts::chunk_layout('F').strides({}), ts::index_vector());
}

TEST(ChunkLayout, OfAPermutationHasANameIfThereIsOne) {
  EXPECT_EQ(ts::chunk_layout(ts::index_vector{0, 1, 2}), 'C');
  EXPECT_EQ(ts::chunk_layout(ts::index_vector{2, 1, 0}), 'F');
  EXPECT_EQ(ts::chunk_layout(ts::index_vector{0}), 'C');
  const ts::chunk_layout rotated(ts::index_vector{1, 2, 0});
  EXPECT_EQ(rotated.name(), '\0');
  EXPECT_EQ(rotated.axes(3), (ts::index_vector{1, 2, 0}));
  EXPECT_TRUE(rotated.fits(3));
  EXPECT_FALSE(rotated.fits(2));
  EXPECT_THROW(ts::chunk_layout(ts::index_vector{0, 0}), ts::zarr_error);
  EXPECT_THROW(ts::chunk_layout(ts::index_vector{0, 2}), ts::zarr_error);
}

TEST(ZarrV2, GivesItsEncodingToMetadata) {
  const ts::zarr_v2 encoding{
      .compressor = ts::codec::zlib{.level = 3}, .order = 'F', .separator = '/'};
  ts::zarr_metadata metadata{.shape = {4}, .chunks = {2}};
  encoding.apply(metadata);
  EXPECT_EQ(metadata, (ts::zarr_metadata{.shape = {4},
                                         .chunks = {2},
                                         .compressor = ts::codec::zlib{.level = 3},
                                         .order = 'F',
                                         .dimension_separator = '/'}));
  EXPECT_EQ(ts::zarr_v2::of(metadata), encoding);
}

// The specification of version 2 has no member for them.
TEST(ZarrMetadata, RefusesWhatVersion2CannotState) {
  const auto refusal = [](const ts::zarr_metadata& metadata) {
    try {
      metadata.validate();
    } catch (const ts::zarr_error& failure) {
      return std::string(failure.what());
    }
    return std::string("accepted");
  };
  const ts::zarr_metadata base{.shape = {4, 6, 2}, .chunks = {2, 3, 2}};
  ts::zarr_metadata metadata = base;
  metadata.shards = {4, 6, 2};
  EXPECT_THAT(refusal(metadata), HasSubstr("shards of (4, 6, 2)"));
  metadata = base;
  metadata.dimension_names = {"x", std::nullopt, "z"};
  EXPECT_THAT(refusal(metadata), HasSubstr("_ARRAY_DIMENSIONS"));
  metadata = base;
  metadata.key_style = ts::chunk_key_style::prefixed;
  EXPECT_THAT(refusal(metadata), HasSubstr("keys of chunks"));
  metadata = base;
  metadata.order = ts::chunk_layout(ts::index_vector{1, 2, 0});
  EXPECT_THAT(refusal(metadata), HasSubstr("\"order\""));
  metadata = base;
  metadata.format = 4;
  EXPECT_THAT(refusal(metadata), HasSubstr("\"zarr_format\" must be 2, found 4"));
}

TEST(ZarrMetadata, ReadsEachKindOfDtype) {
  EXPECT_EQ(parsed("dtype", "\"|b1\"").dtype, ts::dtype::boolean);
  EXPECT_EQ(parsed("dtype", "\">f4\"").dtype, ts::data_type(ts::dtype::float32, std::endian::big));
  EXPECT_EQ(parsed("dtype", "\"<f4\"").dtype, ts::dtype::float32);
  const std::string time = with("dtype", "\"<M8[ns]\"");
  EXPECT_EQ(ts::zarr_metadata::parse(time).dtype, ts::data_type::datetime64("ns"));
}

// The codec of objects decides whether another program can read them.
TEST(ZarrMetadata, NamesTheCodecOfObjects) {
  std::string text = with("filters", R"([{"id": "vlen-utf8"}])");
  text.replace(text.find("<f8"), 3, "|O");
  EXPECT_THAT(refusal_of_text(text), AllOf(HasSubstr("\"dtype\""), HasSubstr("vlen-utf8")));
  EXPECT_THAT(refusal_of("dtype", "\"|O\""), HasSubstr("no filter"));
}

TEST(ZarrMetadata, ReadsFillValuesOfFloats) {
  EXPECT_EQ(fill_of<double>("<f8", "1.5"), 1.5);
  EXPECT_EQ(fill_of<double>("<f8", "3"), 3.0);
  EXPECT_EQ(fill_of<double>("<f8", "\"2.5e3\""), 2500.0);
  EXPECT_TRUE(std::isnan(fill_of<float>("<f4", "\"NaN\"")));
  EXPECT_TRUE(std::isnan(fill_of<double>("<f8", "NaN")));
  EXPECT_EQ(fill_of<double>("<f8", "\"Infinity\""), std::numeric_limits<double>::infinity());
  EXPECT_EQ(fill_of<float>("<f4", "-Infinity"), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(fill_of<double>("<f8", "-0.0")));
  // zarr-python writes this for numpy.float32(1e20).
  EXPECT_EQ(fill_of<float>("<f4", "1.0000000200408773e+20"), 1e20F);
  EXPECT_EQ(fill_of<double>("<f8", "5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(fill_of<std::uint16_t>("<f2", "0.1"), 0x2e66);
  EXPECT_EQ(fill_of<std::uint16_t>("<f2", "\"-Infinity\""), 0xfc00);
  EXPECT_EQ(fill_of<ts::complex64>("<c8", "[1.5, \"Infinity\"]"),
            ts::complex64(1.5F, std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(std::signbit(fill_of<ts::complex128>("<c16", "[-0.0, 0.0]").real()));
  EXPECT_THAT(refusal_of_fill("<f2", "65520.0"), HasSubstr("float16"));
  EXPECT_THAT(refusal_of_fill("<c8", "[1.0]"), HasSubstr("complex64"));
  EXPECT_THAT(refusal_of_fill("<f4", "1e39"), HasSubstr("\"fill_value\""));
  EXPECT_THAT(refusal_of_fill("<f8", "\"nan?\""), HasSubstr("\"fill_value\""));
  EXPECT_THAT(refusal_of_fill("<f8", "true"), HasSubstr("float64"));
  EXPECT_THAT(refusal_of_fill("<f8", "[0, 0]"), HasSubstr("[0,0]"));
}

// z5 wrote 0.0 for integers, n5-zarr "0".
TEST(ZarrMetadata, ReadsFillValuesOfIntegers) {
  EXPECT_EQ(fill_of<std::uint64_t>("<u8", "18446744073709551615"), 18446744073709551615ULL);
  EXPECT_EQ(fill_of<std::uint64_t>("<u8", "\"18446744073709551615\""), 18446744073709551615ULL);
  EXPECT_EQ(fill_of<std::int64_t>("<i8", "-9223372036854775808"),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(fill_of<std::int64_t>("<i8", "9007199254740993"), 9007199254740993);
  EXPECT_EQ(fill_of<std::int8_t>("|i1", "0.0"), 0);
  EXPECT_EQ(fill_of<std::int8_t>("|i1", "-100"), -100);
  EXPECT_EQ(fill_of<std::int32_t>("<i4", "\"-7\""), -7);
  EXPECT_EQ(fill_of<std::int32_t>("<i4", "-2147483648.0"), -2147483647 - 1);
  for (const char* fill : {"128", "-129", "1.5", "\"NaN\"", "NaN", "\"1.0\"", "\"\"", "\"1 \"",
                           "18446744073709551615", "1e30", "true"}) {
    EXPECT_THAT(refusal_of_fill("|i1", fill), HasSubstr("int8")) << fill;
  }
  EXPECT_THAT(refusal_of_fill("<u8", "-1"), HasSubstr("uint64"));
  EXPECT_THAT(refusal_of_fill("<u8", "18446744073709551616"), HasSubstr("uint64"));
  EXPECT_THAT(refusal_of_fill("<i8", "9223372036854775808"), HasSubstr("int64"));
}

TEST(ZarrMetadata, ReadsFillValuesOfBooleans) {
  EXPECT_TRUE(fill_of<bool>("|b1", "true"));
  EXPECT_FALSE(fill_of<bool>("|b1", "0"));
  EXPECT_TRUE(fill_of<bool>("|b1", "1"));
  EXPECT_THAT(refusal_of_fill("|b1", "2"), HasSubstr("bool"));
  EXPECT_THAT(refusal_of_fill("|b1", "\"true\""), HasSubstr("bool"));
}

TEST(ZarrMetadata, WritesFloatsByTheirShortestDigits) {
  const auto text_of = [](auto value) {
    return ts::zarr_metadata{.dtype = ts::dtype_of<decltype(value)>,
                             .fill_value = ts::element_bytes(value)}
        .to_json();
  };
  EXPECT_THAT(text_of(0.1F), HasSubstr("\"fill_value\": 0.1,"));
  EXPECT_THAT(text_of(1.0), HasSubstr("\"fill_value\": 1.0,"));
  EXPECT_THAT(text_of(-0.0), HasSubstr("\"fill_value\": -0.0,"));
  EXPECT_THAT(text_of(std::nan("")), HasSubstr("\"fill_value\": \"NaN\","));
  EXPECT_THAT(text_of(-HUGE_VALF), HasSubstr("\"fill_value\": \"-Infinity\","));
  EXPECT_THAT(text_of(true), HasSubstr("\"fill_value\": true,"));
  EXPECT_THAT(text_of(std::numeric_limits<std::uint64_t>::max()),
              HasSubstr("\"fill_value\": 18446744073709551615,"));
}

TEST(ZarrMetadata, ToleratesWhatOccursInTheWild) {
  EXPECT_EQ(parsed("fill_value", "").fill_value, std::nullopt);
  EXPECT_EQ(parsed("fill_value", "null").fill_value, std::nullopt);
  EXPECT_EQ(parsed("filters", "[]").shape.size(), 2U);
  EXPECT_EQ(parsed("filters", "").shape.size(), 2U);
  // A member of zstd's that TensorStore and zarrs refuse; one of blosc's likewise.
  EXPECT_EQ(parsed("compressor", R"({"id": "blosc", "typesize": 8})").compressor,
            ts::codec::blosc{});
}

TEST(ZarrMetadata, KeepsMembersThatItDoesNotKnow) {
  const auto metadata = parsed("_NCZARR_ARRAY", R"({"dimrefs": ["/y", "/x"], "n": [1, null]})");
  EXPECT_EQ(metadata.other_members.size(), 1U);
  EXPECT_THAT(metadata.to_json(),
              HasSubstr(R"("_NCZARR_ARRAY": {"dimrefs": ["/y", "/x"], "n": [1, null]})"));
  EXPECT_EQ(ts::zarr_metadata::parse(metadata.to_json()), metadata);
  const ts::zarr_metadata hiding{.other_members = {{"shape", std::vector<std::int64_t>{1}}}};
  EXPECT_THROW((void)hiding.to_json(), ts::zarr_error);
}

TEST(ZarrMetadata, RefusesMembersThatOccurTwice) {
  const std::string text = with("order", "\"F\"");
  EXPECT_THAT(refusal_of_text("{\"order\": \"C\", " + text.substr(1)),
              AllOf(HasSubstr("\"order\""), HasSubstr("twice")));
  EXPECT_THAT(refusal_of("x", R"({"a": [{"b": 1, "b": 2}]})"), HasSubstr("twice"));
  // Names are compared as they are meant, not as they are written.
  EXPECT_THAT(refusal_of("x", R"({"b": 1, "\u0062": 2})"), HasSubstr("twice"));
  EXPECT_EQ(parsed("x", R"([{"a": 1}, {"a": 1}])").other_members.size(), 1U);
}

TEST(ZarrMetadata, RefusesMoreValuesThanMetadataHas) {
  std::string many = "[0";
  for (int i = 0; i < 2'000'000; ++i) many += ",0";
  EXPECT_THAT(refusal_of("x", many + "]"), HasSubstr("values"));
}

TEST(ZarrMetadata, NamesWhatIsNotSupported) {
  EXPECT_THAT(refusal_of("filters", R"([{"id": "pickle"}])"),
              AllOf(HasSubstr("filters[0]"), HasSubstr("pickle")));
  EXPECT_THAT(refusal_of("compressor", R"({"id": "zfpy"})"),
              AllOf(HasSubstr("\"compressor\""), HasSubstr("zfpy")));
  EXPECT_THAT(refusal_of("zarr_format", "4"), HasSubstr("\"zarr_format\" must be 2, found 4"));
}

TEST(ZarrMetadata, RefusesWrongTypesAndMissingMembers) {
  for (const char* name : {"zarr_format", "shape", "chunks", "dtype", "compressor", "order"}) {
    EXPECT_THAT(refusal_of(name, ""), HasSubstr("\"" + std::string(name) + "\" is missing"));
    EXPECT_THAT(refusal_of(name, "{\"id\": {}}"), HasSubstr("\"" + std::string(name)));
    EXPECT_THAT(refusal_of(name, "false"), HasSubstr("\"" + std::string(name) + "\""));
  }
  EXPECT_THAT(refusal_of("zarr_format", "2.0"), HasSubstr("zarr_format"));
  EXPECT_THAT(refusal_of("filters", "{}"), HasSubstr("\"filters\""));
  EXPECT_THAT(refusal_of("filters", "[3]"), HasSubstr("filters[0]"));
  EXPECT_THAT(refusal_of("order", "\"A\""), HasSubstr("\"order\""));
  EXPECT_THAT(refusal_of("dimension_separator", "\"-\""), HasSubstr("dimension_separator"));
  EXPECT_THAT(refusal_of("dimension_separator", "\"..\""), HasSubstr("dimension_separator"));
}

TEST(ZarrMetadata, RefusesHostileExtents) {
  EXPECT_THAT(refusal_of("shape", "[-1, 20]"), HasSubstr("\"shape[0]\""));
  EXPECT_THAT(refusal_of("shape", "[10, 1.5]"), HasSubstr("\"shape[1]\""));
  EXPECT_THAT(refusal_of("shape", "[10, \"20\"]"), HasSubstr("\"shape[1]\""));
  EXPECT_THAT(refusal_of("shape", "[9223372036854775808, 1]"), HasSubstr("\"shape[0]\""));
  EXPECT_THAT(refusal_of("shape", "[1e400, 1]"), HasSubstr("JSON"));
  EXPECT_THAT(refusal_of("shape", "[10]"), HasSubstr("one length per axis"));
  EXPECT_THAT(refusal_of("chunks", "[0, 6]"), HasSubstr("\"chunks[0]\""));
  // 2^62 elements of 8 B, 2^61 * 2^61 elements.
  EXPECT_THAT(refusal_of("shape", "[4611686018427387904, 1]"), HasSubstr("2^63"));
  EXPECT_THAT(refusal_of("shape", "[2305843009213693952, 2305843009213693952]"), HasSubstr("2^63"));
  EXPECT_THAT(refusal_of("chunks", "[4611686018427387904, 4]"), HasSubstr("2^63"));
  std::string ones = "[1";
  for (int i = 0; i < 32; ++i) ones += ", 1";
  EXPECT_THAT(refusal_of("shape", ones + "]"), HasSubstr("at most 32"));
}

TEST(ZarrMetadata, TakesNullForTheDefaultSeparator) {
  EXPECT_EQ(parsed("dimension_separator", "null").dimension_separator, '.');
}

// The product of 2^31 + 1 and 2^32 - 1 is just above 2^63 - 1; zeros make no array larger.
TEST(ZarrMetadata, BoundsTheNumberOfElements) {
  ts::zarr_metadata metadata{
      .shape = {2147483649, 4294967295}, .chunks = {1, 1}, .dtype = ts::dtype::int8};
  EXPECT_THROW(metadata.validate(), ts::zarr_error);
  metadata.shape = {2147483648, 4294967295};
  EXPECT_NO_THROW(metadata.validate());
  metadata.shape = {0, 4611686018427387904, 4611686018427387904};
  metadata.chunks = {1, 1, 1};
  EXPECT_NO_THROW(metadata.validate());
}

TEST(ZarrMetadata, RefusesWhatIsNoJsonObject) {
  for (const std::string text : {"", "null", "[]", "\"x\"", "{", "{\"shape\": [1}", "\xFF\xFE",
                                 "{\"zarr_format\": 2,}", "nan"}) {
    EXPECT_THAT(refusal_of_text(text), HasSubstr(".zarray")) << text;
  }
  EXPECT_THAT(refusal_of("x", "\"\xC3\x28\""), HasSubstr("JSON")) << "invalid UTF-8";
  for (const char open : {'[', '{'}) {
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i) deep += open == '[' ? "[" : "{\"a\":";
    EXPECT_THAT(refusal_of_text(deep), HasSubstr("nested"));
  }
}

}  // namespace
