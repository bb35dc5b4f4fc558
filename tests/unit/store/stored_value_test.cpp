// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/stored_value.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <type_traits>

namespace tessera {
namespace {

// RFC 9110, 14.1.2: a suffix that is longer than the value is the whole value.
TEST(ByteRange, IsClippedToTheValue) {
  constexpr std::uint64_t most = byte_range::everything;
  EXPECT_EQ(clip_range({}, 10), (byte_range{0, 10}));
  EXPECT_EQ(clip_range({3, 4}, 10), (byte_range{3, 4}));
  EXPECT_EQ(clip_range({3, most}, 10), (byte_range{3, 7}));
  EXPECT_EQ(clip_range({8, 4}, 10), (byte_range{8, 2}));
  EXPECT_EQ(clip_range({10, 4}, 10), (byte_range{10, 0}));
  EXPECT_EQ(clip_range({most, most}, 10), (byte_range{10, 0}));
  EXPECT_EQ(clip_range({.count = 4, .from_end = true}, 10), (byte_range{6, 4}));
  EXPECT_EQ(clip_range({.count = 40, .from_end = true}, 10), (byte_range{0, 10}));
  EXPECT_EQ(clip_range({.count = 0, .from_end = true}, 10), (byte_range{10, 0}));
  EXPECT_EQ(clip_range({}, 0), (byte_range{0, 0}));
}

TEST(ValueVersion, KeepsATextOfAtMost79Characters) {
  EXPECT_FALSE(value_version().is_known());
  EXPECT_EQ(value_version().text(), "");
  EXPECT_FALSE(value_version("").is_known());
  const std::string longest(79, 'e');
  EXPECT_EQ(value_version(longest).text(), longest);
  EXPECT_TRUE(value_version(longest).is_known());
  EXPECT_FALSE(value_version(std::string(80, 'e')).is_known());
  EXPECT_EQ(value_version("a"), value_version("a"));
  EXPECT_NE(value_version("a"), value_version("ab"));
  EXPECT_NE(value_version("a"), value_version());
  static_assert(std::is_trivially_copyable_v<value_version>);
}

}  // namespace
}  // namespace tessera
