// SPDX-License-Identifier: Apache-2.0
#include "conformance/store_conformance.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/testing/detail/register_case.hpp"

#include "conformance/store_values.hpp"
#include "unit/core/message_of.hpp"

#include <algorithm>
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace tessera::testing {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

void reads_what_was_written(key_value_store& store) {
  for (const std::size_t size : {0UL, 1UL, 4096UL, (1UL << 20) + 1}) {
    const value_t value = value_of(size, 3);
    store.write("a/b/0.0", value);
    value_t buffer(size + 10, std::byte{0xEE});
    ASSERT_EQ(store.read("a/b/0.0", buffer), size);
    EXPECT_TRUE(std::equal(value.begin(), value.end(), buffer.begin()));
    EXPECT_EQ(buffer[size], std::byte{0xEE}) << "what lies behind the value was written to";
    EXPECT_EQ(store.size("a/b/0.0"), size);
    EXPECT_EQ(store.read_all("a/b/0.0", no_limit), value);
    EXPECT_TRUE(store.exists("a/b/0.0"));
  }
}

void missing_keys_have_no_value(key_value_store& store) {
  store.write("a/b", value_of(3, 1));
  value_t buffer(10);
  // The key of a folder: some stores refuse to read it.
  EXPECT_EQ(store.size("a"), std::nullopt);
  EXPECT_FALSE(store.exists("a"));
  for (const char* key : {"x", "a/x", "a/b/c", "x/y/z"}) {
    EXPECT_EQ(store.read(key, buffer), std::nullopt) << key;
    EXPECT_EQ(store.size(key), std::nullopt) << key;
    EXPECT_EQ(store.read_all(key, no_limit), std::nullopt) << key;
    EXPECT_FALSE(store.exists(key)) << key;
  }
}

void replaces_a_value(key_value_store& store) {
  for (const std::size_t size : {100UL, 5000UL, 7UL, 0UL, 300UL}) {
    store.write("k", value_of(size, static_cast<int>(size)));
    EXPECT_EQ(store.read_all("k", no_limit), value_of(size, static_cast<int>(size)));
  }
}

void refuses_a_value_that_does_not_fit(key_value_store& store) {
  store.write("a/big", value_of(1001, 1));
  value_t buffer(1000, std::byte{0x11});
  const std::string message = message_of<store_error>([&] { (void)store.read("a/big", buffer); });
  EXPECT_THAT(message, HasSubstr("a/big"));
  EXPECT_THAT(message, HasSubstr("1001 B"));
  EXPECT_THAT(message, HasSubstr("1000 B"));
  EXPECT_EQ(buffer, value_t(1000, std::byte{0x11})) << "it must be refused before it is read";
  EXPECT_THAT(message_of<store_error>([&] { (void)store.read_all("a/big", 1000); }),
              HasSubstr("1001 B"));
  EXPECT_EQ(store.read_all("a/big", 1001)->size(), 1001U);
}

void erases_a_key(key_value_store& store) {
  store.write("a/b", value_of(1, 1));
  store.write("a/c", value_of(1, 1));
  store.erase("a/b");
  store.erase("a/b");
  store.erase("never/there");
  store.erase("a");
  EXPECT_THAT(store.list(""), ElementsAre("a/c"));
}

void erases_many_keys(key_value_store& store) {
  for (const char* key : {"a/x", "a/y", "b/x", "c"}) store.write(key, value_of(1, 1));
  store.erase_many(std::vector<std::string>{"a/x", "never/there", "c", "a/x"});
  EXPECT_THAT(store.list(""), ElementsAre("a/y", "b/x"));
  store.erase_many({});
  EXPECT_THROW(store.erase_many(std::vector<std::string>{"a//b"}), store_error);
  EXPECT_THAT(store.list(""), ElementsAre("a/y", "b/x"));
}

void erases_a_folder_and_not_its_namesakes(key_value_store& store) {
  for (const char* key : {"a/x", "a/b/y", "ab/x", "a.z", "c/a/x"}) store.write(key, value_of(1, 1));
  store.erase_all("a");
  EXPECT_THAT(store.list(""), ElementsAre("a.z", "ab/x", "c/a/x"));
  store.erase_all("never/there");
  store.erase_all("");
  EXPECT_THAT(store.list(""), IsEmpty());
  store.write("a/x", value_of(2, 1));
  EXPECT_EQ(store.size("a/x"), 2U);
}

void lists_keys_sorted(key_value_store& store) {
  EXPECT_THAT(store.list(""), IsEmpty());
  for (const char* key : {"g/u/1.0", "g/u/.zarray", "g/u/0.10", "g/.zgroup", ".zgroup", "h"}) {
    store.write(key, value_of(1, 1));
  }
  EXPECT_THAT(store.list(""),
              ElementsAre(".zgroup", "g/.zgroup", "g/u/.zarray", "g/u/0.10", "g/u/1.0", "h"));
  EXPECT_THAT(store.list("g/u"), ElementsAre("g/u/.zarray", "g/u/0.10", "g/u/1.0"));
  EXPECT_THAT(store.list("g/v"), IsEmpty());
  EXPECT_THAT(store.list("h"), IsEmpty());
}

void lists_keys_page_by_page(key_value_store& store) {
  for (int i = 0; i < 30; ++i) store.write("g/" + std::to_string(i), value_of(1, 1));
  store.write("h", value_of(1, 1));
  const auto keys_in = [&](const char* folder) {
    std::vector<std::string> keys;
    store.list_pages(folder, [&](std::span<const std::string> page) {
      EXPECT_FALSE(page.empty());
      keys.insert(keys.end(), page.begin(), page.end());
      return true;
    });
    return keys;
  };
  EXPECT_EQ(keys_in(""), store.list(""));
  EXPECT_EQ(keys_in("g"), store.list("g"));
  EXPECT_THAT(keys_in("nothing"), IsEmpty());
  int num_pages = 0;
  store.list_pages("", [&](std::span<const std::string>) { return ++num_pages < 1; });
  EXPECT_EQ(num_pages, 1);
  EXPECT_THROW(store.list_pages("a//b", [](auto) { return true; }), store_error);
}

void lists_the_names_in_a_folder(key_value_store& store) {
  for (const char* key : {"g/u/1.0", "g/u/2.0", "g/.zgroup", "g/v/w/x", "h"}) {
    store.write(key, value_of(1, 1));
  }
  EXPECT_THAT(store.list_folder(""), ElementsAre("g/", "h"));
  EXPECT_THAT(store.list_folder("g"), ElementsAre(".zgroup", "u/", "v/"));
  EXPECT_THAT(store.list_folder("nothing"), IsEmpty());
}

void refuses_malformed_keys(key_value_store& store) {
  using namespace std::string_view_literals;
  value_t buffer(10);
  for (const std::string_view key :
       {""sv, "/"sv, "/etc/passwd"sv, "a//b"sv, "a/"sv, "."sv, ".."sv, "a/../b"sv, "../b"sv,
        "a/."sv, "a\0b"sv, "a\\b"sv, "..\\b"sv}) {
    EXPECT_THROW(store.write(key, buffer), store_error) << key;
    EXPECT_THROW((void)store.read(key, buffer), store_error) << key;
    EXPECT_THROW((void)store.size(key), store_error) << key;
    EXPECT_THROW(store.erase(key), store_error) << key;
    if (key.empty()) continue;
    EXPECT_THROW(store.erase_all(key), store_error) << key;
    EXPECT_THROW((void)store.list(key), store_error) << key;
    EXPECT_THROW((void)store.list_folder(key), store_error) << key;
  }
  for (const char* key : {"...", "..a", ".a", "a..", ".zarray", "a b", "\xC3\xA4"}) {
    store.write(key, buffer);
    EXPECT_TRUE(store.exists(key)) << key;
  }
}

// A reader may find the one value or the other, but each whole.
void readers_see_whole_values(key_value_store& store) {
  const value_t odd(70001, std::byte{0xAA});
  const value_t even(120000, std::byte{0x55});
  store.write("k", odd);
  std::atomic<bool> is_over{false};
  std::atomic<int> num_torn{0};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      value_t buffer(even.size());
      while (!is_over) {
        const std::size_t size = store.read("k", buffer).value_or(0);
        const value_t& expected = buffer[0] == std::byte{0xAA} ? odd : even;
        const bool is_whole =
            size == expected.size() && std::equal(expected.begin(), expected.end(), buffer.begin());
        if (!is_whole) ++num_torn;
        const auto value = store.read_all("k", no_limit);
        if (value != odd && value != even) ++num_torn;
      }
    });
  }
  for (int i = 0; i < 200; ++i) store.write("k", i % 2 == 0 ? even : odd);
  is_over = true;
  readers.clear();
  EXPECT_EQ(num_torn, 0);
}

