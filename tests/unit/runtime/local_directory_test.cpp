// SPDX-License-Identifier: Apache-2.0
#include "runtime/detached_folder.hpp"
#include "unit/store/temporary_directory.hpp"

#include <filesystem>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tessera
