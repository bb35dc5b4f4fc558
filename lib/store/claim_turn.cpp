// SPDX-License-Identifier: Apache-2.0
#include "store/claim_turn.hpp"

#include "store/api/heartbeat.hpp"
#include "store/api/posix_file.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <span>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tessera::detail {

namespace {

constexpr std::string_view turn_name = "turn";

/// A longer text is of no claim of this library.
constexpr std::size_t greatest_text = std::size_t{1} << 16;

/// Returns the names in `folder`; none if it cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const entries = ::opendir(folder.c_str());
  if (entries == nullptr) return names;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(entries);
  return names;
}

/// Renews the time of `file` and returns it: the present time by the clock of the file system, to
/// which all hosts compare times. Returns 0 if there is no file.
std::time_t renew(const std::string& file) {
  struct stat status {};
  const bool is_there =
      ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0) == 0 && ::stat(file.c_str(), &status) == 0;
  return is_there ? status.st_mtime : 0;
}

/// Tells whether the owner of the file `name` in `folder` is gone. `now` is the time of the file
/// system.
bool is_gone(const std::string& folder, const std::string& name, std::time_t now) {
  if (const auto has_ended = has_writer_ended(name)) return *has_ended;
  struct stat status {};
  const std::string file = fmt::format("{}/{}", folder, name);
  return ::stat(file.c_str(), &status) == 0 && now - status.st_mtime > longest_silence.count();
}

/// Removes a folder of a turn, with the file in it.
void remove_turn(const std::string& folder) {
  for (const std::string& name : names_in(folder))
    ::unlink(fmt::format("{}/{}", folder, name).c_str());
  ::rmdir(folder.c_str());
}

/// Tells whether the owner of the waiting folder `name` in `folder` is gone.
bool is_turn_of_gone(const std::string& folder, const std::string& name, std::time_t now) {
  const std::string path = fmt::format("{}/{}", folder, name);
  const std::vector<std::string> files = names_in(path);
  return is_gone(folder, name, now) && std::ranges::all_of(files, [&](const std::string& file) {
           return is_gone(path, file, now);
         });
}

}  // namespace

int create_file(const std::string& path, std::string_view text) {
  file_descriptor file(open_file(path.c_str(), O_WRONLY | O_CREAT | O_EXCL));
  if (file.get() < 0) return errno;
  const int failure = write_fully(file.get(), std::as_bytes(std::span(text)));
  return failure != 0 ? failure : file.close();
}

std::string folder_of_claims(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return fmt::format("{}/{}{}{}", path.substr(0, slash), claims_prefix, path.substr(slash + 1),
                     lock_suffix);
}

claim_turn::claim_turn(std::string_view path)
    : folder_(folder_of_claims(path)),
      turn_folder_(fmt::format("{}/{}", folder_, turn_name)),
      turn_file_(fmt::format("{}/{}", turn_folder_, writer_.view())),
      waiting_folder_(fmt::format("{}{}", turn_folder_, writer_.view())) {}

std::string claim_turn::claim_file() const { return fmt::format("{}/{}", folder_, writer_.view()); }

/// Creates the folder that waits to become the turn, unless it is there. Returns false if another
/// claim has removed the folder around it.
bool claim_turn::prepare(std::string_view key) {
  int failure = ::mkdir(waiting_folder_.c_str(), 0777) == 0 ? 0 : errno;
  if (failure == 0 || failure == EEXIST) {
    failure = create_file(fmt::format("{}/{}", waiting_folder_, writer_.view()), "");
  }
  if (failure == 0 || failure == EEXIST) return true;
  if (failure == ENOENT) {
    const std::error_code refusal = folders_.create_for(claim_file());
    if (!refusal || is_of_removed_folder(refusal)) return false;
    failure = refusal.value();
  }
  throw_failure("claim", key, waiting_folder_, failure);
}

void claim_turn::take(std::string_view key) {
  using std::chrono::milliseconds;
  constexpr milliseconds longest_pause{50};
  constexpr int most_lost_folders = 1000;
  const std::string waiting_file = fmt::format("{}/{}", waiting_folder_, writer_.view());
  int num_lost_folders = 0;
  for (milliseconds pause{1};; pause = std::min(2 * pause, longest_pause)) {
    while (!prepare(key)) {
      if (++num_lost_folders > most_lost_folders) throw_failure("claim", key, folder_, ENOENT);
    }
    if (::rename(waiting_folder_.c_str(), turn_folder_.c_str()) == 0) {
      // Without a file in it, the folder would not exclude other writers.
      if (::access(turn_file_.c_str(), F_OK) == 0) break;
      continue;
    }
    if (errno == ENOENT) continue;
    if (errno != ENOTEMPTY && errno != EEXIST) throw_failure("claim", key, turn_folder_, errno);
    const std::time_t now = renew(waiting_file);
    for (const std::string& name : names_in(turn_folder_)) {
      if (!is_gone(turn_folder_, name, now)) continue;
      ::unlink(fmt::format("{}/{}", turn_folder_, name).c_str());
    }
    std::this_thread::sleep_for(pause);
  }
  heartbeat::of_process().add(turn_file_);
}

std::time_t claim_turn::present_time() const { return renew(turn_file_); }

std::vector<std::string> claim_turn::read_claims(std::string_view key) const {
  const std::time_t present = present_time();
  std::vector<std::string> texts;
  for (const std::string& name : names_in(folder_)) {
    const std::string path = fmt::format("{}/{}", folder_, name);
    if (name == turn_name) continue;
    if (name.starts_with(turn_name)) {
      if (is_turn_of_gone(folder_, name, present)) remove_turn(path);
      continue;
    }
    if (is_gone(folder_, name, present)) {
      ::unlink(path.c_str());
      continue;
    }
    const file_descriptor file(open_file(path.c_str(), O_RDONLY));
    // A claim may end at any time.
    if (file.get() < 0 && is_missing(errno)) continue;
    if (file.get() < 0) throw_failure("claim", key, path, errno);
    std::string text(greatest_text, '\0');
    text.resize(read_fully(file.get(), std::as_writable_bytes(std::span(text)), key, path));
    texts.push_back(std::move(text));
  }
  return texts;
}

void claim_turn::leave() noexcept {
  heartbeat::of_process().remove(turn_file_);
  if (::unlink(turn_file_.c_str()) == 0) ::rmdir(turn_folder_.c_str());
  remove_turn(waiting_folder_);
  remove_folders();
}

void claim_turn::remove_folders() noexcept {
  ::rmdir(folder_.c_str());
  folders_.remove_empty();
}

}  // namespace tessera::detail
