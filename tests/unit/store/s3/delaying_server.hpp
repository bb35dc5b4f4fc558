// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The server of benchmarks/delaying_server.py in a process of its own.
///
/// Requires: TESSERA_PYTHON and TESSERA_DELAYING_SERVER are defined.

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::testing {

/// A server of S3 in a process of its own, so that its memory is not measured.
class delaying_server {
 public:
  /// Serves `folder`. An answer begins after `latency` in ms, and moves `bandwidth` in MB/s. With
  /// `log` each request is a line of that file: the seconds of its begin and of its answer, its
  /// method and its target.
  delaying_server(const std::string& folder, const char* latency, const char* bandwidth,
                  const std::string& log = "") {
    std::array<int, 2> port{};
    if (::pipe(port.data()) != 0) throw std::runtime_error("there is no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(port[1], STDOUT_FILENO);
      ::execl(TESSERA_PYTHON, TESSERA_PYTHON, "-B", TESSERA_DELAYING_SERVER, folder.c_str(), "0",
              latency, bandwidth, "", log.c_str(), nullptr);
      ::_exit(1);
    }
    ::close(port[1]);
    for (char digit = 0; ::read(port[0], &digit, 1) == 1 && digit != '\n';) port_ += digit;
    ::close(port[0]);
    if (port_.empty()) throw std::runtime_error("the server of the test has not started");
  }
  delaying_server(const delaying_server&) = delete;
  delaying_server& operator=(const delaying_server&) = delete;
  ~delaying_server() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] std::string url() const { return "s3+http://127.0.0.1:" + port_ + "/bucket/"; }

 private:
  pid_t process_ = -1;
  std::string port_;
};

}  // namespace tessera::testing
