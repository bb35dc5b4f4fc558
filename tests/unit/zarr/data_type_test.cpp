// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/data_type.hpp"

#include "tessera/core/error.hpp"

#include "zarr/native_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ts::data_type parsed(const std::string& json) { return ts::data_type::parse(json); }

std::string refusal_of(const std::string& json) {
  try {
    (void)ts::data_type::parse(json);
  } catch (const ts::zarr_error& failure) {
    return failure.what();
  }
  return "accepted";
}

// The texts come from NumPy's dtype.str and dtype.descr.
TEST(DataType, IsWrittenAsItWasRead) {
  for (const char* json :
       {"\"|b1\"",
        "\"|i1\"",
        "\"|u1\"",
        "\"<i2\"",
        "\">i4\"",
        "\"<i8\"",
        "\">u2\"",
        "\"<u4\"",
        "\">u8\"",
        "\"<f4\"",
        "\">f8\"",
        "\"<M8[ns]\"",
        "\">M8[D]\"",
        "\"<M8[10ns]\"",
        "\">m8[4ps]\"",
        "\"<m8[as]\"",
        "\"<M8\"",
        "\"|S12\"",
        "\"<U3\"",
        "\">U3\"",
        "\"|V16\"",
        R"([["a", "|u1"], ["", "|V3"], ["b", "<i4", [2, 2]]])",
        R"([["r", [["x", ">f8"], ["y", "<U2"]]], ["s", [["x", "|S1"]], [3]]])"}) {
    EXPECT_EQ(parsed(json).to_json(), json);
    EXPECT_EQ(parsed(parsed(json).to_json()), parsed(json));
  }
}

TEST(DataType, KnowsKindSizeAndOrder) {
  EXPECT_EQ(parsed("\">f8\"").element(), ts::dtype::float64);
  EXPECT_EQ(parsed("\">f8\"").byte_order(), std::endian::big);
  EXPECT_EQ(parsed("\"<f4\""), ts::data_type(ts::dtype::float32));
  // A byte order says nothing of one byte.
  EXPECT_EQ(parsed("\">b1\""), parsed("\"|b1\""));
  EXPECT_EQ(parsed("\"<S4\""), parsed("\"|S4\""));
  // A text of N code units has 4 N bytes.
  EXPECT_EQ(parsed("\"<U3\"").itemsize(), 12U);
  EXPECT_EQ(parsed("\"<U3\"").element(), std::nullopt);
  EXPECT_EQ(parsed("\"|V7\"").itemsize(), 7U);
}

TEST(DataType, TellsTimesAsIntegersOfAUnit) {
  const ts::data_type date = parsed("\">M8[10ns]\"");
  EXPECT_EQ(date.kind(), ts::data_kind::datetime);
  EXPECT_EQ(date.element(), ts::dtype::int64);
  EXPECT_EQ(date.unit(), "ns");
  EXPECT_EQ(date.multiple(), 10);
  EXPECT_EQ(parsed("\"<m8[h]\"").kind(), ts::data_kind::timedelta);
  // Two code points look like the letter.
  EXPECT_EQ(parsed("\"<M8[\u03bcs]\""), parsed("\"<M8[us]\""));
  EXPECT_EQ(parsed("\"<M8[\u00b5s]\""), parsed("\"<M8[us]\""));
  EXPECT_EQ(parsed("\"<M8[generic]\""), parsed("\"<M8\""));
  EXPECT_EQ(ts::data_type::timedelta64("s", 30).to_json(), "\"<m8[30s]\"");
}

TEST(DataType, PlacesFieldsOneBehindTheOther) {
  // NumPy: dtype([('a','u1'),('','V3'),('b','<i4',(2,2)),('c',[('x','>f8'),('y','S1')])])
  const ts::data_type record =
      parsed(R"([["a","|u1"],["","|V3"],["b","<i4",[2,2]],["c",[["x",">f8"],["y","|S1"]]]])");
  EXPECT_EQ(record.itemsize(), 29U);
  EXPECT_EQ(record.field("a").offset, 0U);
  EXPECT_EQ(record.field("b").offset, 4U);
  EXPECT_EQ(record.field("b").size(), 16U);
  EXPECT_EQ(record.field("b").shape, (ts::index_vector{2, 2}));
  EXPECT_EQ(record.field("c").offset, 20U);
  EXPECT_EQ(record.field("c").type.field("y").offset, 8U);
  EXPECT_TRUE(record.fields()[1].is_padding());
  EXPECT_THROW((void)record.field(""), ts::zarr_error);
  EXPECT_THROW((void)record.field("z"), ts::zarr_error);
  EXPECT_THROW((void)parsed("\"<f8\"").field("a"), ts::zarr_error);
}

