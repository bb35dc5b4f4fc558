// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/filesystem_store.hpp"

#include "tessera/core/error.hpp"

#include "unit/core/message_of.hpp"
#include "unit/store/temporary_directory.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ts::testing::temporary_directory;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const ts::key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, 1 << 20);
  if (!value) return "missing";
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

void write_file(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

TEST(FilesystemStore, KeepsOneFilePerKey) {
  const temporary_directory directory;
  ts::filesystem_store store(directory / "a.zarr");
  EXPECT_FALSE(fs::exists(directory / "a.zarr"));
  store.write("u/0/1", bytes_of("chunk"));
  EXPECT_EQ(fs::file_size(directory / "a.zarr/u/0/1"), 5U);
  write_file(directory / "a.zarr/u/.zarray", "{}");
  EXPECT_EQ(text_of(store, "u/.zarray"), "{}");
}

TEST(FilesystemStore, LeavesNothingBesideAValue) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  for (int i = 0; i < 3; ++i) store.write("x", bytes_of("value"));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre("x"));
}

TEST(FilesystemStore, IgnoresWhatADeadWriterLeft) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  store.write("u/0.0", bytes_of("whole"));
  write_file(directory / "u/0.1.4f3a.partial", "half");
  EXPECT_THAT(store.list(""), ElementsAre("u/0.0"));
  EXPECT_THAT(store.list_folder("u"), ElementsAre("0.0"));
  EXPECT_THROW(store.write("u/x.partial", bytes_of("x")), ts::store_error);
}

TEST(FilesystemStore, PathIsFixedWhenItIsMade) {
  const temporary_directory directory;
  const fs::path before = fs::current_path();
  fs::current_path(directory.path());
  ts::filesystem_store store("sub/../data.zarr/");
  fs::current_path(before);
  store.write("x", bytes_of("1"));
  EXPECT_TRUE(fs::exists(directory / "data.zarr/x"));
  EXPECT_THROW(ts::filesystem_store{""}, ts::store_error);
}

TEST(FilesystemStore, ErrorsNameKeyPathAndCause) {
  const temporary_directory directory;
  write_file(directory / "file", "no directory");
  ts::filesystem_store store(directory.path().string());
  const auto write_below_file = [&] {
    try {
      store.write("file/x", bytes_of("1"));
    } catch (const ts::store_error& failure) {
      EXPECT_FALSE(failure.may_pass());
      throw;
    }
  };
  EXPECT_THAT(ts::testing::message_of<ts::store_error>(write_below_file),
              AllOf(HasSubstr("key \"file/x\""), HasSubstr(directory / "file/x"),
                    HasSubstr("Not a directory")));
  const std::string long_name(5000, 'x');
  EXPECT_THAT(
      ts::testing::message_of<ts::store_error>([&] { store.write(long_name, bytes_of("1")); }),
      HasSubstr("File name too long"));
}

TEST(FilesystemStore, RefusesAPipeInThePlaceOfAValue) {
  const temporary_directory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  const ts::filesystem_store store(directory.path().string());
  EXPECT_THAT(ts::testing::message_of<ts::store_error>([&] { (void)store.read_all("pipe", 100); }),
              HasSubstr("must be a regular file"));
  std::vector<std::byte> buffer(10);
  EXPECT_THAT(ts::testing::message_of<ts::store_error>([&] { (void)store.read("pipe", buffer); }),
              HasSubstr("must be a regular file"));
}

// A chunk that is a folder is damage; it must not pass for a chunk that was never written.
TEST(FilesystemStore, RefusesAFolderInThePlaceOfAValue) {
  const temporary_directory directory;
  fs::create_directories(directory / "u/0.0");
  const ts::filesystem_store store(directory.path().string());
  std::vector<std::byte> buffer(10);
  EXPECT_THAT(ts::testing::message_of<ts::store_error>([&] { (void)store.read("u/0.0", buffer); }),
              AllOf(HasSubstr("\"u/0.0\""), HasSubstr("found a folder")));
  EXPECT_THAT(ts::testing::message_of<ts::store_error>([&] { (void)store.read_all("u/0.0", 10); }),
              HasSubstr("found a folder"));
}

TEST(FilesystemStore, ListsNoLinkThatLeadsUpwards) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  store.write("a/x", bytes_of("1"));
  fs::create_directory_symlink(directory.path(), directory / "a/up");
  EXPECT_THAT(store.list(""), ElementsAre("a/x"));
}

TEST(FilesystemStore, ErasesAFolderThroughALink) {
  const temporary_directory directory;
  write_file(directory / "kept", "1");
  fs::create_directory(directory / "elsewhere");
  write_file(directory / "elsewhere/x", "1");
  fs::create_directory(directory / "store");
  fs::create_directory_symlink(directory / "elsewhere", directory / "store/a");
  ts::filesystem_store store(directory / "store");
  store.erase_all("a");
  EXPECT_FALSE(store.exists("a/x"));
  EXPECT_TRUE(fs::exists(directory / "kept"));
}

// The limit on a file's size stands for a full disk: write() fails in the middle.
TEST(FilesystemStore, FailedWriteKeepsTheOldValue) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  store.write("x", bytes_of("old"));
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string large(100000, 'n');
    const std::string message =
        ts::testing::message_of<ts::store_error>([&] { store.write("x", bytes_of(large)); });
    ::_exit(message.find("File too large") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the write did not fail as it must";
  EXPECT_EQ(text_of(store, "x"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator{}), 1);
}

TEST(FilesystemStore, KilledWriterLeavesTheOldOrTheNewValue) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  const std::string first(200000, 'a');
  const std::string second(300000, 'b');
  store.write("x", bytes_of(first));
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      while (true) {
        store.write("x", bytes_of(second));
        store.write("x", bytes_of(first));
      }
    }
    // A longer time in each round, until the child is struck.
    const auto read_often = [&] {
      for (int i = 0; i < round; ++i) (void)text_of(store, "x");
    };
    EXPECT_NO_THROW(read_often());
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const std::string text = text_of(store, "x");
    EXPECT_TRUE(text == first || text == second) << text.size();
    EXPECT_THAT(store.list(""), ElementsAre("x"));
  }
}

}  // namespace
