// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/store/reference.hpp"

#include "conformance/store_values.hpp"
#include "unit/core/message_of.hpp"
#include "unit/store/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

void write_file(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string value_of_key(const key_value_store& store, std::string_view key) {
  const auto value = store.read_all(key, no_limit);
  if (!value) return "(missing)";
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

/// A document and a file of 26 letters.
struct letters_and_references {
  letters_and_references() {
    std::filesystem::create_directory(folder / "files");
    write_file(folder / "files/letters", "abcdefghijklmnopqrstuvwxyz");
    write_file(folder / "x.json", R"({"version": 1, "refs": {
      ".zgroup": "{}", "a/.zattrs": {}, "a/0.0": ["files/letters", 3, 4], "a/0.1": "inline",
      "a/b/c": ["files/letters"], "a/late": ["files/letters", 20, 10], "a/gone": ["files/no", 0, 1],
      "ab": "base64:AAE="}})");
  }
  temporary_directory folder;
};

TEST(ReferenceStore, ReadsRangesOfFiles) {
  const letters_and_references given;
  const auto store = open_store("reference://" + given.folder / "x.json");
  EXPECT_EQ(value_of_key(*store, "a/0.0"), "defg");
  EXPECT_EQ(value_of_key(*store, "a/0.1"), "inline");
  EXPECT_EQ(value_of_key(*store, "a/b/c"), "abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(value_of_key(*store, "ab"), std::string_view("\0\1", 2));
  EXPECT_EQ(value_of_key(*store, "a"), "(missing)");
  EXPECT_EQ(store->size("a/0.0"), 4U);
  EXPECT_EQ(store->size("a/b/c"), 26U);
  EXPECT_THAT(store->list_folder(""), ElementsAre(".zgroup", "a/", "ab"));
  EXPECT_THAT(store->list_folder("a"), ElementsAre(".zattrs", "0.0", "0.1", "b/", "gone", "late"));
}

TEST(ReferenceStore, IsOfAFolderOfTheDocument) {
  const letters_and_references given;
  const std::string document = given.folder / "x.json";
  const auto store = open_store("reference://" + document + "/a/");
  EXPECT_EQ(value_of_key(*store, "0.0"), "defg");
  EXPECT_EQ(value_of_key(*store, "ab"), "(missing)");
  EXPECT_THAT(store->list("b"), ElementsAre("b/c"));
  EXPECT_EQ(store->name(), "reference://" + document + "/a");
  EXPECT_EQ(store->recipe(), (store_recipe{"reference", document + "/a", ""}));
  EXPECT_EQ(root_names_of("reference", "/data/x.json/a"), 2U);
  EXPECT_EQ(root_names_of("reference", "https://host/data.zarr/x.json/a.json/b"), 4U);
}

TEST(ReferenceStore, FailsWhereATargetLacksBytes) {
  const letters_and_references given;
  const auto store = open_reference_store(given.folder / "x.json");
  value_t buffer(10);
  const std::string late = message_of<store_error>([&] { (void)store->read("a/late", buffer); });
  EXPECT_THAT(late, HasSubstr("10 B from byte 20 on are referred to"));
  EXPECT_THAT(late, HasSubstr("\"files/letters\" has 26 B"));
  EXPECT_THAT(message_of<store_error>([&] { (void)store->read_all("a/late", 10); }),
              HasSubstr("has 26 B"));
  // A missing target is no missing chunk, which would be read as fill values.
  EXPECT_THAT(message_of<store_error>([&] { (void)store->read("a/gone", buffer); }),
              HasSubstr("\"files/no\" (" + given.folder.path().string() + ") does not exist"));
}

// A claimed size is compared with the target before memory is allocated for it.
TEST(ReferenceStore, AllocatesNothingForClaimedSizes) {
  const letters_and_references given;
  write_file(given.folder / "big.json", R"({"a": ["files/letters", 0, 9223372036854775807]})");
  const auto store = open_reference_store(given.folder / "big.json");
  EXPECT_THAT(message_of<store_error>([&] { (void)store->read_all("a", ~std::size_t{0}); }),
              HasSubstr("has 26 B"));
}

TEST(ReferenceStore, CannotBeWritten) {
  const letters_and_references given;
  const auto store = open_reference_store(given.folder / "x.json");
  EXPECT_FALSE(store->traits().is_writable);
  EXPECT_THAT(message_of<store_error>([&] { store->write("a/0.0", {}); }), HasSubstr("read-only"));
  EXPECT_THROW(store->erase("a/0.0"), store_error);
  EXPECT_THROW(store->erase_all("a"), store_error);
  EXPECT_THROW((void)store->writer("a/0.0"), store_error);
}

TEST(ReferenceStore, SeesADocumentThatHasChanged) {
  const letters_and_references given;
  const std::string document = given.folder / "x.json";
  const auto before = open_reference_store(document);
  EXPECT_EQ(value_of_key(*before, "a/0.1"), "inline");
  filesystem_store(given.folder.path().string())
      .write("x.json", as_bytes(std::span("{\"b\": \"2\"}", 10)));
  EXPECT_EQ(value_of_key(*open_reference_store(document), "b"), "2");
  EXPECT_EQ(value_of_key(*before, "a/0.1"), "inline") << "a store that has been used stays";
}

TEST(ReferenceStore, TellsItsStateByReferencesAndTargets) {
  const letters_and_references given;
  const std::string document = given.folder / "x.json";
  write_file(document, R"({"a/.zattrs": "1", "a/0": ["files/letters", 0, 1], "b/0": "1"})");
  const auto state = [&] { return open_reference_store(document)->state("a"); };
  const std::string before = state();
  write_file(document, R"({"a/.zattrs": "22", "a/0": ["files/letters", 0, 1], "b/0": "2"})");
  EXPECT_EQ(state(), before);
  write_file(document, R"({"a/.zattrs": "1", "a/0": ["files/letters", 1, 1], "b/0": "222"})");
  EXPECT_NE(state(), before);
  const std::string changed = state();
  write_file(given.folder / "files/letters", "other");
  EXPECT_NE(state(), changed);
}

TEST(ReferenceStore, TakesTargetsOfGivenPrefixes) {
  const letters_and_references given;
  const temporary_directory elsewhere;
  const std::string document = elsewhere / "x.json";
  write_file(document, "{\"a\": [\"file://" + given.folder / "files/letters" + "\", 0, 2]}");
  const store_error denied = [&] {
    try {
      (void)open_reference_store(document)->size("a");
    } catch (const store_error& failure) {
      return failure;
    }
    return store_error("");
  }();
  EXPECT_EQ(denied.kind(), store_failure::denied);
  EXPECT_THAT(denied.what(), HasSubstr("lies outside of \"" + elsewhere.path().string() + "/\""));
  const std::string prefix = given.folder.path().string() + "/";
  const auto store = open_reference_store(document, {.targets = {"/a&b/", prefix}});
  EXPECT_EQ(value_of_key(*store, "a"), "ab");
  EXPECT_EQ(store->recipe()->options, "targets=/a%26b/&targets=" + prefix);
  EXPECT_EQ(value_of_key(*open_store(*store->recipe()), "a"), "ab");
  EXPECT_EQ(value_of_key(*open_store("reference://" + document + "?targets=" + prefix), "a"), "ab");
}

TEST(ReferenceStore, RefusesMalformedLocations) {
  const auto refusal_of = [](const auto& open) { return message_of<value_error>(open); };
  EXPECT_THAT(refusal_of([] { (void)open_store("reference:///data/x.nc"); }),
              HasSubstr("must end in \".json\""));
  EXPECT_THAT(refusal_of([] { (void)open_store("reference:///data/x.json?target=/a/"); }),
              HasSubstr("did you mean \"targets\""));
  EXPECT_THAT(refusal_of([] { (void)open_reference_store("/x.json", {.targets = {"/data"}}); }),
              HasSubstr("must end in \"/\""));
  for (const char* location : {"reference://https://user:s3cret@host/x.json",
                               "reference://https://user:s3cret@host/x.json?target=a"}) {
    EXPECT_THAT(refusal_of([&] { (void)open_store(location); }), Not(HasSubstr("s3cret")));
  }
  for (const char* prefix : {"https://user:s3cret@host/", "https://host/?sig=s3cret/"}) {
    EXPECT_THAT(refusal_of([&] { (void)open_reference_store("/x.json", {.targets = {prefix}}); }),
                Not(HasSubstr("s3cret")));
  }
  EXPECT_THAT(message_of<store_error>([] { (void)open_reference_store("/no/x.json")->size("a"); }),
              HasSubstr("/no/x.json does not exist"));
}

}  // namespace
}  // namespace tessera::testing
