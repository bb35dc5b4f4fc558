// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Locks of chunks: one writer at a time reads, changes and writes a chunk.

#include "zarr/array_state.hpp"

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the lock of a chunk, by the name of its store and its key.
///
/// The locks belong to the process, because two handles may be open on one array. Chunks share
/// locks by hash. No thread holds two locks, so that sharing costs time and cannot deadlock.
inline std::mutex& lock_of_chunk(const std::string& store, std::string_view key) {
  static std::array<std::mutex, 256> locks;
  const std::size_t hash =
      std::hash<std::string_view>{}(store)*31 + std::hash<std::string_view>{}(key);
  return locks[hash % locks.size()];
}

/// The lock of a unit of keys whose stored elements are read, changed and written.
///
/// Threads of this process lock chunks. A shard is locked against other processes too, if the store
/// has locks: they may write other chunks of it at the same time.
class unit_lock {
 public:
  unit_lock(const zarr_array_state& array, std::string_view key)
      : in_process_(lock_of_chunk(array.store->name(), key)) {
    if (array.shards != nullptr) across_processes_ = array.store->lock(key, "");
  }
  unit_lock(const unit_lock&) = delete;
  unit_lock& operator=(const unit_lock&) = delete;
  ~unit_lock() = default;

  /// Tells that the unit is written, so that the store keeps nothing of the lock.
  void finish() {
    if (across_processes_ != nullptr) across_processes_->finish();
  }

 private:
  std::lock_guard<std::mutex> in_process_;
  std::unique_ptr<store_lock> across_processes_;
};

}  // namespace tessera::detail
