// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The store of the values that a reference document names.

#include "tessera/store/reference.hpp"

#include "store/reference/reference_document.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::detail {

inline constexpr std::string_view reference_scheme = "reference";

class reference_store final : public key_value_store {
 public:
  reference_store(document_location location, reference_options options);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::optional<store_recipe> recipe() const override;
  /// Reads the document. Throws: store_error <- as `read`.
  [[nodiscard]] store_traits traits() const override;
  /// A hash of the references, and of the versions of targets in stores with lists.
  [[nodiscard]] std::string state(std::string_view folder) const override;
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
  [[nodiscard]] std::unique_ptr<value_writer> writer(std::string_view key) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;

 private:
  [[nodiscard]] const reference_table& table() const;
  [[nodiscard]] const value_reference* find(std::string_view key) const;
  [[nodiscard]] value_part read_target(const value_reference& reference, std::string_view key,
                                       const byte_range& range, std::span<std::byte> into) const;
  [[nodiscard]] value_part part_of(const value_reference& reference, std::string_view key,
                                   const byte_range& range, std::span<std::byte> into) const;
  [[nodiscard]] std::uint64_t size_of(const value_reference& reference, std::string_view key) const;
  [[noreturn]] void refuse_short_target(const value_reference& reference, std::string_view key,
                                        std::uint64_t target_size) const;
  void require_size(std::uint64_t size, std::string_view key, std::size_t limit) const;
  [[nodiscard]] std::string in_document(std::string_view key) const;
  [[nodiscard]] std::string location_of(std::string_view key) const;
  [[noreturn]] void refuse_write(std::string_view key) const;

  document_location location_;
  reference_options options_;
  std::shared_ptr<reference_document> document_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const reference_table> table_;
  /// Set once they have been asked for: they take a pass over all targets.
  mutable std::optional<store_traits> traits_;
};

/// Returns the store of a recipe "reference://<document>/<folder>?targets=<prefix>&...".
///
/// Throws: value_error <- as `open_reference_store`.
[[nodiscard]] std::shared_ptr<key_value_store> open_references(const store_recipe& recipe);

}  // namespace tessera::detail