void serves_many_threads(key_value_store& store) {
  constexpr int num_threads = 8;
  constexpr int num_keys = 50;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < num_threads; ++t) {
      threads.emplace_back([&store, t] {
        for (int i = 0; i < num_keys; ++i) {
          const std::string key =
              "d" + std::to_string(i % 5) + "/" + std::to_string(t) + "." + std::to_string(i);
          store.write(key, value_of(100, t + i));
          if (store.read_all(key, 100) != value_of(100, t + i)) ADD_FAILURE() << key;
        }
      });
    }
  }
  EXPECT_EQ(store.list("").size(), std::size_t{num_threads * num_keys});
}

void is_found_again_by_its_recipe(key_value_store& store) {
  const auto recipe = store.recipe();
  if (!recipe) return;
  store.write("a/0.0", value_of(10, 1));
  const auto again = open_store(*recipe);
  EXPECT_EQ(again->recipe(), recipe);
  EXPECT_EQ(again->name(), store.name());
  EXPECT_EQ(again->read_all("a/0.0", no_limit), value_of(10, 1));
}

void tells_the_state_of_a_folder(key_value_store& store) {
  store.write("a/0.0", value_of(10, 1));
  store.write("b/0.0", value_of(10, 1));
  const std::string before = store.state("a");
  EXPECT_EQ(store.state("a"), before);
  store.write("a/.zattrs", value_of(10, 1));
  store.write("b/0.0", value_of(20, 1));
  EXPECT_EQ(store.state("a"), before) << "names with a dot and other folders do not count";
  EXPECT_NE(store.state(""), before);
  store.write("a/0.1", value_of(10, 1));
  const std::string added = store.state("a");
  EXPECT_NE(added, before);
  store.write("a/0.1", value_of(11, 1));
  EXPECT_NE(store.state("a"), added);
  store.erase("a/0.1");
  EXPECT_EQ(store.state("a"), before);
}

