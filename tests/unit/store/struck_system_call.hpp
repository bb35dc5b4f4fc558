// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// System calls that fail, kill or stop the process that makes them: full disks and dead writers
/// without a disk to fill or a race to win.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <functional>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tessera::testing {

/// Answers a system call of this process by `action` from here on, for good; with `flags` only if
/// one of its arguments, counted from zero, has one of them. Call it in a child.
inline void strike_system_call(long number, std::uint32_t action, std::uint32_t flags = 0,
                               std::size_t argument = 2) {
  const auto statement = [](int code, std::uint32_t k, int if_true = 0, int if_false = 0) {
    return sock_filter{static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_true),
                       static_cast<std::uint8_t>(if_false), k};
  };
  std::vector<sock_filter> rules = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      statement(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0,
                flags == 0 ? 1 : 3)};
  if (flags != 0) {
    const std::size_t offset = offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
    rules.push_back(statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    rules.push_back(statement(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1));
  }
  rules.push_back(statement(BPF_RET | BPF_K, action));
  rules.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    throw std::runtime_error("seccomp is not available");
  }
}

inline std::uint32_t fails_with(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

/// As on file systems without files that have no name. Call it in a child.
inline void refuse_unnamed_files() {
  strike_system_call(SYS_openat, fails_with(EOPNOTSUPP), O_TMPFILE & ~O_DIRECTORY);
}

/// Runs `body` in a child; the child ends by `_exit` with the result.
inline pid_t in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int result = 125;
  try {
    result = body();
  } catch (...) {
    result = 124;
  }
  ::_exit(result);
}

/// Waits for a child; returns its status as `waitpid` gives it.
inline int status_of(pid_t child, int options = 0) {
  int status = -1;
  if (::waitpid(child, &status, options) != child) throw std::runtime_error("waitpid failed");
  return status;
}

}  // namespace tessera::testing
