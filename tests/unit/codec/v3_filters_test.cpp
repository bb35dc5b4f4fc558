// SPDX-License-Identifier: Apache-2.0

/// \file
/// The codecs of elements of Zarr version 3, byte for byte.

#include "codec/api/v3_filters.hpp"

#include "tessera/core/error.hpp"

#include "unit/codec/hex.hpp"

#include <bit>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace tessera::testing {
namespace {

using detail::make_bfloat16_codec;
using detail::make_bit_packing;
using detail::padding_byte;
using ::testing::HasSubstr;

codec_elements elements_of(std::string_view name) {
  static const std::map<std::string_view, codec_elements> types{
      {"int8", {1, 'i'}},    {"int16", {2, 'i'}},   {"int32", {4, 'i'}},  {"int64", {8, 'i'}},
      {"uint8", {1, 'u'}},   {"uint16", {2, 'u'}},  {"uint32", {4, 'u'}}, {"uint64", {8, 'u'}},
      {"float16", {2, 'f'}}, {"float32", {4, 'f'}}, {"float64", {8, 'f'}}};
  return types.at(name);
}

std::string refusal(std::string_view configuration, codec_elements elements, std::string_view hex) {
  try {
    static_cast<void>(encoded(*make_codec(configuration, elements), from_hex(hex)));
  } catch (const codec_error& failure) {
    return failure.what();
  }
  return "accepted";
}

/// The output of cast-value-rs 0.5.1, which zarr-python uses, little-endian.
struct known_cast {
  const char* from;
  const char* to;
  const char* rounding;
  const char* out_of_range;
  const char* data;
  const char* encoding;
};

const known_cast known_casts[]{
    {"int8", "uint8", "nearest-even", "clamp", "00ff077f7f80", "0000077f7f00"},
    {"int8", "uint32", "towards-positive", "wrap", "00ff077f7f80",
     "00000000ffffffff070000007f0000007f00000080ffffff"},
    {"int16", "int8", "nearest-away", "clamp",
     "0000ffff07007f0080007fffff00000101080308fef7ff7f0080", "00ff077f7f807f7f7f7f807f80"},
    {"int16", "float16", "nearest-away", "clamp",
     "0000ffff07007f0080007fffff00000101080308fef7ff7f0080",
     "000000bc0047f057005808d8f85b005c0168026801e8007800f8"},
    {"int16", "float64", "nearest-even", "clamp",
     "0000ffff07007f0080007fffff00000101080308fef7ff7f0080",
     "0000000000000000000000000000f0bf0000000000001c400000000000c05f4000000000000060400000000000206"
     "0c00000000000e06f400000000000007040000000000002a040000000000006a040000000000004a0c000000000c0"
     "ffdf40000000000000e0c0"},
    {"int32", "int8", "nearest-even", "wrap",
     "00000000ffffffff070000007f000000800000007fffffffff000000000100000108000003080000fef7fffff0ff0"
     "00001000001ffffff7fffffff7f00000080",
     "00ff077f807fff000103fef001ffff00"},
    {"int32", "uint64", "nearest-away", "clamp",
     "00000000ffffffff070000007f000000800000007fffffffff000000000100000108000003080000fef7fffff0ff0"
     "00001000001ffffff7fffffff7f00000080",
     "0000000000000000000000000000000007000000000000007f0000000000000080000000000000000000000000000"
     "000ff000000000000000001000000000000010800000000000003080000000000000000000000000000f0ff000000"
     "0000000100000100000000ffffff7f00000000ffffff7f000000000000000000000000"},
    {"int32", "float16", "nearest-away", "clamp",
     "00000000ffffffff070000007f000000800000007fffffffff000000000100000108000003080000fef7fffff0ff0"
     "00001000001ffffff7fffffff7f00000080",
     "000000bc0047f057005808d8f85b005c0168026801e8007c007c007c007c00fc"},
    {"int32", "float32", "towards-negative", "clamp",
     "00000000ffffffff070000007f000000800000007fffffffff000000000100000108000003080000fef7fffff0ff0"
     "00001000001ffffff7fffffff7f00000080",
     "00000000000080bf0000e0400000fe4200000043000001c300007f43000080430010004500300045002000c500f07"
     "f470000804bffffff4effffff4e000000cf"},
    {"int64", "int8", "towards-negative", "wrap",
     "0000000000000000ffffffffffffffff07000000000000007f0000000000000080000000000000007ffffffffffff"
     "fffff00000000000000000100000000000001080000000000000308000000000000fef7fffffffffffff0ff000000"
     "0000000100000100000000ffffff7f0000000001000000000020000102000000000040ffffffffffffff7f0000000"
     "000000080",
     "00ff077f807fff000103fef001ff0101ff00"},
    {"int64", "int16", "towards-positive", "clamp",
     "0000000000000000ffffffffffffffff07000000000000007f0000000000000080000000000000007ffffffffffff"
     "fffff00000000000000000100000000000001080000000000000308000000000000fef7fffffffffffff0ff000000"
     "0000000100000100000000ffffff7f0000000001000000000020000102000000000040ffffffffffffff7f0000000"
     "000000080",
     "0000ffff07007f0080007fffff00000101080308fef7ff7fff7fff7fff7fff7fff7f0080"},
    {"int64", "float16", "towards-zero", "clamp",
     "0000000000000000ffffffffffffffff07000000000000007f0000000000000080000000000000007ffffffffffff"
     "fffff00000000000000000100000000000001080000000000000308000000000000fef7fffffffffffff0ff000000"
     "0000000100000100000000ffffff7f0000000001000000000020000102000000000040ffffffffffffff7f0000000"
     "000000080",
     "000000bc0047f057005808d8f85b005c0068016801e8ff7b007c007c007c007c007c00fc"},
    {"uint8", "int32", "towards-positive", "wrap", "00077f80ffff00",
     "00000000070000007f00000080000000ff000000ff00000000000000"},
    {"uint8", "uint16", "towards-zero", "clamp", "00077f80ffff00", "000007007f008000ff00ff000000"},
    {"uint16", "int16", "nearest-away", "wrap", "000007007f008000ff00000101080308f0ffffff0000",
     "000007007f008000ff00000101080308f0ffffff0000"},
    {"uint16", "int32", "towards-positive", "clamp", "000007007f008000ff00000101080308f0ffffff0000",
     "00000000070000007f00000080000000ff000000000100000108000003080000f0ff0000ffff000000000000"},
    {"uint16", "int64", "towards-positive", "clamp", "000007007f008000ff00000101080308f0ffffff0000",
     "000000000000000007000000000000007f000000000000008000000000000000ff000000000000000001000000000"
     "00001080000000000000308000000000000f0ff000000000000ffff0000000000000000000000000000"},
    {"uint16", "uint8", "nearest-away", "clamp", "000007007f008000ff00000101080308f0ffffff0000",
     "00077f80ffffffffffff00"},
    {"uint16", "float32", "towards-negative", "clamp",
     "000007007f008000ff00000101080308f0ffffff0000",
     "000000000000e0400000fe420000004300007f4300008043001000450030004500f07f4700ff7f4700000000"},
    {"uint32", "int64", "towards-positive", "clamp",
     "00000000070000007f00000080000000ff000000000100000108000003080000f0ff000001000001ffffff7ffffff"
     "fff00000000",
     "000000000000000007000000000000007f000000000000008000000000000000ff000000000000000001000000000"
     "00001080000000000000308000000000000f0ff0000000000000100000100000000ffffff7f00000000ffffffff00"
     "0000000000000000000000"},
    {"uint32", "uint64", "towards-zero", "wrap",
     "00000000070000007f00000080000000ff000000000100000108000003080000f0ff000001000001ffffff7ffffff"
     "fff00000000",
     "000000000000000007000000000000007f000000000000008000000000000000ff000000000000000001000000000"
     "00001080000000000000308000000000000f0ff0000000000000100000100000000ffffff7f00000000ffffffff00"
     "0000000000000000000000"},
    {"uint64", "int16", "towards-negative", "clamp",
     "000000000000000007000000000000007f000000000000008000000000000000ff000000000000000001000000000"
     "00001080000000000000308000000000000f0ff0000000000000100000100000000ffffff7f000000000100000000"
     "0020000102000000000040ffffffffffffffff0000000000000000",
     "000007007f008000ff00000101080308ff7fff7fff7fff7fff7fff7f0000"},
    {"uint64", "float16", "towards-negative", "clamp",
     "000000000000000007000000000000007f000000000000008000000000000000ff000000000000000001000000000"
     "00001080000000000000308000000000000f0ff0000000000000100000100000000ffffff7f000000000100000000"
     "0020000102000000000040ffffffffffffffff0000000000000000",
     "00000047f0570058f85b005c00680168ff7b007c007c007c007c007c0000"},
    {"uint64", "float32", "towards-zero", "clamp",
     "000000000000000007000000000000007f000000000000008000000000000000ff000000000000000001000000000"
     "00001080000000000000308000000000000f0ff0000000000000100000100000000ffffff7f000000000100000000"
     "0020000102000000000040ffffffffffffffff0000000000000000",
     "000000000000e0400000fe420000004300007f4300008043001000450030004500f07f470000804bffffff4e00000"
     "05a0000805effff7f5f00000000"},
    {"uint64", "float64", "towards-positive", "clamp",
     "000000000000000007000000000000007f000000000000008000000000000000ff000000000000000001000000000"
     "00001080000000000000308000000000000f0ff0000000000000100000100000000ffffff7f000000000100000000"
     "0020000102000000000040ffffffffffffffff0000000000000000",
     "00000000000000000000000000001c400000000000c05f4000000000000060400000000000e06f400000000000007"
     "040000000000002a040000000000006a0400000000000feef4000000010000070410000c0ffffffdf410100000000"
     "004043010000000000d043000000000000f0430000000000000000"},
    {"float32", "int16", "nearest-away", "clamp",
     "0000003f000000bf00002040000020c00000ff42008000c300807f4395bfd63395bfd6b300ef7f4700f07f4700008"
     "0c70000804b5ed032cf23c70a5f",
     "0100ffff0300fdff80007fff000100000000ff7fff7f0080ff7f0080ff7f"},
    {"float32", "int32", "nearest-away", "wrap",
     "0000003f000000bf00002040000020c00000ff42008000c300807f4395bfd63395bfd6b300ef7f4700f07f4700008"
     "0c70000804b5ed032cf23c70a5f",
     "01000000ffffffff03000000fdffffff800000007fffffff000100000000000000000000efff0000f0ff00000000f"
     "fff0000000100a22f4d00000000"},
    {"float32", "uint8", "towards-negative", "wrap",
     "0000003f000000bf00002040000020c00000ff42008000c300807f4395bfd63395bfd6b300ef7f4700f07f4700008"
     "0c70000804b5ed032cf23c70a5f",
     "00ff02fd7f7fff00ffeff000000000"},
    {"float32", "uint32", "towards-positive", "wrap",
     "0000003f000000bf00002040000020c00000ff42008000c300807f4395bfd63395bfd6b300ef7f4700f07f4700008"
     "0c70000804b5ed032cf23c70a5f",
     "010000000000000003000000feffffff8000000080ffffff000100000100000000000000efff0000f0ff00000000f"
     "fff0000000100a22f4d00000000"},
    {"float64", "int8", "towards-negative", "clamp",
     "000000000000e03f000000000000e0bf000000000000044000000000000004c00000000000e05f400000000000106"
     "0c00000000000f06f4048afbc9af2d77a3e48afbc9af2d77abe00000000e0fdef400000000000feef400000000000"
     "00f0c00000001000007041000000c00b5ae6c1003d9160e458e143",
     "00ff02fd7f807f00ff7f7f807f807f"},
    {"float64", "int32", "nearest-even", "clamp",
     "000000000000e03f000000000000e0bf000000000000044000000000000004c00000000000e05f400000000000106"
     "0c00000000000f06f4048afbc9af2d77a3e48afbc9af2d77abe00000000e0fdef400000000000feef400000000000"
     "00f0c00000001000007041000000c00b5ae6c1003d9160e458e143",
     "000000000000000002000000feffffff8000000080ffffff000100000000000000000000efff0000f0ff00000000f"
     "fff0100000100000080ffffff7f"},
};

TEST(CastValue, ConvertsAsCastValueRs) {
  for (const known_cast& cast : known_casts) {
    const auto codec = make_codec(
        fmt::format(
            R"({{"id": "cast_value", "data_type": "{}", "rounding": "{}", "out_of_range": "{}"}})",
            cast.to, cast.rounding, cast.out_of_range),
        elements_of(cast.from));
    EXPECT_EQ(to_hex(encoded(*codec, from_hex(cast.data))), cast.encoding)
        << cast.from << " " << cast.to << " " << cast.rounding << " " << cast.out_of_range;
  }
}

// Big-endian numbers of either side: 300 of >i2 is 44 of u1, modulo 256; 1.5 of >f4 is 0x3e00 of
// >f2.
TEST(CastValue, KeepsTheByteOrder) {
  const auto wrapping =
      make_codec(R"({"id": "cast_value", "data_type": "uint8", "out_of_range": "wrap"})",
                 {2, 'i', std::endian::big});
  EXPECT_EQ(to_hex(encoded(*wrapping, from_hex("012c"))), "2c");
  const auto narrowing =
      make_codec(R"({"id": "cast_value", "data_type": "float16"})", {4, 'f', std::endian::big});
  EXPECT_EQ(to_hex(encoded(*narrowing, from_hex("3fc00000"))), "3e00");
  EXPECT_EQ(to_hex(decoded(*narrowing, from_hex("3e00"), 4)), "3fc00000");
}

// The example of the registry: float64 as uint8, 0 for NaN both ways.
TEST(CastValue, MapsScalarsBothWays) {
  const auto codec = make_codec(
      R"({"id": "cast_value", "data_type": "uint8",
     "scalar_map": {"encode": [["NaN", 0], ["+Infinity", 255]],
                    "decode": [[0, "NaN"], [0, 7]]}})",
      {8, 'f'});
  // NaN, infinity, 2.0.
  EXPECT_EQ(to_hex(encoded(*codec, from_hex("000000000000f87f000000000000f07f0000000000000040"))),
            "00ff02");
  EXPECT_EQ(to_hex(decoded(*codec, from_hex("0002"), 16)), "000000000000f87f0000000000000040");
}

