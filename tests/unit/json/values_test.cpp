// SPDX-License-Identifier: Apache-2.0
#include "json/values.hpp"

#include "tessera/core/error.hpp"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tessera::fields {
namespace {

using ::testing::HasSubstr;

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const value_error& refusal) {
    return refusal.what();
  }
  return "nothing";
}

TEST(Values, DepthCountsOpenListsAndObjectsButNoneOfStrings) {
  EXPECT_EQ(depth_of(""), 0U);
  EXPECT_EQ(depth_of("[]"), 1U);
  EXPECT_EQ(depth_of(R"({"a": [1, [2]], "b": [3]})"), 3U);
  EXPECT_EQ(depth_of(R"(["[[[", "\"[[[", "\\"])"), 1U);
  EXPECT_EQ(depth_of("]]][["), 2U);
}

TEST(Values, ADeepValueIsRefusedBeforeItIsParsed) {
  EXPECT_EQ(parse(nested(4096)).size(), 1U);
  EXPECT_EQ(refusal_of(nested(4097)), "found JSON that is nested more than 4096 deep");
  // A text of 20 MB: a parsed value would overflow the stack when it is written.
  EXPECT_THAT(refusal_of(nested(10'000'000)), HasSubstr("nested"));
  EXPECT_TRUE(parse_or_discard(nested(4097)).is_discarded());
}

TEST(Values, TextThatIsNoJsonIsRefusedOrDiscarded) {
  for (const char* text : {"", "{", "[1,]", "nul", "\"\xFF\"", "1 2"}) {
    EXPECT_THROW(static_cast<void>(parse(text)), json::exception) << text;
    EXPECT_TRUE(parse_or_discard(text).is_discarded()) << text;
  }
  EXPECT_EQ(parse_or_discard("null"), json());
}

TEST(Values, IntegersAreThoseOfTheirType) {
  EXPECT_EQ(integer_if(parse("9223372036854775807")), INT64_MAX);
  EXPECT_EQ(integer_if(parse("-9223372036854775808")), INT64_MIN);
  EXPECT_EQ(integer_if(parse("9223372036854775808")), std::nullopt);
  for (const char* text : {"1.0", "true", "\"1\"", "null", "[1]", "1e2"}) {
    EXPECT_EQ(integer_if(parse(text)), std::nullopt) << text;
  }
  EXPECT_EQ(integer_of_type<std::uint64_t>(parse("18446744073709551615")), UINT64_MAX);
  EXPECT_EQ(integer_of_type<std::uint64_t>(parse("-1")), std::nullopt);
  EXPECT_EQ(integer_of_type<std::int8_t>(parse("-128")), INT8_MIN);
  EXPECT_EQ(integer_of_type<std::int8_t>(parse("128")), std::nullopt);
}

TEST(Values, ARangeNamesTheNumberAndItsBounds) {
  EXPECT_EQ(integer_in(parse("7"), 0, 7), 7);
  const auto refusal = [](auto read) -> std::string {
    try {
      read();
    } catch (const value_error& failure) {
      return failure.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refusal([] { static_cast<void>(integer_in(parse("8"), 0, 7)); }),
            "found 8, which is not from 0 to 7");
  EXPECT_EQ(refusal([] { static_cast<void>(count(parse("-1"))); }),
            "found -1, which is not from 0 to 9223372036854775807");
  EXPECT_EQ(refusal([] { static_cast<void>(number_below(parse("3"), 3)); }),
            "found the number 3, but there are only 3 to choose from, counted from 0");
  EXPECT_EQ(refusal([] { static_cast<void>(integer(parse("1e300"))); }),
            "found 1e+300 where an integer of 64 bits belongs");
}

TEST(Values, AMemberOfAnotherTypeThrows) {
  EXPECT_THROW(static_cast<void>(text(parse("1"))), json::exception);
  EXPECT_THROW(static_cast<void>(flag(parse("1"))), json::exception);
  EXPECT_THROW(static_cast<void>(list(parse("{}"))), json::exception);
  EXPECT_THROW(static_cast<void>(real(parse("\"1\""))), json::exception);
  EXPECT_EQ(real(parse("2")), 2.0);
}

}  // namespace
}  // namespace tessera::fields
