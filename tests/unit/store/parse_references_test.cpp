// SPDX-License-Identifier: Apache-2.0
/// \file
/// The expected references come from fsspec's page "Reference File System", versions 0 and 1.

#include "store/reference/parse_references.hpp"

#include "tessera/core/error.hpp"

#include "unit/core/message_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace tessera::testing {
namespace {

using detail::reference_table;
using detail::value_reference;
using ::testing::HasSubstr;

reference_table parse(const std::string& document) {
  std::istringstream text(document);
  return detail::parse_references(text, detail::target_prefixes("/data/", {"https://host/in/"}),
                                  "/data/x.json");
}

/// Returns the reference of a key as a text: its value, or target, first byte and size.
std::string reference_of(const reference_table& table, const std::string& key) {
  const value_reference* const reference = table.find(key);
  if (reference == nullptr) return "(missing)";
  if (reference->is_inline()) return std::string(table.inline_value(*reference));
  const detail::reference_target& target = table.target_of(*reference);
  std::string text = std::to_string(target.prefix) + " " + target.key;
  if (reference->is_whole()) return text;
  return text + " " + std::to_string(reference->first) + " " + std::to_string(reference->size);
}

TEST(References, OfVersion1AreRead) {
  const reference_table table = parse(R"({"version": 1, "templates": {}, "gen": [], "refs": {
    "key0": "data", "key1": ["https://host/in/b%20c.nc", 10000, 100], "key2": ["x.nc"],
    "key3": "base64:aGVsbG8=",
    "a/.zarray": {"chunks": [2, {"b": null}], "x": -1.5, "y": "\"\u00e4"},
    "a/0": ["file:///data/deep/x.nc", 18446744073709551, 7], "e": "", "z": ["./x.nc", 0, 0]}})");
  EXPECT_EQ(reference_of(table, "key0"), "data");
  EXPECT_EQ(reference_of(table, "key1"), "1 b c.nc 10000 100");
  EXPECT_EQ(reference_of(table, "key2"), "0 x.nc");
  EXPECT_EQ(reference_of(table, "key3"), "hello");
  EXPECT_EQ(reference_of(table, "a/.zarray"), R"({"chunks":[2,{"b":null}],"x":-1.5,"y":"\"ä"})");
  EXPECT_EQ(reference_of(table, "a/0"), "0 deep/x.nc 18446744073709551 7");
  EXPECT_EQ(reference_of(table, "e"), "");
  EXPECT_EQ(reference_of(table, "z"), "0 x.nc 0 0");
  EXPECT_EQ(reference_of(table, "key4"), "(missing)");
  EXPECT_EQ(table.references().size(), 8U);
}

TEST(References, OfVersion0AreRead) {
  const reference_table table =
      parse(R"({".zgroup": {"zarr_format": 2}, "x/0": ["/data/x.nc", 5, 6], "version": "v"})");
  EXPECT_EQ(reference_of(table, ".zgroup"), R"({"zarr_format":2})");
  EXPECT_EQ(reference_of(table, "x/0"), "0 x.nc 5 6");
  EXPECT_EQ(reference_of(table, "version"), "v");
}

TEST(References, AreThoseOfRefsWhereverItStands) {
  const reference_table table = parse(R"({"note": "b", "refs": {"a": "1"}, "version": 1, "n": 5})");
  EXPECT_EQ(reference_of(table, "a"), "1");
  EXPECT_EQ(reference_of(table, "note"), "(missing)");
}

// As in Python's dictionaries.
TEST(References, OfOneKeyAreTheLastOne) {
  const reference_table table = parse(R"({"b": "1", "a": "2", "b": "3"})");
  EXPECT_EQ(reference_of(table, "b"), "3");
  EXPECT_EQ(table.references().size(), 2U);
}

// VirtualiZarr 2.5 leaves out the number. Zarr v2, "Chunks": the key of a scalar's chunk is "0".
TEST(References, OfScalarsHaveTheKeysOfZarr) {
  const reference_table table = parse(R"({"x/.zarray": "{}", "x/": ["x.nc", 5, 8]})");
  EXPECT_EQ(reference_of(table, "x/0"), "0 x.nc 5 8");
}

TEST(References, ShareTheirTargets) {
  std::string document = R"({"version": 1, "refs": {)";
  for (int i = 0; i < 1000; ++i) {
    document += "\"x/" + std::to_string(i) + "\": [\"a-target-with-a-long-name.nc\", " +
                std::to_string(i) + ", 1],";
  }
  document.back() = '}';
  const reference_table table = parse(document + "}");
  EXPECT_EQ(table.targets().size(), 1U);
  EXPECT_EQ(reference_of(table, "x/17"), "0 a-target-with-a-long-name.nc 17 1");
  EXPECT_LT(table.memory(), 1000U * (32 + 6) + 200);
}

