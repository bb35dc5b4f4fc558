// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"

#include "store/api/front_writer.hpp"
#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ts::testing::fails_with;
using ts::testing::in_child;
using ts::testing::refuse_unnamed_files;
using ts::testing::status_of;
using ts::testing::strike_system_call;
using ts::testing::temporary_directory;

#ifdef SYS_rename
constexpr long rename_call = SYS_rename;
#else
constexpr long rename_call = SYS_renameat;
#endif

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const ts::key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, 1 << 20);
  if (!value) return "missing";
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

std::vector<std::string> files_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

template <class F>
std::string refusal_of(F f) {
  try {
    f();
  } catch (const ts::store_error& failure) {
    return failure.what() + std::string(failure.may_pass() ? " (may pass)" : "");
  }
  return "accepted";
}

/// Returns the error of `f` in a child after `strike()`.
template <class Strike, class F>
std::string refusal_after(Strike strike, F f) {
  const temporary_directory answers;
  const int status = status_of(in_child([&] {
    strike();
    const std::string message = refusal_of(f);
    // The call that is struck may be the one that writes: the answer is the file's name.
    return ::symlink(message.c_str(), (answers / "message").c_str());
  }));
  if (status != 0) return "the child failed";
  return fs::read_symlink(answers / "message");
}

/// The same, if each call `number` fails with `error`.
template <class F>
std::string refusal_under(long number, int error, std::uint32_t flags, F f) {
  return refusal_after([&] { strike_system_call(number, fails_with(error), flags); }, f);
}

struct failure {
  const char* about;
  long call;
  int error;
  std::uint32_t flags;  // struck only if the third argument has one of them
  const char* text;
};

// Sanitizers write a few bytes to a pipe to see whether memory can be read: only the write of a
// value of this size is struck.
constexpr std::uint32_t value_size = 4096;

// clang-format off
const failure failures_of_writing[] = {
    {"disk full", SYS_write, ENOSPC, value_size, "No space left on device"},
    {"disk broken", SYS_write, EIO, value_size, "Input/output error (may pass)"},
    {"quota, told at the end", SYS_close, EDQUOT, 0, "Disk quota exceeded"},
    {"broken while syncing", SYS_fdatasync, EIO, 0, "Input/output error (may pass)"},
    {"read-only", SYS_openat, EROFS, O_CREAT | O_TMPFILE, "Read-only file system"},
    {"no permission", SYS_openat, EACCES, O_CREAT | O_TMPFILE, "Permission denied"},
    {"no permission to rename", rename_call, EACCES, 0, "Permission denied"},
};
const failure failures_of_reading[] = {
    {"no permission", SYS_openat, EACCES, 0, "Permission denied"},
    {"disk broken", SYS_pread64, EIO, 0, "Input/output error (may pass)"},
    {"server gone", SYS_pread64, ESTALE, 0, "Stale file handle (may pass)"},
    {"too many files", SYS_openat, EMFILE, 0, "Too many open files (may pass)"},
};
// clang-format on

TEST(FilesystemFailure, OfAWriteNamesKeyAndCauseAndKeepsTheOldValue) {
  for (const failure& expected : failures_of_writing) {
    const temporary_directory directory;
    ts::filesystem_store store(directory.path().string(), {.fsync = true});
    store.write("u/0.0", bytes_of("old"));
    for (const bool has_unnamed : {true, false}) {
      const auto strike = [&] {
        if (!has_unnamed) refuse_unnamed_files();
        strike_system_call(expected.call, fails_with(expected.error), expected.flags);
      };
      const std::string message = refusal_after(
          strike, [&] { store.write("u/0.0", bytes_of(std::string(value_size, 'n'))); });
      EXPECT_THAT(message, AllOf(HasSubstr("key \"u/0.0\""), HasSubstr(directory / "u/0.0"),
                                 HasSubstr(expected.text)))
          << expected.about;
      EXPECT_EQ(text_of(store, "u/0.0"), "old") << expected.about;
      EXPECT_THAT(files_in(directory / "u"), ElementsAre("0.0")) << expected.about;
    }
  }
}

