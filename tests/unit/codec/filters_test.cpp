// SPDX-License-Identifier: Apache-2.0

/// \file
/// Filters byte for byte: the output of numcodecs 0.11, and the statements of standards if it has
/// none.

#include "tessera/core/error.hpp"

#include "codec/number_type.hpp"
#include "unit/codec/hex.hpp"
#include "unit/core/integers_of_floats.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace tessera::testing {
namespace {

struct known_filter {
  const char* configuration;
  codec_elements elements;
  const char* data;
  const char* encoding;
  const char* decoding;  ///< the decoded bytes, if they are not `data`
};

// float32: 1000.5, -1, 0, 0.001, pi, 2.5, -7.25, 65504; int16, big-endian: 5, -3, 100, 32767,
// -32768, 0; booleans.
constexpr const char* reals = "00207a44000080bf000000006f12833adb0f4940000020400000e8c000e07f47";
constexpr const char* integers = "0005fffd00647fff80000000";
constexpr const char* booleans = "0100000101010001000101";
constexpr codec_elements float32{4, 'f'};

const known_filter known_filters[]{
    {R"({"id": "quantize", "digits": 2, "dtype": "<f4"})", float32, reals,
     "00207a44000080bf000000000000000000004940000020400000e8c000e07f47",
     "00207a44000080bf000000000000000000004940000020400000e8c000e07f47"},
    {R"({"id": "fixedscaleoffset", "scale": 10, "offset": 0.5, "dtype": "<f4", "astype": "<i4"})",
     float32, reals, "10270000f1fffffffbfffffffbffffff1a00000014000000b2ffffffbbfe0900",
     "00207a44000080bf000000000000000066664640000020409a99e9c000e07f47"},
    {R"({"id": "bitround", "keepbits": 4})", float32, reals,
     "00007844000080bf000000000000803a00004840000020400000e8c000008047",
     "00007844000080bf000000000000803a00004840000020400000e8c000008047"},
    {R"({"id": "astype", "encode_dtype": "<f2", "decode_dtype": "<f4"})", float32, reals,
     "d16300bc000019144842004140c7ff7b",
     "00207a44000080bf000000000020833a00004940000020400000e8c000e07f47"},
    {R"({"id": "shuffle", "elementsize": 4})", float32, reals,
     "0000006fdb000000200000120f0000e07a8000834920e87f44bf003a4040c047", nullptr},
    {R"({"id": "crc32"})", float32, reals,
     "94366ddb00207a44000080bf000000006f12833adb0f4940000020400000e8c000e07f47", nullptr},
    {R"({"id": "adler32"})", float32, reals,
     "7d081d7700207a44000080bf000000006f12833adb0f4940000020400000e8c000e07f47", nullptr},
    {R"({"id": "base64"})", float32, reals,
     "4143423652414141674c38414141414162784b444f74735053554141414342414141446f774144676630633d",
     nullptr},
    {R"({"id": "delta", "dtype": ">i2", "astype": "<i4"})",
     {2, 'i', std::endian::big},
     integers,
     "05000000f8ffffff670000009b7f0000010000000080ffff",
     nullptr},
    {R"({"id": "delta", "dtype": ">i2"})",
     {2, 'i', std::endian::big},
     integers,
     "0005fff800677f9b00018000",
     nullptr},
    {R"({"id": "packbits"})", {1, 'b'}, booleans, "059d60", nullptr},
};

// numcodecs 0.11: Delta(dtype='?', astype=...).decode and Delta(dtype='<i2', astype='?').decode.
TEST(Filters, DecodeDifferencesOfBooleansAsNumcodecsDoes) {
  const struct {
    const char* configuration;
    std::vector<int> stored;
    std::vector<int> decoded;
  } cases[] = {
      {R"({"id": "delta", "dtype": "|b1"})", {0, 0, 1, 0, 0, 1, 1}, {0, 0, 1, 1, 1, 1, 1}},
      {R"({"id": "delta", "dtype": "|b1"})", {1, 1, 1, 0}, {1, 1, 1, 1}},
      {R"({"id": "delta", "dtype": "|b1", "astype": "|i1"})", {1, -1, 0, 2, -2}, {1, 0, 0, 1, 0}},
      {R"({"id": "delta", "dtype": "|b1", "astype": "|u1"})", {255, 1, 0, 1}, {1, 0, 0, 1}},
      {R"({"id": "delta", "dtype": "|u1", "astype": "|b1"})", {1, 0, 1, 1}, {1, 1, 2, 3}},
  };
  for (const auto& sample : cases) {
    const auto codec = make_codec(sample.configuration, 1);
    std::vector<std::byte> stored;
    for (const int value : sample.stored) stored.push_back(static_cast<std::byte>(value));
    std::vector<std::byte> decoded(stored.size());
    ASSERT_EQ(codec->decode_at_most(stored, decoded), decoded.size());
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      EXPECT_EQ(std::to_integer<int>(decoded[i]), sample.decoded[i]) << sample.configuration << i;
    }
    EXPECT_THROW((void)codec->encode(decoded, stored), codec_error) << "it would lose them";
  }
}