/// Claims "a/x" and returns the earlier claims that the store reports.
std::vector<std::string> claims_beside(key_value_store& store, const char* text) {
  std::vector<std::string> names;
  static_cast<void>(store.claim("a/x", text, [&](const auto& others) { names = others; }));
  return names;
}

void claims_are_seen_until_they_go(key_value_store& store) {
  const auto admit = [](const auto&) {};
  EXPECT_THAT(claims_beside(store, "alone"), IsEmpty());
  auto first = store.claim("a/x", "first", admit);
  EXPECT_THAT(claims_beside(store, "other"), ElementsAre("first"));
  auto second = store.claim("a/x", std::string(3000, 's'), admit);
  EXPECT_THAT(claims_beside(store, "other"), UnorderedElementsAre("first", std::string(3000, 's')));
  static_cast<void>(
      store.claim("a/y", "elsewhere", [](const auto& others) { EXPECT_THAT(others, IsEmpty()); }));
  EXPECT_TRUE(first->is_held());
  first.reset();
  const auto third = store.claim("a/x", "third", admit);
  EXPECT_THAT(claims_beside(store, "other"), UnorderedElementsAre("third", std::string(3000, 's')));
  EXPECT_THAT(store.list(""), IsEmpty());
}

void a_claim_that_is_refused_is_not_added(key_value_store& store) {
  const auto refuse = [](const auto&) { throw value_error("no"); };
  EXPECT_THROW(static_cast<void>(store.claim("a/x", "refused", refuse)), value_error);
  EXPECT_THAT(claims_beside(store, "other"), IsEmpty());
}

void claims_are_judged_in_turn(key_value_store& store) {
  constexpr int num_threads = 4;
  constexpr int num_claims = 50;
  int count = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < num_threads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < num_claims; ++i) {
        static_cast<void>(store.claim("a/x", "one", [&](const auto&) { ++count; }));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, num_threads * num_claims);
  EXPECT_THAT(claims_beside(store, "other"), IsEmpty());
}

}  // namespace

bool register_store_conformance(const std::string& name,
                                const std::function<std::shared_ptr<key_value_store>()>& make) {
  const auto add = [&](const char* test, void (*body)(key_value_store&)) {
    register_case("Store/" + name, test, [make, body] { body(*make()); });
  };
  add("ReadsWhatWasWritten", reads_what_was_written);
  add("MissingKeysHaveNoValue", missing_keys_have_no_value);
  add("ReplacesAValue", replaces_a_value);
  add("RefusesAValueThatDoesNotFit", refuses_a_value_that_does_not_fit);
  add("ErasesAKey", erases_a_key);
  add("ErasesManyKeys", erases_many_keys);
  add("ErasesAFolderAndNotItsNamesakes", erases_a_folder_and_not_its_namesakes);
  add("ListsKeysSorted", lists_keys_sorted);
  add("ListsKeysPageByPage", lists_keys_page_by_page);
  add("ListsTheNamesInAFolder", lists_the_names_in_a_folder);
  add("RefusesMalformedKeys", refuses_malformed_keys);
  add("ReadersSeeWholeValues", readers_see_whole_values);
  add("ServesManyThreads", serves_many_threads);
  add("IsFoundAgainByItsRecipe", is_found_again_by_its_recipe);
  add("TellsTheStateOfAFolder", tells_the_state_of_a_folder);
  add("ClaimsAreSeenUntilTheyGo", claims_are_seen_until_they_go);
  add("AClaimThatIsRefusedIsNotAdded", a_claim_that_is_refused_is_not_added);
  add("ClaimsAreJudgedInTurn", claims_are_judged_in_turn);
  register_transfer_conformance(name, make);
  return true;
}

}  // namespace tessera::testing
