// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/fill_value.hpp"

#include "unit/zarr/v3/support.hpp"
#include "zarr/v3/data_type_json.hpp"

#include <bit>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace {

namespace ts = tessera;
namespace v3 = tessera::detail::v3;

using ::testing::HasSubstr;

v3::array_document parsed(const std::string& type, const std::string& fill) {
  std::string text = ts::testing::document_with("fill_value", fill);
  text.replace(text.find("\"float64\""), 9, type);
  return v3::array_document::parse(text);
}

template <class T>
T fill_of(const std::string& type, const std::string& fill) {
  return parsed("\"" + type + "\"", fill).fill_value.as<T>();
}

std::string refusal_of(const std::string& type, const std::string& fill) {
  try {
    static_cast<void>(parsed(type, fill));
  } catch (const ts::zarr_error& failure) {
    return failure.what();
  }
  return "accepted";
}

/// Returns the text of the fill value once it is read and written.
std::string rewritten(const std::string& type, const std::string& fill) {
  const v3::array_document document = parsed(type, fill);
  return v3::format_fill(document.fill_value, document.dtype, document.type_name);
}

TEST(V3FillValue, ReadsIntegersOfFullRange) {
  EXPECT_EQ(fill_of<std::uint64_t>("uint64", "18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(fill_of<std::int8_t>("int8", "-128"), -128);
  EXPECT_EQ(fill_of<std::int32_t>("int32", "7.0"), 7);
  for (const char* fill : {"128", "-129", "1.5", "\"1\"", "true", "null", "[1]"}) {
    EXPECT_THAT(refusal_of("\"int8\"", fill), HasSubstr("\"fill_value\"")) << fill;
  }
  EXPECT_TRUE(fill_of<bool>("bool", "true"));
  EXPECT_THAT(refusal_of("\"bool\"", "1"), HasSubstr("\"fill_value\""));
}

TEST(V3FillValue, ReadsFloatsByTextAndBits) {
  EXPECT_EQ(fill_of<double>("float64", "1"), 1.0);
  EXPECT_EQ(fill_of<double>("float64", "\"-Infinity\""), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::bit_cast<std::uint32_t>(fill_of<float>("float32", "\"NaN\"")), 0x7FC00000U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(fill_of<float>("float32", "\"0x7fc00001\"")), 0x7FC00001U);
  EXPECT_EQ(fill_of<ts::float16>("float16", "\"0xFE01\"").bits(), 0xFE01);
  // The fill value of float32 that zarr-python writes for the greatest number, and its shortest
  // text.
  EXPECT_EQ(fill_of<float>("float32", "3.4028234663852886e+38"), std::numeric_limits<float>::max());
  EXPECT_EQ(fill_of<float>("float32", "3.4028235e38"), std::numeric_limits<float>::max());
  for (const char* fill : {"\"0x7fc0\"", "\"0x7fc000011\"", "\"0x7fc0000g\"", "\"nan\"", "1e39",
                           "\"1\"", "true", "null"}) {
    EXPECT_THAT(refusal_of("\"float32\"", fill), HasSubstr("\"fill_value\"")) << fill;
  }
}

TEST(V3FillValue, WritesTheShortestText) {
  EXPECT_EQ(rewritten("\"float32\"", "0.10000000149011612"), "0.1");
  EXPECT_EQ(rewritten("\"float16\"", "0.0999755859375"), "0.1");
  EXPECT_EQ(rewritten("\"float64\"", "-0.0"), "-0.0");
  EXPECT_EQ(rewritten("\"float64\"", "\"0x7ff8000000000000\""), "\"NaN\"");
  EXPECT_EQ(rewritten("\"float64\"", "\"0xfff8000000000000\""), "\"0xfff8000000000000\"");
  EXPECT_EQ(rewritten("\"float32\"", "\"0x7f800001\""), "\"0x7f800001\"");
  EXPECT_EQ(rewritten("\"float16\"", "\"0x7e00\""), "\"NaN\"");
  EXPECT_EQ(rewritten("\"float16\"", "\"0x7e01\""), "\"0x7e01\"");
  EXPECT_EQ(rewritten("\"complex64\"", "[1, \"0xffc00000\"]"), "[1.0, \"0xffc00000\"]");
  EXPECT_EQ(rewritten("\"complex128\"", "[\"NaN\", \"Infinity\"]"), "[\"NaN\", \"Infinity\"]");
}

// NumPy prints float32 so. ml_dtypes 0.6.0 rounds alike: 0.1 to 0x3dcd, the tie 1 + 2^-8 to even,
// and 1 + 2^-8 + 2^-40 up.
TEST(V3FillValue, RoundsBfloat16) {
  EXPECT_EQ(fill_of<float>("bfloat16", "0.1"), 0.10009765625F);
  EXPECT_EQ(fill_of<float>("bfloat16", "1.00390625"), 1.0F);
  EXPECT_EQ(fill_of<float>("bfloat16", "1.0039062500009095"), 1.0078125F);
  EXPECT_EQ(rewritten("\"bfloat16\"", "0.1"), "0.100097656");
  EXPECT_EQ(rewritten("\"bfloat16\"", "\"NaN\""), "\"NaN\"");
  EXPECT_EQ(rewritten("\"bfloat16\"", "\"0x7fc0\""), "\"NaN\"");
  EXPECT_EQ(rewritten("\"bfloat16\"", "\"0xffc1\""), "\"0xffc1\"");
  EXPECT_EQ(rewritten("\"bfloat16\"", "\"-Infinity\""), "\"-Infinity\"");
  for (const char* fill : {"\"0x7fc00000\"", "\"0x7fcg\"", "1e39", "3.4e38", "true", "null"}) {
    EXPECT_THAT(refusal_of("\"bfloat16\"", fill), HasSubstr("\"fill_value\"")) << fill;
  }
}

// Types and fill values as zarr-python 3.1.6 writes them.
TEST(V3FillValue, ReadsTypesOfZarrPython) {
  const std::string time =
      R"({"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 10}})";
  EXPECT_EQ(parsed(time, "-9223372036854775808").dtype, ts::data_type::datetime64("ns", 10));
  EXPECT_EQ(rewritten(time, "-9223372036854775808"), "\"NaT\"");
  EXPECT_EQ(rewritten(time, "\"NaT\""), "\"NaT\"");
  const std::string text =
      R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}})";
  EXPECT_EQ(parsed(text, R"("a\u20ac")").dtype, ts::data_type::fixed_text(3));
  EXPECT_EQ(rewritten(text, R"("a\u20ac")"), "\"a\u20ac\"");
  EXPECT_THAT(refusal_of(text, "\"abcd\""), HasSubstr("\"fill_value\""));
  const std::string bytes =
      R"({"name": "null_terminated_bytes", "configuration": {"length_bytes": 5}})";
  EXPECT_EQ(rewritten(bytes, "\"YWI=\""), "\"YWIAAAA=\"");
  const std::string raw = R"({"name": "raw_bytes", "configuration": {"length_bytes": 3}})";
  EXPECT_EQ(rewritten(raw, "\"YWJj\""), "\"YWJj\"");
  EXPECT_EQ(rewritten(raw, "[97, 98, 99]"), "\"YWJj\"");
  EXPECT_EQ(rewritten("\"r24\"", "[97, 98, 99]"), "[97, 98, 99]");
  EXPECT_THAT(refusal_of("\"r24\"", "[97, 98]"), HasSubstr("\"fill_value\""));
}

