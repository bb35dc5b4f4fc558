// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store in this process's memory.

#include "tessera/store/key_value_store.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace tessera {

/// A store in memory: it lives as long as the object does, and is seen by this process alone.
///
/// Memory: the sum of its values and keys, and about 150 B for each key.
class memory_store final : public key_value_store {
 public:
  memory_store();
  ~memory_store() override;

  [[nodiscard]] std::string name() const override { return "memory"; }
  [[nodiscard]] store_traits traits() const override {
    return {.has_ranges = true, .has_creation = true, .has_conditions = true};
  }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override;
  /// The pieces are kept in memory until `finish`.
  [[nodiscard]] std::unique_ptr<value_writer> writer(std::string_view key) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;

 private:
  struct shard;
  [[nodiscard]] shard& shard_of(std::string_view key) const;

  std::unique_ptr<shard[]> shards_;
  /// The number of values written so far: the version of the last one.
  std::atomic<std::uint64_t> num_writes_{0};
};

}  // namespace tessera
