// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/attributes.hpp"

#include "tessera/core/error.hpp"

#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ts = tessera;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Attributes, HoldEachKindOfValue) {
  const auto attributes = ts::attributes::parse(R"({
    "flag": true, "count": -3, "scale": 0.5, "units": "m s**-1", "_ARRAY_DIMENSIONS": ["y", "x"],
    "ints": [1, 2], "mixed": [1, 2.5], "flags": [true, false], "none": null,
    "map": {"b": 1, "a": [2]},
    "big": 18446744073709551615, "empty": []})");
  EXPECT_TRUE(attributes.get<bool>("flag"));
  EXPECT_EQ(attributes.get<std::int64_t>("count"), -3);
  EXPECT_EQ(attributes.get<double>("scale"), 0.5);
  EXPECT_EQ(attributes.get<double>("count"), -3.0);
  EXPECT_EQ(attributes.get<std::string>("units"), "m s**-1");
  EXPECT_THAT(attributes.get<std::vector<std::string>>("_ARRAY_DIMENSIONS"), ElementsAre("y", "x"));
  EXPECT_THAT(attributes.get<std::vector<std::int64_t>>("ints"), ElementsAre(1, 2));
  EXPECT_THAT(attributes.get<std::vector<double>>("ints"), ElementsAre(1.0, 2.0));
  EXPECT_THAT(attributes.get<std::vector<double>>("mixed"), ElementsAre(1.0, 2.5));
  EXPECT_THAT(attributes.get<std::vector<bool>>("flags"), ElementsAre(true, false));
  EXPECT_THAT(attributes.get<std::vector<std::string>>("empty"), ElementsAre());
  EXPECT_EQ(attributes.get<ts::json_text>("none").text, "null");
  EXPECT_EQ(attributes.get<ts::json_text>("map").text, R"({"b": 1, "a": [2]})");
  EXPECT_EQ(attributes.get<ts::json_text>("big").text, "18446744073709551615");
  EXPECT_FALSE(attributes.contains("nothing"));
  EXPECT_EQ(attributes.size(), 12U);
}

TEST(Attributes, KeepListsOfOneKindAndTextOfOthers) {
  const auto attributes = ts::attributes::parse(R"({
    "fraction first": [0.5, 3, -4], "fraction last": [3, -4, 0.5], "exponent": [1, 2E2],
    "escapes": "a\u00e4\n", "names": ["a,b", "\u00e4", ""],
    "number and text": [1, "a"], "text and number": ["a", 1], "fraction and flag": [0.5, true],
    "flag and number": [true, 1], "null": [null], "list": [[1], 2], "late list": [1, [2]],
    "object": [1, {"a": 2}], "too large": [1, 1e999], "large": [0.5, 18446744073709551615],
    "small": [-9223372036854775808], "smaller": -9223372036854775809})");
  using doubles = std::vector<double>;
  EXPECT_EQ(std::get<doubles>(*attributes.find("fraction first")), (doubles{0.5, 3, -4}));
  EXPECT_EQ(std::get<doubles>(*attributes.find("fraction last")), (doubles{3, -4, 0.5}));
  EXPECT_EQ(std::get<doubles>(*attributes.find("exponent")), (doubles{1, 200}));
  EXPECT_EQ(std::get<std::string>(*attributes.find("escapes")), "a\xC3\xA4\n");
  EXPECT_THAT(std::get<std::vector<std::string>>(*attributes.find("names")),
              ElementsAre("a,b", "\xC3\xA4", ""));
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(*attributes.find("small")),
              ElementsAre(std::numeric_limits<std::int64_t>::min()));
  const std::vector<std::pair<std::string, std::string>> texts{
      {"number and text", R"([1, "a"])"},
      {"text and number", R"(["a", 1])"},
      {"fraction and flag", "[0.5, true]"},
      {"flag and number", "[true, 1]"},
      {"null", "[null]"},
      {"list", "[[1], 2]"},
      {"late list", "[1, [2]]"},
      {"object", R"([1, {"a": 2}])"},
      {"too large", "[1, 1e999]"},
      {"large", "[0.5, 18446744073709551615]"},
      {"smaller", "-9223372036854775809"}};
  for (const auto& [name, text] : texts) {
    EXPECT_EQ(std::get<ts::json_text>(*attributes.find(name)).text, text);
  }
}