// The shortest text of the greatest float32 is above that value, and rounds to it (IEEE 754).
TEST(Filters, TakeTheGreatestNumberOfAType) {
  const auto offset_of = [](const char* type, const char* offset) {
    return make_codec(std::string(R"({"id": "fixedscaleoffset", "scale": 1, "dtype": ")") + type +
                          R"(", "offset": )" + offset + "}",
                      float32);
  };
  const auto codec = offset_of("<f4", "3.4028235e+38");
  // float32: the greatest number, whose distance from the offset is 0.
  EXPECT_EQ(to_hex(encoded(*codec, from_hex("ffff7f7f"))), "00000000");
  EXPECT_NO_THROW((void)offset_of("<f2", "-65519.5"));
  EXPECT_THROW((void)offset_of("<f4", "3.4028236e+38"), codec_error);
  EXPECT_THROW((void)offset_of("<f2", "65520"), codec_error);
}

TEST(Filters, EncodeAndDecodeAsNumcodecsDoes) {
  for (const known_filter& known : known_filters) {
    const auto codec = make_codec(known.configuration, known.elements);
    const buffer data = from_hex(known.data);
    EXPECT_EQ(to_hex(encoded(*codec, data)), known.encoding) << known.configuration;
    EXPECT_EQ(to_hex(decoded(*codec, from_hex(known.encoding), data.size())),
              known.decoding != nullptr ? known.decoding : known.data)
        << known.configuration;
  }
}

buffer check_of(const char* configuration, const buffer& data) {
  buffer stored = encoded(*make_codec(configuration, 1), data);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), stored.begin()));
  return {stored.end() - 4, stored.end()};
}

// RFC 3720, appendix B.4.
TEST(Filters, ComputeTheChecksOfCastagnolisPolynomial) {
  constexpr const char* crc32c = R"({"id": "crc32c"})";
  buffer rising(32);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<std::byte>(i);
  EXPECT_EQ(to_hex(check_of(crc32c, buffer(32))), "aa36918a");
  EXPECT_EQ(to_hex(check_of(crc32c, buffer(32, std::byte{0xFF}))), "43aba862");
  EXPECT_EQ(to_hex(check_of(crc32c, rising)), "4e79dd46");
  const buffer falling(rising.rbegin(), rising.rend());
  EXPECT_EQ(to_hex(check_of(crc32c, falling)), "5cdb3f11");
}

// By hand: the words are 0x0102 and, of an odd byte, 0x0300; the sums 0x0402 and 0x0102 + 0x0402.
TEST(Filters, ComputeFletchersCheckAsHdf5Does) {
  constexpr const char* fletcher32 = R"({"id": "fletcher32"})";
  EXPECT_EQ(to_hex(check_of(fletcher32, from_hex("010203"))), "02040405");
  // 0xFFFF + 0xFFFF folds to 0xFFFF, which is not taken for 0; the second sum is thrice 0xFFFF.
  EXPECT_EQ(to_hex(check_of(fletcher32, from_hex("ffffffff"))), "ffffffff");
  // From a file that netCDF wrote, in the tests of numcodecs.
  EXPECT_EQ(to_hex(check_of(
                fletcher32,
                from_hex("770700000000000085f6ffffffffffff690700000000000094f6ffffffffffff"
                         "88090000000000006903000000000000"
                         "93fdffffffffffffc3fcffffffffffff2702000000000000baf7ffffffffffff"))),
            "fd258664");
}

