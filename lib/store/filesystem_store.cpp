// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/filesystem_store.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view partial_suffix = ".partial";

/// Tells whether an error may be gone on the next try: what a busy machine or a network gives.
bool may_pass(int code) {
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
      return true;
    default:
      return false;
  }
}

[[noreturn]] void throw_failure(std::string_view what, std::string_view key, std::string_view path,
                                int code) {
  throw store_error(fmt::format("cannot {} key \"{}\" ({}): {}", what, key, path,
                                std::generic_category().message(code)),
                    may_pass(code));
}

/// A file's path, on the stack: the way to a chunk allocates nothing.
class path_buffer {
 public:
  path_buffer(std::string_view directory, std::string_view key, std::string_view suffix = {}) {
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

  [[nodiscard]] const char* c_str() const { return text_; }
  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  std::size_t size_ = 0;
  char text_[4096];
};

class file_descriptor {
 public:
  explicit file_descriptor(int value) : value_(value) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  [[nodiscard]] int get() const { return value_; }
  /// Closes the file and returns 0 or the error: some file systems tell of a failed write only
  /// here.
  [[nodiscard]] int close() {
    const int result = ::close(std::exchange(value_, -1));
    return result == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int value_;
};

int open_file(const char* path, int flags) {
  int descriptor = -1;
  do {
    descriptor = ::open(path, flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

bool is_missing(int code) { return code == ENOENT || code == ENOTDIR; }

/// Returns the status of what stands at `path` if it is a file; nothing if it is missing or a
/// folder, which is no value.
std::optional<std::size_t> size_of_file(const struct stat& status, std::string_view key,
                                        std::string_view path) {
  if (S_ISDIR(status.st_mode)) return std::nullopt;
  if (!S_ISREG(status.st_mode)) {
    throw store_error(fmt::format("key \"{}\" ({}): must be a regular file", key, path));
  }
  return static_cast<std::size_t>(status.st_size);
}

/// A file that is open for reading. Its size is that of the value that was there when it was
/// opened: a writer puts another file in its place.
class value_file {
 public:
  /// Throws: store_error <- the value is larger than `limit`.
  value_file(const path_buffer& path, std::string_view key, std::size_t limit)
      // Without O_NONBLOCK a named pipe in the place of a chunk would wait for a writer.
      : file_(open_file(path.c_str(), O_RDONLY | O_NONBLOCK)) {
    if (file_.get() < 0) {
      if (is_missing(errno)) return;
      throw_failure("open", key, path.view(), errno);
    }
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) throw_failure("read", key, path.view(), errno);
    size_ = size_of_file(status, key, path.view());
    if (size_ && *size_ > limit) {
      throw store_error(fmt::format("key \"{}\" ({}): has {} B, at most {} B are expected", key,
                                    path.view(), *size_, limit));
    }
  }

  [[nodiscard]] int descriptor() const { return file_.get(); }
  /// Returns the size of the value, nothing if it is missing.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }

 private:
  file_descriptor file_;
  std::optional<std::size_t> size_;
};

std::size_t read_fully(int descriptor, std::span<std::byte> into, std::string_view key,
                       std::string_view path) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count = ::read(descriptor, into.data() + done, into.size() - done);
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      throw_failure("read", key, path, errno);
    }
  }
  return done;
}

/// Writes all of `value`; returns 0 or the error.
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

bool is_partial(std::string_view name) { return name.ends_with(partial_suffix); }

/// A name that no other write of any process uses: `.<process><random>-<count>.partial`.
class partial_name {
 public:
  partial_name() {
    static std::atomic<std::uint64_t> count{0};
    // The process is asked each time: a forked child has its parent's statics.
    static const unsigned salt = std::random_device{}();
    const auto result = fmt::format_to_n(text_, sizeof text_, ".{:x}-{:08x}-{:x}{}", ::getpid(),
                                         salt, count.fetch_add(1), partial_suffix);
    size_ = result.size;
  }
  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  std::size_t size_ = 0;
  char text_[64];
};

/// Opens `partial` for writing; makes the folders above it if they are missing.
int open_partial(const path_buffer& partial) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL;
  int descriptor = open_file(partial.c_str(), flags);
  // Another process may remove a folder that is empty: a few tries settle it.
  for (int tries = 0; descriptor < 0 && errno == ENOENT && tries < 3; ++tries) {
    std::error_code failure;
    fs::create_directories(fs::path(partial.view()).parent_path(), failure);
    if (failure) {
      errno = failure.value();
      return -1;
    }
    descriptor = open_file(partial.c_str(), flags);
  }
  return descriptor;
}

std::string folder_path(const std::string& root, std::string_view folder) {
  return folder.empty() ? root : fmt::format("{}/{}", root, folder);
}

