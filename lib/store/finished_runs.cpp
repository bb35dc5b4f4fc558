// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/finished_runs.hpp"

#include "tessera/core/file_names.hpp"
#include "tessera/core/spec.hpp"

#include "store/create_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

namespace fs = std::filesystem;

/// Returns where a record is written before it gets its name.
fs::path partial_of(const fs::path& record) { return record.string() + ".partial"; }

/// Things in work directories, each with the process that has made it: a forked child knows those
/// of its parent, which are not its own.
class things_of_processes {
 public:
  void add(const fs::path& thing) { things_.emplace(thing, getpid()); }
  void drop(const fs::path& thing) { things_.erase({thing, getpid()}); }

  [[nodiscard]] bool has(const fs::path& thing) const {
    const auto first = things_.lower_bound({thing, 0});
    return first != things_.end() && first->first == thing;
  }

  /// Returns those of this process; what lies in a folder comes before it.
  [[nodiscard]] std::vector<fs::path> own() const {
    std::vector<fs::path> found;
    for (const auto& [thing, process] : things_) {
      if (process == getpid()) found.push_back(thing);
    }
    std::ranges::reverse(found);
    return found;
  }

 private:
  std::set<std::pair<fs::path, pid_t>> things_;
};

/// What is in work directories because of this process, until it ends.
class own_things {
 public:
  own_things() { handler_before_ = std::set_terminate(end_by_exception); }
  own_things(const own_things&) = delete;
  own_things& operator=(const own_things&) = delete;
  ~own_things() { remove_all(); }

  std::mutex mutex;
  things_of_processes records;
  things_of_processes folders;
  things_of_processes begun;

 private:
  [[noreturn]] static void end_by_exception();

  void remove_all() {
    // Not waited for: where the program breaks down, whoever holds it may never go on.
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return;
    std::error_code ignored;
    if (begun.own().empty()) {
      for (const fs::path& record : records.own()) {
        fs::remove(record, ignored);
        fs::remove(partial_of(record), ignored);
      }
    }
    for (const fs::path& folder : folders.own()) fs::remove(folder, ignored);
  }

  std::terminate_handler handler_before_ = nullptr;
};

own_things& own() {
  static own_things things;
  return things;
}

void own_things::end_by_exception() {
  own().remove_all();
  if (own().handler_before_ != nullptr) own().handler_before_();
  std::abort();
}

bool is_own(const fs::path& record) {
  const std::lock_guard lock(own().mutex);
  return own().records.has(record);
}

fs::path record_of(const std::string& work_dir, const std::string& identity) {
  return fs::path(absolute_name(work_dir)) / ("finished-" + identity);
}

}  // namespace

void remember_finished(const std::string& work_dir, const std::string& identity,
                       const std::string& results) {
  const fs::path record = record_of(work_dir, identity);
  {
    const std::lock_guard lock(own().mutex);
    own().records.add(record);
  }
  // Beside and renamed: a record that was half written would be taken for another state, not more.
  const fs::path partial = partial_of(record);
  std::ofstream(partial) << results;
  std::error_code ignored;
  fs::rename(partial, record, ignored);
}

std::optional<std::string> recall_finished(const std::string& work_dir,
                                           const std::string& identity) {
  const fs::path record = record_of(work_dir, identity);
  if (identity.empty() || is_own(record)) return std::nullopt;
  std::ifstream in(record);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::error_code make_work_directory(const std::string& folder) {
  const fs::path path = absolute_name(folder);
  std::vector<fs::path> missing;
  std::error_code failure;
  for (fs::path each = path; !fs::exists(each, failure) && each.has_relative_path();
       each = each.parent_path()) {
    missing.push_back(each);
  }
  failure = create_folders(path);
  if (failure) return failure;
  // One of the default name has been left by a program that was killed.
  if (path.filename() == spec{}.work_dir) missing.push_back(path);
  const std::lock_guard lock(own().mutex);
  for (const fs::path& each : missing) own().folders.add(each);
  return {};
}

void note_begun(const std::string& directory) {
  const std::lock_guard lock(own().mutex);
  own().begun.add(directory);
}

void note_ended(const std::string& directory) {
  const std::lock_guard lock(own().mutex);
  own().begun.drop(directory);
}

}  // namespace tessera
