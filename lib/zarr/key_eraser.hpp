// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Removal of many keys by few requests.

#include "tessera/store/key_value_store.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Collects keys and removes them by `erase_many`, as many at once as a request of object stores
/// takes.
class key_eraser {
 public:
  explicit key_eraser(key_value_store& store) : store_(store) {}

  void add(std::string key) {
    keys_.push_back(std::move(key));
    if (keys_.size() == most_keys) finish();
  }

  /// Removes the keys that are left.
  void finish() {
    if (!keys_.empty()) store_.erase_many(keys_);
    keys_.clear();
  }

 private:
  static constexpr std::size_t most_keys = 1000;

  key_value_store& store_;
  std::vector<std::string> keys_;
};

}  // namespace tessera::detail
