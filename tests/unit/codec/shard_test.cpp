// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/configuration.hpp"
#include "tessera/codec/options.hpp"

#include "codec/api/shard_codec.hpp"
#include "codec/api/shard_index.hpp"
#include "unit/codec/hex.hpp"

#include <algorithm>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
namespace detail = tessera::detail;

using detail::shard_index;
using detail::shard_index_format;
using detail::shard_layout;
using detail::shard_part;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ts::index_vector;
using ts::testing::buffer;
using ts::testing::from_hex;
using ts::testing::to_hex;

constexpr std::uint64_t missing = std::numeric_limits<std::uint64_t>::max();
const shard_index_format plain{.num_checks = 0};

/// Returns little-endian words.
buffer words(const std::vector<std::uint64_t>& values) {
  buffer bytes;
  for (const std::uint64_t value : values) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFF));
  }
  return bytes;
}

/// Returns the message that refuses part 0 of an index, or "accepted".
std::string refusal_of_part(const std::vector<std::uint64_t>& values, std::uint64_t value_size,
                            std::uint64_t bound, bool is_fixed = false) {
  try {
    const buffer bytes = words(values);
    static_cast<void>(shard_index(plain, {1}, bytes).part(0, value_size, bound, is_fixed));
  } catch (const ts::codec_error& failure) {
    return failure.what();
  }
  return "accepted";
}

std::string refusal_of_value(const shard_index_format& format, const index_vector& parts,
                             const buffer& value) {
  try {
    static_cast<void>(shard_index::of_value(format, parts, value));
  } catch (const ts::codec_error& failure) {
    return failure.what();
  }
  return "accepted";
}

// RFC 3720, B.4: the check of 32 bytes of 1 bits is 62a8ab43.
TEST(ShardIndex, WritesMissingPartsAndTheirCheck) {
  buffer bytes(36);
  detail::shard_index_writer writer({}, {2}, bytes);
  writer.finish();
  EXPECT_EQ(to_hex(bytes), std::string(64, 'f') + "43aba862");
  const shard_index index({}, {2}, bytes);
  EXPECT_EQ(index.part(0, 100, 100), std::nullopt);
  EXPECT_EQ(index.part(1, 100, 100), std::nullopt);
}

// GDAL 13929 found the neighbour of a part.
TEST(ShardIndex, NumbersPartsOverEachAxis) {
  EXPECT_EQ(detail::part_number({1, 0, 1}, {3, 1, 2}), 3U);
  EXPECT_EQ(detail::part_number({2, 0, 0}, {3, 1, 2}), 4U);
  EXPECT_EQ(detail::part_number({0, 0, 1}, {3, 1, 2}), 1U);
  EXPECT_EQ(detail::part_number({}, {}), 0U);
}

TEST(ShardIndex, ReadsEachEncoding) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const index_vector& axes :
         {index_vector{}, index_vector{2, 0, 1}, index_vector{1, 2, 0}}) {
      for (const std::size_t num_checks : {0U, 1U, 3U}) {
        const shard_index_format format{order, axes, num_checks};
        const index_vector parts{3, 2};
        buffer bytes(detail::index_size(format, parts));
        EXPECT_EQ(bytes.size(), 96 + 4 * num_checks);
        detail::shard_index_writer writer(format, parts, bytes);
        for (std::size_t i = 0; i < 6; ++i) writer.set(i, {100 * i, i + 1});
        writer.finish();
        const shard_index index(format, parts, bytes);
        for (std::size_t i = 0; i < 6; ++i) {
          EXPECT_EQ(index.part(i, 1000, 10), (shard_part{100 * i, i + 1}));
        }
      }
    }
  }
}

// numpy.transpose(index, (2, 0, 1)) of an index [2, 1, 2] has both offsets first.
TEST(ShardIndex, TransposesItsWords) {
  const buffer bytes = words({5, 6, 7, 8});
  const shard_index index({.order = {2, 0, 1}, .num_checks = 0}, {2, 1}, bytes);
  EXPECT_EQ(index.part(0, 100, 100), (shard_part{5, 7}));
  EXPECT_EQ(index.part(1, 100, 100), (shard_part{6, 8}));
}