TEST(DataType, RefusesWhatIsMalformed) {
  for (const char* json : {"\"|i4\"",
                           "\"=f8\"",
                           "\"f8\"",
                           "\"\"",
                           "\"<\"",
                           "\"<f\"",
                           "8",
                           "null",
                           "{}",
                           "\"<i3\"",
                           "\"|U4\"",
                           "\"|M8[s]\"",
                           "\"<M4[s]\"",
                           "\"<M8[]\"",
                           "\"<M8[s\"",
                           "\"<M8[0s]\"",
                           "\"<M8[-1s]\"",
                           "\"<M8[1]\"",
                           "\"<M8[x]\"",
                           "\"|S\"",
                           "\"|S0\"",
                           "\"<U0\"",
                           "\"|V0\"",
                           "\"|S-1\"",
                           "\"|S1x\"",
                           "\"|S01\"",
                           "\"|S2147483648\"",
                           "\"|S16777217\"",
                           "\"<U536870912\"",
                           "\"|S18446744073709551617\"",
                           "\"|O\"",
                           "\"<x8\"",
                           "\"float64\""}) {
    EXPECT_THAT(refusal_of(json), AllOf(HasSubstr("\"dtype\""), HasSubstr(json))) << json;
  }
  // NumPy's long doubles, which some writers store.
  EXPECT_THAT(refusal_of("\"<f16\""), HasSubstr("long double"));
  EXPECT_THAT(refusal_of("\"<c32\""), HasSubstr("long double"));
}

TEST(DataType, RefusesRecordsThatNumpyDoesNotHave) {
  EXPECT_THAT(refusal_of("[]"), HasSubstr("at least 1"));
  EXPECT_THAT(refusal_of(R"([["a","<f8"],["a","<f8"]])"), HasSubstr("twice \"a\""));
  EXPECT_THAT(refusal_of(R"([["","<f8"]])"), HasSubstr("names"));
  EXPECT_THAT(refusal_of(R"([["a","<f8"],["b","<q8"]])"), HasSubstr("\"dtype[1][1]\""));
  EXPECT_THAT(refusal_of(R"([["a",[["b","<f8"],["c","<q8"]]]])"),
              HasSubstr("\"dtype[0][1][1][1]\""));
  EXPECT_THAT(refusal_of(R"([["a","<f8",3]])"), HasSubstr("\"dtype[0][2]\""));
  EXPECT_THAT(refusal_of(R"([["a","<f8",[0]]])"), HasSubstr("\"dtype[0][2][0]\""));
  EXPECT_THAT(refusal_of(R"([["a","<f8",[1.5]]])"), HasSubstr("\"dtype[0][2][0]\""));
  EXPECT_THAT(refusal_of(R"([["a"]])"), HasSubstr("\"dtype[0]\""));
  EXPECT_THAT(refusal_of(R"([[["title","a"],"<f8"]])"), HasSubstr("\"dtype[0]\""));
  EXPECT_THAT(refusal_of(R"(["a","<f8"])"), HasSubstr("\"dtype[0]\""));
  // The size of an element is bounded, so that no product of extents can overflow.
  EXPECT_THAT(refusal_of(R"([["a","<f8",[2147483647,2147483647,2147483647]]])"),
              HasSubstr("16777216"));
  EXPECT_THAT(refusal_of(R"([["a","|V16777216"],["b","|u1"]])"), HasSubstr("16777216"));
}

std::vector<int> native(const std::string& json, std::vector<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  ts::detail::make_native(bytes, parsed(json));
  std::vector<int> result;
  for (const std::byte byte : bytes) result.push_back(std::to_integer<int>(byte));
  return result;
}

// The bytes are expected on a little-endian machine.
TEST(NativeBytes, SwapEachComponent) {
  EXPECT_THAT(native("\">i2\"", {1, 2, 3, 4}), ElementsAre(2, 1, 4, 3));
  EXPECT_THAT(native("\"<i2\"", {1, 2, 3, 4}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(native("\">U2\"", {0, 0, 0, 65, 0, 0, 0, 66}), ElementsAre(65, 0, 0, 0, 66, 0, 0, 0));
  EXPECT_THAT(native("\">m8[s]\"", {0, 0, 0, 0, 0, 0, 0, 9}), ElementsAre(9, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(native("\">c8\"", {1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(4, 3, 2, 1, 8, 7, 6, 5));
  EXPECT_THAT(native("\"|S2\"", {1, 2}), ElementsAre(1, 2));
  // Other values than 0 and 1 are undefined behaviour as a bool.
  EXPECT_THAT(native("\"|b1\"", {0, 1, 255}), ElementsAre(0, 1, 1));
}

TEST(NativeBytes, SwapFieldsThatNeedIt) {
  const std::string record = R"([["a",">i2",[2]],["b","<i2"],["c",[["d","|b1"],["e",">i2"]]]])";
  EXPECT_THAT(native(record, {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10, 0, 20, 5, 6, 0, 1, 2}),
              ElementsAre(2, 1, 4, 3, 5, 6, 1, 9, 8, 10, 0, 20, 0, 5, 6, 0, 2, 1));
  EXPECT_FALSE(ts::detail::has_native_order(parsed(record)));
  EXPECT_TRUE(ts::detail::has_native_order(parsed(R"([["d","|b1"]])")));
  EXPECT_FALSE(ts::detail::is_native(parsed(R"([["d","|b1"]])")));
}

}  // namespace
