// SPDX-License-Identifier: Apache-2.0
#include "core/api/lock_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

namespace {

int open_file(const std::filesystem::path& file, int flags) {
  int opened = -1;
  do {
    opened = open(file.c_str(), flags | O_RDWR | O_CLOEXEC, 0666);
  } while (opened < 0 && errno == EINTR);
  return opened;
}

}  // namespace

bool has_name(int opened, const std::filesystem::path& file) {
  struct stat now {};
  struct stat locked {};
  return stat(file.c_str(), &now) == 0 && fstat(opened, &locked) == 0 &&
         now.st_ino == locked.st_ino;
}

int open_locked(const std::filesystem::path& file, int flags) {
  const int opened = open_file(file, flags);
  if (opened < 0) return -1;
  // A file system without locks cannot report other processes: the lock counts as free.
  if (flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    if (has_name(opened, file)) return opened;
  }
  close(opened);
  return -1;
}

int wait_locked(const std::filesystem::path& file) {
  while (true) {
    const int opened = open_file(file, O_CREAT);
    if (opened < 0) return -1;
    int locked = -1;
    do {
      locked = flock(opened, LOCK_EX);
    } while (locked != 0 && errno == EINTR);
    const int failure = locked == 0 ? 0 : errno;
    if (failure == 0 && has_name(opened, file)) return opened;
    close(opened);
    errno = failure;
    if (failure != 0) return -1;
  }
}

bool lacks_locks(int failure) {
  return failure == ENOLCK || failure == ENOSYS || failure == EOPNOTSUPP || failure == EINVAL ||
         failure == EBADF;
}

}  // namespace tessera
