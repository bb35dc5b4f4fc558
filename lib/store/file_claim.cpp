// SPDX-License-Identifier: Apache-2.0
#include "store/file_claim.hpp"

#include "core/api/lock_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tessera::detail {

namespace {

constexpr std::size_t slot_size = 4096;

struct flock range_of_slot(std::size_t slot, short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(slot * slot_size);
  range.l_len = static_cast<off_t>(slot_size);
  return range;
}

/// Locks or unlocks a slot; returns 0 or the error.
int set_lock(int file, std::size_t slot, short type) {
  struct flock range = range_of_slot(slot, type);
  int result = -1;
  do {
    result = ::fcntl(file, F_OFD_SETLKW, &range);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

/// Tells whether another open file has locked a slot.
bool is_locked(int file, std::size_t slot) {
  struct flock range = range_of_slot(slot, F_WRLCK);
  return ::fcntl(file, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

/// Raises the limit of open files to the hard limit. Returns false if it is there already.
bool raise_file_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int open_or_create(const std::string& path) {
  // A run that stores thousands of arrays has a claim on each, and so as many open files.
  const int opened = open_file(path.c_str(), O_RDWR | O_CREAT);
  if (opened >= 0 || errno != EMFILE || !raise_file_limit()) return opened;
  return open_file(path.c_str(), O_RDWR | O_CREAT);
}

}  // namespace

file_claim::file_claim(std::string path, std::string_view key, std::string_view text,
                       const claim_judge& admit)
    : path_(std::move(path)) {
  try {
    open_in_turn(key);
    if (file_) {
      admit(read_others(key));
      write_text(key, text);
    } else {
      folders_.remove_empty();
    }
  } catch (...) {
    leave();
    throw;
  }
}

file_claim::~file_claim() {
  // The mutex makes new claims wait until the file of the last claim is removed.
  if (file_ && set_lock(file_->get(), 0, F_WRLCK) == 0) leave();
}

bool file_claim::is_held() const { return file_ && has_name(file_->get(), path_); }

/// Opens the file and locks its mutex. Before the lock is held, another process may remove the file
/// and its folder, and both are created again.
void file_claim::open_in_turn(std::string_view key) {
  constexpr int most_tries = 1000;
  int last_failure = EBUSY;
  for (int tries = 0; tries < most_tries; ++tries) {
    const int opened = open_or_create(path_);
    if (opened < 0) {
      std::error_code failure(errno, std::generic_category());
      if (failure.value() == ENOENT) failure = folders_.create_for(path_);
      if (failure && !is_of_removed_folder(failure)) {
        throw_failure("claim", key, path_, failure.value());
      }
      last_failure = failure ? failure.value() : EBUSY;
      continue;
    }
    file_.emplace(opened);
    const int failure = set_lock(opened, 0, F_WRLCK);
    if (failure == 0 && has_name(opened, path_)) return;
    if (lacks_locks(failure)) ::unlink(path_.c_str());
    file_.reset();
    if (lacks_locks(failure)) return;
    if (failure != 0) throw_failure("claim", key, path_, failure);
  }
  throw_failure("claim", key, path_, last_failure);
}

/// Returns the texts of the other claims, and chooses a slot for this one.
std::vector<std::string> file_claim::read_others(std::string_view key) {
  struct stat status {};
  if (::fstat(file_->get(), &status) != 0) throw_failure("claim", key, path_, errno);
  const std::size_t num_slots = static_cast<std::size_t>(status.st_size) / slot_size;
  std::vector<std::string> texts;
  std::size_t free = std::max<std::size_t>(num_slots, 1);
  for (std::size_t slot = num_slots; slot-- > 1;) {
    if (!is_locked(file_->get(), slot)) {
      free = slot;
      continue;
    }
    std::string text(slot_size, '\0');
    read_fully(file_->get(), std::as_writable_bytes(std::span(text)), key, path_, slot * slot_size);
    text.resize(std::strlen(text.c_str()));
    texts.push_back(std::move(text));
  }
  slot_ = free;
  return texts;
}

void file_claim::write_text(std::string_view key, std::string_view text) {
  std::array<char, slot_size> content{};
  text.copy(content.data(), content.size() - 1);
  int failure = set_lock(file_->get(), slot_, F_WRLCK);
  if (failure == 0 && ::lseek(file_->get(), static_cast<off_t>(slot_ * slot_size), SEEK_SET) < 0) {
    failure = errno;
  }
  if (failure == 0) failure = write_fully(file_->get(), std::as_bytes(std::span(content)));
  if (failure == 0) failure = set_lock(file_->get(), 0, F_UNLCK);
  if (failure != 0) throw_failure("claim", key, path_, failure);
}

/// Removes the file unless it has other claims, and the created folders that are empty. The mutex
/// is held.
void file_claim::leave() noexcept {
  struct stat status {};
  bool is_last = file_ && ::fstat(file_->get(), &status) == 0 && has_name(file_->get(), path_);
  const std::size_t num_slots = static_cast<std::size_t>(status.st_size) / slot_size;
  for (std::size_t slot = 1; is_last && slot < num_slots; ++slot) {
    is_last = !is_locked(file_->get(), slot);
  }
  if (is_last) ::unlink(path_.c_str());
  folders_.remove_empty();
}

}  // namespace tessera::detail
