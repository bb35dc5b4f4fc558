// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store in this process's memory.

#include "tessera/store/key_value_store.hpp"

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
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<std::size_t> read_range(std::string_view key, std::size_t first,
                                                      std::span<std::byte> into) const override;
  [[nodiscard]] bool has_ranges() const override { return true; }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;

 private:
  struct shard;
  [[nodiscard]] shard& shard_of(std::string_view key) const;

  std::unique_ptr<shard[]> shards_;
};

}  // namespace tessera
