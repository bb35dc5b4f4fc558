// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/run_directory.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/unfinished_runs.hpp"

#include "core/api/file_names.hpp"
#include "core/api/location_names.hpp"
#include "core/api/lock_file.hpp"
#include "store/api/finished_runs.hpp"
#include "store/api/stopped_run.hpp"
#include "store/create_folders.hpp"
#include "store/run_names.hpp"
#include "store/stored_runs.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace tessera {

namespace {

namespace fs = std::filesystem;

using detail::finished_prefix;
using detail::name_digits;
using detail::run_prefix;

constexpr auto lock_file = "lock";
constexpr std::string_view description_file = detail::description_name;

std::string read_text(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

bytes size_below(const fs::path& folder) {
  bytes total;
  std::error_code ignored;
  for (auto entry = fs::recursive_directory_iterator(folder, ignored);
       entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
    if (ignored) break;
    if (entry->is_regular_file(ignored)) total += bytes{entry->file_size(ignored)};
  }
  return total;
}

/// Calls `visit` with each entry of `work_dir` whose name begins with `prefix`, in order.
template <class Visit>
void for_each_entry(const std::string& work_dir, std::string_view prefix, Visit visit) {
  std::error_code failure;
  std::vector<fs::path> entries;
  if (!fs::exists(work_dir, failure)) return;
  for (auto entry = fs::directory_iterator(work_dir, failure); entry != fs::directory_iterator();
       entry.increment(failure)) {
    if (failure) break;
    if (entry->path().filename().string().starts_with(prefix)) entries.push_back(entry->path());
  }
  if (failure) {
    throw store_error("cannot read the work directory '" + work_dir + "': " + failure.message());
  }
  std::sort(entries.begin(), entries.end());
  for (const fs::path& path : entries) visit(path);
}

std::string name_of_run(const std::string& identity) {
  return fmt::format("{}{}", run_prefix, identity.substr(0, name_digits));
}

/// Removes the directory of a run, unless a process works in it; returns whether it did.
bool remove_unless_locked(const fs::path& folder, std::error_code& failure) {
  const int lock = open_locked((folder / lock_file).string(), 0);
  if (lock < 0 && fs::exists(folder / lock_file, failure)) return false;
  fs::remove_all(folder, failure);
  if (lock >= 0) close(lock);
  return !failure;
}

/// Removes a run in a store as far as the store lets it.
void remove_stored(const std::string& location) {
  try {
    detail::remove_run_folder(location);
  } catch (const store_error&) {
    detail::leave_run_folder(location);
  }
}

}  // namespace

run_directory::run_directory(const std::string& work_dir, const std::string& identity,
                             const std::string& description) {
  static std::atomic<unsigned> num_runs{0};
  if (is_location(work_dir)) {
    const detail::run_folder folder = detail::take_run_folder(work_dir, identity, description);
    path_ = folder.location;
    is_resumed_ = folder.is_resumed;
    note_begun(path_);
    return;
  }
  const fs::path folder = absolute_name(work_dir);
  std::error_code failure = make_work_directory(work_dir);
  if (failure) {
    throw store_error(fmt::format(
        "cannot make the work directory '{}': {}; name another one as spec::work_dir, by "
        "--tessera-work-dir or by --work-dir of the program tessera",
        folder.string(), failure.message()));
  }
  const std::string name = (folder / name_of_run(identity)).string();
  const bool was_there = !identity.empty() && fs::exists(name, failure);
  if (identity.empty() || !try_lock(name)) {
    const auto suffix = fmt::format("{}{}-{}", identity.empty() ? "" : "-", getpid(), num_runs++);
    if (!try_lock(name + suffix)) {
      throw store_error(fmt::format("cannot make the directory '{}' for intermediate arrays: {}",
                                    name + suffix, std::strerror(errno)));
    }
  } else {
    is_resumed_ = was_there;
  }
  note_begun(path_);
  std::ofstream(fs::path(path_) / description_file) << description;
}

bool run_directory::try_lock(const std::string& path) {
  std::error_code failure;
  do {
    failure = create_folders(path);
    lock_ = open_locked(path + "/" + lock_file, O_CREAT);
    if (lock_ >= 0) path_ = path;
    // Another program has removed the work directory, which was empty: see `create_folders`.
  } while (lock_ < 0 && !failure && !fs::exists(path, failure));
  if (failure) errno = failure.value();
  return lock_ >= 0;
}

run_directory::~run_directory() {
  if (lock_ >= 0) close(lock_);
  if (is_location(path_)) detail::leave_run_folder(path_);
}

void run_directory::clear() {
  is_resumed_ = false;
  if (is_location(path_)) return detail::clear_run_folder(path_);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    const fs::path name = entry.path().filename();
    if (name != lock_file && name != description_file) fs::remove_all(entry.path(), ignored);
  }
}

void run_directory::remove() {
  note_ended(path_);
  if (is_location(path_)) return remove_stored(path_);
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<unfinished_run> unfinished_runs(const std::string& work_dir) {
  if (is_location(work_dir)) return detail::unfinished_runs_in_store(work_dir);
  std::vector<unfinished_run> runs;
  for_each_entry(work_dir, run_prefix, [&](const fs::path& folder) {
    const int lock = open_locked((folder / lock_file).string(), 0);
    std::error_code unreadable;
    const bool is_running = lock < 0 && fs::exists(folder / lock_file, unreadable);
    if (lock >= 0) close(lock);
    runs.push_back({.path = folder.string(),
                    .description = read_text(folder / description_file),
                    .size = size_below(folder),
                    .is_running = is_running});
  });
  return runs;
}

void remove_stopped_run(const std::string& work_dir, const std::string& identity) {
  if (is_location(work_dir)) {
    static_cast<void>(detail::remove_unless_owned(name_in(work_dir, name_of_run(identity))));
    return;
  }
  std::error_code ignored;
  static_cast<void>(
      remove_unless_locked(absolute_name(work_dir) / fs::path(name_of_run(identity)), ignored));
}

std::size_t remove_unfinished_runs(const std::string& work_dir) {
  if (is_location(work_dir)) return detail::remove_unfinished_runs_in_store(work_dir);
  std::size_t num_removed = 0;
  for_each_entry(work_dir, run_prefix, [&](const fs::path& folder) {
    std::error_code failure;
    if (remove_unless_locked(folder, failure)) ++num_removed;
    if (failure) {
      throw store_error("cannot remove '" + folder.string() + "': " + failure.message());
    }
  });
  for_each_entry(work_dir, finished_prefix, [](const fs::path& record) {
    // Without it, a note that is left would say that a whole array is not.
    if (record.filename().string().starts_with(detail::overwriting_prefix)) return;
    std::error_code ignored;
    fs::remove(record, ignored);
  });
  return num_removed;
}

}  // namespace tessera
