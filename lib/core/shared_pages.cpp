// SPDX-License-Identifier: Apache-2.0
#include "core/api/shared_pages.hpp"

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

/// The most bytes of a call of fallocate: a signal may undo the work of an interrupted call.
constexpr std::size_t most_at_once = std::size_t{64} << 20U;

/// The bytes that this process has allocated and not given back.
std::atomic<std::uint64_t> all_taken{0};
/// The number of forks of this process.
std::atomic<std::uint64_t> num_forks{0};

/// Counts a fork before it happens, so that no thread reads the old number while the child exists.
/// The child itself has allocated nothing.
bool counts_forks() {
  static const bool does = pthread_atfork([] { ++num_forks; }, nullptr, [] { all_taken = 0; }) == 0;
  return does;
}

[[noreturn]] void throw_refusal(const std::string& action, int failure) {
  throw memory_error(
      fmt::format("shared memory: {}: {}", action, std::generic_category().message(failure)));
}

/// Throws memory_error if the file would exceed RLIMIT_FSIZE: SIGXFSZ would end the process.
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

/// Allocates pages of the file, in pieces. Kernels that undo a call on a signal (Linux 6.18 does
/// not) would never finish a call for many pages under the frequent signals of a profiler.
void allocate(int file, std::uint64_t offset, std::size_t size) {
  std::size_t piece = most_at_once;
  for (std::size_t done = 0; done < size;) {
    const std::size_t count = std::min(piece, size - done);
    if (fallocate(file, 0, static_cast<off_t>(offset + done), static_cast<off_t>(count)) == 0) {
      done += count;
      piece = std::min(2 * piece, most_at_once);
    } else if (errno == EINTR) {
      piece = std::max(piece / 2, page_size());
    } else {
      throw_refusal("the system gives no " + format(bytes{size}), errno);
    }
  }
}

std::shared_ptr<std::byte[]> mapped(int file, std::uint64_t offset, std::size_t size, int flags) {
  if (size == 0) return nullptr;
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) throw_refusal("the system maps no " + format(bytes{size}), errno);
  return {static_cast<std::byte*>(memory), [size](std::byte* start) { munmap(start, size); }};
}

}  // namespace

/// The state of a file that this process has open, or has allocated pages of.
class shared_pages::account {
 public:
  account() = default;
  account(const account&) = delete;
  account& operator=(const account&) = delete;
  /// The last mapping removes the file, and with it the pages that were not given back.
  ~account() {
    if (is_own()) all_taken -= unreturned_;
  }

  /// Notes that the program has pages from now on, as children forked later have.
  void hand_out() {
    std::uint64_t nobody_yet = never;
    forks_before_.compare_exchange_strong(nobody_yet, counts_forks_ ? num_forks.load() : unknown);
  }
  /// A forked child does not own the pages of its parent.
  [[nodiscard]] bool is_own() const { return getpid() == owner_; }
  /// Tells whether this is a forked child that may read pages from before the fork.
  [[nodiscard]] bool is_inherited() const {
    return forks_before_ != never && forks_before_ != num_forks;
  }
  void leave(std::size_t size) { unreturned_ += size; }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t unknown = never - 1;

  bool counts_forks_ = counts_forks();
  std::atomic<std::uint64_t> unreturned_{0};
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

/// Memory that its destructor gives back, by address: thousands of these need no open files.
class shared_pages::mapping {
 public:
  mapping(std::shared_ptr<std::byte[]> mapped, std::size_t size, std::shared_ptr<account> of)
      : mapped_(std::move(mapped)), size_(whole_pages(size)), account_(std::move(of)) {
    all_taken += size_;
  }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  ~mapping() {
    if (!account_->is_own()) return;
    if (!account_->is_inherited() && give_back()) {
      all_taken -= size_;
    } else {
      account_->leave(size_);
    }
  }

  [[nodiscard]] std::byte* start() const { return mapped_.get(); }

 private:
  /// Unlocks first: madvise refuses memory that the program has locked (mlockall).
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

// Pages are allocated up front: a failed allocation on first write would end the process (SIGBUS).
std::shared_ptr<std::byte[]> shared_pages::take(std::uint64_t offset, std::size_t size) const {
  if (size == 0) return nullptr;
  const auto pages = std::make_shared<mapping>(map(offset, size), size, file_->own_account());
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

// The system lets a process follow this link if it may open the files of `process`.
bool reaches_pages_of(int process) {
  std::array<char, 1> text;
  return readlink(fmt::format("/proc/{}/exe", process).c_str(), text.data(), text.size()) > 0;
}

}  // namespace tessera
