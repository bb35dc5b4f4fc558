// SPDX-License-Identifier: Apache-2.0
#include "store/file_lock.hpp"

#include "core/api/lock_file.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::detail {

namespace {

// Each holder that dies leaves its text. A larger file is not of this library.
constexpr std::size_t greatest_size = std::size_t{1} << 20;

/// Returns the texts of `content`, each ended by a NUL.
std::vector<std::string> texts_in(std::string_view content) {
  std::vector<std::string> texts;
  while (!content.empty()) {
    texts.emplace_back(content.substr(0, content.find('\0')));
    content.remove_prefix(texts.back().size() + 1);
  }
  return texts;
}

}  // namespace

file_lock::file_lock(const path_buffer& path, std::string_view key, std::string_view intent,
                     bool fsync)
    : path_(path.view()), file_(wait_locked(path_)) {
  if (file_.get() < 0) {
    if (lacks_locks(errno)) return;
    throw_failure("lock", key, path_, errno);
  }
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_failure("lock", key, path_, errno);
  std::string content(std::min(static_cast<std::size_t>(status.st_size), greatest_size), '\0');
  read_fully(file_.get(), std::as_writable_bytes(std::span(content)), key, path_);
  // A text without NUL is of a holder that died while it wrote it, before it did anything.
  content.resize(content.rfind('\0') + 1);
  unfinished_ = texts_in(content);
  const auto end = static_cast<off_t>(content.size());
  std::string entry(intent);
  entry += '\0';
  int failure = ::ftruncate(file_.get(), end) == 0 && ::lseek(file_.get(), end, SEEK_SET) == end
                    ? write_fully(file_.get(), std::as_bytes(std::span(entry)))
                    : errno;
  if (failure == 0 && fsync && ::fdatasync(file_.get()) != 0) failure = errno;
  if (failure != 0) throw_failure("lock", key, path_, failure);
}

void file_lock::finish() {
  // The lock is still held, so that a waiting process sees that the file has lost its name.
  ::unlink(path_.c_str());
}

}  // namespace tessera::detail
