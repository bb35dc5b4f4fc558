// SPDX-License-Identifier: Apache-2.0
#include "executor/lock_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

int open_locked(const std::filesystem::path& file, int flags) {
  const int opened = open(file.c_str(), flags | O_RDWR | O_CLOEXEC, 0666);
  if (opened < 0) return -1;
  // A file system without locks cannot tell that somebody works there: then nobody does.
  if (flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    // Its last holder may have removed the file before this lock was had.
    struct stat now {};
    struct stat held {};
    if (stat(file.c_str(), &now) == 0 && fstat(opened, &held) == 0 && now.st_ino == held.st_ino) {
      return opened;
    }
  }
  close(opened);
  return -1;
}

}  // namespace tessera
