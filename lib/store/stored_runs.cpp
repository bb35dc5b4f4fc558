// SPDX-License-Identifier: Apache-2.0
#include "store/stored_runs.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/location_names.hpp"
#include "store/api/folder_sizes.hpp"
#include "store/run_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <unistd.h>
#include <utility>

namespace tessera::detail {

namespace {

constexpr std::string_view owner_key = "owner";
constexpr std::size_t longest_description = std::size_t{16} << 20;

/// The folders that this process owns, with their claims.
struct owned_folders {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<store_claim>> claims;
};

owned_folders& folders_of_process() {
  // Runs may end later than static objects.
  static auto& only = *new owned_folders;
  return only;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Returns a text that no other run has in its name.
std::string unique_ending() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

/// Returns the claim of the owner, or nullptr if there is another owner.
std::unique_ptr<store_claim> try_own(key_value_store& store) {
  struct has_owner {};
  try {
    return store.claim(owner_key, fmt::format("process {}", ::getpid()),
                       [](const std::vector<std::string>& owners) {
                         if (!owners.empty()) throw has_owner();
                       });
  } catch (const has_owner&) {
    return nullptr;
  }
}

/// Tells whether other processes see the claims of the folder of a run: the store has conditional
/// writes.
bool has_shared_claims(key_value_store& store) {
  try {
    // The description is there already: nothing is written.
    if (store.exists(description_name)) {
      static_cast<void>(store.write_if(description_name, {}, {}));
    }
    return true;
  } catch (const store_error& failure) {
    if (failure.kind() != store_failure::unsupported) throw;
    return false;
  }
}

/// Tells whether this process still has the claim of a folder. It has lost it after a long silence.
bool is_owned(const std::string& location) {
  const std::lock_guard lock(folders_of_process().mutex);
  const auto entry = folders_of_process().claims.find(location);
  return entry != folders_of_process().claims.end() && entry->second != nullptr &&
         entry->second->is_held();
}

void keep(const std::string& location, std::unique_ptr<store_claim> claim) {
  const std::lock_guard lock(folders_of_process().mutex);
  folders_of_process().claims.insert_or_assign(location, std::move(claim));
}

/// Owns the folder of a plan and describes it; nullopt if it cannot be owned alone.
std::optional<run_folder> try_take(const std::string& location, std::string_view description) {
  const auto store = open_store(location);
  auto claim = try_own(*store);
  if (claim == nullptr) return std::nullopt;
  try {
    const bool is_new = store->write_if(description_name, bytes_of(description), {});
    keep(location, std::move(claim));
    return run_folder{location, !is_new};
  } catch (const store_error& failure) {
    if (failure.kind() != store_failure::unsupported) throw;
    return std::nullopt;
  }
}

/// Erases the values of a store for which `is_removed`.
template <class Test>
void erase_values(key_value_store& store, Test is_removed) {
  std::vector<std::string> keys = store.list("");
  std::erase_if(keys, [&](const std::string& key) { return !is_removed(key); });
  store.erase_many(keys);
}

/// Returns the locations of the runs in a folder of a store, sorted.
std::vector<std::string> locations_of_runs(const std::string& work_dir) {
  std::vector<std::string> locations;
  for (std::string name : open_store(work_dir)->list_folder("")) {
    if (!name.starts_with(run_prefix) || name.back() != '/') continue;
    name.pop_back();
    locations.push_back(name_in(work_dir, name));
  }
  std::ranges::sort(locations);
  return locations;
}

std::string description_in(const key_value_store& store) {
  const auto text = store.read_all(description_name, longest_description);
  if (!text) return {};
  return {reinterpret_cast<const char*>(text->data()), text->size()};
}

}  // namespace

bytes size_of_values(const key_value_store& store) {
  bytes total;
  const auto add = [&](std::string_view, std::uint64_t size) { total += bytes{size}; };
  if (const auto* const lists = dynamic_cast<const lists_of_sizes*>(&store)) {
    lists->for_each_size("", add);
  } else {
    for (const std::string& key : store.list("")) add(key, store.size(key).value_or(0));
  }
  return total;
}

run_folder take_run_folder(const std::string& work_dir, std::string_view identity,
                           std::string_view description) {
  const std::string name = fmt::format("{}{}", run_prefix, identity.substr(0, name_digits));
  if (!identity.empty()) {
    if (auto folder = try_take(name_in(work_dir, name), description)) return *std::move(folder);
  }
  const std::string location =
      name_in(work_dir, fmt::format("{}{}{}", name, identity.empty() ? "" : "-", unique_ending()));
  const auto store = open_store(location);
  keep(location, try_own(*store));
  store->write(description_name, bytes_of(description));
  return {location};
}

void leave_run_folder(const std::string& location) {
  std::unique_ptr<store_claim> claim;
  const std::lock_guard lock(folders_of_process().mutex);
  const auto entry = folders_of_process().claims.find(location);
  if (entry == folders_of_process().claims.end()) return;
  claim = std::move(entry->second);
  folders_of_process().claims.erase(entry);
}

void clear_run_folder(const std::string& location) {
  erase_values(*open_store(location), [](std::string_view key) { return key != description_name; });
}

void remove_run_folder(const std::string& location) {
  // Another process goes on with the run of one that was silent for too long.
  if (!is_owned(location)) return leave_run_folder(location);
  const auto store = open_store(location);
  // The description goes last: an interrupted removal leaves a run that is listed.
  erase_values(*store, [](std::string_view key) { return key != description_name; });
  store->erase(description_name);
  leave_run_folder(location);
}

std::vector<unfinished_run> unfinished_runs_in_store(const std::string& work_dir) {
  std::vector<unfinished_run> runs;
  for (const std::string& location : locations_of_runs(work_dir)) {
    const auto store = open_store(location);
    const bool is_running = !has_shared_claims(*store) || try_own(*store) == nullptr;
    runs.push_back({.path = location,
                    .description = description_in(*store),
                    .size = size_of_values(*store),
                    .is_running = is_running});
  }
  return runs;
}

bool remove_unless_owned(const std::string& location) {
  const auto folder = open_store(location);
  auto claim = has_shared_claims(*folder) ? try_own(*folder) : nullptr;
  if (claim == nullptr) return false;
  keep(location, std::move(claim));
  remove_run_folder(location);
  return true;
}

std::size_t remove_unfinished_runs_in_store(const std::string& work_dir) {
  std::size_t num_removed = 0;
  for (const std::string& location : locations_of_runs(work_dir)) {
    if (remove_unless_owned(location)) ++num_removed;
  }
  const auto store = open_store(work_dir);
  for (const std::string& name : store->list_folder("")) {
    // Without it, a note that is left would say that a whole array is not.
    if (!name.starts_with(finished_prefix) || name.starts_with(overwriting_prefix)) continue;
    store->erase(name);
  }
  return num_removed;
}

}  // namespace tessera::detail