TEST(Attributes, NameThoseThatAreThereWhereOneIsMissing) {
  const ts::attributes some{{"units", std::string("K")}, {"scale", 0.5}};
  const auto message_of = [](auto ask) -> std::string {
    try {
      static_cast<void>(ask());
    } catch (const ts::value_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of([&] { return some.get<double>("offset"); }),
            R"(attribute "offset": there is none; there are "units", "scale")");
  EXPECT_EQ(message_of([&] { return ts::attributes{}.get<double>("offset"); }),
            R"(attribute "offset": there is none; there are no attributes)");
  EXPECT_EQ(message_of([&] { return some.get<std::int64_t>("units"); }),
            R"(attribute "units" is not a std::int64_t, found '"K"'; get<std::string> returns it)");
}

TEST(Attributes, KeepOrderAndUnknownContentsWhenRewritten) {
  const std::string text = R"({"z": {"deep": [null, {"k": 1e3}]}, "a": 1, "m": [[1, 2], [3]]})";
  ts::attributes attributes = ts::attributes::parse(text);
  attributes.set("a", "changed");
  attributes.set("new", 2.0);
  const ts::attributes again = ts::attributes::parse(attributes.to_json());
  EXPECT_EQ(again, attributes);
  std::vector<std::string> names;
  for (const auto& [name, value] : again) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("z", "a", "m", "new"));
  EXPECT_EQ(again.get<ts::json_text>("z").text, R"({"deep": [null, {"k": 1e3}]})");
  EXPECT_EQ(again.get<std::string>("a"), "changed");
}

// Python writes these words bare, which is no JSON, and reads quoted words as strings.
TEST(Attributes, KeepBareWordsForNumbersThatJsonLacks) {
  const auto attributes = ts::attributes::parse(
      R"({"_FillValue": NaN, "top": Infinity, "bottom": -Infinity, "text": "a NaN, \" NaN",
          "in": [NaN, 2, -Infinity], "quoted": "NaN", "mixed": [NaN, "NaN"]})");
  EXPECT_TRUE(std::isnan(attributes.get<double>("_FillValue")));
  EXPECT_EQ(attributes.get<double>("top"), HUGE_VAL);
  EXPECT_EQ(attributes.get<double>("bottom"), -HUGE_VAL);
  EXPECT_EQ(attributes.get<std::string>("text"), "a NaN, \" NaN");
  EXPECT_EQ(ts::attributes::parse(attributes.to_json()), attributes);
  const ts::attributes set{{"x", std::nan("")}};
  EXPECT_THAT(set.to_json(), HasSubstr("\"x\": NaN"));
  EXPECT_THAT(
      attributes.to_json(),
      AllOf(HasSubstr("\"_FillValue\": NaN,"), HasSubstr("\"top\": Infinity,"),
            HasSubstr("\"bottom\": -Infinity,"), HasSubstr("\"quoted\": \"NaN\","),
            HasSubstr("\"in\": [NaN, 2.0, -Infinity]"), HasSubstr("\"mixed\": [NaN, \"NaN\"]")));
}

TEST(Attributes, KeepEveryStringAsItIs) {
  const std::vector<std::string> names{"", "a\"b\\c", "tab\tnewline\n", "\xC3\xA4\xE2\x82\xAC",
                                       "x:y,{}"};
  ts::attributes values;
  for (const std::string& name : names) values.set(name, name + name);
  EXPECT_EQ(ts::attributes::parse(values.to_json()), values);
}

TEST(Attributes, AreEqualOnlyWithTheSameValues) {
  const ts::attributes original{{"a", std::int64_t{1}}};
  EXPECT_NE(original, ts::attributes{});
  EXPECT_NE(original, (ts::attributes{{"a", 1.0}}));
  ts::attributes erased = original;
  erased.erase("a");
  EXPECT_TRUE(erased.empty());
  EXPECT_EQ(erased.to_json(), "{}");
}