TEST(ShardIndex, RefusesGridsThatOverflow) {
  constexpr ts::index_t half = ts::index_t{1} << 32;
  EXPECT_THROW(static_cast<void>(detail::index_size({}, {half, half})), ts::codec_error);
  EXPECT_THROW(static_cast<void>(detail::index_size({}, {half, half / 16, 2})), ts::codec_error);
  EXPECT_EQ(refusal_of_value({}, {half, half}, buffer(20)).find("2^59") != std::string::npos, true);
}

// GDAL 14545: the size of the value less the size of the index was taken without a check.
TEST(ShardIndex, RefusesValuesShorterThanTheIndex) {
  EXPECT_THAT(refusal_of_value({}, {1}, buffer(19)), AllOf(HasSubstr("20 B"), HasSubstr("19 B")));
  EXPECT_THAT(refusal_of_value(plain, {1}, {}), HasSubstr("has 0 B"));
  EXPECT_THAT(refusal_of_value({}, {1'000'000'000'000}, buffer(20)), HasSubstr("16000000000004 B"));
}

TEST(ShardIndex, RefusesDamage) {
  buffer bytes(36);
  detail::shard_index_writer writer({}, {2}, bytes);
  writer.finish();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    buffer damaged = bytes;
    damaged[i] ^= std::byte{1};
    EXPECT_THAT(refusal_of_value({}, {2}, damaged), HasSubstr("damaged")) << i;
  }
}

TEST(ShardIndex, RefusesHostileParts) {
  EXPECT_EQ(refusal_of_part({10, 20}, 30, 20), "accepted");
  EXPECT_EQ(refusal_of_part({30, 0}, 30, 20), "accepted");
  EXPECT_THAT(refusal_of_part({missing, 20}, 30, 20), HasSubstr("marks"));
  EXPECT_THAT(refusal_of_part({10, missing}, 30, 20), HasSubstr("marks"));
  EXPECT_THAT(refusal_of_part({10, 21}, 30, 100), HasSubstr("leaves the shard of 30 B"));
  EXPECT_THAT(refusal_of_part({31, 0}, 30, 100), HasSubstr("leaves"));
  // zarrs 0.2.3 adds both without a check.
  EXPECT_THAT(refusal_of_part({missing - 1, 10}, 30, 100), HasSubstr("leaves"));
  EXPECT_THAT(refusal_of_part({10, missing - 5}, 30, missing), HasSubstr("leaves"));
  EXPECT_THAT(refusal_of_part({0, 21}, 30, 20), HasSubstr("at most 20 B"));
  EXPECT_THAT(refusal_of_part({0, 19}, 30, 20, true), HasSubstr("must have 20 B"));
}

/// Returns a shard of bytes 1 to 8 as (2, 4), in parts (2, 2).
shard_layout small_layout() {
  return {.shape = {2, 4}, .part_shape = {2, 2}, .itemsize = 1, .index = plain, .fill = {}};
}

const std::string elements = "0102030405060708";

TEST(ShardCodec, WritesPartsRowByRowAndTheIndexBehind) {
  const auto codec = detail::make_shard_codec(small_layout(), nullptr);
  const buffer value = ts::testing::encoded(*codec, from_hex(elements));
  EXPECT_EQ(to_hex(value), "0102050603040708" + to_hex(words({0, 4, 4, 4})));
  EXPECT_EQ(to_hex(ts::testing::decoded(*codec, value, 8)), elements);
}

TEST(ShardCodec, WritesTheIndexInFront) {
  shard_layout layout = small_layout();
  layout.index.is_at_start = true;
  layout.order = {1, 0};
  const auto codec = detail::make_shard_codec(layout, nullptr);
  const buffer value = ts::testing::encoded(*codec, from_hex(elements));
  EXPECT_EQ(to_hex(value), to_hex(words({32, 4, 36, 4})) + "0105020603070408");
  EXPECT_EQ(to_hex(ts::testing::decoded(*codec, value, 8)), elements);
}

