// SPDX-License-Identifier: Apache-2.0
#include "executor/api/message_folder.hpp"

#include "tessera/store/memory_store.hpp"

#include "executor/array/array_folder.hpp"
#include "executor/array/directory_messages.hpp"
#include "executor/array/look_timer.hpp"
#include "executor/array/stored_messages.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::job_arrays {
namespace {

using namespace std::chrono_literals;

/// Both kinds of folders keep the promises of the port.
class MessageFolder : public ::testing::TestWithParam<bool> {
 protected:
  testing::temporary_directory directory;
  std::shared_ptr<memory_store> store = std::make_shared<memory_store>();
  std::shared_ptr<message_folder> folder =
      GetParam() ? std::shared_ptr<message_folder>(
                       std::make_shared<stored_messages>("s3://bucket/run?anonymous", store))
                 : std::make_shared<directory_messages>(directory.path().string());

  std::vector<std::string> sorted_names(const std::string& of) {
    std::vector<std::string> names = folder->names_in(of);
    std::ranges::sort(names);
    return names;
  }
};

TEST_P(MessageFolder, ReturnsMessagesAsTheyWereLastWritten) {
  folder->make_folder("7");
  EXPECT_EQ(folder->get("7/order"), std::nullopt);
  EXPECT_FALSE(folder->exists("7/order"));
  const std::string text("a\n\0b", 4);
  folder->put("7/order", "a longer text");
  folder->put("7/order", text);
  EXPECT_EQ(folder->get("7/order"), text);
  EXPECT_TRUE(folder->exists("7/order"));
}

TEST_P(MessageFolder, ReturnsTheEndOfAMessage) {
  EXPECT_EQ(folder->get_end("words", 4), "");
  folder->put("words", "abc");
  EXPECT_EQ(folder->get_end("words", 4), "abc");
  folder->put("words", "abcdefg");
  EXPECT_EQ(folder->get_end("words", 4), "defg");
}

TEST_P(MessageFolder, ListsTheNamesInAFolder) {
  EXPECT_TRUE(folder->names_in("7").empty());
  folder->make_folder("7");
  folder->make_folder("8");
  folder->put("7/b", "");
  folder->put("7/a", "");
  folder->put("8/c", "");
  EXPECT_EQ(sorted_names("7"), (std::vector<std::string>{"a", "b"}));
  folder->remove_folder("7");
  EXPECT_TRUE(folder->names_in("7").empty());
  EXPECT_EQ(sorted_names("8"), std::vector<std::string>{"c"});
}

TEST_P(MessageFolder, CarriesOrdersProgressAndReports) {
  const array_folder array(folder, "3");
  array.write_order({2, bytes{1 << 20}, 4, {{0, 5}, {5, 7}}});
  EXPECT_EQ(array.read_order().batches, (std::vector<task_range>{{0, 5}, {5, 7}}));
  EXPECT_EQ(array.read_progress(1), 0);
  (void)array.begin(1, 2);
  EXPECT_EQ(array.read_progress(1), 2);
  array.write_report(1, {.done = 2, .started = 3, .ended = 4, .failure = "kind\nwords"});
  EXPECT_EQ(array.look().started, std::vector<std::size_t>{1});
  EXPECT_EQ(array.look().ended, std::vector<std::size_t>{1});
  const auto report = array.read_report(1);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->failure, "kind\nwords");
  EXPECT_EQ(array.read_report(0), std::nullopt);
  array.remove();
  EXPECT_FALSE(folder->exists("3/order"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, MessageFolder, ::testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "Store" : "Directory");
});

TEST(LookTimer, IsDueOnceInAPeriod) {
  look_timer timer(30s);
  const look_timer::time_point begin{};
  EXPECT_TRUE(timer.is_due(begin));
  EXPECT_FALSE(timer.is_due(begin + 29s));
  EXPECT_TRUE(timer.is_due(begin + 31s));
  EXPECT_FALSE(timer.is_due(begin + 60s));
  EXPECT_TRUE(timer.is_due(begin + 61s));
  look_timer always(0ms);
  EXPECT_TRUE(always.is_due(begin));
  EXPECT_TRUE(always.is_due(begin));
}

// The design's table of periods: progress every 60 s, stop every 30 s, lists every 5 s.
TEST(StoredMessages, AreLookedAtSeldom) {
  const auto store = std::make_shared<memory_store>();
  const stored_messages folder("s3://bucket/run", store);
  EXPECT_EQ(folder.periods(), (folder_periods{30s, 60s, 5s}));
  EXPECT_EQ(directory_messages("/tmp").periods(), (folder_periods{100ms, 0ms, 0ms}));
}

TEST(StoredMessages, RecordProgressOnceInAPeriod) {
  const auto store = std::make_shared<memory_store>();
  const auto read = [&](const stored_messages& folder) { return folder.get("0.progress"); };
  const stored_messages slow("s3://bucket/run", store, {.progress = 1h});
  const auto seldom = slow.begin_progress("0.progress", 0, "node1");
  seldom->write(1);
  EXPECT_EQ(read(slow), "0 node1\n");
  const stored_messages quick("s3://bucket/run", store, {.progress = 0ms});
  const auto often = quick.begin_progress("0.progress", 0, "node1");
  often->write(1);
  EXPECT_EQ(read(quick), "1 node1\n");
}

TEST(ArrayFolderInAStore, HasAUrlWithTheOptionsAtItsEnd) {
  const auto store = std::make_shared<memory_store>();
  const auto run = std::make_shared<stored_messages>("s3://bucket/run?anonymous", store);
  EXPECT_EQ(array_folder(run, "7").location(), "s3://bucket/run/7?anonymous");
  const split_location parts = split_folder("s3://bucket/run/7?anonymous");
  EXPECT_EQ(parts.parent, "s3://bucket/run?anonymous");
  EXPECT_EQ(parts.name, "7");
  EXPECT_EQ(split_folder("/data/run/7").parent, "/data/run");
  EXPECT_EQ(split_folder("s3://bucket/run/7").parent, "s3://bucket/run");
}

}  // namespace
}  // namespace tessera::job_arrays
