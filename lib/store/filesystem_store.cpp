// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/filesystem_store.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/file_names.hpp"
#include "tessera/store/posix_file.hpp"

#include "store/file_claim.hpp"
#include "store/file_lock.hpp"
#include "store/unfinished_file.hpp"
#include "store/unfinished_write.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_set>
#include <utility>

namespace tessera {

namespace fs = std::filesystem;

using detail::is_missing;
using detail::names_unfinished_write;
using detail::path_buffer;
using detail::throw_failure;
using detail::value_file;

namespace {

bool is_directory(const char* path) {
  struct stat status {};
  return ::stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

std::string folder_path(const std::string& root, std::string_view folder) {
  return folder.empty() ? root : fmt::format("{}/{}", root, folder);
}

/// Returns the folder of a key.
std::string_view folder_of(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return key.substr(0, slash == std::string_view::npos ? 0 : slash);
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
    } else if (!names_unfinished_write(name)) {
      keys.push_back(prefix + name);
    }
  }
}

/// Removes what dead writers left in a folder. What cannot be removed does no harm.
void remove_abandoned(const path_buffer& folder) {
  DIR* const entries = ::opendir(folder.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (!names_unfinished_write(name) || !detail::is_abandoned(folder.view(), name)) continue;
    ::unlink(path_buffer(folder.view(), name).c_str());
  }
  ::closedir(entries);
}

[[noreturn]] void throw_folder_failure(std::string_view what, std::string_view folder,
                                       const fs::filesystem_error& failure) {
  throw store_error(fmt::format("cannot {} folder \"{}\" ({}): {}", what, folder,
                                failure.path1().string(), failure.code().message()),
                    detail::may_pass(failure.code().value()));
}

}  // namespace

struct filesystem_store::memory {
  /// Whether a value has been read or written: the store's directory was there then.
  std::atomic<bool> was_there{false};
  /// Whether files without names are likely to be had.
  std::atomic<bool> has_unnamed{true};

  /// Returns true the first time that it is called for a folder.
  bool is_first_write_into(std::string_view folder) {
    // A bound for stores of very many folders: a folder that is cleaned twice costs little.
    constexpr std::size_t most_folders = 1 << 16;
    const std::lock_guard lock(mutex);
    if (folders.size() >= most_folders) folders.clear();
    return folders.insert(std::hash<std::string_view>{}(folder)).second;
  }

 private:
  std::mutex mutex;
  std::unordered_set<std::size_t> folders;
};

filesystem_store::filesystem_store(std::string_view path, const filesystem_options& options)
    : options_(options), memory_(std::make_unique<memory>()) {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    throw store_error(fmt::format("filesystem_store: \"{}\" is no path", path));
  }
  path_ = absolute_name(std::string(path));
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

filesystem_store::~filesystem_store() = default;

/// Throws store_error if a link on the way to `place`, a key or a folder, leads out of the store
/// and such links are refused.
void filesystem_store::require_inside(std::string_view place) const {
  if (!options_.refuse_outward_links || place.empty()) return;
  const int failure = detail::resolve_inside(path_.c_str(), std::string(place).c_str());
  if (failure == 0 || is_missing(failure)) return;
  if (failure == EXDEV || failure == ELOOP) {
    throw store_error(fmt::format(
        "key \"{}\": a symbolic link leads out of {}, and such links are refused", place, path_));
  }
  throw_failure("resolve", place, path_, failure);
}

/// Throws store_error if the store has been there and is no more: what is missing then is not to
/// be taken for a chunk that was never written.
void filesystem_store::require_presence(std::string_view key) const {
  if (!memory_->was_there.load(std::memory_order_relaxed) || is_directory(path_.c_str())) return;
  throw store_error(
      fmt::format("key \"{}\": the directory {} of the store has vanished", key, path_), true);
}

/// Removes what dead writers left in a folder, on the first write into it.
void filesystem_store::clean_once(std::string_view folder) {
  if (memory_->is_first_write_into(folder)) remove_abandoned(path_buffer(path_, folder));
}

/// Brings the name of `key` to the disk, with all folders above it where one of them is new.
void filesystem_store::sync_folders(std::string_view key, bool made_folders) const {
  const path_buffer file(path_, key);
  std::string folder(file.view());
  do {
    folder.resize(std::max<std::size_t>(folder.rfind('/'), 1));
    const int failure = detail::sync_folder(folder.c_str());
    // Folders above the store may be closed to us.
    if (failure != 0 && folder.size() >= path_.size()) {
      throw_failure("sync the folder of", key, folder, failure);
    }
  } while (made_folders && folder.size() > 1);
}

/// Writes a file and puts it in its place; makes the folders above it if they are missing. Returns
/// 0 or the error.
int filesystem_store::put(std::string_view key, std::span<const std::byte> value, bool is_named,
                          bool& made_folders) const {
  const path_buffer path(path_, key);
  detail::unfinished_file file(path, is_named);
  int failure = file.open();
  // Another process may remove a folder that is empty: a few tries settle it.
  for (int tries = 0; failure == ENOENT && tries < 3; ++tries) {
    require_presence(key);
    std::error_code refused;
    fs::create_directories(fs::path(path_) / folder_of(key), refused);
    if (refused) return refused.value();
    made_folders = true;
    failure = file.open();
  }
  if (failure == 0) failure = file.write(value, options_.fsync);
  if (failure == 0) failure = file.finish();
  return failure;
}