TEST(Attributes, ErrorsNameTheAttribute) {
  const ts::attributes values{{"units", "K"}};
  EXPECT_THROW((void)values.get<double>("units"), ts::value_error);
  try {
    (void)values.get<double>("scale_factor");
    ADD_FAILURE();
  } catch (const ts::value_error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("scale_factor"));
  }
}

TEST(Attributes, RefuseWhatIsNoObject) {
  for (const char* text : {"", "[]", "3", "{\"a\": }", "{\"a\": 1", "NaN", "{NaN: 1}x", "\"{\""}) {
    EXPECT_THROW((void)ts::attributes::parse(text), ts::zarr_error) << text;
  }
  const ts::attributes malformed{{"a", ts::json_text{"{"}}};
  EXPECT_THROW((void)malformed.to_json(), ts::zarr_error);
}

// The JSON parser takes a NUL for the end, behind which anything might follow.
TEST(Attributes, RefuseWhatFollowsANul) {
  using namespace std::string_literals;
  EXPECT_THROW((void)ts::attributes::parse("{}\0"s), ts::zarr_error);
  EXPECT_THROW((void)ts::attributes::parse("{\"a\": 1}\0{\"\xFF\": 1}"s), ts::zarr_error);
}

// Readers differ in which of two values they take.
TEST(Attributes, TellOfTwoValuesOfOneNameWhenAskedForIt) {
  auto attributes = ts::attributes::parse(R"({"a": 1, "b": 2, "a": 3})");
  EXPECT_EQ(attributes.get<std::int64_t>("b"), 2);
  EXPECT_FALSE(attributes.contains("c"));
  EXPECT_THROW((void)attributes.contains("a"), ts::zarr_error);
  EXPECT_THROW((void)attributes.begin(), ts::zarr_error);
  EXPECT_THROW((void)attributes.to_json(), ts::zarr_error);
  attributes.set("a", 4.0);
  EXPECT_EQ(attributes.size(), 2U);
  attributes = ts::attributes::parse(R"({"b": "\ud800", "c": 1, "a": 1, "b": 2, "a": 3})");
  EXPECT_EQ(attributes.get<std::int64_t>("c"), 1);
  attributes.erase("a");
  const auto count = [&] { return attributes.size(); };
  EXPECT_THAT(count,
              ThrowsMessage<ts::zarr_error>(HasSubstr("\"b\" cannot be read: its name occurs")));
  attributes.erase("b");
  EXPECT_EQ(attributes.to_json(), "{\n    \"c\": 1\n}");
}

TEST(Attributes, TellOfTextThatIsNoUnicodeWhenAskedForIt) {
  const auto attributes = ts::attributes::parse(
      "{\"a\": \"\\ud800\", \"b\": [\"\xC3\x28\"], \"units\": \"K\", \"d\": {\"x\": 1, \"x\": 2}}");
  EXPECT_EQ(attributes.get<std::string>("units"), "K");
  EXPECT_EQ(attributes.get<ts::json_text>("d").text, R"({"x": 1, "x": 2})");
  for (const char* name : {"a", "b"}) {
    try {
      (void)attributes.find(name);
      ADD_FAILURE() << name;
    } catch (const ts::zarr_error& failure) {
      EXPECT_THAT(failure.what(), HasSubstr(std::string("attribute \"") + name + "\" cannot"));
    }
  }
}

// Python's integers have no end.
TEST(Attributes, KeepIntegersOfAnySize) {
  const std::string text =
      R"({"a": 123456789012345678901234567890, "b": [1, 18446744073709551616], "c": 1e999})";
  const auto attributes = ts::attributes::parse(text);
  EXPECT_EQ(attributes.get<ts::json_text>("a").text, "123456789012345678901234567890");
  EXPECT_EQ(attributes.get<double>("a"), 123456789012345678901234567890.0);
  EXPECT_THAT(attributes.get<std::vector<double>>("b"), ElementsAre(1.0, 18446744073709551616.0));
  const std::string written = attributes.to_json();
  for (const char* part :
       {"123456789012345678901234567890", "[1, 18446744073709551616]", "1e999"}) {
    EXPECT_THAT(written, HasSubstr(part));
  }
}

}  // namespace
