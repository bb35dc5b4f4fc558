// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/filesystem_store.hpp"

#include "tessera/core/error.hpp"

#include "core/api/file_names.hpp"
#include "store/api/front_writer.hpp"
#include "store/api/posix_file.hpp"
#include "store/beating_claim.hpp"
#include "store/file_claim.hpp"
#include "store/file_lock.hpp"
#include "store/folder_failure.hpp"
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

/// Returns the folder of a key.
std::string_view folder_of(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return key.substr(0, slash == std::string_view::npos ? 0 : slash);
}

/// Removes the unfinished files of dead writers in a folder. A file that cannot be removed does no
/// harm.
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

}  // namespace

struct filesystem_store::memory {
  /// Whether a value has been read or written, so that the store's directory existed.
  std::atomic<bool> was_there{false};
  /// Whether the file system is likely to have files without names (O_TMPFILE).
  std::atomic<bool> has_unnamed{true};

  /// Returns true on the first call for a folder.
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

/// Throws store_error if a link on the way to `path`, a key or a folder, leads out of the store
/// and such links are refused.
void filesystem_store::require_inside(std::string_view path) const {
  if (!options_.refuse_outward_links || path.empty()) return;
  const int failure = detail::resolve_inside(path_.c_str(), std::string(path).c_str());
  if (failure == 0 || is_missing(failure)) return;
  if (failure == EXDEV || failure == ELOOP) {
    throw store_error(fmt::format(
        "key \"{}\": a symbolic link leads out of {}, and such links are refused", path, path_));
  }
  throw_failure("resolve", path, path_, failure);
}

/// Throws store_error if the store's directory existed and has vanished: a missing key is then no
/// chunk that was never written.
void filesystem_store::require_presence(std::string_view key) const {
  if (!memory_->was_there.load(std::memory_order_relaxed) || is_directory(path_.c_str())) return;
  throw store_error(
      fmt::format("key \"{}\": the directory {} of the store has vanished", key, path_),
      store_failure::passing);
}

/// Removes the unfinished files of dead writers in a folder, on the first write into it.
void filesystem_store::clean_once(std::string_view folder) {
  if (memory_->is_first_write_into(folder)) remove_abandoned(path_buffer(path_, folder));
}

/// Syncs the folder of `key`, and all folders above it if a folder was created.
void filesystem_store::sync_folders(std::string_view key, bool has_created_folders) const {
  const path_buffer file(path_, key);
  std::string folder(file.view());
  do {
    folder.resize(std::max<std::size_t>(folder.rfind('/'), 1));
    const int failure = detail::sync_folder(folder.c_str());
    // Folders above the store may be unreadable to this process.
    if (failure != 0 && folder.size() >= path_.size()) {
      throw_failure("sync the folder of", key, folder, failure);
    }
  } while (has_created_folders && folder.size() > 1);
}

/// Opens an unfinished file of `key`; creates missing folders above it. Returns 0 or the error.
int filesystem_store::open_unfinished(detail::unfinished_file& file, std::string_view key,
                                      bool& has_created_folders) const {
  int failure = file.open();
  // Another process may remove a folder that is empty: a few tries settle it.
  for (int tries = 0; failure == ENOENT && tries < 3; ++tries) {
    require_presence(key);
    std::error_code refused;
    fs::create_directories(fs::path(path_) / folder_of(key), refused);
    if (refused) return refused.value();
    has_created_folders = true;
    failure = file.open();
  }
  return failure;
}

/// Writes a file and gives it its key as name. Returns 0 or the error: EEXIST if the key has a file
/// and `replaces` is not set.
int filesystem_store::put(std::string_view key, std::span<const std::byte> value, bool is_named,
                          bool replaces, bool& has_created_folders) const {
  const path_buffer path(path_, key);
  detail::unfinished_file file(path, is_named);
  int failure = open_unfinished(file, key, has_created_folders);
  if (failure == 0) failure = file.append(value);
  if (failure == 0) failure = file.close(options_.fsync);
  if (failure != 0) return failure;
  return replaces ? file.replace_target() : file.create_target();
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

std::optional<value_part> filesystem_store::read_part(std::string_view key, const byte_range& range,
                                                      std::span<std::byte> into) const {
  validate_key(key);
  require_inside(key);
  const path_buffer path(path_, key);
  const value_file file(path, key);
  if (!file.size() || names_unfinished_write(key)) {
    require_presence(key);
    return std::nullopt;
  }
  memory_->was_there.store(true, std::memory_order_relaxed);
  const byte_range clipped = clip_range(range, *file.size());
  const std::span<std::byte> part = into.first(std::min<std::size_t>(clipped.count, into.size()));
  const std::size_t size =
      detail::read_fully(file.descriptor(), part, key, path.view(), clipped.first);
  // The file may have been truncated meanwhile.
  return value_part{clipped.first, size, size < part.size() ? clipped.first + size : *file.size(),
                    file.version()};
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
  const auto value_size = detail::size_of_value(path_buffer(path_, key), key);
  if (!value_size) require_presence(key);
  return value_size;
}

/// Checks that `key` may be written, and removes unfinished files of dead writers in its folder.
void filesystem_store::prepare_write(std::string_view key) {
  validate_key(key);
  if (names_unfinished_write(key)) {
    throw store_error(fmt::format(
        "key \"{}\": names that end in \"{}\" or \"{}\" are kept for unfinished writes, choose "
        "another one",
        key, detail::partial_suffix, detail::lock_suffix));
  }
  require_inside(folder_of(key));
  clean_once(folder_of(key));
}

/// Writes a value. Returns false if the key has a value and `replaces` is not set.
bool filesystem_store::write_file(std::string_view key, std::span<const std::byte> value,
                                  bool replaces) {
  prepare_write(key);
  bool has_created_folders = false;
  std::atomic<bool>& has_unnamed = memory_->has_unnamed;
  int failure = ENOTSUP;
  if (has_unnamed.load(std::memory_order_relaxed)) {
    failure = put(key, value, false, replaces, has_created_folders);
  }
  if (failure != 0 && (replaces || failure != EEXIST)) {
    failure = put(key, value, true, replaces, has_created_folders);
    // The file system has no files without names.
    if (failure == 0) has_unnamed.store(false, std::memory_order_relaxed);
  }
  const path_buffer path(path_, key);
  if (failure == EEXIST && !replaces && !is_directory(path.c_str())) return false;
  if (!replaces && (failure == EPERM || failure == EOPNOTSUPP)) {
    throw store_error(
        fmt::format(
            "cannot create key \"{}\" ({}): the file system has no hard links, by which it is "
            "created only if it is missing",
            key, path.view()),
        store_failure::unsupported);
  }
  if (failure != 0) throw_failure("write", key, path.view(), failure);
  memory_->was_there.store(true, std::memory_order_relaxed);
  if (options_.fsync) sync_folders(key, has_created_folders);
  return true;
}

void filesystem_store::write(std::string_view key, std::span<const std::byte> value) {
  static_cast<void>(write_file(key, value, true));
}

bool filesystem_store::write_if(std::string_view key, std::span<const std::byte> value,
                                const value_version& expected) {
  if (expected.is_known()) return key_value_store::write_if(key, value, expected);
  return write_file(key, value, false);
}

/// A value that is written into a file with the name of an unfinished write.
class filesystem_store::file_writer final : public value_writer, public detail::front_writer {
 public:
  file_writer(filesystem_store& store, std::string_view key)
      : store_(store), key_(key), path_(store.path_, key), file_(path_, true) {
    check(store.open_unfinished(file_, key, has_created_folders_));
  }

  void append(std::span<const std::byte> piece) override { check(file_.append(piece)); }
  void write_front(std::span<const std::byte> front) override { check(file_.write_front(front)); }

  void finish() override {
    check(file_.close(store_.options_.fsync));
    check(file_.replace_target());
    store_.memory_->was_there.store(true, std::memory_order_relaxed);
    if (store_.options_.fsync) store_.sync_folders(key_, has_created_folders_);
  }

 private:
  void check(int failure) const {
    if (failure != 0) throw_failure("write", key_, path_.view(), failure);
  }

  filesystem_store& store_;
  std::string key_;
  path_buffer path_;
  detail::unfinished_file file_;
  bool has_created_folders_ = false;
};

std::unique_ptr<value_writer> filesystem_store::writer(std::string_view key) {
  prepare_write(key);
  return std::make_unique<file_writer>(*this, key);
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
    const std::string directory = detail::folder_path(path_, folder);
    if (!fs::is_directory(directory)) return;
    // Entry by entry: if the folder is a link to the data, the link stays.
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      fs::remove_all(entry.path());
    }
    if (!fs::is_symlink(directory)) fs::remove(directory);
  } catch (const fs::filesystem_error& failure) {
    detail::throw_folder_failure("erase", folder, failure);
  }
}

std::unique_ptr<store_lock> filesystem_store::lock(std::string_view key, std::string_view intent) {
  validate_key(key);
  require_inside(folder_of(key));
  const path_buffer path(path_, key, detail::lock_suffix);
  auto lock = std::make_unique<detail::file_lock>(path, key, intent, options_.fsync);
  if (!lock->is_supported()) return nullptr;
  if (options_.fsync) sync_folders(key, false);
  return lock;
}

std::unique_ptr<store_claim> filesystem_store::claim(std::string_view key, std::string_view text,
                                                     const claim_judge& admit) {
  validate_key(key);
  require_inside(folder_of(key));
  const path_buffer path(path_, key);
  auto by_lock = std::make_unique<detail::file_claim>(path.view(), key, text, admit);
  if (by_lock->is_supported()) return by_lock;
  return std::make_unique<detail::beating_claim>(path.view(), key, text, admit);
}

}  // namespace tessera
