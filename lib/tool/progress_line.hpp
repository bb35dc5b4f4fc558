// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A line on the terminal with the number of finished chunks.

#include <cstddef>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <utility>

namespace tessera::tool {

class progress_line {
 public:
  progress_line(std::string name, std::size_t total)
      : name_(std::move(name)), total_(total), is_shown_(::isatty(STDERR_FILENO) == 1) {}
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line() { clear(); }

  void show(std::size_t done) const {
    constexpr std::size_t width = 30;
    // Updates at most a hundred times.
    if (!is_shown_ || done % (total_ / 100 + 1) != 0) return;
    std::string bar(width, ' ');
    bar.replace(0, done * width / total_, done * width / total_, '#');
    std::fprintf(stderr, "\r%s [%s] %zu/%zu", name_.c_str(), bar.c_str(), done, total_);
  }
  void clear() const {
    if (is_shown_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  std::string name_;
  std::size_t total_;
  bool is_shown_;
};

}  // namespace tessera::tool