TEST(ShardCodec, LeavesOutPartsOfFillWhenAsked) {
  shard_layout layout = small_layout();
  layout.fill = {std::byte{7}};
  const buffer data = from_hex("0707030407070708");
  layout.skips_fill = true;
  const auto codec = detail::make_shard_codec(layout, nullptr);
  const buffer value = ts::testing::encoded(*codec, data);
  EXPECT_EQ(to_hex(value), "03040708" + to_hex(words({missing, missing, 0, 4})));
  EXPECT_EQ(ts::testing::decoded(*codec, value, 8), data);
  layout.skips_fill = false;
  EXPECT_EQ(ts::testing::encoded(*detail::make_shard_codec(layout, nullptr), data).size(), 40U);
}

/// Returns the elements of `box` of a shard (6, 8) of elements of 4 bytes, row by row.
buffer elements_in(const buffer& shard, const ts::region& box) {
  buffer elements;
  const auto offset = [](ts::index_t row, ts::index_t column) { return 4 * (8 * row + column); };
  for (ts::index_t row = box.start[0]; row < box.stop[0]; ++row) {
    elements.insert(elements.end(), shard.begin() + offset(row, box.start[1]),
                    shard.begin() + offset(row, box.stop[1]));
  }
  return elements;
}

/// Returns a sink that joins its pieces to `whole`, and counts them.
detail::shard_sink joins(buffer& whole, std::size_t& count) {
  return {[&whole, &count](std::span<const std::byte> piece) {
            whole.insert(whole.end(), piece.begin(), piece.end());
            ++count;
          },
          [&whole](std::span<const std::byte> front) {
            ASSERT_LE(front.size(), whole.size());
            std::ranges::copy(front, whole.begin());
          }};
}

/// Returns the joined pieces of a shard, and their number.
std::pair<buffer, std::size_t> joined_pieces(const ts::byte_codec& codec, const buffer& data) {
  const auto memory = detail::memory_for_pieces(codec);
  EXPECT_TRUE(memory);
  buffer room(memory->encoded + memory->index);
  buffer whole;
  std::size_t count = 0;
  EXPECT_TRUE(detail::encode_in_pieces(codec, data, room, joins(whole, count)));
  return {whole, count};
}

TEST(ShardCodec, WritesTheSameBytesInPieces) {
  buffer data(std::size_t{6} * 256 * 1024);
  for (std::size_t i = data.size() / 2; i < data.size(); ++i) data[i] = std::byte(i / 1000 % 251);
  const auto zstd = ts::codec::configuration(ts::codec::zstd{}).make(4);
  // Parts of 256 KiB as they lie, cut across rows, and small ones.
  for (const index_vector& part : {index_vector{1, 65536}, {3, 32768}, {6, 16}}) {
    for (const auto& inner : {std::shared_ptr<const ts::byte_codec>(), zstd}) {
      for (const bool skips_fill : {false, true}) {
        shard_layout layout{.shape = {6, 65536}, .part_shape = part, .itemsize = 4};
        layout.fill.resize(4);
        layout.skips_fill = skips_fill;
        layout.index.is_at_start = part[0] != 3;
        const auto codec = detail::make_shard_codec(layout, inner);
        const auto [whole, count] = joined_pieces(*codec, data);
        EXPECT_TRUE(whole == ts::testing::encoded(*codec, data)) << part[0] << " " << skips_fill;
        EXPECT_LE(count, 8U) << "small parts are joined";
      }
    }
  }
}

