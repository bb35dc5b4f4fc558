// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/shared_pages.hpp"

#include "tessera/core/bytes.hpp"
#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace {

/// So much is taken with one call: a signal that comes in between undoes what the call has done.
constexpr std::size_t piece_size = std::size_t{64} << 20U;

[[noreturn]] void throw_refusal(const std::string& what, int failure) {
  throw memory_error(
      fmt::format("shared memory: {}: {}", what, std::generic_category().message(failure)));
}

/// A part of a page would be cleared, but not given back.
void give_back(int file, std::uint64_t offset, std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t whole = (size + page - 1) / page * page;
  (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(whole));
}

std::shared_ptr<std::byte[]> mapped(int file, std::uint64_t offset, std::size_t size, int how) {
  if (size == 0) return nullptr;
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, how, file, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) throw_refusal("the system maps no " + format(bytes{size}), errno);
  return {static_cast<std::byte*>(memory), [size](std::byte* start) { munmap(start, size); }};
}

}  // namespace

class shared_pages::file {
 public:
  explicit file(int descriptor) : descriptor_(descriptor) {}
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Memory that is given back at its end. A child of this process, forked meanwhile, does not own
/// it.
class shared_pages::taken {
 public:
  taken(std::shared_ptr<const file> from, std::uint64_t offset, std::size_t size)
      : from_(std::move(from)), offset_(offset), size_(size) {}
  taken(const taken&) = delete;
  taken& operator=(const taken&) = delete;
  ~taken() {
    if (getpid() == owner_) give_back(from_->get(), offset_, size_);
  }

  std::shared_ptr<std::byte[]> mapped;

 private:
  std::shared_ptr<const file> from_;
  std::uint64_t offset_;
  std::size_t size_;
  pid_t owner_ = getpid();
};

shared_pages::shared_pages(std::uint64_t size)
    : file_(std::make_shared<file>(memfd_create("tessera", MFD_CLOEXEC))) {
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
  for (std::size_t taken = 0; taken < size;) {
    const std::size_t count = std::min(piece_size, size - taken);
    if (fallocate(file_->get(), 0, static_cast<off_t>(offset + taken), static_cast<off_t>(count)) ==
        0) {
      taken += count;
    } else if (errno != EINTR) {
      const int failure = errno;
      give_back(file_->get(), offset, taken);
      throw_refusal("the system gives no " + format(bytes{size}), failure);
    }
  }
  if (size == 0) return nullptr;
  const auto pages = std::make_shared<taken>(file_, offset, size);
  pages->mapped = map(offset, size);
  return {pages, pages->mapped.get()};
}

std::shared_ptr<std::byte[]> shared_pages::map(std::uint64_t offset, std::size_t size) const {
  return mapped(file_->get(), offset, size, MAP_SHARED);
}

std::shared_ptr<std::byte[]> shared_pages::map_alone(std::uint64_t offset, std::size_t size) const {
  return mapped(file_->get(), offset, size, MAP_PRIVATE);
}

// The system lets a process follow this link where it lets it open the other one's files.
bool reaches_pages_of(int process) {
  std::array<char, 1> text;
  return readlink(fmt::format("/proc/{}/exe", process).c_str(), text.data(), text.size()) > 0;
}

}  // namespace tessera
