// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/task_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace tessera {

namespace {

// What tasks use without being asked for it: the allocator rounds up, and a message is made of a
// failure. An address sanitizer sets freed memory aside.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t slack = 512 << 20U;
#else
constexpr std::uint64_t slack = 4 << 20U;
#endif

descriptor open_own(const char* path, int flags) {
  return descriptor(open(path, flags | O_CLOEXEC));
}

rlimit data_limit() {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_DATA, &limit);
  return limit;
}

using text_buffer = std::array<char, 4096>;

std::string_view read_again(const descriptor& file, text_buffer& into) {
  const ssize_t size = pread(file.get(), into.data(), into.size(), 0);
  return {into.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// Returns the number at the begin of `text`, behind white space; zero where there is none.
std::uint64_t number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

task_limits::task_limits()
    : clear_refs_(open_own("/proc/self/clear_refs", O_WRONLY)),
      status_(open_own("/proc/self/status", O_RDONLY)),
      statm_(open_own("/proc/self/statm", O_RDONLY)),
      limit_at_first_(data_limit().rlim_cur) {}

void task_limits::apply(std::uint64_t operation, bytes memory) {
  if (operation_ == operation) return;
  operation_ = operation;
  set_limit(std::min(data_size() + slack + memory.count(), limit_at_first_));
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

void task_limits::reset_peak() const { (void)!pwrite(clear_refs_.get(), "5", 1, 0); }

bytes task_limits::peak() const {
  constexpr std::string_view key = "VmHWM:";
  text_buffer buffer;
  const std::string_view text = read_again(status_, buffer);
  const std::size_t place = text.find(key);
  if (place == std::string_view::npos) return {};
  return bytes{number_in(text.substr(place + key.size())) * 1024};
}

/// The sixth number of /proc/self/statm: pages of data and stack.
std::uint64_t task_limits::data_size() const {
  text_buffer buffer;
  std::string_view text = read_again(statm_, buffer);
  for (int skipped = 0; skipped < 5; ++skipped) {
    text.remove_prefix(std::min(text.find(' '), text.size()));
    text.remove_prefix(std::min<std::size_t>(1, text.size()));
  }
  return number_in(text) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace tessera