// The values that lookup3.c, May 2006, states of itself.
TEST(Filters, ComputeJenkinsHash) {
  const std::string_view text = "Four score and seven years ago";
  const auto bytes = std::as_bytes(std::span(text));
  const buffer data(bytes.begin(), bytes.end());
  EXPECT_EQ(to_hex(check_of(R"({"id": "jenkins_lookup3"})", data)), "51057717");
  EXPECT_EQ(to_hex(check_of(R"({"id": "jenkins_lookup3", "initval": 1})", data)), "618162cd");
  EXPECT_EQ(to_hex(check_of(R"({"id": "jenkins_lookup3"})", {})), "efbeadde");
}

TEST(Filters, PutChecksWhereTheConfigurationSays) {
  const buffer data = from_hex("0102030405");
  EXPECT_EQ(to_hex(encoded(*make_codec(R"({"id": "crc32", "location": "end"})", 1), data)),
            "0102030405f4990b47");  // CRC-32 of 1, 2, 3, 4, 5: 0x470B99F4, by Python's zlib
}

TEST(Filters, FindThatWhatTheyCheckIsDamaged) {
  for (const char* id : {"crc32", "crc32c", "adler32", "fletcher32"}) {
    const auto codec = make_codec(std::string(R"({"id": ")") + id + "\"}", 1);
    const buffer whole = encoded(*codec, from_hex(reals));
    for (std::size_t i = 0; i < whole.size(); ++i) {
      buffer damaged = whole;
      damaged[i] ^= std::byte{0x10};
      EXPECT_THAT(refusal_of(*codec, damaged, 32), ::testing::HasSubstr("damaged")) << id << i;
    }
  }
}

TEST(Filters, HandElementsOnToTheNextCodec) {
  const auto of = [](const char* json) { return make_codec(json, float32)->encoded_elements(); };
  EXPECT_EQ(of(R"({"id": "delta", "dtype": "<f4", "astype": ">i2"})"),
            codec_elements(2, 'i', std::endian::big));
  EXPECT_EQ(of(R"({"id": "bitround", "keepbits": 3})"), float32);
  EXPECT_EQ(of(R"({"id": "zlib"})").itemsize, 1U);
  EXPECT_EQ(of(R"({"id": "shuffle"})").itemsize, 1U);
}

template <class Float>
void expect_numpys_integers(const std::vector<integers_of_float<Float>>& table) {
  for (const auto& row : table) {
    SCOPED_TRACE(row.value);
    const auto expect = [&row]<class To>(To expected) {
      To converted{};
      detail::convert_numbers(std::as_bytes(std::span(&row.value, 1)).data(),
                              detail::native_type<Float>(), 1, detail::native_type<To>(),
                              std::as_writable_bytes(std::span(&converted, 1)).data());
      EXPECT_EQ(converted, expected);
    };
    std::apply([&](auto... expected) { (expect(expected), ...); }, row.integers);
  }
}

TEST(Filters, ConvertFloatsToIntegersAsNumPyDoes) {
  expect_numpys_integers(integers_of_doubles);
  expect_numpys_integers(integers_of_floats);
}

TEST(Filters, RoundBitsOfFloatingPointNumbersOnly) {
  EXPECT_THROW((void)make_codec(R"({"id": "bitround", "keepbits": 3})", {4, 'i'}), codec_error);
  EXPECT_THROW((void)make_codec(R"({"id": "bitround", "keepbits": 24})", float32), codec_error);
  // IEEE 754: 1 + 2^-8 lies halfway between two numbers of 7 bits, the even one of which is 1.
  const auto codec = make_codec(R"({"id": "bitround", "keepbits": 7})", {4, 'f', std::endian::big});
  EXPECT_EQ(to_hex(encoded(*codec, from_hex("3f8080003f8180003f808001"))),
            "3f8000003f8200003f810000");
}

}  // namespace
}  // namespace tessera::testing
