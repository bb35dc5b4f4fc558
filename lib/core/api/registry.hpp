// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A table of entries by name, which static objects and plug-ins extend.

#include "core/api/nearest_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <forward_list>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Entries of one kind by name.
///
/// A reference to an entry, or to a name, stays valid until the process ends: no entry moves, a
/// replaced entry is kept, and the deleted destructor leaves `new` as the only way to a registry.
/// Static objects thus register before `main`, in any order, and look up after it.
///
/// Threads: any thread may call any function at any time. No function of an entry runs under the
/// lock, so that an entry may register another.
template <class T>
class registry {
 public:
  registry(std::initializer_list<std::pair<std::string_view, T>> entries) {
    for (const auto& [name, entry] : entries) replace(name, entry);
  }
  ~registry() = delete;

  /// Returns the registry of `T`, which has no entries of its own. No other registry may share `T`.
  static registry& instance() {
    static auto& table = *new registry{};
    return table;
  }

  /// Registers `entry` under `name`, in place of the entry before. Returns true, the value of a
  /// `const bool` at namespace scope.
  bool replace(std::string_view name, T entry) {
    std::forward_list<T> latest;
    latest.push_front(std::move(entry));
    const std::unique_lock lock(mutex_);
    std::forward_list<T>& entries = entries_[std::string(name)];
    entries.splice_after(entries.before_begin(), latest);
    return true;
  }

  /// Registers `entry` under `name` unless the name has an entry. Returns the entry of the name.
  const T& insert(std::string_view name, const T& entry) {
    const std::unique_lock lock(mutex_);
    return entries_.try_emplace(std::string(name), 1, entry).first->second.front();
  }

  /// Returns the entry of `name`, or nullptr if the name is not registered.
  [[nodiscard]] const T* find(std::string_view name) const {
    const std::shared_lock lock(mutex_);
    const auto known = entries_.find(name);
    return known == entries_.end() ? nullptr : &known->second.front();
  }

  /// Returns the names, sorted.
  [[nodiscard]] std::vector<std::string_view> names() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::string_view> sorted;
    for (const auto& [name, entries] : entries_) sorted.emplace_back(name);
    return sorted;
  }

  /// Returns the end of a message about an unknown name: ` (did you mean "zstd"?); known are ...`.
  [[nodiscard]] std::string suggestion(std::string_view name) const {
    const std::vector<std::string_view> known = names();
    if (known.empty()) return "; none is known";
    return fmt::format("{}; known are \"{}\"", did_you_mean(name, known),
                       fmt::join(known, "\", \""));
  }

 private:
  mutable std::shared_mutex mutex_;
  /// The entries of each name, the latest first.
  std::map<std::string, std::forward_list<T>, std::less<>> entries_;
};

}  // namespace tessera::detail
