// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/layout.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/expr/line_node.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace tessera {
namespace {

array_layout broadcast(const array_layout& a, const array_layout& b) {
  const std::array operands{&a, &b};
  return broadcast_layout("f", operands);
}

TEST(Layout, BroadcastsAsNumPy) {
  EXPECT_EQ(broadcast_shapes("f", {8, 1, 6, 1}, {7, 1, 5}), (index_vector{8, 7, 6, 5}));
  EXPECT_EQ(broadcast_shapes("f", {}, {3}), (index_vector{3}));
  EXPECT_EQ(broadcast_shapes("f", {0, 3}, {1, 3}), (index_vector{0, 3}));
  EXPECT_THROW(static_cast<void>(broadcast_shapes("f", {2}, {0})), shape_error);
  EXPECT_THROW(static_cast<void>(broadcast_shapes("f", {2, 1}, {8, 4, 3})), shape_error);
}

TEST(Layout, BroadcastMapLeavesOutStretchedAxes) {
  EXPECT_EQ(broadcast_map({1, 5}, {7, 3, 5}), index_map(3, {{0}, {2, 0, 1}}));
}

TEST(Layout, ChunksAreThoseOfTheLargestChunk) {
  const array_layout small{{100, 100}, {10, 10}, nullptr};
  const array_layout large{{100, 100}, {5, 50}, nullptr};
  EXPECT_EQ(broadcast(small, large).chunks, (index_vector{5, 50}));
  const array_layout equal{{100, 100}, {50, 5}, nullptr};
  EXPECT_EQ(broadcast(large, equal).chunks, (index_vector{5, 50}));
}

// By hand, for elements of 16 bytes: 913 x 1,860 of them are 27.2 MB, more than 5 MB, and half
// of that are 84 rows; 913 in parts of at most 84 are 11 parts of 83. A line of 10,001 elements is
// more than a tenth of 1 MB, so that chunks are as long as those of the operand.
TEST(Layout, ResultsOfLinesAreCutIntoEqualPartsIfWholeOnesExceedTheMemory) {
  const auto chunks_within = [](bytes allowed, const index_vector& shape,
                                const index_vector& chunks) {
    const array_layout rows{shape, chunks,
                            std::make_shared<const spec>(spec{.allowed_memory = allowed})};
    return lines_layout("rfft", rows, 1, {.length = shape[0] / 2 + 1}).chunks;
  };
  EXPECT_EQ(chunks_within(bytes{5'000'000}, {1825, 5580}, {365, 1860}), (index_vector{83, 1860}));
  EXPECT_EQ(chunks_within(bytes{30'000'000}, {1825, 5580}, {365, 1860}), (index_vector{913, 1860}));
  EXPECT_EQ(chunks_within(bytes{5'000'000}, {4096, 640}, {32, 64}), (index_vector{2049, 64}));
  EXPECT_EQ(chunks_within(bytes{1'000'000}, {20000, 1000}, {100, 200}), (index_vector{100, 200}));
  EXPECT_EQ(chunks_within(bytes{1'000}, {4, 640}, {2, 640}), (index_vector{1, 640}));
}

TEST(Layout, StretchedAxesTakeTheChunksOfTheOthers) {
  const array_layout column{{100, 1}, {100, 1}, nullptr};
  const array_layout row{{40}, {8}, nullptr};
  EXPECT_EQ(broadcast(column, row).chunks, (index_vector{100, 8}));
}

// By hand: 361 x 720 elements are 2.1 MB; four of them keep to a tenth of 100 MB, eight do not.
TEST(Layout, StretchedAxesAreCutIfWholeChunksExceedTheMemory) {
  const auto limits = std::make_shared<const spec>(spec{.allowed_memory = bytes{100'000'000}});
  const array_layout slope{{361, 720}, {361, 720}, limits};
  const array_layout time{{3650, 1, 1}, {3650, 1, 1}, nullptr, true};
  const array_layout trend = broadcast(slope, time);
  EXPECT_EQ(trend.chunks, (index_vector{4, 361, 720}));
  EXPECT_FALSE(trend.is_automatic);
  // Chunks of the operand that are larger stay.
  const array_layout large{{3610, 7200}, {3610, 7200}, limits};
  EXPECT_EQ(broadcast(large, time).chunks, (index_vector{1, 3610, 7200}));
}

TEST(Layout, ChosenChunksGoBeforeAutomaticOnes) {
  const array_layout chosen{{1000, 1000}, {10, 10}, nullptr, false};
  const array_layout automatic{{1000, 1000}, {1000, 1000}, nullptr, true};
  EXPECT_EQ(broadcast(automatic, chosen).chunks, (index_vector{10, 10}));
  EXPECT_FALSE(broadcast(automatic, chosen).is_automatic);
}

TEST(Layout, AutomaticChunksStaySmallWhenTheyAreMultiplied) {
  const array_layout column{{100'000, 1}, {100'000, 1}, nullptr, true};
  const array_layout row{{100'000}, {100'000}, nullptr, true};
  const array_layout product = broadcast(column, row);
  EXPECT_TRUE(product.is_automatic);
  EXPECT_LE(num_elements(product.chunks) * 8, 100'000'000);
  EXPECT_GE(num_elements(product.chunks) * 8, 25'000'000);
}

/// Returns the message that refuses arrays of both specs; empty if they go together.
std::string message_of_specs(const std::shared_ptr<const spec>& a,
                             const std::shared_ptr<const spec>& b) {
  try {
    static_cast<void>(broadcast({{2}, {2}, a}, {{2}, {2}, b}));
  } catch (const value_error& error) {
    return error.what();
  }
  return {};
}

TEST(Layout, SpecsMustBeEqualWhereThereAreAny) {
  const auto spec_a = std::make_shared<const spec>(spec{.work_dir = "a"});
  const auto same = std::make_shared<const spec>(spec{.work_dir = "a"});
  const auto spec_b = std::make_shared<const spec>(spec{.work_dir = "b"});
  const array_layout none{{2}, {2}, nullptr};
  EXPECT_EQ(broadcast(none, {{2}, {2}, spec_a}).spec, spec_a);
  EXPECT_EQ(broadcast({{2}, {2}, same}, {{2}, {2}, spec_a}).spec, same);
  EXPECT_NE(message_of_specs(spec_a, spec_b).find("work_dir is a in one and b in the other"),
            std::string::npos);
}

TEST(Layout, NamesEachMemberInWhichSpecsDiffer) {
  const spec first{.work_dir = "a",
                   .allowed_memory = bytes{1'000'000},
                   .reserved_memory = bytes{1'000},
                   .host_memory = std::nullopt,
                   .intermediate_compressor = "lz4"};
  const spec second{.work_dir = "b",
                    .allowed_memory = bytes{2'000'000},
                    .reserved_memory = bytes{3'000},
                    .host_memory = bytes{5'000'000'000},
                    .intermediate_compressor = "none",
                    .costs = costs::object_store()};
  const auto message_of = [](const spec& a, const spec& b) {
    return message_of_specs(std::make_shared<const spec>(a), std::make_shared<const spec>(b));
  };
  const std::string message = message_of(first, second);
  for (const char* difference :
       {"work_dir is a in one and b in the other",
        "allowed_memory is 1.0 MB (1,000,000 B) in one and 2.0 MB (2,000,000 B) in the other",
        "reserved_memory is 1.0 kB (1,000 B) in one and 3.0 kB (3,000 B) in the other",
        "host_memory is not set in one and 5.0 GB (5,000,000,000 B) in the other",
        "intermediate_compressor is lz4 in one and none in the other, costs is reads 1.0 GB/s",
        "costs is reads 1.0 GB/s, writes 1.0 GB/s, latency 100 us, 1 in flight",
        "in one and reads 100 MB/s, writes 100 MB/s, latency 20 ms, 1 in flight"}) {
    EXPECT_NE(message.find(difference), std::string::npos) << message;
  }
  spec third = first;
  third.reserved_memory = second.reserved_memory;
  const std::string short_message = message_of(first, third);
  EXPECT_NE(short_message.find("differ: reserved_memory is"), std::string::npos) << short_message;
  EXPECT_EQ(short_message.find("work_dir"), std::string::npos) << short_message;
  EXPECT_EQ(message_of(first, first), "");
}

TEST(Layout, ReducedAxesAreLeftOut) {
  const array_layout of{{2, 3, 4}, {1, 2, 3}, nullptr};
  EXPECT_EQ(reduced_layout("f", of, 0b101).shape, (index_vector{3}));
  EXPECT_EQ(reduced_layout("f", of, 0b101).chunks, (index_vector{2}));
}

// 365 groups of maps of 260,000 elements are 95 million elements; a chunk has at most 2^22.
TEST(Layout, OfManyGroupsHasChunksOfSomeOfThem) {
  for (const std::uint64_t memory : {std::uint64_t{100'000'000}, std::uint64_t{50'000'000'000}}) {
    spec limits;
    limits.allowed_memory = bytes{memory};
    const auto shared_limits = std::make_shared<const spec>(limits);
    const std::array<index_t, 1> groups{365};
    const array_layout days{{14600, 361, 720}, {7, 361, 720}, shared_limits};
    const array_layout means = reduced_layout("mean", days, 0b001, groups);
    EXPECT_EQ(means.shape, (index_vector{365, 361, 720}));
    EXPECT_EQ(means.chunks, (index_vector{12, 361, 720}));
    const std::array<index_t, 1> few{16};
    EXPECT_EQ(reduced_layout("mean", days, 0b001, few).chunks, (index_vector{16, 361, 720}));
    // A chunk may be as large as one of the array.
    const array_layout large{{14600, 361, 7200}, {365, 361, 720}, shared_limits};
    EXPECT_EQ(reduced_layout("mean", large, 0b001, groups).chunks, (index_vector{365, 361, 720}));
  }
}

// A chunk of an outer product of vectors in chunks of 20,000 would have 4e8 elements.
TEST(Layout, OfOuterProductsHasShorterChunksThanItsOperands) {
  const array_layout column{{20000, 1}, {20000, 1}, nullptr};
  const array_layout row{{1, 20000}, {1, 20000}, nullptr};
  const array_layout outer = broadcast_layout("multiply", std::array{&column, &row});
  EXPECT_EQ(outer.shape, (index_vector{20000, 20000}));
  EXPECT_LE(outer.chunks[0] * outer.chunks[1], index_t{1} << 22);
  EXPECT_GE(outer.chunks[0] * outer.chunks[1], index_t{1} << 20);
  // Chunks of operands stay, however large they are.
  const array_layout matrix{{20000, 20000}, {10000, 20000}, nullptr};
  EXPECT_EQ(broadcast_layout("multiply", std::array{&matrix, &row}).chunks, matrix.chunks);
  const array_layout short_column{{20000, 1}, {1000, 1}, nullptr};
  EXPECT_EQ(broadcast_layout("multiply", std::array{&short_column, &row}).chunks,
            (index_vector{1000, 2500}));
}

TEST(Layout, ViewsDivideChunksByTheStep) {
  const array_layout of{{100, 60}, {10, 20}, nullptr};
  const index_map map(2, {{1, 99, -3}, {0, 0, 1}});
  EXPECT_EQ(view_layout(of, map, {60, 34}).chunks, (index_vector{20, 4}));
}

/// The map of an axis that is split, as reshape makes it.
index_map split(index_t inner) {
  axis_map digits{0, 0, inner};
  digits.add({1, 1});
  return {2, {digits}};
}

// Days of ten years in chunks of ten days stay in chunks of ten days.
TEST(Layout, SplitAxesKeepChunksNearThoseOfTheSource) {
  const array_layout days{{3650}, {10}, nullptr};
  EXPECT_EQ(view_layout(days, split(365), {10, 365}).chunks, (index_vector{1, 10}));
  EXPECT_EQ(view_layout(days, split(5), {730, 5}).chunks, (index_vector{2, 5}));
  // A chunk of 10 elements has three whole rows of 3, and one of 6.
  const array_layout thirds{{3600}, {10}, nullptr};
  EXPECT_EQ(view_layout(thirds, split(3), {1200, 3}).chunks, (index_vector{3, 3}));
  EXPECT_EQ(view_layout(thirds, split(6), {600, 6}).chunks, (index_vector{1, 6}));
  const array_layout long_axis{{1'000'000'000}, {1'000'000}, nullptr};
  EXPECT_EQ(view_layout(long_axis, split(500'000'000), {2, 500'000'000}).chunks,
            (index_vector{1, 1'000'000}));
}

// Windows that overlap are taken whole.
TEST(Layout, WindowsAreOneChunk) {
  const array_layout of{{100}, {10}, nullptr};
  axis_map window{0, 0, 1};
  window.add({1, 1});
  EXPECT_EQ(view_layout(of, {2, {window}}, {71, 30}).chunks, (index_vector{10, 30}));
}

}  // namespace
}  // namespace tessera