TEST(CastValue, RefusesNumbersThatTheTypeLacks) {
  const std::string plain = R"({"id": "cast_value", "data_type": "int8"})";
  EXPECT_EQ(
      refusal(plain, {8, 'f'}, "0000000000006040"),
      "codec cast_value: 128 is no value of int8: set \"out_of_range\" to clamp or wrap, or map it "
      "by \"scalar_map\"");
  const std::string clamped =
      R"({"id": "cast_value", "data_type": "int8", "out_of_range": "clamp"})";
  EXPECT_THAT(refusal(clamped, {8, 'f'}, "000000000000f07f"),
              HasSubstr("Infinity is no value of int8"));
  EXPECT_THAT(refusal(clamped, {8, 'f'}, "000000000000f8ff"), HasSubstr("NaN is no value of int8"));
}

TEST(CastValue, RefusesMalformedOptions) {
  const auto with = [](std::string_view options) {
    return fmt::format(R"({{"id": "cast_value"{}}})", options);
  };
  const codec_elements reals{8, 'f'};
  EXPECT_THAT(refusal(with(""), reals, ""), HasSubstr("\"data_type\" must be"));
  EXPECT_THAT(refusal(with(R"(, "data_type": "bool")"), reals, ""), HasSubstr("int8 to int64"));
  EXPECT_THAT(refusal(with(R"(, "data_type": "<i2")"), reals, ""), HasSubstr("int8 to int64"));
  EXPECT_THAT(refusal(with(R"(, "data_type": "float16", "out_of_range": "wrap")"), reals, ""),
              HasSubstr("clamp, or wrap for a data type of integers"));
  EXPECT_THAT(refusal(with(R"(, "data_type": "int8", "rounding": "up")"), reals, ""),
              HasSubstr("nearest-even, towards-zero"));
  EXPECT_THAT(
      refusal(with(R"(, "data_type": "int8", "scalar_map": {"encode": [[0, 300]]})"), reals, ""),
      HasSubstr("pairs of numbers, here one of int8"));
  EXPECT_THAT(refusal(with(R"(, "data_type": "int8", "scalar_map": {"both": []})"), reals, ""),
              HasSubstr("lists of pairs"));
  EXPECT_THAT(refusal(with(R"(, "data_type": "int8")"), {1, 'b'}, ""),
              HasSubstr("must be integers"));
}