TEST(FilesystemFailure, OfTheFirstBytesNamesKeyAndCauseAndKeepsTheOldValue) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  store.write("u/0.0", bytes_of("old"));
  const std::string message = refusal_under(SYS_pwrite64, ENOSPC, 0, [&] {
    const auto writer = store.writer("u/0.0");
    writer->append(bytes_of("________value"));
    dynamic_cast<ts::detail::front_writer&>(*writer).write_front(bytes_of("the new "));
  });
  EXPECT_THAT(message, AllOf(HasSubstr("key \"u/0.0\""), HasSubstr("No space left on device")));
  EXPECT_EQ(text_of(store, "u/0.0"), "old");
  EXPECT_THAT(files_in(directory / "u"), ElementsAre("0.0"));
}

TEST(FilesystemFailure, OfAReadNamesKeyAndCause) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  store.write("u/0.0", bytes_of("value"));
  for (const failure& expected : failures_of_reading) {
    const std::string message = refusal_under(expected.call, expected.error, expected.flags,
                                              [&] { (void)text_of(store, "u/0.0"); });
    EXPECT_THAT(message, AllOf(HasSubstr("key \"u/0.0\""), HasSubstr(expected.text)))
        << expected.about;
  }
  EXPECT_EQ(text_of(store, "u/0.0"), "value");
}

TEST(FilesystemFailure, OfAnEraseKeepsTheValue) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  store.write("x", bytes_of("value"));
#ifdef SYS_unlink
  constexpr long unlink_call = SYS_unlink;
#else
  constexpr long unlink_call = SYS_unlinkat;
#endif
  EXPECT_THAT(refusal_under(unlink_call, EROFS, 0, [&] { store.erase("x"); }),
              AllOf(HasSubstr("cannot erase key \"x\""), HasSubstr("Read-only file system")));
  EXPECT_EQ(text_of(store, "x"), "value");
}

TEST(FilesystemFailure, SyncsFileAndFolderOnlyWhenAsked) {
  const temporary_directory directory;
  const auto write_under = [&](long call, bool fsync) {
    ts::filesystem_store store(directory / "s.zarr", {.fsync = fsync});
    return refusal_under(call, EIO, 0, [&] { store.write("a/b/x", bytes_of("1")); });
  };
  EXPECT_EQ(write_under(SYS_fsync, false), "accepted");
  EXPECT_EQ(write_under(SYS_fdatasync, false), "accepted");
  EXPECT_THAT(write_under(SYS_fsync, true), HasSubstr("cannot sync the folder of key \"a/b/x\""));
  EXPECT_THAT(write_under(SYS_fdatasync, true), HasSubstr("cannot write key \"a/b/x\""));
  ts::filesystem_store(directory / "s.zarr", {.fsync = true}).write("new/y", bytes_of("1"));
}

TEST(FilesystemFailure, VanishedStoreIsNoStoreWithoutKeys) {
  const temporary_directory directory;
  ts::filesystem_store store(directory / "s.zarr");
  EXPECT_EQ(text_of(store, "x"), "missing");
  store.write("x", bytes_of("1"));
  EXPECT_EQ(text_of(store, "y"), "missing");
  fs::remove_all(directory / "s.zarr");
  const auto vanished = AllOf(HasSubstr(directory / "s.zarr"), HasSubstr("vanished"));
  EXPECT_THAT(refusal_of([&] { (void)text_of(store, "x"); }), vanished);
  EXPECT_THAT(refusal_of([&] { (void)store.size("x"); }), vanished);
  EXPECT_THAT(refusal_of([&] { (void)store.list(""); }), vanished);
  EXPECT_THAT(refusal_of([&] { (void)store.list_folder(""); }), vanished);
  EXPECT_THAT(refusal_of([&] { store.write("x", bytes_of("2")); }), vanished);
  EXPECT_FALSE(fs::exists(directory / "s.zarr"));
}

// The system has no files without names, or does not let this process give them one.
TEST(FilesystemWrite, FindsAnotherWayWhereFilesHaveToHaveNames) {
  const temporary_directory directory;
  const auto refuse_links = [] { strike_system_call(SYS_linkat, fails_with(EPERM)); };
  for (const auto& strike : {&refuse_unnamed_files, +refuse_links}) {
    const std::string message = refusal_after(strike, [&] {
      ts::filesystem_store store(directory / "s");
      for (const char* text : {"first", "second"}) {
        for (const char* key : {"new/x", "new/y"}) store.write(key, bytes_of(text));
      }
    });
    EXPECT_EQ(message, "accepted");
    const ts::filesystem_store store(directory / "s");
    EXPECT_EQ(text_of(store, "new/x") + text_of(store, "new/y"), "secondsecond");
    EXPECT_THAT(files_in(directory / "s/new"), ::testing::UnorderedElementsAre("x", "y"));
    fs::remove_all(directory / "s");
  }
}

