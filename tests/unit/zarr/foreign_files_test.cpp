// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/store/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace ts = tessera;

namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A folder of a user, who has files of their own.
class ForeignFiles : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (std::filesystem::path(folder_) / name).string();
  }

  void write(const std::string& name) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << "content";
  }

  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(path(name));
  }

  void create() const {
    (void)ts::zarr_array::create(folder_, {.shape = {4}, .chunks = {2}, .dtype = ts::dtype::int32},
                                 {}, ts::existing::replace);
  }

  ts::testing::temporary_directory directory_;
  std::string folder_ = directory_ / "docs";
};

TEST_F(ForeignFiles, KeepAnArrayFromTheirFolder) {
  for (const std::string name : {"thesis.txt", "0", "figures/1.png"}) {
    write(name);
    try {
      create();
      ADD_FAILURE() << "was created beside " << name;
    } catch (const ts::zarr_error& refusal) {
      const std::string entry = name.substr(0, name.find('/'));
      EXPECT_THAT(refusal.what(),
                  AllOf(HasSubstr("'" + entry + "' is in it"), HasSubstr("choose another path")));
    }
    EXPECT_TRUE(is_there(name));
    EXPECT_FALSE(is_there(".zarray"));
    std::filesystem::remove_all(folder_);
  }
}

TEST_F(ForeignFiles, StayWhereAnArrayIsReplaced) {
  create();
  const auto foreign = {"thesis.txt", "figures/1.png", "0.old", "1.5/notes", "data.0"};
  for (const char* name : foreign) write(name);
  for (const char* chunk : {"0", "1", "7.3", "2/4"}) write(chunk);
  create();
  EXPECT_TRUE(is_there(".zarray"));
  for (const char* name : foreign) {
    EXPECT_TRUE(is_there(name)) << name;
  }
  for (const char* chunk : {"0", "1", "7.3", "2/4"}) EXPECT_FALSE(is_there(chunk)) << chunk;
}

TEST_F(ForeignFiles, ThatAreHiddenDoNotCount) {
  write(".DS_Store");
  create();
  EXPECT_TRUE(is_there(".zarray"));
  EXPECT_TRUE(is_there(".DS_Store"));
}

}  // namespace
