// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs in a work directory that is a folder of a store.

#include "store/stored_runs.hpp"

#include "tessera/store/open_store.hpp"
#include "tessera/store/run_directory.hpp"
#include "tessera/store/unfinished_runs.hpp"

#include "core/api/file_names.hpp"
#include "core/api/location_names.hpp"
#include "store/api/finished_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

const std::string identity = "0123456789abcdef0123456789abcdef";

/// Returns a location that no other test uses.
std::string new_work_dir() {
  static int number = 0;
  return "memory://stored-runs/" + std::to_string(number++);
}

void leave_chunk(const std::string& location) {
  open_store(location)->write("x/0", std::as_bytes(std::span(std::string_view("ten bytes."))));
}

std::string leave_run(const std::string& work_dir) {
  run_directory run(work_dir, identity, "the plan");
  leave_chunk(run.name());
  return run.name();
}

TEST(StoredRuns, NamesKeepTheOptionsOfLocations) {
  EXPECT_EQ(name_in("s3://b/tmp?anonymous", "run-0"), "s3://b/tmp/run-0?anonymous");
  EXPECT_EQ(name_in("/a/b?", "c"), "/a/b?/c");
  EXPECT_EQ(absolute_name("s3+http://host:1/b//x"), "s3+http://host:1/b//x");
  EXPECT_FALSE(is_location("work/a://b"));
  EXPECT_FALSE(is_location("://b"));
}

TEST(StoredRuns, AreContinuedByTheSamePlan) {
  const std::string work = new_work_dir();
  const std::string name = leave_run(work);
  EXPECT_EQ(name, work + "/run-0123456789abcdef0123");
  run_directory run(work, identity, "the plan");
  EXPECT_TRUE(run.is_resumed());
  EXPECT_EQ(run.name(), name);
  EXPECT_TRUE(open_store(name)->exists("x/0"));
  run.clear();
  EXPECT_FALSE(run.is_resumed());
  EXPECT_THAT(open_store(name)->list(""), ElementsAre("plan.txt"));
  run.remove();
  EXPECT_THAT(open_store(work)->list(""), IsEmpty());
  EXPECT_FALSE(run_directory(work, identity, "").is_resumed());
}

TEST(StoredRuns, EqualRunsDoNotRemoveEachOthersWork) {
  const std::string work = new_work_dir();
  run_directory first(work, identity, "");
  leave_chunk(first.name());
  run_directory second(work, identity, "");
  EXPECT_FALSE(second.is_resumed());
  EXPECT_NE(second.name(), first.name());
  leave_chunk(second.name());
  second.remove();
  EXPECT_TRUE(open_store(first.name())->exists("x/0"));
}

TEST(StoredRuns, RunsWithoutIdentityAreAlone) {
  const std::string work = new_work_dir();
  const run_directory first(work, "", "");
  const run_directory second(work, "", "");
  EXPECT_NE(first.name(), second.name());
}

TEST(StoredRuns, AreListedAndRemovedUnlessTheyAreRunning) {
  const std::string work = new_work_dir();
  EXPECT_THAT(unfinished_runs(work), IsEmpty());
  const std::string abandoned = leave_run(work);
  const run_directory going_on(work, "f" + identity, "another plan");
  remember_finished(work, identity, "the results");
  const auto runs = unfinished_runs(work);
  EXPECT_THAT(runs, ElementsAre(Field(&unfinished_run::path, abandoned),
                                Field(&unfinished_run::path, going_on.name())));
  EXPECT_EQ(runs[0].description, "the plan");
  EXPECT_EQ(runs[0].size, bytes{18});
  EXPECT_FALSE(runs[0].is_running);
  EXPECT_TRUE(runs[1].is_running);
  EXPECT_EQ(remove_unfinished_runs(work), 1U);
  EXPECT_THAT(open_store(work)->list(""), ElementsAre("run-f0123456789abcdef012/plan.txt"));
}

TEST(StoredRuns, RecordsOfThisProcessAreOfNoUseToIt) {
  const std::string work = new_work_dir();
  const auto store = open_store(work);
  store->write("finished-b", std::as_bytes(std::span(std::string_view("of another process"))));
  EXPECT_EQ(recall_finished(work, "b"), "of another process");
  EXPECT_EQ(recall_finished(work, "a"), std::nullopt);
  remember_finished(work, "a", "the results");
  EXPECT_TRUE(is_recorded(work, "a"));
  EXPECT_EQ(recall_finished(work, "a"), std::nullopt);
  forget_finished(work, "a");
  EXPECT_FALSE(is_recorded(work, "a"));
}

}  // namespace
}  // namespace tessera