/// Appends the keys below `directory` to `keys`, each with `prefix` before it.
void append_keys(const fs::path& directory, const std::string& prefix,
                 std::vector<std::string>& keys) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    std::string name = entry.path().filename().string();
    std::error_code vanished;
    if (entry.is_directory(vanished)) {
      // A link to a folder above would be followed for ever.
      if (!entry.is_symlink(vanished)) append_keys(entry.path(), prefix + name + "/", keys);
    } else if (!is_partial(name)) {
      keys.push_back(prefix + name);
    }
  }
}

[[noreturn]] void throw_folder_failure(std::string_view what, std::string_view folder,
                                       const fs::filesystem_error& failure) {
  throw store_error(fmt::format("cannot {} folder \"{}\" ({}): {}", what, folder,
                                failure.path1().string(), failure.code().message()),
                    may_pass(failure.code().value()));
}

}  // namespace

filesystem_store::filesystem_store(std::string_view path) {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    throw store_error(fmt::format("filesystem_store: \"{}\" is no path", path));
  }
  path_ = fs::absolute(fs::path(path)).lexically_normal().string();
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

std::optional<std::size_t> filesystem_store::read(std::string_view key,
                                                  std::span<std::byte> into) const {
  validate_key(key);
  const path_buffer path(path_, key);
  const value_file file(path, key, into.size());
  if (!file.size()) return std::nullopt;
  return read_fully(file.descriptor(), into.first(*file.size()), key, path.view());
}

std::optional<std::vector<std::byte>> filesystem_store::read_all(std::string_view key,
                                                                 std::size_t limit) const {
  validate_key(key);
  const path_buffer path(path_, key);
  const value_file file(path, key, limit);
  if (!file.size()) return std::nullopt;
  std::vector<std::byte> value(*file.size());
  value.resize(read_fully(file.descriptor(), value, key, path.view()));
  return value;
}

std::optional<std::size_t> filesystem_store::size(std::string_view key) const {
  validate_key(key);
  const path_buffer path(path_, key);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (is_missing(errno)) return std::nullopt;
    throw_failure("stat", key, path.view(), errno);
  }
  return size_of_file(status, key, path.view());
}

void filesystem_store::write(std::string_view key, std::span<const std::byte> value) {
  validate_key(key);
  if (is_partial(key)) {
    throw store_error(
        fmt::format("key \"{}\": names that end in \"{}\" are kept for unfinished "
                    "writes, choose another one",
                    key, partial_suffix));
  }
  const path_buffer path(path_, key);
  const path_buffer partial(path_, key, partial_name().view());
  file_descriptor file(open_partial(partial));
  if (file.get() < 0) throw_failure("create", key, partial.view(), errno);
  int failure = write_fully(file.get(), value);
  const int closing_failure = file.close();
  if (failure == 0) failure = closing_failure;
  if (failure == 0 && ::rename(partial.c_str(), path.c_str()) != 0) failure = errno;
  if (failure != 0) {
    ::unlink(partial.c_str());
    throw_failure("write", key, path.view(), failure);
  }
}

void filesystem_store::erase(std::string_view key) {
  validate_key(key);
  const path_buffer path(path_, key);
  // EISDIR: a folder is no value.
  if (::unlink(path.c_str()) != 0 && !is_missing(errno) && errno != EISDIR) {
    throw_failure("erase", key, path.view(), errno);
  }
}

void filesystem_store::erase_all(std::string_view folder) {
  validate_folder(folder);
  try {
    const std::string directory = folder_path(path_, folder);
    if (!fs::is_directory(directory)) return;
    // Entry by entry: the folder may be a link to where the data are.
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      fs::remove_all(entry.path());
    }
    if (!fs::is_symlink(directory)) fs::remove(directory);
  } catch (const fs::filesystem_error& failure) {
    throw_folder_failure("erase", folder, failure);
  }
}

std::vector<std::string> filesystem_store::list(std::string_view folder) const {
  validate_folder(folder);
  std::vector<std::string> keys;
  try {
    const std::string directory = folder_path(path_, folder);
    if (fs::is_directory(directory)) {
      append_keys(directory, folder.empty() ? "" : fmt::format("{}/", folder), keys);
    }
  } catch (const fs::filesystem_error& failure) {
    throw_folder_failure("list", folder, failure);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> filesystem_store::list_folder(std::string_view folder) const {
  validate_folder(folder);
  std::vector<std::string> names;
  try {
    const std::string directory = folder_path(path_, folder);
    if (!fs::is_directory(directory)) return names;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      std::string name = entry.path().filename().string();
      std::error_code vanished;
      if (entry.is_directory(vanished)) {
        names.push_back(name + "/");
      } else if (!is_partial(name)) {
        names.push_back(std::move(name));
      }
    }
  } catch (const fs::filesystem_error& failure) {
    throw_folder_failure("list", folder, failure);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tessera
