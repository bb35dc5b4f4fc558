// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/store/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

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

  [[nodiscard]] static ts::zarr_metadata small() {
    return {.shape = {4}, .chunks = {2}, .dtype = ts::dtype::int32};
  }

  void create(const ts::zarr_metadata& metadata = small()) const {
    (void)ts::zarr_array::create(folder_, metadata, {}, ts::existing::replace);
  }

  /// Returns the message of the error that keeps an array with `metadata` from the folder.
  [[nodiscard]] std::string refusal_of(const ts::zarr_metadata& metadata) const {
    try {
      create(metadata);
    } catch (const ts::zarr_error& refusal) {
      return refusal.what();
    }
    return "";
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
  // The grid of the array has the chunks 0 and 1.
  const auto foreign = {"thesis.txt", "figures/1.png", "0.old",  "1.5/notes", "data.0",
                        "7",          "7.3",           "2024/4", "2024/06/1", "c/0"};
  for (const char* name : foreign) write(name);
  for (const char* chunk : {"0", "1"}) write(chunk);
  create();
  EXPECT_TRUE(is_there(".zarray"));
  for (const char* name : foreign) {
    EXPECT_TRUE(is_there(name)) << name;
  }
  for (const char* chunk : {"0", "1"}) EXPECT_FALSE(is_there(chunk)) << chunk;
}

TEST_F(ForeignFiles, StayBesideNestedChunks) {
  ts::zarr_metadata nested{.shape = {4, 4}, .chunks = {2, 2}, .dtype = ts::dtype::int32};
  nested.dimension_separator = '/';
  create(nested);
  for (const char* name : {"0/0", "0/1", "1/0", "1/1", "0/2", "1/notes.txt", "2024/05/1"}) {
    write(name);
  }
  create(nested);
  for (const char* name : {"0/2", "1/notes.txt", "2024/05/1"}) {
    EXPECT_TRUE(is_there(name)) << name;
  }
  for (const char* chunk : {"0/0", "0/1", "1/0", "1/1"}) EXPECT_FALSE(is_there(chunk)) << chunk;
}

TEST_F(ForeignFiles, KeepAnArrayWhoseChunksTheyAreNamedAs) {
  ts::zarr_metadata longer{.shape = {20}, .chunks = {2}, .dtype = ts::dtype::int32};
  ts::zarr_metadata prefixed = longer;
  prefixed.format = 3;
  prefixed.key_style = ts::chunk_key_style::prefixed;
  prefixed.dimension_separator = '/';
  using naming = std::pair<const char*, ts::zarr_metadata>;
  for (const auto& [name, metadata] :
       {naming{"7", longer}, naming{"7/photo", longer}, naming{"c/0", prefixed}}) {
    create();
    write("0");
    write(name);
    const std::string entry = std::string(name).substr(0, 1);
    EXPECT_THAT(refusal_of(metadata),
                AllOf(HasSubstr("'" + entry), HasSubstr("is there"), HasSubstr("move it away")));
    for (const char* kept : {".zarray", "0", name}) EXPECT_TRUE(is_there(kept)) << kept;
    std::filesystem::remove_all(folder_);
  }
}

TEST_F(ForeignFiles, StayWhereNothingTellsTheGrid) {
  create();
  write("0");
  std::ofstream(path(".zarray")) << "{";
  EXPECT_THAT(refusal_of(small()), HasSubstr("'0' is there"));
  EXPECT_TRUE(is_there("0"));
}

TEST_F(ForeignFiles, AreNotTheChunksOfStoppedAppendsAndCopies) {
  const ts::zarr_metadata longer{.shape = {20}, .chunks = {2}, .dtype = ts::dtype::int32};
  create();
  // An append of 4 elements behind the 4 of the array, and one chunk that it has written.
  write(".tessera-run-4-8-4");
  write("3");
  create(longer);
  EXPECT_FALSE(is_there("3"));
  std::filesystem::remove_all(folder_);
  // A copy of an array of 5 chunks, which writes its metadata last.
  write(".tessera-run-copy");
  std::ofstream(path(".tessera-run-copy")) << "identity\n4 \n";
  write("3");
  create(longer);
  EXPECT_FALSE(is_there("3"));
}

TEST_F(ForeignFiles, ThatAreHiddenDoNotCount) {
  write(".DS_Store");
  create();
  EXPECT_TRUE(is_there(".zarray"));
  EXPECT_TRUE(is_there(".DS_Store"));
}

}  // namespace
