// SPDX-License-Identifier: Apache-2.0
#include "tessera/testing/fault_injecting_store.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ts::testing::fault_effect;
using ts::testing::store_operation;

struct FaultInjectingStore : ::testing::Test {
  ts::testing::fault_injecting_store store{std::make_shared<ts::memory_store>()};

  void put(const std::string& key, std::string_view text) {
    store.write(key, std::as_bytes(std::span(text)));
  }
  std::string get(const std::string& key) {
    const auto value = store.read_all(key, 100);
    return value ? std::string(reinterpret_cast<const char*>(value->data()), value->size()) : "-";
  }
  /// Tells of each of `count` reads of "k" whether it failed.
  std::vector<bool> failures(int count) {
    std::vector<bool> failed;
    for (int i = 0; i < count; ++i) {
      try {
        (void)get("k");
        failed.push_back(false);
      } catch (const ts::store_error&) {
        failed.push_back(true);
      }
    }
    return failed;
  }
};

TEST_F(FaultInjectingStore, StrikesTheFirstAndEachEveryOperation) {
  put("k", "value");
  store.inject({.on = store_operation::read, .first = 3});
  EXPECT_THAT(failures(5), ElementsAre(false, false, true, false, false));
  store.clear();
  store.inject({.on = store_operation::read, .first = 2, .every = 3});
  EXPECT_THAT(failures(8), ElementsAre(false, true, false, false, true, false, false, true));
  EXPECT_EQ(store.num_struck(), 4U);
  EXPECT_EQ(store.count(store_operation::read), 13U);
}

TEST_F(FaultInjectingStore, FailsAsTheSystemWouldAndChangesNothing) {
  put("a/k", "old");
  store.inject({.on = store_operation::write,
                .every = 1,
                .key_part = "a/",
                .cause = std::errc::no_space_on_device});
  store.inject({.on = store_operation::erase, .every = 1});
  try {
    put("a/k", "new");
    ADD_FAILURE();
  } catch (const ts::store_error& failure) {
    EXPECT_STREQ(failure.what(), "cannot write key \"a/k\" (memory): No space left on device");
    EXPECT_FALSE(failure.may_pass());
  }
  put("b", "other keys are not struck");
  EXPECT_THROW(store.erase("a/k"), ts::store_error);
  EXPECT_THROW(store.erase_all("a"), ts::store_error);
  EXPECT_EQ(get("a/k"), "old");
}

TEST_F(FaultInjectingStore, ManglesWhatIsRead) {
  put("k", "abcdef");
  const auto read_with = [&](fault_effect effect) {
    store.inject({.on = store_operation::read, .effect = effect});
    return get("k");
  };
  EXPECT_EQ(read_with(fault_effect::cut_short), "abc");
  EXPECT_EQ(read_with(fault_effect::tear), std::string("abc\0\0\0", 6));
  EXPECT_EQ(read_with(fault_effect::flip_bit), "abctef");
  EXPECT_EQ(read_with(fault_effect::vanish), "-");
  std::vector<std::byte> buffer(10);
  store.inject({.on = store_operation::read, .effect = fault_effect::cut_short});
  EXPECT_EQ(store.read("k", buffer), 3U);
  store.inject({.on = store_operation::size, .effect = fault_effect::vanish});
  EXPECT_FALSE(store.exists("k"));
  store.inject({.on = store_operation::list, .effect = fault_effect::vanish});
  EXPECT_THAT(store.list(""), IsEmpty());
  EXPECT_THAT(store.list_folder(""), ElementsAre("k"));
  EXPECT_EQ(get("k"), "abcdef");
}

TEST_F(FaultInjectingStore, RefusesFaultsThatCannotBe) {
  EXPECT_THROW(store.inject({.first = 0}), ts::value_error);
  EXPECT_THROW(store.inject({.on = store_operation::write, .effect = fault_effect::tear}),
               ts::value_error);
  EXPECT_THROW(store.inject({.on = store_operation::erase, .effect = fault_effect::vanish}),
               ts::value_error);
  EXPECT_THROW(store.inject({.on = store_operation::size, .effect = fault_effect::flip_bit}),
               ts::value_error);
}

}  // namespace
