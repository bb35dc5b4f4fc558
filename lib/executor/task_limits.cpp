// SPDX-License-Identifier: Apache-2.0
#include "executor/task_limits.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fcntl.h>
#include <fstream>
#include <malloc.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

namespace tessera {

namespace {

// The memory of a task beyond its projection: the allocator rounds up, and failures have messages.
// The address sanitizer quarantines freed memory, and the thread sanitizer keeps shadow memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t slack = 512 << 20U;
#else
constexpr std::uint64_t slack = 4 << 20U;
#endif

rlimit data_limit() {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_DATA, &limit);
  return limit;
}

/// Returns the size of data and stack, the sixth number of /proc/self/statm, in bytes.
std::uint64_t data_size() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int i = 0; i < 6; ++i) file >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Returns the size of the allocator's heap for small blocks, used or free, in bytes.
std::uint64_t heap_size() {
#if defined(__GLIBC__)
  return mallinfo2().arena;
#else
  return 0;
#endif
}

}  // namespace

task_limits::task_limits()
    : clear_refs_(open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)),
      status_(open("/proc/self/status", O_RDONLY | O_CLOEXEC)),
      text_(std::make_unique_for_overwrite<status_text>()),
      limit_at_first_(data_limit().rlim_cur) {}

void task_limits::apply(std::uint64_t operation, bytes memory) {
  const std::uint64_t heap = heap_size();
  if (operation_ != operation) {
    operation_ = operation;
    limit_ = data_size() + slack + memory.count();
    heap_in_limit_ = heap;
  } else if (heap <= heap_in_limit_) {
    return;
  }
  limit_ += heap - heap_in_limit_;
  heap_in_limit_ = heap;
  set_limit(std::min(limit_, limit_at_first_));
}

void task_limits::lift() {
  operation_.reset();
  set_limit(limit_at_first_);
}

void task_limits::set_limit(std::uint64_t limit) const {
  rlimit now = data_limit();
  now.rlim_cur = limit;
  setrlimit(RLIMIT_DATA, &now);
}

// Parses the line "RssShmem: 1234 kB" of /proc/self/status.
bytes task_limits::shared_now() const {
  const ssize_t size = pread(status_.get(), text_->data(), text_->size(), 0);
  const std::string_view lines(text_->data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  constexpr std::string_view key = "RssShmem:";
  const std::size_t line = lines.find(key);
  if (line == std::string_view::npos) return {};
  const std::size_t number = lines.find_first_of("0123456789", line + key.size());
  std::uint64_t kibibytes = 0;
  if (number != std::string_view::npos) {
    (void)std::from_chars(lines.data() + number, lines.data() + lines.size(), kibibytes);
  }
  return bytes{kibibytes * 1024};
}

void task_limits::reset_peak() {
  shared_at_first_ = shared_now();
  (void)!pwrite(clear_refs_.get(), "5", 1, 0);
}

// The same number as VmHWM, at an eighth of its cost. After `exec` it would include the previous
// program, but workers are forked and never call `exec`.
bytes task_limits::peak() const {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const bytes most{static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
  return most - std::min(most, std::max(shared_at_first_, shared_now()));
}

}  // namespace tessera
