// SPDX-License-Identifier: Apache-2.0
//
// Expected texts come from zarr-python; if it writes none, from base64 of numpy's tobytes().
#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace ts = tessera;

namespace {

using ::testing::HasSubstr;

ts::zarr_metadata with_fill(const std::string& dtype, const std::string& fill) {
  return ts::zarr_metadata::parse(fmt::format(
      R"({{"zarr_format": 2, "shape": [3], "chunks": [2], "dtype": {}, "compressor": null,
           "fill_value": {}, "order": "C", "filters": null}})",
      dtype, fill));
}

std::string rewritten(const std::string& dtype, const std::string& fill) {
  const std::string text = with_fill(dtype, fill).to_json();
  const std::string name = "\"fill_value\": ";
  const std::size_t begin = text.find(name) + name.size();
  return text.substr(begin, text.find(",\n", begin) - begin);
}

std::string refusal_of(const std::string& dtype, const std::string& fill) {
  try {
    (void)with_fill(dtype, fill);
  } catch (const ts::zarr_error& failure) {
    return failure.what();
  }
  return "accepted";
}

constexpr auto not_a_time = std::numeric_limits<std::int64_t>::min();

TEST(FillValue, OfATimeIsANumberOfTicks) {
  EXPECT_EQ(with_fill("\"<M8[ns]\"", "\"NaT\"").fill_value->as<std::int64_t>(), not_a_time);
  EXPECT_EQ(with_fill("\">m8[s]\"", "-3").fill_value->as<std::int64_t>(), -3);
  EXPECT_EQ(with_fill("\"<M8[D]\"", "\"12\"").fill_value->as<std::int64_t>(), 12);
  EXPECT_EQ(rewritten("\"<M8[ns]\"", "\"NaT\""), "-9223372036854775808");
  EXPECT_EQ(rewritten("\">M8[10ns]\"", "5"), "5");
  EXPECT_THAT(refusal_of("\"<M8[D]\"", "\"2020-01-01\""), HasSubstr("\"fill_value\""));
}

TEST(FillValue, OfBytesMayLackTheNulsBehind) {
  EXPECT_EQ(rewritten("\"|S5\"", "\"YWI=\""), "\"YWIAAAA=\"");
  EXPECT_EQ(rewritten("\"|S5\"", "\"YWIAAAA=\""), "\"YWIAAAA=\"");
  EXPECT_EQ(rewritten("\"|S3\"", "\"\""), "\"AAAA\"");
  EXPECT_THAT(refusal_of("\"|S1\"", "\"YWI=\""), HasSubstr("\"fill_value\""));
  EXPECT_THAT(refusal_of("\"|S5\"", "\"YWI\""), HasSubstr("base64"));
  EXPECT_THAT(refusal_of("\"|S5\"", "\"Y!I=\""), HasSubstr("base64"));
  EXPECT_THAT(refusal_of("\"|S5\"", "0"), HasSubstr("base64"));
}

TEST(FillValue, OfTextIsAString) {
  const ts::zarr_metadata metadata = with_fill("\">U4\"", R"("a\u00e9\u20ac\ud83d\ude00")");
  const std::byte* data = metadata.fill_value->data();
  const char32_t expected[] = {U'a', U'\u00e9', U'\u20ac', U'\U0001F600'};
  EXPECT_EQ(std::memcmp(data, expected, sizeof expected), 0);
  EXPECT_EQ(rewritten("\"<U4\"", R"("a\u00e9\u20ac\ud83d\ude00")"), "\"a\u00e9\u20ac\U0001F600\"");
  EXPECT_EQ(rewritten("\"<U9\"", "\"ab\""), "\"ab\"");
  EXPECT_EQ(rewritten("\"<U9\"", "\"\""), "\"\"");
  EXPECT_THAT(refusal_of("\"<U1\"", "\"ab\""), HasSubstr("a text of dtype \"<U1\""));
  EXPECT_THAT(refusal_of("\"<U1\"", "0"), HasSubstr("\"fill_value\""));
}

TEST(FillValue, OfTextThatIsNotUnicodeIsNotWritten) {
  ts::zarr_metadata metadata = with_fill("\"<U1\"", "\"a\"");
  metadata.fill_value = ts::element_bytes(std::uint32_t{0xD800});
  EXPECT_THROW((void)metadata.to_json(), ts::zarr_error);
  metadata.fill_value = ts::element_bytes(std::uint32_t{0x110000});
  EXPECT_THROW((void)metadata.to_json(), ts::zarr_error);
}

