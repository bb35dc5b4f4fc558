// SPDX-License-Identifier: Apache-2.0
#include "store/api/posix_file.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tessera::detail {

namespace {

std::size_t size_of_file(const struct stat& status, std::string_view key, std::string_view path) {
  if (!S_ISREG(status.st_mode)) {
    const char* const kind = S_ISDIR(status.st_mode) ? "folder" : "pipe, device or socket";
    throw store_error(
        fmt::format("key \"{}\" ({}): must be a regular file, found a {}", key, path, kind));
  }
  return static_cast<std::size_t>(status.st_size);
}

std::size_t size_of_file(int descriptor, std::string_view key, std::string_view path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_failure("read", key, path, errno);
  return size_of_file(status, key, path);
}

}  // namespace

store_failure failure_of(int code) {
  switch (code) {
    case EINTR:
    case EAGAIN:
    case EBUSY:
    case EIO:
    case ENFILE:
    case EMFILE:
    case ENOMEM:
    case ESTALE:
    case ETIMEDOUT:
    case ENOLCK:
    case EREMOTEIO:
    case ECONNRESET:
    case ECONNABORTED:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
      return store_failure::passing;
    case EACCES:
    case EPERM:
    case EROFS:
      return store_failure::denied;
    default:
      return store_failure::permanent;
  }
}

void throw_failure(std::string_view action, std::string_view key, std::string_view path, int code) {
  throw store_error(fmt::format("cannot {} key \"{}\" ({}): {}", action, key, path,
                                std::generic_category().message(code)),
                    failure_of(code));
}

bool is_missing(int code) { return code == ENOENT || code == ENOTDIR; }

path_buffer::path_buffer(std::string_view directory, std::string_view key,
                         std::string_view suffix) {
  const bool has_name = !key.empty();
  size_ = directory.size() + (has_name ? 1 : 0) + key.size() + suffix.size();
  if (size_ >= sizeof text_) {
    throw_failure("reach", key, directory, ENAMETOOLONG);
  }
  char* end = std::copy(directory.begin(), directory.end(), text_);
  if (has_name) *end++ = '/';
  end = std::copy(key.begin(), key.end(), end);
  end = std::copy(suffix.begin(), suffix.end(), end);
  *end = '\0';
}

file_descriptor::~file_descriptor() {
  if (value_ >= 0) ::close(value_);
}

int file_descriptor::close() {
  const int result = ::close(std::exchange(value_, -1));
  return result == 0 || errno == EINTR ? 0 : errno;
}

int open_file(const char* path, int flags) {
  int descriptor = -1;
  do {
    descriptor = ::open(path, flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

std::size_t read_fully(int descriptor, std::span<std::byte> into, std::string_view key,
                       std::string_view path, std::size_t first) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count = ::pread(descriptor, into.data() + done, into.size() - done,
                                  static_cast<off_t>(first + done));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EISDIR) {
      return size_of_file(descriptor, key, path);  // throws, because it is no regular file
    } else if (errno != EINTR) {
      throw_failure("read", key, path, errno);
    }
  }
  return done;
}

int write_fully(int descriptor, std::span<const std::byte> value) {
  std::size_t done = 0;
  while (done < value.size()) {
    const ssize_t count = ::write(descriptor, value.data() + done, value.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int sync_folder(const char* path) {
  const file_descriptor folder(open_file(path, O_RDONLY | O_DIRECTORY));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) return errno;
  return 0;
}

int resolve_inside(const char* root, const char* path) {
  const file_descriptor folder(open_file(root, O_PATH | O_DIRECTORY));
  if (folder.get() < 0) return errno;
  open_how request{};
  request.flags = O_PATH | O_CLOEXEC;
  request.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long opened = -1;
  do {
    opened = ::syscall(SYS_openat2, folder.get(), path, &request, sizeof request);
    // EAGAIN: a folder was renamed meanwhile, so that the kernel could not resolve the path safely.
  } while (opened < 0 && (errno == EINTR || errno == EAGAIN));
  if (opened < 0) return errno;
  ::close(static_cast<int>(opened));
  return 0;
}

value_file::value_file(const path_buffer& path, std::string_view key, std::size_t limit)
    // Without O_NONBLOCK, opening a named pipe in place of a chunk would wait for a writer.
    : file_(open_file(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY)) {
  if (file_.get() < 0) {
    if (is_missing(errno)) return;
    throw_failure("open", key, path.view(), errno);
  }
  // lseek takes half the time of fstat. A file without an end, or with an implausible one, is
  // examined by fstat.
  if (const off_t end = ::lseek(file_.get(), 0, SEEK_END);
      end > 0 && static_cast<std::uint64_t>(end) <= limit) {
    size_ = static_cast<std::size_t>(end);
    return;
  }
  size_ = size_of_file(file_.get(), key, path.view());
  if (*size_ > limit) {
    throw store_error(fmt::format("key \"{}\" ({}): has {} B, at most {} B are expected", key,
                                  path.view(), *size_, limit),
                      store_failure::too_large, *size_);
  }
}

value_file::value_file(const path_buffer& path, std::string_view key)
    : file_(open_file(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY)) {
  if (file_.get() < 0) {
    if (is_missing(errno)) return;
    throw_failure("open", key, path.view(), errno);
  }
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_failure("stat", key, path.view(), errno);
  size_ = size_of_file(status, key, path.view());
  std::array<char, 64> text;
  const auto end = fmt::format_to_n(text.data(), text.size(), "{:x}.{:x}.{:x}", status.st_ino,
                                    status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  version_ = value_version({text.data(), end.size});
}

std::optional<std::size_t> size_of_value(const path_buffer& path, std::string_view key) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return std::nullopt;
    return size_of_file(status, key, path.view());
  }
  if (is_missing(errno)) return std::nullopt;
  throw_failure("stat", key, path.view(), errno);
}

}  // namespace tessera::detail