TEST(Documents, ThatAreMalformedAreRefused) {
  const auto refusal_of = [](const std::string& document) {
    return message_of<store_error>([&] { (void)parse(document); });
  };
  for (const char* document : {"", "[]", "5", "\"a\"", "{", "{\"a\": \"b\"", "{\"a\" \"b\"}",
                               "{} {}", "{\"a\": \"\xFF\"}", "\x1F\x8B"}) {
    EXPECT_THAT(refusal_of(document), HasSubstr("the reference document /data/x.json: is no "));
  }
  EXPECT_THAT(refusal_of(R"({"version": 2, "refs": {}})"), HasSubstr("has version 2"));
  EXPECT_THAT(refusal_of(R"({"version": 1})"), HasSubstr("no member \"refs\""));
  EXPECT_THAT(refusal_of(R"({"version": 1, "templates": {"u": "x.nc"}, "refs": {}})"),
              HasSubstr("templates or generated keys"));
  EXPECT_THAT(refusal_of(R"({"version": 1, "gen": [{"key": "a"}], "refs": {}})"),
              HasSubstr("templates or generated keys"));
  for (const char* value : {"5", "null", "true", "[]", "[5]", "[\"x.nc\", 5]",
                            "[\"x.nc\", 5, 6, 7]", "[\"x.nc\", -5, 6]", "[\"x.nc\", 5, 0.5]",
                            "[\"x.nc\", \"5\", 6]", "[\"x.nc\", null, null]"}) {
    EXPECT_THAT(refusal_of("{\"refs\": {\"a/0\": " + std::string(value) + "}}"),
                HasSubstr("key \"a/0\": a reference is a text"));
    EXPECT_THAT(refusal_of("{\"a/0\": " + std::string(value) + "}"),
                HasSubstr("key \"a/0\": a reference is a text"));
  }
  EXPECT_THAT(refusal_of(R"({"a": "base64:abc"})"), HasSubstr("key \"a\": its value is no base64"));
  for (const char* key : {"", "/", "/a", "a//", "a//b", "../a", "a\\u0000"}) {
    EXPECT_THAT(refusal_of("{\"" + std::string(key) + "\": \"\"}"), HasSubstr("must be names"));
  }
}

TEST(Documents, WithRangesBeyondTheLastByteAreRefused) {
  for (const char* range : {"18446744073709551615, 1", "1, 18446744073709551615",
                            "9223372036854775807, 1", "0, 9223372036854775808"}) {
    EXPECT_THAT(message_of<store_error>(
                    [&] { (void)parse("{\"a\": [\"x.nc\", " + std::string(range) + "]}"); }),
                HasSubstr("no range of a file"));
  }
  EXPECT_NO_THROW((void)parse(R"({"a": ["x.nc", 9223372036854775806, 1]})"));
}

TEST(Targets, LieBelowTheFolderOfTheDocumentOrGivenPrefixes) {
  for (const char* target :
       {"/etc/passwd", "file:///etc/passwd", "/database/x.nc", "/data", "https://host/in",
        "https://host/inner/x.nc", "https://host.evil/in/x.nc", "http://host/in/x.nc",
        "https://user:pw@host/in/x.nc", "s3://data/x.nc", "file://host/data/x.nc"}) {
    const std::string message = message_of<store_error>(
        [&] { (void)parse("{\"a\": [\"" + std::string(target) + "\", 0, 1]}"); });
    EXPECT_THAT(message, HasSubstr("lies outside of \"/data/\"")) << target;
    EXPECT_THAT(message, ::testing::Not(HasSubstr("pw"))) << target;
  }
  for (const char* target : {"../x.nc", "/data/../etc/passwd", "a/../../x.nc", "/data//x.nc",
                             "https://host/in/%2e%2e/x.nc", "https://host/in/%00"}) {
    EXPECT_THAT(message_of<store_error>(
                    [&] { (void)parse("{\"a\": [\"" + std::string(target) + "\", 0, 1]}"); }),
                HasSubstr("must be names"))
        << target;
  }
  EXPECT_THAT(message_of<store_error>(
                  [] { (void)parse(R"({"a": ["https://host/in/x.nc?sig=s3cret", 0, 1]})"); }),
              ::testing::AllOf(HasSubstr("has a query"), ::testing::Not(HasSubstr("s3cret"))));
  EXPECT_EQ(reference_of(parse(R"({"a": ["HTTPS://host/in/x.nc", 0, 1]})"), "a"), "1 x.nc 0 1");
}

}  // namespace
}  // namespace tessera::testing
