// SPDX-License-Identifier: Apache-2.0
#include "executor/array/coordinator.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/testing/fault_injecting_store.hpp"

#include "store/api/dated_values.hpp"
#include "unit/core/message_of.hpp"
#include "unit/executor/array/forwarding_store.hpp"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::job_arrays {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A clock with waits that take no time. It calls `during` in each wait.
class virtual_clock {
 public:
  std::function<void()> during = [] {};
  std::chrono::milliseconds waited{};

  [[nodiscard]] waiting_clock clock() {
    return {[this] { return std::chrono::steady_clock::time_point(waited); },
            [this](std::chrono::milliseconds time) {
              waited += time;
              during();
            }};
  }
};

class Coordinator : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<coordinator> start(const std::string& self) {
    return std::make_unique<coordinator>(store, self, coordination_times{}, clock.clock());
  }

  std::shared_ptr<memory_store> store = std::make_shared<memory_store>();
  virtual_clock clock;
};

TEST_F(Coordinator, TakesTheFirstEpochAtOnce) {
  const auto first = start("process 1 on a");
  EXPECT_EQ(first->epoch(), 1U);
  EXPECT_EQ(first->predecessor(), "");
  EXPECT_EQ(clock.waited, 0ms);
  EXPECT_EQ(store->list(""), (std::vector<std::string>{"alive/1", "epoch/1"}));
}

// Its rival renews its sign every 20 s.
TEST_F(Coordinator, RefusesARunThatAnotherProgramCoordinates) {
  const auto first = start("process 1 on a\nname");
  clock.during = [&] {
    if (clock.waited % 20s == 0ms) first->renew();
  };
  const std::string message = testing::message_of<value_error>([&] { (void)start("process 2"); });
  EXPECT_THAT(message, AllOf(HasSubstr("is coordinated by process 1 on a, which is alive"),
                             HasSubstr("after 90 s")));
  EXPECT_LE(clock.waited, 25s);
  EXPECT_NO_THROW(first->confirm());
}

// Both have found no epoch, and the store decides.
TEST_F(Coordinator, LetsOneOfTwoProgramsGoOnThatStartAtOnce) {
  const auto first = start("process 1");
  clock.during = [&] { first->renew(); };
  const auto late = std::make_shared<testing::fault_injecting_store>(store);
  late->inject({.on = testing::store_operation::list, .effect = testing::fault_effect::vanish});
  EXPECT_THROW(coordinator(late, "process 2", {}, clock.clock()), value_error);
  EXPECT_EQ(late->num_struck(), 1U);
  EXPECT_EQ(late->count(testing::store_operation::write), 1U);
  EXPECT_NO_THROW(first->confirm());
  EXPECT_FALSE(store->exists("epoch/2"));
}

// Killed just after a renewal.
TEST_F(Coordinator, TakesOverFromAProgramThatWasKilled) {
  const auto killed = start("process 1\nname of 1");
  const auto second = start("process 2");
  EXPECT_EQ(second->epoch(), 2U);
  EXPECT_EQ(second->predecessor(), "process 1\nname of 1");
  EXPECT_GE(clock.waited, 90s);
  EXPECT_LE(clock.waited, 120s);
}

TEST_F(Coordinator, TakesOverFromAProgramThatWasKilledBeforeItsFirstSign) {
  const auto killed = start("process 1");
  store->erase("alive/1");
  EXPECT_EQ(start("process 2")->epoch(), 2U);
  EXPECT_LE(clock.waited, 120s);
}

TEST_F(Coordinator, NoticesItsSuccessorAndEnds) {
  const auto slow = start("process 1");
  const auto second = start("process 2");
  const auto sign = store->read_all("alive/1", 100);
  EXPECT_NO_THROW(slow->require_unchallenged());
  slow->renew();
  EXPECT_EQ(store->read_all("alive/1", 100), sign);
  const std::string message =
      testing::message_of<value_error>([&] { slow->require_unchallenged(); });
  EXPECT_THAT(message, HasSubstr("another program has taken it over"));
  EXPECT_THROW(slow->confirm(), value_error);
  // It removes nothing of its successor.
  slow->end();
  EXPECT_TRUE(store->exists("epoch/2"));
  second->end();
  EXPECT_TRUE(store->list("").empty());
}

TEST_F(Coordinator, BeginsAnewOnceAnotherOneHasEnded) {
  const auto first = start("process 1");
  clock.during = [&] { first->end(); };
  EXPECT_EQ(start("process 2")->epoch(), 1U);
  EXPECT_EQ(clock.waited, 5s);
}

/// A server that tells the age of all values.
class dated_store final : public testing::forwarding_store, public detail::dated_values {
 public:
  dated_store(std::shared_ptr<key_value_store> inner, std::chrono::seconds age)
      : forwarding_store(std::move(inner)), age_(age) {}
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override {
    return inner().write_if(key, value, expected);
  }
  [[nodiscard]] std::optional<std::chrono::seconds> age_of(std::string_view) const override {
    return age_;
  }

 private:
  std::chrono::seconds age_;
};

TEST_F(Coordinator, TakesOverAtOnceIfTheServerTellsThatTheSignIsOld) {
  const auto killed = start("process 1");
  const auto old = std::make_shared<dated_store>(store, 91s);
  EXPECT_EQ(coordinator(old, "process 2", {}, clock.clock()).epoch(), 2U);
  EXPECT_EQ(clock.waited, 0s);
  const auto fresh = std::make_shared<dated_store>(store, 90s);
  EXPECT_EQ(coordinator(fresh, "process 3", {}, clock.clock()).epoch(), 3U);
  EXPECT_EQ(clock.waited, 90s);
}

TEST_F(Coordinator, RefusesAStoreWithoutConditionalWrites) {
  const auto plain = std::make_shared<testing::forwarding_store>(store);
  const std::string message =
      testing::message_of<value_error>([&] { coordinator(plain, "process 1", {}, clock.clock()); });
  EXPECT_THAT(message, HasSubstr("creates no keys on the condition that they are missing"));
}

// The next renewal succeeds.
TEST_F(Coordinator, OutlivesAFailureOfItsStore) {
  const auto weak = std::make_shared<testing::fault_injecting_store>(store);
  coordinator first(weak, "process 1", {}, clock.clock());
  weak->inject({.on = testing::store_operation::write});
  const auto sign = store->read_all("alive/1", 100);
  first.renew();
  EXPECT_EQ(store->read_all("alive/1", 100), sign);
  first.renew();
  EXPECT_NE(store->read_all("alive/1", 100), sign);
}

}  // namespace
}  // namespace tessera::job_arrays