// zarr-python 3.4.2: float32 0 to 10, offset 5, scale 0.1; it stores big-endian numbers.
TEST(ScaleOffset, ComputesFloatsInTheirType) {
  const auto codec = make_codec(R"({"id": "scale_offset", "offset": 5, "scale": 0.1})",
                                {4, 'f', std::endian::big});
  EXPECT_EQ(
      to_hex(encoded(*codec,
                     from_hex("000000003f80000040000000404000004080000040a0000040c0000040e00000"
                              "410000004110000041200000"))),
      "bf000000becccccdbe99999abe4ccccdbdcccccd000000003dcccccd3e4ccccd3e99999a3ecccccd3f000000");
}

// The example of the registry, 1000 to 1255 in uint16 as 0 to 255; and (x - 10) * -3 of int8.
TEST(ScaleOffset, ComputesIntegersExactly) {
  const auto moved = make_codec(R"({"id": "scale_offset", "offset": 1000})", {2, 'u'});
  EXPECT_EQ(to_hex(encoded(*moved, from_hex("e803e704"))), "0000ff00");
  EXPECT_EQ(to_hex(decoded(*moved, from_hex("0000ff00"), 4)), "e803e704");
  const auto scaled = make_codec(R"({"id": "scale_offset", "offset": 10, "scale": -3})", {1, 'i'});
  EXPECT_EQ(to_hex(encoded(*scaled, from_hex("0a0bfe"))), "00fd24");
  EXPECT_EQ(to_hex(decoded(*scaled, from_hex("00fd24"), 3)), "0a0bfe");
}

