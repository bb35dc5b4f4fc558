// SPDX-License-Identifier: Apache-2.0
/// \file
/// Locations of stores: schemes, options, and the stores in memory of a process.

#include "tessera/store/open_store.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"

#include "unit/store/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using testing::temporary_directory;

/// A store that keeps its recipe.
class kept_recipe_store final : public key_value_store {
 public:
  explicit kept_recipe_store(store_recipe recipe) : recipe_(std::move(recipe)) {}
  [[nodiscard]] std::string name() const override { return recipe_.place; }
  [[nodiscard]] std::optional<store_recipe> recipe() const override { return recipe_; }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    return inner_.read(key, into);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return inner_.read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return inner_.size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    inner_.write(key, value);
  }
  void erase(std::string_view key) override { inner_.erase(key); }
  void erase_all(std::string_view folder) override { inner_.erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return inner_.list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return inner_.list_folder(folder);
  }

 private:
  store_recipe recipe_;
  memory_store inner_;
};

std::shared_ptr<key_value_store> keep_recipe(const store_recipe& recipe) {
  return std::make_shared<kept_recipe_store>(recipe);
}

const bool is_optioned = register_store("optioned", keep_recipe,
                                        {.root_names = 2, .option_names = {"anonymous", "region"}});
const bool is_plain = register_store("plain", keep_recipe, {.root_names = 1});

template <class F>
std::string refusal_of(F f) {
  try {
    f();
  } catch (const value_error& failure) {
    return failure.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(StoreLocation, HasItsOptionsBehindTheLastQuestionMark) {
  using recipe = store_recipe;
  EXPECT_EQ(recipe_of_store("optioned://h/b/a.zarr"), (recipe{"optioned", "h/b/a.zarr", ""}));
  EXPECT_EQ(recipe_of_store("optioned://h/b/a.zarr?anonymous"),
            (recipe{"optioned", "h/b/a.zarr", "anonymous"}));
  EXPECT_EQ(recipe_of_store("optioned://h/b?/a/?region=eu-1&anonymous"),
            (recipe{"optioned", "h/b?/a", "region=eu-1&anonymous"}));
  EXPECT_EQ(recipe_of_store("optioned://h/b/a?"), (recipe{"optioned", "h/b/a", ""}));
}

TEST(StoreLocation, HasNoOptionsInASchemeWithoutAny) {
  // Schemes ignore case.
  EXPECT_EQ(recipe_of_store("PLAIN://h/a/"), (store_recipe{"plain", "h/a", ""}));
  EXPECT_EQ(recipe_of_store("plain://h/a?version=3"), (store_recipe{"plain", "h/a?version=3", ""}));
  const temporary_directory directory;
  EXPECT_EQ(recipe_of_store(directory / "a?fsync"),
            (store_recipe{"file", directory / "a?fsync", ""}));
}

TEST(StoreLocation, KeepsUserAndQueryOfAnUnknownSchemeOutOfItsError) {
  const std::string message =
      refusal_of([] { (void)open_store("htps://user:s3cret@host/a.zarr?sig=s3cret"); });
  EXPECT_THAT(message, HasSubstr("htps://host/a.zarr"));
  EXPECT_EQ(message.find("s3cret"), std::string::npos) << message;
}

TEST(StoreLocation, RefusesUnknownOptionsAndListsTheKnownOnes) {
  const std::string message =
      refusal_of([] { static_cast<void>(open_store("optioned://h/b/a?anonymous&regoin=eu-1")); });
  EXPECT_THAT(message, HasSubstr("optioned://h/b/a"));
  EXPECT_THAT(message, HasSubstr("has no option \"regoin\" (did you mean \"region\"?)"));
  EXPECT_THAT(message, HasSubstr("known are \"anonymous\", \"region\""));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("eu-1"))) << "a value may be a secret";
  EXPECT_THAT(refusal_of([] { static_cast<void>(open_store("file:///data/a?fast")); }),
              HasSubstr("\"fsync\", \"refuse_outward_links\""));
}

TEST(StoreLocation, OfFilesHasTheOptionsOfTheStore) {
  const auto store = open_store("file:///data/a.zarr?refuse_outward_links&fsync");
  const auto& files = dynamic_cast<const filesystem_store&>(*store);
  EXPECT_EQ(files.path(), "/data/a.zarr");
  EXPECT_TRUE(files.options().fsync);
  EXPECT_TRUE(files.options().refuse_outward_links);
  EXPECT_EQ(files.recipe(), (store_recipe{"file", "/data/a.zarr", "fsync&refuse_outward_links"}));
}

TEST(StoreLocation, HasRootNamesByItsScheme) {
  EXPECT_EQ(root_names_of("file"), 0U);
  EXPECT_EQ(root_names_of("memory"), 1U);
  EXPECT_EQ(root_names_of("optioned"), 2U);
  EXPECT_EQ(root_names_of("unknown"), 0U);
  EXPECT_EQ(root_names_of("optioned", "a/b/c"), 2U);
}

void put(key_value_store& store, const std::string& key, std::string_view text) {
  store.write(key, std::as_bytes(std::span(text)));
}

TEST(MemoryLocation, IsOneStoreForEachName) {
  const auto root = open_store("memory://open-store-test");
  const auto folder = open_store("memory://open-store-test/a/b/");
  put(*folder, "c/0", "value");
  EXPECT_EQ(root->size("a/b/c/0"), 5U);
  EXPECT_THAT(open_store("memory://open-store-test/a")->list(""), ElementsAre("b/c/0"));
  EXPECT_THAT(folder->list(""), ElementsAre("c/0"));
  EXPECT_THAT(folder->list("c"), ElementsAre("c/0"));
  EXPECT_THAT(folder->list_folder(""), ElementsAre("c/"));
  EXPECT_THAT(open_store("memory://open-store-test-2")->list(""), ::testing::IsEmpty());
  EXPECT_EQ(root->name(), "memory://open-store-test");
  EXPECT_EQ(folder->name(), "memory://open-store-test/a/b");
  folder->erase_all("");
  EXPECT_FALSE(root->exists("a/b/c/0"));
}

TEST(MemoryLocation, IsOfThisProcessAlone) {
  EXPECT_EQ(open_store("memory://open-store-test/a")->recipe(), std::nullopt);
}

TEST(MemoryLocation, KeepsKeysInsideOfItsFolder) {
  const auto folder = open_store("memory://open-store-test/inside");
  EXPECT_THROW(put(*folder, "../outside", "x"), store_error);
  EXPECT_THROW((void)folder->list("../inside"), store_error);
  for (const char* location : {"memory://", "memory:///a", "memory://a//b", "memory://a/../b"}) {
    EXPECT_THAT(refusal_of([&] { static_cast<void>(open_store(location)); }),
                HasSubstr("memory://scratch/a.zarr"));
  }
}

TEST(MemoryLocation, SharesLocksAndClaimsOfOneKey) {
  const auto outer = open_store("memory://open-store-test/locks");
  const auto inner = open_store("memory://open-store-test/locks/a");
  const auto claim = outer->claim("a/x", "first", [](const auto&) {});
  std::vector<std::string> texts;
  static_cast<void>(inner->claim("x", "second", [&](const auto& others) { texts = others; }));
  EXPECT_THAT(texts, ElementsAre("first"));
}

}  // namespace
}  // namespace tessera