TEST(V3FillValue, ReadsRecordsOfBothSpellings) {
  const std::string pairs = R"({"name": "structured", "configuration":
      {"fields": [["a", "int32"], ["b", "float64"]]}})";
  const std::string fields = R"({"name": "struct", "configuration": {"fields": [
      {"name": "a", "data_type": "int32"}, {"name": "b", "data_type": "float64"}]}})";
  // numpy.array((1, 2.5), "<i4,<f8").tobytes()
  const std::string base64 = "\"AQAAAAAAAAAAAARA\"";
  EXPECT_EQ(rewritten(pairs, base64), base64);
  EXPECT_EQ(rewritten(fields, base64), R"({"a": 1, "b": 2.5})");
  EXPECT_EQ(parsed(fields, R"({"b": 2.5, "a": 1})").fill_value, parsed(pairs, base64).fill_value);
  EXPECT_THAT(refusal_of(fields, R"({"a": 1})"), HasSubstr("\"b\""));
  EXPECT_THAT(refusal_of(fields, R"({"a": 1, "b": 1, "c": 1})"), HasSubstr("\"c\""));
  EXPECT_THAT(refusal_of(fields, R"({"a": 1.5, "b": 1})"), HasSubstr("fill_value.a"));
}

TEST(V3FillValue, RefusesOtherTypesByName) {
  for (const char* type : {"string", "bytes", "variable_length_bytes"}) {
    EXPECT_THAT(refusal_of("\"" + std::string(type) + "\"", "\"\""), HasSubstr("varying length"));
  }
  for (const char* type :
       {"int2", "uint4", "float8_e4m3", "complex_bfloat16", "complex_float16", "r7", "r0"}) {
    EXPECT_THAT(refusal_of("\"" + std::string(type) + "\"", "0"), HasSubstr(type)) << type;
  }
  EXPECT_THAT(refusal_of(R"({"name": "numpy.datetime64", "configuration": {"unit": "x",
                             "scale_factor": 1}})",
                         "0"),
              HasSubstr("\"data_type\""));
}

TEST(V3FillValue, HasDefaults) {
  EXPECT_EQ(v3::format_fill(v3::default_fill(ts::dtype::float32), ts::dtype::float32), "0.0");
  EXPECT_EQ(v3::format_fill(v3::default_fill(ts::dtype::boolean), ts::dtype::boolean), "false");
  const auto time = ts::data_type::timedelta64("s");
  EXPECT_EQ(v3::format_fill(v3::default_fill(time), time), "\"NaT\"");
  const auto text = ts::data_type::fixed_text(2);
  EXPECT_EQ(v3::format_fill(v3::default_fill(text), text), "\"\"");
}

TEST(V3DataType, RefusesRecordsThatVersion3CannotState) {
  const auto matrix = ts::data_type::structured({{"a", ts::dtype::int8, {2}}});
  EXPECT_THROW(static_cast<void>(v3::format_data_type(matrix)), ts::zarr_error);
}

}  // namespace