TEST(ScaleOffset, RefusesIntegersThatTheTypeLacks) {
  const std::string moved = R"({"id": "scale_offset", "offset": 1000})";
  EXPECT_THAT(refusal(moved, {2, 'u'}, "e703"),
              HasSubstr("leaves the integers of 2 B when it is moved"));
  const std::string scaled = R"({"id": "scale_offset", "scale": 3})";
  EXPECT_THAT(refusal(scaled, {1, 'i'}, "2b"), HasSubstr("when it is multiplied"));
  EXPECT_THAT(refusal_of(*make_codec(scaled, {1, 'i'}), from_hex("04"), 1),
              HasSubstr("4 is no multiple of the scale 3"));
  // The quotient of the least number and -1.
  // (2^64 - 1)^2 is near 2^128, beyond signed integers of 128 bits.
  const std::string greatest = R"({"id": "scale_offset", "scale": 18446744073709551615})";
  EXPECT_EQ(refusal(greatest, {8, 'u'}, "0100000000000000"), "accepted");
  EXPECT_THAT(refusal(greatest, {8, 'u'}, "ffffffffffffffff"), HasSubstr("multiplied"));
  EXPECT_THAT(refusal(greatest, {8, 'u'}, "0200000000000000"), HasSubstr("multiplied"));
  EXPECT_THAT(refusal_of(*make_codec(R"({"id": "scale_offset", "scale": -1})", {8, 'i'}),
                         from_hex("0000000000000080"), 8),
              HasSubstr("when it is divided"));
}