TEST(FillValue, OfARecordIsItsStoredBytes) {
  // numpy.array((258, [1, 2], (7, True)), dtype).tobytes()
  const std::string record = R"([["a",">i2"],["b","<f4",[2]],["c",[["x","|u1"],["y","|b1"]]]])";
  const ts::zarr_metadata metadata = with_fill(record, "\"AQIAAIA/AAAAQAcB\"");
  std::int16_t first = 0;
  std::memcpy(&first, metadata.fill_value->data(), sizeof first);
  EXPECT_EQ(first, 258);
  EXPECT_EQ(rewritten(record, "\"AQIAAIA/AAAAQAcB\""), "\"AQIAAIA/AAAAQAcB\"");
  EXPECT_EQ(rewritten("\"|V3\"", "\"AQL/\""), "\"AQL/\"");
  EXPECT_THAT(refusal_of(record, "\"AQIAAIA/AAAAQAc=\""), HasSubstr("base64"));
  EXPECT_THAT(refusal_of("\"|V3\"", "\"AQI=\""), HasSubstr("base64"));
}

// The shortest text of the greatest float32, as NumPy prints it, is above that value: it rounds to
// it. From half a unit of the last digit on, numbers round to infinity (IEEE 754, 4.3.1).
TEST(FillValue, OfTheGreatestFloatsIsReadAgain) {
  constexpr float greatest = std::numeric_limits<float>::max();
  EXPECT_EQ(with_fill("\"<f4\"", "3.4028235e+38").fill_value->as<float>(), greatest);
  EXPECT_EQ(with_fill("\"<f4\"", "3.4028234663852886e+38").fill_value->as<float>(), greatest);
  EXPECT_EQ(with_fill("\"<f2\"", "65519.9").fill_value->as<ts::float16>(), ts::float16(65504.0));
  for (const char* dtype : {"\"<f4\"", "\">f4\""}) {
    for (const char* fill : {"3.4028235e+38", "-3.4028235e+38", "1e-45", "-1e-45"}) {
      EXPECT_EQ(rewritten(dtype, fill), fill);
    }
  }
  EXPECT_EQ(rewritten("\"<c8\"", "[3.4028235e+38, -3.4028235e+38]"),
            "[3.4028235e+38, -3.4028235e+38]");
  EXPECT_EQ(rewritten("\"<f8\"", "-1.7976931348623157e+308"), "-1.7976931348623157e+308");
  EXPECT_EQ(rewritten("\"<f8\"", "5e-324"), "5e-324");
  EXPECT_EQ(rewritten("\"<f2\"", "-65504.0"), "-65500.0");
  EXPECT_THAT(refusal_of("\"<f4\"", "3.4028236e+38"), HasSubstr("\"fill_value\""));
  EXPECT_THAT(refusal_of("\"<f4\"", "-1e+39"), HasSubstr("\"fill_value\""));
  EXPECT_THAT(refusal_of("\"<f2\"", "65520"), HasSubstr("\"fill_value\""));
  EXPECT_THAT(refusal_of("\"<c8\"", "[0, 3.4028236e+38]"), HasSubstr("\"fill_value\""));
}

TEST(FillValue, MayBeNothingForEachKind) {
  for (const char* dtype : {"\"<f8\"", "\"<M8[s]\"", "\"|S3\"", "\"<U3\"", "\"|V3\""}) {
    EXPECT_EQ(with_fill(dtype, "null").fill_value, std::nullopt);
    EXPECT_EQ(rewritten(dtype, "null"), "null");
  }
}

// A default fill value is the zero of an element, however large.
TEST(FillValue, OfZeroFitsEachDataType) {
  ts::zarr_metadata metadata{.dtype = ts::data_type::raw(20), .compressor = ts::codec::none{}};
  EXPECT_THAT(metadata.to_json(), HasSubstr("\"AAAAAAAAAAAAAAAAAAAAAAAAAAA=\""));
  EXPECT_EQ(ts::zarr_metadata::parse(metadata.to_json()), metadata);
  metadata.fill_value->reserve(20);
  metadata.fill_value->data()[19] = std::byte{1};
  EXPECT_NE(*metadata.fill_value, ts::element_bytes{});
}

}  // namespace
