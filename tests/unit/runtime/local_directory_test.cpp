// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/memory_store.hpp"
#include "tessera/store/open_store.hpp"

#include "runtime/detached_folder.hpp"
#include "unit/store/temporary_directory.hpp"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>

namespace tessera {
namespace {

namespace fs = std::filesystem;

TEST(LocalDirectory, IsTheFolderOfTheRunIfThatIsADirectory) {
  const testing::temporary_directory root;
  {
    const local_directory directory(root.path().string());
    EXPECT_EQ(directory.path(), root.path());
    EXPECT_FALSE(directory.is_temporary());
  }
  EXPECT_TRUE(fs::exists(root.path()));
}

TEST(LocalDirectory, IsANewOneForThisUserIfTheFolderIsInAStore) {
  fs::path path;
  {
    const local_directory directory("s3://bucket/runs/first");
    const local_directory second("s3://bucket/runs/first");
    path = directory.path();
    EXPECT_TRUE(directory.is_temporary());
    EXPECT_NE(second.path(), path);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(DetachedFolder, IsLookedAtForAWishToStopEverySecondOrInAStoreEveryTen) {
  using namespace std::chrono_literals;
  (void)register_store("kept",
                       [](const store_recipe&) { return std::make_shared<memory_store>(); });
  EXPECT_EQ(detached_folder("kept://bucket/runs/first").times().renewal, 10s);
  const testing::temporary_directory root;
  EXPECT_EQ(detached_folder(root.path().string()).times().renewal, 1s);
}

}  // namespace
}  // namespace tessera