TEST(ShardCodec, WritesTheSameBytesBoxByBox) {
  buffer data(std::size_t{6} * 8 * 4);
  for (std::size_t i = 32; i < data.size(); ++i) data[i] = std::byte(i % 251);
  const auto zstd = ts::codec::configuration(ts::codec::zstd{}).make(4);
  const index_vector steps[] = {{6, 8}, {4, 8}, {2, 8}, {2, 4}, {2, 6}};
  for (const auto& [inner, is_at_start] :
       {std::pair{std::shared_ptr<const ts::byte_codec>(), false}, {zstd, false}, {zstd, true}}) {
    for (const index_vector& step : steps) {
      shard_layout layout{.shape = {6, 8}, .part_shape = {2, 2}, .itemsize = 4};
      layout.index.is_at_start = is_at_start;
      layout.fill.resize(4);
      layout.skips_fill = true;
      const auto codec = detail::make_shard_codec(layout, inner);
      const auto memory = detail::memory_for_pieces(*codec);
      ASSERT_TRUE(memory);
      buffer index(memory->index);
      buffer room(memory->encoded);
      buffer whole;
      std::size_t count = 0;
      const auto encoder = detail::make_shard_encoder(*codec, index, joins(whole, count));
      EXPECT_TRUE(encoder->is_empty());
      for (ts::index_t row = 0; row < 6; row += step[0]) {
        for (ts::index_t column = 0; column < 8; column += step[1]) {
          const ts::region box{{row, column},
                               {std::min<ts::index_t>(row + step[0], 6),
                                std::min<ts::index_t>(column + step[1], 8)}};
          encoder->add(box, elements_in(data, box), ts::row_major_strides(box.shape()), room);
        }
      }
      encoder->finish();
      EXPECT_FALSE(encoder->is_empty());
      EXPECT_TRUE(whole == ts::testing::encoded(*codec, data)) << ts::format_shape(step);
    }
  }
}

TEST(ShardCodec, RefusesBoxesThatAreNotMadeOfParts) {
  const shard_layout layout{.shape = {6, 8}, .part_shape = {2, 2}, .itemsize = 4, .fill = {}};
  const auto codec = detail::make_shard_codec(layout, nullptr);
  buffer index(1000);
  buffer room(1000);
  const auto encoder =
      detail::make_shard_encoder(*codec, index, {[](auto) { FAIL() << "a piece"; }});
  const buffer data(1000);
  const auto add = [&](const ts::region& box, std::size_t size) {
    encoder->add(box, std::span(data).first(size), ts::row_major_strides(box.shape()), room);
  };
  EXPECT_THROW(add({{0, 0}, {3, 8}}, 96), ts::codec_error);
  EXPECT_THROW(add({{1, 0}, {3, 8}}, 64), ts::codec_error);
  EXPECT_THROW(add({{0, 0}, {8, 8}}, 256), ts::codec_error);
  EXPECT_THROW(add({{0, 0}, {2, 8}}, 63), ts::codec_error);
}

// The parts are added last to first.
TEST(ShardCodec, KeepsRoomForTheIndexInFront) {
  shard_layout layout = small_layout();
  layout.index.is_at_start = true;
  layout.skips_fill = true;
  const auto codec = detail::make_shard_codec(layout, nullptr);
  const auto value_of = [&](const std::string& first, const std::string& second) {
    buffer index(100);
    buffer room(100);
    buffer whole;
    std::size_t count = 0;
    const auto encoder = detail::make_shard_encoder(*codec, index, joins(whole, count));
    encoder->add({{0, 2}, {2, 4}}, from_hex(second), {2, 1}, room);
    encoder->add({{0, 0}, {2, 2}}, from_hex(first), {2, 1}, room);
    encoder->finish();
    EXPECT_EQ(encoder->is_empty(), count == 1);
    return to_hex(whole);
  };
  EXPECT_EQ(value_of("01020506", "03040708"), to_hex(words({36, 4, 32, 4})) + "0304070801020506");
  EXPECT_EQ(value_of("01020506", "00000000"),
            to_hex(words({32, 4, missing, missing})) + "01020506");
  EXPECT_EQ(value_of("00000000", "00000000"), to_hex(words({missing, missing, missing, missing})));
}

TEST(ShardCodec, RefusesPiecesWithoutASinkForTheIndexInFront) {
  shard_layout layout = small_layout();
  layout.index.is_at_start = true;
  const auto codec = detail::make_shard_codec(layout, nullptr);
  const buffer data(2);
  buffer room(100);
  const auto never = [](std::span<const std::byte>) { FAIL() << "a piece"; };
  EXPECT_THROW((void)detail::make_shard_encoder(*codec, room, {never}), ts::codec_error);
  const auto zstd = ts::codec::configuration(ts::codec::zstd{}).make(1);
  EXPECT_FALSE(detail::encode_in_pieces(*zstd, data, room, {never}));
}

