// SPDX-License-Identifier: Apache-2.0
#include "executor/array/run_folder.hpp"

#include "unit/store/temporary_directory.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace tessera::job_arrays {
namespace {

TEST(RunFolder, IsRemovedByOthersOnceItsDriverIsGone) {
  const testing::temporary_directory directory;
  const run_folder live_folder(directory.path(), "cluster");
  std::filesystem::create_directory(directory.path() / "tessera-cluster-gone");
  std::ofstream(directory.path() / "tessera-cluster-gone" / "lock");
  std::vector<std::string> ended;
  remove_orphans(directory.path(), "cluster", [&](const std::string& name) {
    ended.push_back(name);
    return true;
  });
  EXPECT_EQ(ended, std::vector<std::string>{"tessera-cluster-gone"});
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "tessera-cluster-gone"));
  EXPECT_TRUE(std::filesystem::exists(live_folder.path()));
}

TEST(RunFolder, IsMadeWhileOthersLookForOrphans) {
  const testing::temporary_directory directory;
  std::atomic<bool> is_over{false};
  const std::jthread cleaner([&] {
    while (!is_over)
      remove_orphans(directory.path(), "cluster", [](const std::string&) { return true; });
  });
  for (int i = 0; i < 300; ++i) {
    EXPECT_NO_THROW(
        EXPECT_TRUE(std::filesystem::exists(run_folder(directory.path(), "cluster").path())));
  }
  is_over = true;
}

}  // namespace
}  // namespace tessera::job_arrays