std::optional<std::size_t> filesystem_store::read(std::string_view key,
                                                  std::span<std::byte> into) const {
  validate_key(key);
  require_inside(key);
  const path_buffer path(path_, key);
  const value_file file(path, key, into.size());
  if (!file.size() || names_unfinished_write(key)) {
    require_presence(key);
    return std::nullopt;
  }
  memory_->was_there.store(true, std::memory_order_relaxed);
  return detail::read_fully(file.descriptor(), into.first(*file.size()), key, path.view());
}

std::optional<std::size_t> filesystem_store::read_range(std::string_view key, std::size_t first,
                                                        std::span<std::byte> into) const {
  validate_key(key);
  require_inside(key);
  const path_buffer path(path_, key);
  const value_file file(path, key, std::numeric_limits<std::size_t>::max());
  if (!file.size() || names_unfinished_write(key)) {
    require_presence(key);
    return std::nullopt;
  }
  memory_->was_there.store(true, std::memory_order_relaxed);
  const std::size_t behind = *file.size() - std::min(first, *file.size());
  const std::span<std::byte> part = into.first(std::min(behind, into.size()));
  const std::size_t done = detail::read_fully(file.descriptor(), part, key, path.view(), first);
  // It may have been cut meanwhile.
  return done < part.size() ? first + done : *file.size();
}

std::optional<std::vector<std::byte>> filesystem_store::read_all(std::string_view key,
                                                                 std::size_t limit) const {
  validate_key(key);
  require_inside(key);
  const path_buffer path(path_, key);
  const value_file file(path, key, limit);
  if (!file.size() || names_unfinished_write(key)) {
    require_presence(key);
    return std::nullopt;
  }
  memory_->was_there.store(true, std::memory_order_relaxed);
  std::vector<std::byte> value(*file.size());
  value.resize(detail::read_fully(file.descriptor(), value, key, path.view()));
  return value;
}

std::optional<std::size_t> filesystem_store::size(std::string_view key) const {
  validate_key(key);
  require_inside(key);
  if (names_unfinished_write(key)) return std::nullopt;
  const auto found = detail::size_of_value(path_buffer(path_, key), key);
  if (!found) require_presence(key);
  return found;
}

void filesystem_store::write(std::string_view key, std::span<const std::byte> value) {
  validate_key(key);
  if (names_unfinished_write(key)) {
    throw store_error(fmt::format(
        "key \"{}\": names that end in \"{}\" or \"{}\" are kept for unfinished writes, choose "
        "another one",
        key, detail::partial_suffix, detail::lock_suffix));
  }
  require_inside(folder_of(key));
  clean_once(folder_of(key));
  bool made_folders = false;
  std::atomic<bool>& has_unnamed = memory_->has_unnamed;
  const bool is_written =
      has_unnamed.load(std::memory_order_relaxed) && put(key, value, false, made_folders) == 0;
  if (!is_written) {
    // Where this does not fail as well, the file system has no files without names.
    const int failure = put(key, value, true, made_folders);
    if (failure != 0) throw_failure("write", key, path_buffer(path_, key).view(), failure);
    has_unnamed.store(false, std::memory_order_relaxed);
  }
  memory_->was_there.store(true, std::memory_order_relaxed);
  if (options_.fsync) sync_folders(key, made_folders);
}

void filesystem_store::erase(std::string_view key) {
  validate_key(key);
  require_inside(folder_of(key));
  const path_buffer path(path_, key);
  if (::unlink(path.c_str()) == 0) {
    if (options_.fsync) sync_folders(key, false);
  } else if (!is_missing(errno) && errno != EISDIR) {  // EISDIR: a folder is no value.
    throw_failure("erase", key, path.view(), errno);
  }
}

void filesystem_store::erase_all(std::string_view folder) {
  validate_folder(folder);
  require_inside(folder);
  if (folder.empty()) memory_->was_there.store(false, std::memory_order_relaxed);
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
  require_inside(folder);
  std::vector<std::string> keys;
  try {
    const std::string directory = folder_path(path_, folder);
    if (fs::is_directory(directory)) {
      append_keys(directory, folder.empty() ? "" : fmt::format("{}/", folder), keys);
    } else {
      require_presence(folder);
    }
  } catch (const fs::filesystem_error& failure) {
    throw_folder_failure("list", folder, failure);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> filesystem_store::list_folder(std::string_view folder) const {
  validate_folder(folder);
  require_inside(folder);
  std::vector<std::string> names;
  try {
    const std::string directory = folder_path(path_, folder);
    if (!fs::is_directory(directory)) {
      require_presence(folder);
      return names;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      std::string name = entry.path().filename().string();
      std::error_code vanished;
      if (entry.is_directory(vanished)) {
        names.push_back(name + "/");
      } else if (!names_unfinished_write(name)) {
        names.push_back(std::move(name));
      }
    }
  } catch (const fs::filesystem_error& failure) {
    throw_folder_failure("list", folder, failure);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::unique_ptr<store_lock> filesystem_store::lock(std::string_view key, std::string_view intent) {
  validate_key(key);
  require_inside(folder_of(key));
  const path_buffer path(path_, key, detail::lock_suffix);
  auto held = std::make_unique<detail::file_lock>(path, key, intent, options_.fsync);
  if (!held->is_supported()) return nullptr;
  if (options_.fsync) sync_folders(key, false);
  return held;
}

std::unique_ptr<store_claim> filesystem_store::claim(std::string_view key, std::string_view text,
                                                     const claim_judge& admit) {
  validate_key(key);
  require_inside(folder_of(key));
  const path_buffer path(path_, key, detail::lock_suffix);
  return std::make_unique<detail::file_claim>(std::string(path.view()), key, text, admit);
}

}  // namespace tessera
