// SPDX-License-Identifier: Apache-2.0
#include "store/unfinished_write.hpp"

#include "store/api/posix_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace tessera::detail {

namespace {

/// Returns the beginning of a file of the system, or "" if it cannot be read.
std::string_view read_beginning(const char* path, std::span<char> text) {
  const file_descriptor file(open_file(path, O_RDONLY));
  if (file.get() < 0) return {};
  const ssize_t count = ::read(file.get(), text.data(), text.size());
  return {text.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

/// Hashes text into `hash` (FNV-1a).
std::uint64_t fold(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

/// Returns a number for this boot of this kernel and its namespace of process numbers.
std::uint64_t number_of_machine() {
  std::array<char, 64> text;
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  const std::string_view boot = read_beginning("/proc/sys/kernel/random/boot_id", text);
  utsname host{};
  if (!boot.empty()) {
    hash = fold(hash, boot);
  } else if (::uname(&host) == 0) {
    hash = fold(hash, host.nodename);
  }
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) == 0) hash = fold(hash, fmt::to_string(status.st_ino));
  return hash;
}

/// Returns the start time of a process, in the kernel's ticks since boot: 0 for a zombie, nullopt
/// if it cannot be read.
std::optional<std::uint64_t> start_of(pid_t process) {
  std::array<char, 32> path;
  *fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/stat", process).out = '\0';
  std::array<char, 1024> text;
  std::string_view rest = read_beginning(path.data(), text);
  // Field 2 is a name in parentheses with any characters; the start is field 22 (proc(5)).
  const std::size_t end_of_name = rest.rfind(')');
  if (end_of_name == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(end_of_name + 1);
  if (rest.starts_with(" Z") || rest.starts_with(" X")) return 0;
  for (int field = 2; field < 22; ++field) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  std::uint64_t start = 0;
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), start);
  if (failure != std::errc{}) return std::nullopt;
  return start;
}

/// The writing process. Each thread caches it, and reads it again in a forked child.
struct writer {
  pid_t process = 0;
  std::uint64_t start = 0;

  static const writer& current() {
    thread_local writer self;
    const pid_t process = ::getpid();
    if (self.process != process) self = {process, start_of(process).value_or(0)};
    return self;
  }
};

std::uint64_t this_machine() {
  static const std::uint64_t number = number_of_machine();
  return number;
}

bool is_gone(pid_t process, std::uint64_t start) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  const std::optional<std::uint64_t> start_now = start_of(process);
  return start != 0 && start_now && *start_now != start;
}

/// Returns the numbers of an `unfinished_suffix`, or nullopt for the name of another library.
std::optional<std::array<std::uint64_t, 5>> numbers_of(std::string_view name) {
  if (!name.ends_with(partial_suffix)) return std::nullopt;
  name.remove_suffix(partial_suffix.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const char* at = name.data() + dot + 1;
  const char* const end = name.data() + name.size();
  std::array<std::uint64_t, 5> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != '-')) return std::nullopt;
    const auto [next, failure] = std::from_chars(at, end, numbers[i], 16);
    if (failure != std::errc{}) return std::nullopt;
    at = next;
  }
  if (at != end || numbers[1] == 0 || numbers[1] > 0x7FFFFFFF) return std::nullopt;
  return numbers;
}

bool is_old(std::string_view directory, std::string_view name) {
  struct stat status {};
  if (::lstat(path_buffer(directory, name).c_str(), &status) != 0) return false;
  // A lock file with an intent is of this library, and waits for its next holder.
  if (name.ends_with(lock_suffix) && status.st_size > 0) return false;
  return S_ISREG(status.st_mode) && std::time(nullptr) - status.st_mtime > oldest_unknown_write;
}

}  // namespace

unfinished_suffix::unfinished_suffix() {
  static std::atomic<std::uint64_t> count{0};
  // After exec the same process has another program, which counts from 0 again.
  static const unsigned salt = std::random_device{}();
  const writer& self = writer::current();
  size_ = fmt::format_to_n(text_, sizeof text_, ".{:x}-{:x}-{:x}-{:x}-{:x}{}", this_machine(),
                           self.process, self.start, salt, count.fetch_add(1), partial_suffix)
              .size;
}

std::optional<bool> has_writer_ended(std::string_view name) {
  const auto numbers = numbers_of(name);
  if (!numbers || (*numbers)[0] != this_machine()) return std::nullopt;
  return is_gone(static_cast<pid_t>((*numbers)[1]), (*numbers)[2]);
}

bool is_abandoned(std::string_view directory, std::string_view name) {
  const std::optional<bool> has_ended = has_writer_ended(name);
  return has_ended ? *has_ended : is_old(directory, name);
}

}  // namespace tessera::detail
