// SPDX-License-Identifier: Apache-2.0
#include "store/file_lock.hpp"

#include "tessera/core/lock_file.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::detail {

namespace {

// Each holder that dies adds what it was about to do: more than this is not ours.
constexpr std::size_t greatest_size = std::size_t{1} << 20;

/// Returns the texts that `content`, of which each is ended by a NUL, consists of.
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
  // Who died while it wrote its text had done nothing yet.
  content.resize(content.rfind('\0') + 1);
  unfinished_ = texts_in(content);
  const auto end = static_cast<off_t>(content.size());
  std::string own(intent);
  own += '\0';
  int failure = ::ftruncate(file_.get(), end) == 0 && ::lseek(file_.get(), end, SEEK_SET) == end
                    ? write_fully(file_.get(), std::as_bytes(std::span(own)))
                    : errno;
  if (failure == 0 && fsync && ::fdatasync(file_.get()) != 0) failure = errno;
  if (failure != 0) throw_failure("lock", key, path_, failure);
}

void file_lock::finish() {
  // Before the lock ends with the descriptor, so that nobody waits for a file that is about to go.
  ::unlink(path_.c_str());
}

}  // namespace tessera::detail
