// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store that counts the chunks that are read and written.

#include "tessera/store/key_value_store.hpp"
#include "tessera/store/memory_store.hpp"

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

/// A store in memory that counts how often a chunk is read or written.
class counting_store final : public key_value_store {
 public:
  [[nodiscard]] std::string name() const override { return "counting"; }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    ++num_reads_;
    const auto size = inner_.read(key, into);
    num_bytes_ += static_cast<long>(size.value_or(0));
    return size;
  }
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override {
    ++num_reads_;
    num_bytes_ += static_cast<long>(into.size());
    return inner_.read_part(key, range, into);
  }
  [[nodiscard]] store_traits traits() const override { return {.has_ranges = true}; }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return inner_.read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return inner_.size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    if (key.substr(key.rfind('/') + 1).substr(0, 2) != ".z") ++num_writes_;
    inner_.write(key, value);
  }
  void erase(std::string_view key) override { inner_.erase(key); }
  void erase_all(std::string_view folder) override { inner_.erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return inner_.list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return inner_.list_folder(folder);
  }

  /// Return how many chunks have been read, and written, so far.
  [[nodiscard]] long num_reads() const { return num_reads_; }
  [[nodiscard]] long num_writes() const { return num_writes_; }
  /// Returns how many bytes of chunks have been read so far, as they are stored.
  [[nodiscard]] long num_bytes() const { return num_bytes_; }

 private:
  memory_store inner_;
  mutable std::atomic<long> num_reads_{0};
  mutable std::atomic<long> num_bytes_{0};
  std::atomic<long> num_writes_{0};
};

}  // namespace tessera::test
