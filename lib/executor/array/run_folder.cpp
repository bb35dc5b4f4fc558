// SPDX-License-Identifier: Apache-2.0
#include "executor/array/run_folder.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/file_names.hpp"
#include "core/api/host_name.hpp"
#include "core/api/location_names.hpp"
#include "core/api/lock_file.hpp"
#include "executor/array/stored_messages.hpp"
#include "executor/array/worker.hpp"
#include "store/api/finished_runs.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace tessera::job_arrays {

namespace {

namespace fs = std::filesystem;

constexpr auto lock_file = "lock";
constexpr int most_attempts = 100;

/// Returns the prefix of the names of runs on a system.
std::string prefix_of(const std::string& system) { return fmt::format("tessera-{}-", system); }

/// Returns a name that is unique among all runs on all hosts, because it identifies jobs.
std::string new_name(const std::string& system) {
  static std::atomic<unsigned> num_runs{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{}{}-{}-{:x}-{}", prefix_of(system), host_name(), getpid(),
                     std::chrono::duration_cast<std::chrono::seconds>(now).count(), num_runs++);
}

std::string process_in_words() { return fmt::format("process {} on {}", getpid(), host_name()); }

}  // namespace

run_folder::run_folder(const std::string& directory, const std::string& system,
                       std::string_view run, const coordination_times& times) {
  if (is_location(directory)) {
    coordinate(directory, system, run, times);
  } else {
    lock_directory(directory, system);
  }
}

void run_folder::lock_directory(const std::string& directory, const std::string& system) {
  std::error_code failure = make_work_directory(directory);
  // A search for orphans may lock, and remove, the folder between its creation and its lock here.
  for (int attempt = 0; attempt < most_attempts && lock_.get() < 0; ++attempt) {
    path_ = fs::path(absolute_name(directory)) / new_name(system);
    fs::create_directory(path_, failure);
    lock_ = descriptor(open_locked(path_ / lock_file, O_CREAT));
  }
  if (lock_.get() < 0) {
    throw store_error(fmt::format("cannot make the folder '{}' of a run", path_.string()));
  }
  messages_ = open_message_folder(path_.string());
}

void run_folder::coordinate(const std::string& directory, const std::string& system,
                            std::string_view run, const coordination_times& times) {
  const std::string name = new_name(system);
  const std::string location =
      name_in(directory, run.empty() ? name : fmt::format("{}{}", prefix_of(system), run));
  const std::shared_ptr<key_value_store> store = open_store(location);
  if (!store->recipe()) {
    throw value_error(fmt::format(
        "{}: the folder of a run in {}: no other program opens this store by its location", system,
        store->name()));
  }
  coordinator_ =
      std::make_unique<coordinator>(store, fmt::format("{}\n{}", process_in_words(), name), times);
  renewals_.emplace(times.renewal);
  renewals_->add(name, [this] { coordinator_->renew(); });
  cancel_predecessor(location);
  messages_ = open_message_folder(name_in(location, name));
  path_ = fs::temp_directory_path() / name;
  // Jobs run the scripts in it: a directory that another user has prepared is refused.
  if (mkdir(path_.c_str(), S_IRWXU) != 0) {
    throw store_error(
        fmt::format("cannot create the directory '{}': {}", path_.string(), std::strerror(errno)));
  }
}

/// Lets the elements of the coordinator before this one end.
void run_folder::cancel_predecessor(const std::string& location) const {
  const std::string name = predecessor();
  if (!name.empty()) open_message_folder(name_in(location, name))->put(cancelled_file, "");
}

std::string run_folder::predecessor() const {
  if (coordinator_ == nullptr) return {};
  const std::string& text = coordinator_->predecessor();
  const std::size_t line = text.find('\n');
  return line == std::string::npos ? std::string() : text.substr(line + 1);
}

void run_folder::require_ownership() const {
  if (coordinator_ != nullptr) coordinator_->require_unchallenged();
}

void run_folder::confirm_ownership() {
  if (coordinator_ != nullptr) coordinator_->confirm();
}

run_folder::~run_folder() {
  renewals_.reset();
  if (coordinator_ != nullptr) coordinator_->end();
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void remove_orphans(const fs::path& directory, const std::string& system,
                    const std::function<bool(const std::string& name)>& end_jobs) {
  const std::string prefix = prefix_of(system);
  std::vector<fs::path> folders;
  std::error_code failure;
  for (auto entry = fs::directory_iterator(directory, failure); entry != fs::directory_iterator();
       entry.increment(failure)) {
    if (entry->path().filename().string().starts_with(prefix)) folders.push_back(entry->path());
  }
  for (const fs::path& folder : folders) {
    const descriptor lock(open_locked(folder / lock_file, 0));
    if (lock.get() < 0) continue;
    if (end_jobs(folder.filename().string())) fs::remove_all(folder, failure);
  }
}

}  // namespace tessera::job_arrays