/// Tells whether files without names can be had in a folder.
bool has_unnamed_files(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  return file >= 0 && ::close(file) == 0;
}

// Linux before 6.10 asks for a capability to give a name to an open file.
TEST(FilesystemWrite, NamesAFileThroughItsProcess) {
  const temporary_directory directory;
  if (!has_unnamed_files(directory.path())) GTEST_SKIP() << "files have to have names here";
  const std::string message =
      refusal_after([] { strike_system_call(SYS_linkat, fails_with(ENOENT), AT_EMPTY_PATH, 4); },
                    [&] {
                      strike_system_call(SYS_openat, fails_with(EPERM), O_CREAT);
                      ts::filesystem_store store(directory.path().string());
                      for (const char* text : {"first", "second"}) store.write("x", bytes_of(text));
                    });
  EXPECT_EQ(message, "accepted");
  EXPECT_EQ(text_of(ts::filesystem_store(directory.path().string()), "x"), "second");
  EXPECT_THAT(files_in(directory.path()), ElementsAre("x"));
}

// A file without a name is gone with its writer.
TEST(FilesystemLeftovers, AreNoneWhereFilesNeedNoNames) {
  const temporary_directory directory;
  if (!has_unnamed_files(directory.path())) GTEST_SKIP() << "files have to have names here";
  const int status = status_of(in_child([&] {
    strike_system_call(SYS_linkat, SECCOMP_RET_KILL_PROCESS);
    ts::filesystem_store(directory.path().string()).write("x", bytes_of("half"));
    return 0;
  }));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(files_in(directory.path()), IsEmpty());
}

/// Leaves the file of a writer that dies before it can rename; returns the file's name.
std::string leave_unfinished_write(const temporary_directory& directory) {
  const int status = status_of(in_child([&] {
    refuse_unnamed_files();
    strike_system_call(rename_call, SECCOMP_RET_KILL_PROCESS);
    ts::filesystem_store(directory.path().string()).write("x", bytes_of("half"));
    return 0;
  }));
  EXPECT_TRUE(WIFSIGNALED(status));
  for (const std::string& name : files_in(directory.path())) {
    if (name.ends_with(".partial")) return name;
  }
  ADD_FAILURE() << "the writer left nothing";
  return "";
}

TEST(FilesystemLeftovers, AreNoValuesAndGoWithTheNextWrite) {
  const temporary_directory directory;
  const std::string partial_name = leave_unfinished_write(directory);
  ts::filesystem_store store(directory.path().string());
  EXPECT_EQ(text_of(store, partial_name), "missing");
  EXPECT_FALSE(store.exists(partial_name));
  EXPECT_THAT(store.list(""), IsEmpty());
  EXPECT_THAT(store.list_folder(""), IsEmpty());
  store.write("y", bytes_of("whole"));
  EXPECT_THAT(files_in(directory.path()), ElementsAre("y"));
}

void stop_here(int) { ::raise(SIGSTOP); }

// The writer is stopped between writing and renaming: its partial file must stay.
TEST(FilesystemLeftovers, OfALiveWriterStay) {
  const temporary_directory directory;
  const pid_t writer = in_child([&] {
    std::signal(SIGSYS, stop_here);
    refuse_unnamed_files();
    strike_system_call(rename_call, SECCOMP_RET_TRAP);
    ts::filesystem_store(directory.path().string()).write("x", bytes_of("slow"));
    return 0;
  });
  ASSERT_TRUE(WIFSTOPPED(status_of(writer, WUNTRACED)));
  ts::filesystem_store(directory.path().string()).write("y", bytes_of("fast"));
  EXPECT_EQ(files_in(directory.path()).size(), 2U);
  ::kill(writer, SIGKILL);
  (void)status_of(writer);
  ts::filesystem_store(directory.path().string()).write("y", bytes_of("fast"));
  EXPECT_THAT(files_in(directory.path()), ElementsAre("y"));
}

