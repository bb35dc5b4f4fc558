// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One writer at a time for a chunk that is read, changed and written.

#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the lock of a chunk, by the name of its store and its key.
///
/// The locks are the process's: handles that were opened apart may be on one array. Chunks share
/// them at random, which costs time and nothing else, because nobody ever holds two.
inline std::mutex& lock_of_chunk(const std::string& store, std::string_view key) {
  static std::array<std::mutex, 256> locks;
  const std::size_t hash =
      std::hash<std::string_view>{}(store)*31 + std::hash<std::string_view>{}(key);
  return locks[hash % locks.size()];
}

}  // namespace tessera::detail
