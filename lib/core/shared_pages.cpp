// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/shared_pages.hpp"

#include "tessera/core/bytes.hpp"
#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace {

/// So much is taken with one call: a signal that comes in between may undo what the call has done.
constexpr std::size_t most_at_once = std::size_t{64} << 20U;

/// What this process has taken and not given back, in bytes.
std::atomic<std::uint64_t> all_taken{0};
/// How often this process was copied.
std::atomic<std::uint64_t> num_forks{0};

/// A copy is counted before it is made, so that no thread finds the number of before when it is
/// there. It has taken nothing itself.
bool counts_forks() {
  static const bool does = pthread_atfork([] { ++num_forks; }, nullptr, [] { all_taken = 0; }) == 0;
  return does;
}

[[noreturn]] void throw_refusal(const std::string& what, int failure) {
  throw memory_error(
      fmt::format("shared memory: {}: {}", what, std::generic_category().message(failure)));
}

/// A process that makes a file longer than this limit is ended, if it does not expect the signal.
void check_limit_of_files(std::uint64_t size) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &limit);
  if (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur) return;
  throw memory_error(fmt::format(
      "shared memory: {} are needed in one file in memory, and this process may make files of {} "
      "(RLIMIT_FSIZE, \"ulimit -f\")",
      format(bytes{size}), format(bytes{limit.rlim_cur})));
}

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t size) {
  return (size + page_size() - 1) / page_size() * page_size();
}

/// Lets the file have pages there. Where a signal undoes a call, which it does not on Linux 6.18,
/// those of a profiler may come so often that a call for many pages never ends.
void allocate(int file, std::uint64_t offset, std::size_t size) {
  std::size_t piece = most_at_once;
  for (std::size_t taken = 0; taken < size;) {
    const std::size_t count = std::min(piece, size - taken);
    if (fallocate(file, 0, static_cast<off_t>(offset + taken), static_cast<off_t>(count)) == 0) {
      taken += count;
      piece = std::min(2 * piece, most_at_once);
    } else if (errno == EINTR) {
      piece = std::max(piece / 2, page_size());
    } else {
      throw_refusal("the system gives no " + format(bytes{size}), errno);
    }
  }
}

std::shared_ptr<std::byte[]> mapped(int file, std::uint64_t offset, std::size_t size, int how) {
  if (size == 0) return nullptr;
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, how, file, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) throw_refusal("the system maps no " + format(bytes{size}), errno);
  return {static_cast<std::byte*>(memory), [size](std::byte* start) { munmap(start, size); }};
}

}  // namespace

/// What is known of a file that this process has open, or has taken pages of.
class shared_pages::account {
 public:
  account() = default;
  account(const account&) = delete;
  account& operator=(const account&) = delete;
  /// The file goes with the last that has it mapped, and with it what was left in it.
  ~account() {
    if (is_own()) all_taken -= left_;
  }

  /// Notes that its users have pages from now on, and so has who is copied of this process later.
  void hand_out() {
    std::uint64_t nobody_yet = never;
    forks_before_.compare_exchange_strong(nobody_yet, counts_forks_ ? num_forks.load() : unknown);
  }
  /// A copy of this process does not own what it finds taken.
  [[nodiscard]] bool is_own() const { return getpid() == owner_; }
  /// Tells whether a copy of this process may look at what was handed out before.
  [[nodiscard]] bool is_inherited() const {
    return forks_before_ != never && forks_before_ != num_forks;
  }
  void leave(std::size_t size) { left_ += size; }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t unknown = never - 1;

  bool counts_forks_ = counts_forks();
  std::atomic<std::uint64_t> left_{0};
  std::atomic<std::uint64_t> forks_before_{never};
  pid_t owner_ = getpid();
};

class shared_pages::file {
 public:
  explicit file(int descriptor) : descriptor_(descriptor) {}
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] const std::shared_ptr<account>& own_account() const { return account_; }

 private:
  int descriptor_;
  std::shared_ptr<account> account_ = std::make_shared<account>();
};

/// Memory that is given back at its end, without the file: there may be thousands of these, and
/// not as many open files.
class shared_pages::taken {
 public:
  taken(std::shared_ptr<std::byte[]> mapped, std::size_t size, std::shared_ptr<account> of)
      : mapped_(std::move(mapped)), size_(whole_pages(size)), account_(std::move(of)) {
    all_taken += size_;
  }
  taken(const taken&) = delete;
  taken& operator=(const taken&) = delete;
  ~taken() {
    if (!account_->is_own()) return;
    if (!account_->is_inherited() && give_back()) {
      all_taken -= size_;
    } else {
      account_->leave(size_);
    }
  }

  [[nodiscard]] std::byte* start() const { return mapped_.get(); }

 private:
  /// A program may have locked all that it maps, which the system does not take.
  [[nodiscard]] bool give_back() const {
    munlock(start(), size_);
    return madvise(start(), size_, MADV_REMOVE) == 0;
  }

  std::shared_ptr<std::byte[]> mapped_;
  std::size_t size_;
  std::shared_ptr<account> account_;
};

shared_pages::shared_pages(std::uint64_t size)
    : file_(std::make_shared<file>(memfd_create("tessera", MFD_CLOEXEC))) {
  check_limit_of_files(size);
  if (file_->get() < 0 || ftruncate(file_->get(), static_cast<off_t>(size)) != 0) {
    throw_refusal("the system makes no file of " + format(bytes{size}), errno);
  }
}

shared_pages::shared_pages(const std::string& name)
    : file_(std::make_shared<file>(open(name.c_str(), O_RDWR | O_CLOEXEC))) {
  if (file_->get() < 0) throw_refusal("'" + name + "' of another process cannot be opened", errno);
}

std::string shared_pages::name() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), file_->get());
}

// A page that is there cannot be missing when a task writes to it, which would end its process.
std::shared_ptr<std::byte[]> shared_pages::take(std::uint64_t offset, std::size_t size) const {
  if (size == 0) return nullptr;
  const auto pages = std::make_shared<taken>(map(offset, size), size, file_->own_account());
  allocate(file_->get(), offset, size);
  return {pages, pages->start()};
}

std::shared_ptr<std::byte[]> shared_pages::map(std::uint64_t offset, std::size_t size) const {
  return mapped(file_->get(), offset, size, MAP_SHARED);
}

std::shared_ptr<std::byte[]> shared_pages::map_alone(std::uint64_t offset, std::size_t size) const {
  file_->own_account()->hand_out();
  return mapped(file_->get(), offset, size, MAP_PRIVATE);
}

std::uint64_t shared_pages_taken() { return all_taken; }

// The system lets a process follow this link where it lets it open the other one's files.
bool reaches_pages_of(int process) {
  std::array<char, 1> text;
  return readlink(fmt::format("/proc/{}/exe", process).c_str(), text.data(), text.size()) > 0;
}

}  // namespace tessera
