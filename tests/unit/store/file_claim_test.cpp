// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/filesystem_store.hpp"

#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using ts::testing::temporary_directory;

void admit(const std::vector<std::string>& /*others*/) {}

std::vector<std::string> claims_beside(ts::filesystem_store& store) {
  std::vector<std::string> claims;
  static_cast<void>(store.claim("a/x", "other", [&](const auto& others) { claims = others; }));
  return claims;
}

TEST(FileClaim, EndsWithItsProcess) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t holder = ts::testing::in_child([&] {
    const auto claim = store.claim("a/x", "of a process that dies", admit);
    if (::write(ends[1], "", 1) == 1) ::pause();
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  EXPECT_THAT(claims_beside(store), ElementsAre("of a process that dies"));
  ::kill(holder, SIGKILL);
  (void)ts::testing::status_of(holder);
  EXPECT_THAT(claims_beside(store), IsEmpty());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(FileClaim, LeavesNoFileAndNoFolder) {
  const temporary_directory directory;
  ts::filesystem_store store(directory / "b/c");
  {
    const auto claim = store.claim("a/x", "first", admit);
    EXPECT_TRUE(fs::exists(directory / "b/c/a"));
    static_cast<void>(store.claim("a/x", "second", admit));
  }
  EXPECT_FALSE(fs::exists(directory / "b"));
  store.write("a/0", {});
  { const auto claim = store.claim("a/x", "third", admit); }
  EXPECT_THAT(store.list(""), ElementsAre("a/0"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory / "b/c/a"), {}), 1);
}

TEST(FileClaim, IsNotHeldOnceItsFolderIsRemoved) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  const auto claim = store.claim("a/x", "first", admit);
  EXPECT_TRUE(claim->is_held());
  store.erase_all("a");
  EXPECT_FALSE(claim->is_held());
  const auto another = store.claim("a/x", "second", admit);
  EXPECT_FALSE(claim->is_held());
  EXPECT_TRUE(another->is_held());
}

TEST(FileClaim, ThereMayBeMoreThanTheProcessMayOpenAtFirst) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit low { 64, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<std::unique_ptr<ts::store_claim>> claims;
  for (int i = 0; i < 100; ++i) {
    claims.push_back(store.claim(std::to_string(i) + "/x", "many", admit));
  }
  claims.clear();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
