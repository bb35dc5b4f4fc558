// SPDX-License-Identifier: Apache-2.0
#include "store/api/finished_runs.hpp"

#include "tessera/core/spec.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/file_names.hpp"
#include "core/api/location_names.hpp"
#include "store/create_folders.hpp"
#include "store/run_names.hpp"

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

namespace fs = std::filesystem;

/// Returns the temporary name of a record while it is written.
fs::path partial_of(const fs::path& record) { return record.string() + ".partial"; }

/// Paths in work directories, each with the process that created it. A forked child inherits the
/// paths of its parent, and must not remove them.
class paths_of_processes {
 public:
  void add(const fs::path& path) { paths_.emplace(path, getpid()); }
  void drop(const fs::path& path) { paths_.erase({path, getpid()}); }

  [[nodiscard]] bool has(const fs::path& path) const {
    const auto first = paths_.lower_bound({path, 0});
    return first != paths_.end() && first->first == path;
  }

  /// Returns the paths of this process, the entries of a folder before the folder.
  [[nodiscard]] std::vector<fs::path> of_this_process() const {
    std::vector<fs::path> paths;
    for (const auto& [path, process] : paths_) {
      if (process == getpid()) paths.push_back(path);
    }
    std::ranges::reverse(paths);
    return paths;
  }

 private:
  std::set<std::pair<fs::path, pid_t>> paths_;
};

/// The files and folders of this process in work directories, which its end removes.
class cleanup_at_exit {
 public:
  cleanup_at_exit() { handler_before_ = std::set_terminate(end_by_exception); }
  cleanup_at_exit(const cleanup_at_exit&) = delete;
  cleanup_at_exit& operator=(const cleanup_at_exit&) = delete;
  ~cleanup_at_exit() { remove_all(); }

  std::mutex mutex;
  paths_of_processes records;
  /// Records in stores, which `stored_records` removes.
  paths_of_processes stored;
  paths_of_processes folders;
  paths_of_processes begun;

 private:
  [[noreturn]] static void end_by_exception();

  void remove_all() {
    // No waiting: in a terminating program the thread that holds the mutex may never continue.
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return;
    std::error_code ignored;
    if (begun.of_this_process().empty()) {
      for (const fs::path& record : records.of_this_process()) {
        fs::remove(record, ignored);
        fs::remove(partial_of(record), ignored);
      }
    }
    for (const fs::path& folder : folders.of_this_process()) fs::remove(folder, ignored);
  }

  std::terminate_handler handler_before_ = nullptr;
};

cleanup_at_exit& cleanup() {
  static cleanup_at_exit paths;
  return paths;
}

void cleanup_at_exit::end_by_exception() {
  cleanup().remove_all();
  if (cleanup().handler_before_ != nullptr) cleanup().handler_before_();
  std::abort();
}

bool is_of_this_process(const fs::path& record) {
  const std::lock_guard lock(cleanup().mutex);
  return cleanup().records.has(record) || cleanup().stored.has(record);
}

std::string name_of_record(const std::string& identity) {
  return fmt::format("{}{}", detail::finished_prefix, identity);
}

fs::path record_of(const std::string& work_dir, const std::string& identity) {
  return name_in(absolute_name(work_dir), name_of_record(identity));
}

/// A record in a work directory that is a folder of a store.
struct stored_record {
  std::string work_dir;
  std::string name;

  void erase() const { open_store(work_dir)->erase(name); }
  [[nodiscard]] auto operator<=>(const stored_record&) const = default;
};

/// The records of this process in stores. The end of the program removes them, unless a run has
/// begun and not ended: before static objects are destroyed, as the clients of stores end then.
class stored_records {
 public:
  static stored_records& of_process() {
    static auto& only = *new stored_records;
    return only;
  }

  /// A store has been used before, so that its client ends later than the records are removed.
  void add(stored_record record) {
    static const int is_refused = std::atexit([] { of_process().remove_all(); });
    const std::lock_guard lock(mutex_);
    if (is_refused == 0) records_.insert(std::move(record));
  }

 private:
  void remove_all();

  pid_t process_ = getpid();
  std::mutex mutex_;
  std::set<stored_record> records_;
};

void stored_records::remove_all() {
  if (process_ != getpid()) return;
  {
    const std::lock_guard lock(cleanup().mutex);
    if (!cleanup().begun.of_this_process().empty()) return;
  }
  try {
    for (const stored_record& record : records_) record.erase();
  } catch (const std::exception&) {
    // A record that stays is used by the next start of the program.
    return;
  }
}

std::optional<std::string> read_stored(const stored_record& record) {
  constexpr std::size_t most = std::size_t{64} << 20;
  const auto text = open_store(record.work_dir)->read_all(record.name, most);
  if (!text) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(text->data()), text->size());
}

/// Writes a record into the file `record`. It is written beside and renamed: a part of a record
/// would be read as a different state.
void write_file(const fs::path& record, const std::string& results) {
  const fs::path partial = partial_of(record);
  std::ofstream(partial) << results;
  std::error_code ignored;
  fs::rename(partial, record, ignored);
}

}  // namespace

void remember_finished(const std::string& work_dir, const std::string& identity,
                       const std::string& results) {
  const fs::path record = record_of(work_dir, identity);
  const bool is_stored = is_location(work_dir);
  {
    const std::lock_guard lock(cleanup().mutex);
    (is_stored ? cleanup().stored : cleanup().records).add(record);
  }
  if (!is_stored) return write_file(record, results);
  const std::string name = name_of_record(identity);
  open_store(work_dir)->write(name, std::as_bytes(std::span(results)));
  stored_records::of_process().add({work_dir, name});
}

std::optional<std::string> recall_finished(const std::string& work_dir,
                                           const std::string& identity) {
  const fs::path record = record_of(work_dir, identity);
  if (identity.empty() || is_of_this_process(record)) return std::nullopt;
  if (is_location(work_dir)) return read_stored({work_dir, name_of_record(identity)});
  std::ifstream in(record);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool is_recorded(const std::string& work_dir, const std::string& identity) {
  if (is_location(work_dir)) return open_store(work_dir)->exists(name_of_record(identity));
  std::error_code ignored;
  return fs::is_regular_file(record_of(work_dir, identity), ignored);
}

void forget_finished(const std::string& work_dir, const std::string& identity) {
  const fs::path record = record_of(work_dir, identity);
  {
    const std::lock_guard lock(cleanup().mutex);
    cleanup().records.drop(record);
    cleanup().stored.drop(record);
  }
  if (is_location(work_dir)) return stored_record{work_dir, name_of_record(identity)}.erase();
  std::error_code ignored;
  fs::remove(record, ignored);
}

std::error_code make_work_directory(const std::string& folder) {
  const fs::path path = absolute_name(folder);
  std::vector<fs::path> missing;
  std::error_code failure;
  for (fs::path above = path; !fs::exists(above, failure) && above.has_relative_path();
       above = above.parent_path()) {
    missing.push_back(above);
  }
  failure = create_folders(path);
  if (failure) return failure;
  // An existing directory of the default name was left by a program that was killed.
  if (path.filename() == spec{}.work_dir) missing.push_back(path);
  const std::lock_guard lock(cleanup().mutex);
  for (const fs::path& created : missing) cleanup().folders.add(created);
  return {};
}

void note_begun(const std::string& directory) {
  const std::lock_guard lock(cleanup().mutex);
  cleanup().begun.add(directory);
}

void note_ended(const std::string& directory) {
  const std::lock_guard lock(cleanup().mutex);
  cleanup().begun.drop(directory);
}

}  // namespace tessera