TEST(ScaleOffset, RefusesMalformedOptions) {
  EXPECT_THAT(refusal(R"({"id": "scale_offset", "scale": 0})", {4, 'f'}, ""),
              HasSubstr("other than 0"));
  EXPECT_THAT(refusal(R"({"id": "scale_offset", "offset": 300})", {1, 'u'}, ""),
              HasSubstr("of the type of the elements"));
  EXPECT_THAT(refusal(R"({"id": "scale_offset", "offset": 0.5})", {2, 'i'}, ""),
              HasSubstr("of the type of the elements"));
  EXPECT_THAT(refusal(R"({"id": "scale_offset"})", {1, 'b'}, ""), HasSubstr("must be integers"));
}

// The algorithm of the registry by hand: true, false, true, true, false * 4, true is 0x0d, 0x01.
TEST(BitPacking, PutsTheFirstBooleanInTheLowestBit) {
  const buffer booleans = from_hex("010001010000000001");
  EXPECT_EQ(to_hex(encoded(*make_bit_packing(padding_byte::none), booleans)), "0d01");
  EXPECT_EQ(to_hex(encoded(*make_bit_packing(padding_byte::first), booleans)), "070d01");
  EXPECT_EQ(to_hex(encoded(*make_bit_packing(padding_byte::last), booleans)), "0d0107");
  for (const padding_byte padding : {padding_byte::none, padding_byte::first, padding_byte::last}) {
    const auto codec = make_bit_packing(padding);
    EXPECT_EQ(decoded(*codec, encoded(*codec, booleans), booleans.size()), booleans);
  }
}

