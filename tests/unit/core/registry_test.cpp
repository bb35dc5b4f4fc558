// SPDX-License-Identifier: Apache-2.0
#include "core/api/registry.hpp"

#include "tessera/core/error.hpp"

#include "core/api/array_kinds.hpp"
#include "unit/core/message_of.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace tessera::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

static_assert(!std::is_destructible_v<registry<int>>, "a destroyed registry leaves references");
static_assert(!std::is_copy_constructible_v<registry<int>>);

TEST(Registry, FindsEntriesByName) {
  static auto& table = *new registry<int>{{"one", 1}, {"two", 2}};
  EXPECT_TRUE(table.replace("three", 3));
  EXPECT_EQ(*table.find("one"), 1);
  EXPECT_EQ(*table.find("three"), 3);
  EXPECT_EQ(table.find("four"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
  EXPECT_THAT(table.names(), ElementsAre("one", "three", "two"));
}

TEST(Registry, CopiesTheNamesThatItIsGiven) {
  static auto& table = *new registry<int>{};
  std::string name = "name";
  table.replace(name, 1);
  name = "else";
  EXPECT_THAT(table.names(), ElementsAre("name"));
}

TEST(Registry, ReplacesAnEntryAndKeepsItForItsReferences) {
  static auto& table = *new registry<std::shared_ptr<int>>{};
  table.replace("name", std::make_shared<int>(1));
  const std::shared_ptr<int>* const first = table.find("name");
  const std::weak_ptr<int> value = *first;
  table.replace("name", std::make_shared<int>(2));
  EXPECT_EQ(**table.find("name"), 2);
  EXPECT_NE(table.find("name"), first);
  ASSERT_FALSE(value.expired());
  EXPECT_EQ(**first, 1);
  EXPECT_THAT(table.names(), ElementsAre("name"));
}

TEST(Registry, InsertsNoSecondEntryOfAName) {
  static auto& table = *new registry<int>{};
  const int& first = table.insert("name", 1);
  EXPECT_EQ(&table.insert("name", 2), &first);
  EXPECT_EQ(table.find("name"), &first);
  EXPECT_EQ(first, 1);
}

TEST(Registry, MovesNoEntryAndNoName) {
  static auto& table = *new registry<std::size_t>{{"0", 0}};
  const std::size_t* const first = table.find("0");
  const std::string_view name = table.names().front();
  for (std::size_t i = 1; i < 10000; ++i) table.replace(std::to_string(i), i);
  EXPECT_EQ(table.find("0"), first);
  EXPECT_EQ(*first, 0U);
  EXPECT_EQ(table.names().front().data(), name.data());
}

TEST(Registry, LetsAnEntryRegisterOthers) {
  static auto& table = *new registry<std::function<bool()>>{};
  table.replace("first", [] { return table.replace("second", [] { return true; }); });
  EXPECT_TRUE((*table.find("first"))());
  EXPECT_TRUE((*table.find("second"))());
}

TEST(Registry, SuggestsTheNearestNameAndListsAll) {
  static auto& table = *new registry<int>{{"zstd", 1}, {"blosc", 2}};
  EXPECT_EQ(table.suggestion("ztsd"), " (did you mean \"zstd\"?); known are \"blosc\", \"zstd\"");
  EXPECT_EQ(table.suggestion("netcdf"), "; known are \"blosc\", \"zstd\"");
  static auto& empty = *new registry<int>{};
  EXPECT_EQ(empty.suggestion("zstd"), "; none is known");
}

TEST(ArrayKinds, ThatAreUnknownAreRefusedWithTheNearestKind) {
  register_array_kind("tiles", {});
  EXPECT_THAT(testing::message_of<value_error>([] {
                static_cast<void>(open_array({"tile", "{}"}));
              }),
              HasSubstr("kind \"tile\" (did you mean \"tiles\"?)"));
}

/// Calls `work` with the number of each of `count` threads, which start at the same time.
void run_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> waiting{count};
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      work(number);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Registry, TakesEntriesOfSeveralThreadsAndFindsThemMeanwhile) {
  constexpr std::size_t num_threads = 8;
  constexpr std::size_t num_names = 500;
  static auto& table = *new registry<std::string>{{"shared", "thread 0"}};
  std::atomic<std::size_t> num_wrong{0};
  run_threads(num_threads, [&](std::size_t number) {
    for (std::size_t i = 0; i < num_names; ++i) {
      const std::string name = std::to_string(number) + "." + std::to_string(i);
      table.replace(name, name);
      table.replace("shared", "thread " + std::to_string(number));
      const std::string* const known = table.find(name);
      if (known == nullptr || *known != name) ++num_wrong;
      if (!table.find("shared")->starts_with("thread ")) ++num_wrong;
      if (i % 50 == 0 && table.names().size() < i) ++num_wrong;
    }
  });
  EXPECT_EQ(num_wrong, 0U);
  EXPECT_EQ(table.names().size(), num_threads * num_names + 1);
}

TEST(Registry, InsertsTheEntryOfOneThreadAlone) {
  static auto& table = *new registry<std::size_t>{};
  constexpr std::size_t num_threads = 8;
  constexpr std::size_t num_names = 200;
  std::vector<std::vector<const std::size_t*>> entries(num_threads);
  run_threads(num_threads, [&](std::size_t number) {
    for (std::size_t i = 0; i < num_names; ++i) {
      entries[number].push_back(&table.insert(std::to_string(i), number));
    }
  });
  for (std::size_t number = 1; number < num_threads; ++number) {
    EXPECT_EQ(entries[number], entries[0]);
  }
}

}  // namespace
}  // namespace tessera::detail