TEST(FilesystemLeftovers, OfAWriterThatHasEndedGoThoughNobodyHasWaitedForIt) {
  const temporary_directory directory;
  const pid_t writer = in_child([&] {
    refuse_unnamed_files();
    strike_system_call(rename_call, SECCOMP_RET_KILL_PROCESS);
    ts::filesystem_store(directory.path().string()).write("x", bytes_of("half"));
    return 0;
  });
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(writer), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(files_in(directory.path()).size(), 1U);
  ts::filesystem_store(directory.path().string()).write("y", bytes_of("whole"));
  EXPECT_THAT(files_in(directory.path()), ElementsAre("y"));
  (void)status_of(writer);
}

TEST(FilesystemLeftovers, OfOthersGoWhenTheyAreOld) {
  const temporary_directory directory;
  const auto now = fs::file_time_type::clock::now();
  const auto put = [&](const std::string& name, std::chrono::hours age,
                       const char* content = "half") {
    std::ofstream(directory / name) << content;
    fs::last_write_time(directory / name, now - age);
  };
  const std::string other_machine = ".1-1-1-1-1.partial";
  put("0.0.4f3a9c.partial", std::chrono::hours(25));
  put("0.1.4f3a9c.partial", std::chrono::hours(23));
  // Locks of foreign names hold nothing; our locks hold the unfinished work of a dead holder.
  put("0.2.__lock", std::chrono::hours(25), "");
  put("0.3.__lock", std::chrono::hours(23), "");
  put("0.6.__lock", std::chrono::hours(25));
  put("0.4" + other_machine, std::chrono::hours(25));
  put("0.5" + other_machine, std::chrono::hours(23));
  put("old", std::chrono::hours(1000));
  ts::filesystem_store store(directory.path().string());
  EXPECT_THAT(store.list(""), ElementsAre("old"));
  store.write("new", bytes_of("1"));
  EXPECT_THAT(files_in(directory.path()),
              ::testing::UnorderedElementsAre("0.1.4f3a9c.partial", "0.3.__lock", "0.6.__lock",
                                              "0.5" + other_machine, "old", "new"));
}

TEST(FilesystemLinks, ThatLeadOutAreFollowedUnlessRefused) {
  const temporary_directory directory;
  std::ofstream(directory / "secret") << "secret";
  ts::filesystem_store open(directory / "s");
  open.write("a/x", bytes_of("1"));
  fs::create_symlink("../../secret", directory / "s/a/out");
  fs::create_symlink(directory / "secret", directory / "s/absolute");
  fs::create_directory_symlink("..", directory / "s/up");
  fs::create_symlink("a/x", directory / "s/in");
  EXPECT_EQ(text_of(open, "a/out"), "secret");
  EXPECT_EQ(text_of(open, "up/secret"), "secret");

  ts::filesystem_store strict(directory / "s", {.refuse_outward_links = true});
  EXPECT_EQ(text_of(strict, "a/x"), "1");
  EXPECT_EQ(text_of(strict, "in"), "1");
  EXPECT_EQ(text_of(strict, "nothing/here"), "missing");
  const auto refused = HasSubstr("symbolic link leads out");
  std::vector<std::byte> buffer(10);
  for (const char* key : {"a/out", "absolute", "up/secret"}) {
    EXPECT_THAT(refusal_of([&] { (void)text_of(strict, key); }), refused) << key;
    EXPECT_THAT(refusal_of([&] { (void)strict.read(key, buffer); }), refused) << key;
    EXPECT_THAT(refusal_of([&] { (void)strict.size(key); }), refused) << key;
  }
  EXPECT_THAT(refusal_of([&] { strict.write("up/new", bytes_of("1")); }), refused);
  EXPECT_THAT(refusal_of([&] { strict.erase("up/secret"); }), refused);
  EXPECT_THAT(refusal_of([&] { strict.erase_all("up"); }), refused);
  EXPECT_THAT(refusal_of([&] { (void)strict.list("up"); }), refused);
  EXPECT_THAT(refusal_of([&] { (void)strict.list_folder("up"); }), refused);
  strict.write("absolute", bytes_of("2"));
  EXPECT_EQ(text_of(open, "absolute"), "2") << "the link itself is replaced";
  std::string secret;
  std::ifstream(directory / "secret") >> secret;
  EXPECT_EQ(secret, "secret");
}

}  // namespace
