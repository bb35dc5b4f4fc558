// SPDX-License-Identifier: Apache-2.0
/// \file
/// The number of system calls for a value in a file, counted by a parent that traces its child.
///
/// The store needed as many calls before it knew parts, versions and writers of values.

#include "tessera/store/filesystem_store.hpp"

#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <span>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tessera::testing {
namespace {

/// Tells whether a call is of the allocator or of a lock.
bool is_of_the_process(long number) {
  constexpr std::array numbers{SYS_brk, SYS_mmap, SYS_munmap, SYS_madvise, SYS_mprotect, SYS_futex};
  return std::ranges::find(numbers, number) != numbers.end();
}

/// Returns the number of the call that a traced child begins, or -1 if it returns from one.
long begun_call(pid_t child) {
  __ptrace_syscall_info info{};
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0) {
    throw std::runtime_error("the system calls of a child cannot be traced");
  }
  return info.op == PTRACE_SYSCALL_INFO_ENTRY ? static_cast<long>(info.entry.nr) : -1;
}

/// Returns the numbers of the system calls of `f`, which runs in a child between two marks.
std::vector<long> calls_of(const std::function<void()>& f) {
  constexpr long mark = SYS_getppid;
  const pid_t child = in_child([&] {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    static_cast<void>(::raise(SIGSTOP));
    ::syscall(mark);
    f();
    ::syscall(mark);
    return 0;
  });
  static_cast<void>(status_of(child));
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  std::vector<long> calls;
  int num_marks = 0;
  while (true) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    const int status = status_of(child);
    if (WIFEXITED(status)) break;
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    const long number = begun_call(child);
    if (number == mark) ++num_marks;
    if (number >= 0 && number != mark && num_marks == 1 && !is_of_the_process(number)) {
      calls.push_back(number);
    }
  }
  EXPECT_EQ(num_marks, 2);
  return calls;
}

class SystemCalls : public ::testing::Test {
 protected:
  SystemCalls() {
    // The first write into a folder looks for files of dead writers.
    store_.write("x/0", value_);
  }

  temporary_directory directory_;
  filesystem_store store_{directory_ / "store"};
  std::vector<std::byte> value_{4096, std::byte{7}};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(4096);
};

TEST_F(SystemCalls, OfAChunkThatIsReadAreFour) {
  const auto calls = calls_of([&] { static_cast<void>(store_.read("x/0", buffer_)); });
  EXPECT_EQ(calls, (std::vector<long>{SYS_openat, SYS_lseek, SYS_pread64, SYS_close}));
}

TEST_F(SystemCalls, OfAPartOfAValueAreFour) {
  const auto calls = calls_of([&] {
    static_cast<void>(store_.read_part("x/0", {100, 200}, std::span(buffer_)));
  });
  EXPECT_EQ(calls.size(), 4U) << ::testing::PrintToString(calls);
}

TEST_F(SystemCalls, OfAMissingChunkAreOne) {
  const auto calls = calls_of([&] { static_cast<void>(store_.read("x/1", buffer_)); });
  // The second one asks for the directory of the store.
  EXPECT_LE(calls.size(), 2U) << ::testing::PrintToString(calls);
}

// A file without a name is written, closed by a second descriptor, and given its name; without a
// capability the name is given by /proc, by a second call.
TEST_F(SystemCalls, OfAChunkThatIsWrittenAreAtMostSeven) {
  const auto calls = calls_of([&] { store_.write("x/1", value_); });
  EXPECT_GE(calls.size(), 5U);
  EXPECT_LE(calls.size(), 7U) << ::testing::PrintToString(calls);
}

}  // namespace
}  // namespace tessera::testing
