// SPDX-License-Identifier: Apache-2.0
#include "store/reference/reference_table.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/key_value_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace tessera::detail {

value_reference& reference_table::add(std::string_view key) {
  validate_key(key);
  constexpr std::size_t longest_key = 4096;
  if (key.size() > longest_key) {
    throw store_error(fmt::format("a key has {} B, at most {} B are read", key.size(), longest_key),
                      store_failure::too_large);
  }
  if (references_.size() == max_references) {
    throw store_error(fmt::format("there are more than {} references", max_references),
                      store_failure::too_large);
  }
  value_reference& next = references_.emplace_back();
  next.key_begin = text_.size();
  next.key_size = static_cast<std::uint32_t>(key.size());
  text_ += key;
  return next;
}

void reference_table::add_inline(std::string_view key, std::string_view value) {
  value_reference& next = add(key);
  next.first = text_.size();
  next.size = value.size();
  text_ += value;
}

std::uint32_t reference_table::number_of(const std::string& target,
                                         const target_prefixes& prefixes) {
  const auto known = numbers_.find(target);
  if (known != numbers_.end()) return known->second;
  if (targets_.size() == max_targets) {
    throw store_error(fmt::format("there are more than {} targets", max_targets),
                      store_failure::too_large);
  }
  targets_.push_back(prefixes.resolve(target));
  const auto number = static_cast<std::uint32_t>(targets_.size() - 1);
  numbers_.emplace(target, number);
  return number;
}

void reference_table::add_whole(std::string_view key, const std::string& target,
                                const target_prefixes& prefixes) {
  const std::uint32_t number = number_of(target, prefixes);
  value_reference& next = add(key);
  next.target = number;
  next.size = value_reference::whole_target;
}

void reference_table::add_part(std::string_view key, const std::string& target, std::uint64_t first,
                               std::uint64_t size, const target_prefixes& prefixes) {
  constexpr std::uint64_t last = std::numeric_limits<std::int64_t>::max();
  if (first > last || size > last - first) {
    throw store_error(fmt::format("key \"{:.200}\": {} B from byte {} on are no range of a file",
                                  key, size, first));
  }
  const std::uint32_t number = number_of(target, prefixes);
  value_reference& next = add(key);
  next.target = number;
  next.first = first;
  next.size = size;
}

void reference_table::finish() {
  std::stable_sort(
      references_.begin(), references_.end(),
      [this](const value_reference& a, const value_reference& b) { return key_of(a) < key_of(b); });
  // The last one of equal keys stays, as in Python's dictionaries.
  std::size_t count = 0;
  for (std::size_t i = 0; i < references_.size(); ++i) {
    const bool is_last =
        i + 1 == references_.size() || key_of(references_[i]) != key_of(references_[i + 1]);
    if (is_last) references_[count++] = references_[i];
  }
  references_.resize(count);
  references_.shrink_to_fit();
  targets_.shrink_to_fit();
  text_.shrink_to_fit();
  numbers_ = {};
}

std::size_t reference_table::lower_bound(std::string_view key) const {
  const auto position =
      std::lower_bound(references_.begin(), references_.end(), key,
                       [this](const value_reference& reference, std::string_view k) {
                         return key_of(reference) < k;
                       });
  return static_cast<std::size_t>(position - references_.begin());
}

const value_reference* reference_table::find(std::string_view key) const {
  const std::size_t position = lower_bound(key);
  if (position == references_.size() || key_of(references_[position]) != key) return nullptr;
  return &references_[position];
}

std::size_t reference_table::memory() const {
  std::size_t size = text_.capacity() + references_.capacity() * sizeof(value_reference);
  for (const reference_target& target : targets_) size += sizeof(target) + target.key.capacity();
  return size;
}

}  // namespace tessera::detail
