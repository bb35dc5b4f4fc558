// SPDX-License-Identifier: Apache-2.0
#include "executor/resume/finished_runs.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <system_error>
#include <unistd.h>

namespace tessera {

namespace {

namespace fs = std::filesystem;

/// The records that this process has made or used, which it removes when it ends normally.
class own_records {
 public:
  own_records() = default;
  own_records(const own_records&) = delete;
  own_records& operator=(const own_records&) = delete;
  ~own_records() {
    // A forked child that ends is not the program's end.
    if (is_kept_ || getpid() != process_) return;
    std::error_code ignored;
    for (const fs::path& record : records_) fs::remove(record, ignored);
    for (const fs::path& folder : folders_) fs::remove(folder, ignored);
  }

  void add(const fs::path& record) {
    const std::lock_guard lock(mutex_);
    records_.insert(record);
  }

  [[nodiscard]] bool has(const fs::path& record) {
    const std::lock_guard lock(mutex_);
    return records_.contains(record);
  }

  void add_folder(const fs::path& folder) {
    const std::lock_guard lock(mutex_);
    folders_.insert(folder);
  }

  void keep() {
    const std::lock_guard lock(mutex_);
    is_kept_ = true;
  }

 private:
  std::mutex mutex_;
  std::set<fs::path> records_;
  std::set<fs::path> folders_;
  bool is_kept_ = false;
  pid_t process_ = getpid();
};

own_records& records() {
  static own_records own;
  return own;
}

fs::path record_of(const std::string& work_dir, const std::string& identity) {
  return fs::absolute(work_dir) / ("finished-" + identity);
}

}  // namespace

void remember_finished(const std::string& work_dir, const std::string& identity,
                       const std::string& results) {
  const fs::path record = record_of(work_dir, identity);
  records().add(record);
  // Beside and renamed: a record that was half written would be taken for another state, not more.
  const fs::path partial = record.string() + ".partial";
  std::ofstream(partial) << results;
  std::error_code ignored;
  fs::rename(partial, record, ignored);
}

std::optional<std::string> recall_finished(const std::string& work_dir,
                                           const std::string& identity) {
  const fs::path record = record_of(work_dir, identity);
  if (identity.empty() || records().has(record)) return std::nullopt;
  std::ifstream in(record);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void remove_when_empty(const std::string& folder) { records().add_folder(folder); }

void keep_finished() { records().keep(); }

}  // namespace tessera
