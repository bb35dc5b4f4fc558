// SPDX-License-Identifier: Apache-2.0
#include "store/file_claim.hpp"

#include "core/api/lock_file.hpp"
#include "store/api/heartbeat.hpp"
#include "store/claim_turn.hpp"
#include "store/unfinished_write.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tessera::detail {

namespace {

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

int open_raising_limit(const std::string& path, int flags) {
  // A run that stores thousands of arrays has a claim on each, and so as many open files.
  const int opened = open_file(path.c_str(), flags);
  if (opened >= 0 || errno != EMFILE || !raise_file_limit()) return opened;
  return open_file(path.c_str(), flags);
}

/// Creates the file `path`, unless it is there, and returns 0 or the error. It gets its name only
/// when it was locked: a host without locks neither leaves it behind nor removes that of a host
/// with locks.
int create_lockable(const std::string& path) {
  const std::string unnamed = fmt::format("{}{}", path, unfinished_suffix().view());
  const int opened = open_raising_limit(unnamed, O_RDWR | O_CREAT | O_EXCL);
  if (opened < 0) return errno;
  const file_descriptor file(opened);
  int failure = set_lock(opened, 0, F_WRLCK);
  if (failure == 0 && ::link(unnamed.c_str(), path.c_str()) != 0) failure = errno;
  ::unlink(unnamed.c_str());
  // Without hard links, claims are files of their own.
  if (failure == EPERM) return ENOLCK;
  return failure == EEXIST ? 0 : failure;
}

}  // namespace

file_claim::file_claim(std::string_view path, std::string_view key, std::string_view text,
                       const claim_judge& admit)
    : path_(slots_of_claims(path)),
      key_(key),
      content_{std::string(text.substr(0, longest_text)), std::string(unfinished_suffix().view())} {
  try {
    open_in_turn(key);
    if (!file_) {
      folders_.remove_empty();
      return;
    }
    const std::vector<std::string> texts = read_others(key);
    // Hosts without locks see the claim while it is judged: the judge may change the array.
    write_text(key, content_);
    if (::access(folder_of_claims(path).c_str(), F_OK) == 0) {
      claim_in_turn(path, key, admit);
    } else {
      admit(texts);
    }
    beat();
    unlock_mutex(key);
  } catch (...) {
    leave();
    throw;
  }
}

file_claim::~file_claim() {
  if (!file_) return;
  // The mutex makes new claims wait until the file of the last claim is removed.
  if (set_lock(file_->get(), 0, F_WRLCK) == 0) leave();
}

// A host without locks, which took this process for gone, has emptied the slot.
bool file_claim::is_held() const {
  return file_ && has_name(file_->get(), path_) &&
         read_slot(file_->get(), slot_, key_, path_) == content_;
}

/// Judges the claim again, beside claims of hosts without locks. The mutex is held.
void file_claim::claim_in_turn(std::string_view path, std::string_view key,
                               const claim_judge& admit) {
  write_text(key, {});
  claim_turn turn(path);
  turn.take(key);
  std::vector<std::string> texts = read_others(key);
  const std::vector<std::string> without_locks = turn.read_claims(key);
  texts.insert(texts.end(), without_locks.begin(), without_locks.end());
  admit(texts);
  write_text(key, content_);
}

/// Opens the file and locks its mutex. Before the lock is held, another process may remove the file
/// and its folder, and both are created again.
void file_claim::open_in_turn(std::string_view key) {
  constexpr int most_tries = 1000;
  int last_failure = EBUSY;
  for (int tries = 0; tries < most_tries; ++tries) {
    const int opened = open_raising_limit(path_, O_RDWR);
    if (opened < 0) {
      std::error_code failure(errno, std::generic_category());
      if (failure.value() == ENOENT) failure.assign(create_lockable(path_), failure.category());
      if (failure.value() == ENOENT) failure = folders_.create_for(path_);
      if (failure && lacks_locks(failure.value())) return;
      if (failure && !is_of_removed_folder(failure)) {
        throw_failure("claim", key, path_, failure.value());
      }
      last_failure = failure ? failure.value() : EBUSY;
      continue;
    }
    file_.emplace(opened);
    const int failure = set_lock(opened, 0, F_WRLCK);
    if (failure == 0 && has_name(opened, path_)) return;
    file_.reset();
    if (lacks_locks(failure)) return;
    if (failure != 0) throw_failure("claim", key, path_, failure);
  }
  throw_failure("claim", key, path_, last_failure);
}

/// Returns the texts of the other claims, empties the slots of processes that have died, and
/// chooses a slot for this claim.
std::vector<std::string> file_claim::read_others(std::string_view key) {
  const std::size_t num_slots = count_slots(file_->get(), key, path_);
  std::vector<std::string> texts;
  std::size_t free = num_slots;
  for (std::size_t slot = num_slots; slot-- > 1;) {
    claim_slot content = read_slot(file_->get(), slot, key, path_);
    if (is_locked(file_->get(), slot)) {
      // A claim that waits for its turn has an empty slot.
      if (content != claim_slot{}) texts.push_back(std::move(content.text));
      continue;
    }
    if (content != claim_slot{}) (void)write_slot(file_->get(), slot, {});
    free = slot;
  }
  if (slot_ == 0) slot_ = free;
  return texts;
}

void file_claim::write_text(std::string_view key, const claim_slot& content) {
  int failure = set_lock(file_->get(), slot_, F_WRLCK);
  if (failure == 0) failure = write_slot(file_->get(), slot_, content);
  // A network file system may keep the text at this host.
  const bool is_local = is_of_this_machine(file_->get());
  if (failure == 0 && !is_local && ::fdatasync(file_->get()) != 0) failure = errno;
  if (failure != 0) throw_failure("claim", key, path_, failure);
}

/// Lets other hosts see that the owner of the claim is alive.
void file_claim::beat() {
  if (is_of_this_machine(file_->get())) return;
  heartbeat::of_process().add(path_);
  is_beating_ = true;
}

void file_claim::unlock_mutex(std::string_view key) {
  const int failure = set_lock(file_->get(), 0, F_UNLCK);
  if (failure != 0) throw_failure("claim", key, path_, failure);
}

/// Removes the file, or empties the slot if the file has other claims, and removes the created
/// folders that are empty. The mutex is held.
void file_claim::leave() noexcept {
  if (is_beating_) heartbeat::of_process().remove(path_);
  struct stat status {};
  const bool is_there =
      file_ && ::fstat(file_->get(), &status) == 0 && has_name(file_->get(), path_);
  const std::size_t num_slots = static_cast<std::size_t>(status.st_size) / slot_size;
  bool is_last = is_there;
  for (std::size_t slot = 1; is_last && slot < num_slots; ++slot) {
    is_last = !is_locked(file_->get(), slot);
  }
  if (is_last) ::unlink(path_.c_str());
  if (is_there && !is_last && slot_ != 0) (void)write_slot(file_->get(), slot_, {});
  folders_.remove_empty();
}

}  // namespace tessera::detail
