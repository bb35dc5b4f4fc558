// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/run_folder.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/file_names.hpp"
#include "tessera/core/lock_file.hpp"
#include "tessera/store/finished_runs.hpp"

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace tessera::slurm {

namespace {

namespace fs = std::filesystem;

constexpr auto prefix = "tessera-slurm-";
constexpr auto lock_file = "lock";
constexpr int most_attempts = 100;

/// No two runs have had the same name, on whichever host: jobs are told apart by it.
std::string new_name() {
  static std::atomic<unsigned> num_runs{0};
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{}{}-{}-{:x}-{}", prefix, host, getpid(),
                     std::chrono::duration_cast<std::chrono::seconds>(now).count(), num_runs++);
}

}  // namespace

run_folder::run_folder(const fs::path& directory) {
  std::error_code failure = make_work_directory(directory);
  // Who looks for orphans may lock a folder before it is locked here, and then removes it.
  for (int attempt = 0; attempt < most_attempts && lock_.get() < 0; ++attempt) {
    path_ = fs::path(absolute_name(directory.string())) / new_name();
    fs::create_directory(path_, failure);
    lock_ = descriptor(open_locked(path_ / lock_file, O_CREAT));
  }
  if (lock_.get() < 0) {
    throw store_error(fmt::format("cannot make the folder '{}' of a run on Slurm", path_.string()));
  }
}

run_folder::~run_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void remove_orphans(const fs::path& directory,
                    const std::function<bool(const std::string& name)>& end_jobs) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (auto each = fs::directory_iterator(directory, failure); each != fs::directory_iterator();
       each.increment(failure)) {
    if (each->path().filename().string().starts_with(prefix)) found.push_back(each->path());
  }
  for (const fs::path& folder : found) {
    const descriptor lock(open_locked(folder / lock_file, 0));
    if (lock.get() < 0) continue;
    if (end_jobs(folder.filename().string())) fs::remove_all(folder, failure);
  }
}

}  // namespace tessera::slurm
