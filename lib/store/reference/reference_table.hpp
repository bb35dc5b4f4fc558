// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The references of a document, by key.
///
/// Documents have millions of references. So keys and inline values share one text, a reference has
/// 32 B, and a target that many references share is stored once.

#include "store/reference/target_prefixes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera::detail {

/// The value of a key: bytes of the document, or bytes of a target.
struct value_reference {
  static constexpr std::uint32_t inline_target = ~std::uint32_t{0};
  static constexpr std::uint64_t whole_target = ~std::uint64_t{0};

  std::uint64_t key_begin = 0;
  std::uint32_t key_size = 0;
  /// The number of the target, or `inline_target`.
  std::uint32_t target = inline_target;
  /// The position of the first byte, and the number of bytes or `whole_target`.
  std::uint64_t first = 0;
  std::uint64_t size = 0;

  [[nodiscard]] bool is_inline() const { return target == inline_target; }
  [[nodiscard]] bool is_whole() const { return size == whole_target; }
};

class reference_table {
 public:
  static constexpr std::size_t max_references = std::size_t{1} << 23;
  static constexpr std::size_t max_targets = std::size_t{1} << 20;

  /// Adds a value of the document. Throws: store_error <- the key is malformed, or the references
  /// are too many.
  void add_inline(std::string_view key, std::string_view value);
  /// Adds a whole target. Throws: store_error <- as `add_inline`; the target is refused by
  /// `prefixes`.
  void add_whole(std::string_view key, const std::string& target, const target_prefixes& prefixes);
  /// Adds bytes of a target. Throws: store_error <- as `add_whole`; the range ends behind byte
  /// 2^63.
  void add_part(std::string_view key, const std::string& target, std::uint64_t first,
                std::uint64_t size, const target_prefixes& prefixes);
  /// Sorts the references, after the last one. Of the references of one key the last one stays.
  void finish();

  [[nodiscard]] std::string_view key_of(const value_reference& reference) const {
    return std::string_view(text_).substr(reference.key_begin, reference.key_size);
  }
  [[nodiscard]] std::string_view inline_value(const value_reference& reference) const {
    return std::string_view(text_).substr(reference.first, reference.size);
  }
  [[nodiscard]] const reference_target& target_of(const value_reference& reference) const {
    return targets_[reference.target];
  }
  [[nodiscard]] const std::vector<reference_target>& targets() const { return targets_; }
  /// Returns all references in ascending order of keys.
  [[nodiscard]] const std::vector<value_reference>& references() const { return references_; }
  /// Returns the reference of a key, or nullptr if it is missing.
  [[nodiscard]] const value_reference* find(std::string_view key) const;
  /// Returns the position of the first reference whose key is not less than `key`.
  [[nodiscard]] std::size_t lower_bound(std::string_view key) const;
  /// Returns the memory of the table in bytes.
  [[nodiscard]] std::size_t memory() const;

 private:
  value_reference& add(std::string_view key);
  [[nodiscard]] std::uint32_t number_of(const std::string& target, const target_prefixes& prefixes);

  std::string text_;
  std::vector<value_reference> references_;
  std::vector<reference_target> targets_;
  /// The numbers of the targets by their texts, until the table is finished.
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace tessera::detail