TEST(BitPacking, RefusesBytesOfAnotherCount) {
  const auto plain = make_bit_packing(padding_byte::none);
  EXPECT_EQ(refusal_of(*plain, from_hex("0d"), 9),
            "codec packbits: 9 booleans must have 2 B, found 1 B");
  const auto first = make_bit_packing(padding_byte::first);
  EXPECT_THAT(refusal_of(*first, from_hex(""), 1), HasSubstr("the byte of the padding is missing"));
  EXPECT_THAT(refusal_of(*first, from_hex("08ff"), 1),
              HasSubstr("the number of padding bits of the last byte"));
  EXPECT_THAT(refusal_of(*first, from_hex("00ffff"), 9),
              HasSubstr("must decode to 9 B, found 16 B"));
}

// ml_dtypes 0.6.0: 1, 1 + 2^-8 (a tie, to even), 1 + 3 * 2^-8 (to even, up), the greatest float32,
// -0.0, NaN, the least subnormal.
TEST(BFloat16, RoundsHalfToEven) {
  const auto codec = make_bfloat16_codec(std::endian::big);
  EXPECT_EQ(
      to_hex(encoded(*codec, from_hex("3f8000003f8080003f8180007f7fffff800000007fc0000000000001"))),
      "3f803f803f827f8080007fc00000");
  EXPECT_EQ(to_hex(decoded(*codec, from_hex("3f8200017fc1"), 12)), "3f820000000100007fc10000");
  EXPECT_EQ(detail::to_bfloat16(std::bit_cast<float>(0x7F800001U)), 0x7FC0) << "a NaN stays one";
}

}  // namespace
}  // namespace tessera::testing