TEST(ShardCodec, ReadsPartsInAnyOrderWithGapsAndOverlaps) {
  const auto codec = detail::make_shard_codec(small_layout(), nullptr);
  const buffer gaps = from_hex("ff03040708ffff0102050600" + to_hex(words({7, 4, 1, 4})));
  EXPECT_EQ(to_hex(ts::testing::decoded(*codec, gaps, 8)), elements);
  const buffer overlap = from_hex("010203040506" + to_hex(words({0, 4, 2, 4})));
  EXPECT_EQ(to_hex(ts::testing::decoded(*codec, overlap, 8)), "0102030403040506");
}

TEST(ShardCodec, ReadsScalars) {
  const auto codec =
      detail::make_shard_codec({.shape = {}, .part_shape = {}, .itemsize = 2}, nullptr);
  const buffer value = ts::testing::encoded(*codec, from_hex("0102"));
  EXPECT_EQ(value.size(), 2U + 16 + 4);
  EXPECT_EQ(to_hex(ts::testing::decoded(*codec, value, 2)), "0102");
}

TEST(ShardCodec, RefusesHostileShards) {
  const auto codec = detail::make_shard_codec(small_layout(), nullptr);
  const auto refusal = [&](const std::string& parts, const std::vector<std::uint64_t>& index) {
    return ts::testing::refusal_of(*codec, from_hex(parts + to_hex(words(index))), 8);
  };
  EXPECT_EQ(refusal("01020304", {0, 4, 0, 4}), "accepted");
  EXPECT_THAT(refusal("01020304", {0, 4, 0, 3}), AllOf(HasSubstr("part 1"), HasSubstr("4 B")));
  EXPECT_THAT(refusal("01020304", {0, 4, 33, 4}), HasSubstr("leaves the shard of 36 B"));
  EXPECT_THAT(refusal("01020304", {0, 4, missing, 4}), HasSubstr("marks"));
  EXPECT_THAT(refusal("", {0, 4, 0}), HasSubstr("an index of 32 B, but has 24 B"));
}

TEST(ShardCodec, NamesThePartWhoseBytesAreDamaged) {
  const auto inner = ts::codec::configuration(ts::codec::zlib{}).make({});
  const auto codec = detail::make_shard_codec(small_layout(), inner);
  buffer value = ts::testing::encoded(*codec, from_hex(elements));
  EXPECT_EQ(to_hex(ts::testing::decoded(*codec, value, 8)), elements);
  value[value.size() - 32 - 1] ^= std::byte{0xFF};
  EXPECT_THAT(ts::testing::refusal_of(*codec, value, 8), HasSubstr("part 1 of 2"));
}

TEST(ShardCodec, BoundsItsEncoding) {
  const auto inner = ts::codec::configuration(ts::codec::crc32c{}).make({});
  shard_layout layout = small_layout();
  layout.index = {};
  const auto codec = detail::make_shard_codec(layout, inner);
  EXPECT_EQ(codec->max_encoded_size(8), 2 * (4 + 4) + 2 * 16 + 4);
  EXPECT_LE(codec->max_encoded_size(4), codec->max_encoded_size(8));
  buffer room(51);
  EXPECT_THROW(static_cast<void>(codec->encode(from_hex(elements), room)), ts::codec_error);
  EXPECT_THROW(static_cast<void>(codec->encode(buffer(7), room)), ts::codec_error);
}

TEST(ShardCodec, RefusesPartsThatDoNotDivide) {
  shard_layout layout = small_layout();
  layout.part_shape = {2, 3};
  EXPECT_THROW(static_cast<void>(detail::make_shard_codec(layout, nullptr)), ts::codec_error);
  EXPECT_THROW(static_cast<void>(detail::parts_of_shard({2, 4}, {2})), ts::codec_error);
  EXPECT_EQ(detail::parts_of_shard({6, 2, 4}, {2, 2, 2}), (index_vector{3, 1, 2}));
}

}  // namespace
