// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store in a directory: one file per key.

#include "tessera/store/key_value_store.hpp"

#include <string>
#include <string_view>

namespace tessera {

/// A store in a directory, in the layout that every Zarr reader knows.
///
/// A value is written to `<file>.<unique>.partial` beside its place and renamed over it; readers
/// and listers ignore files of that name. Directories appear as they are needed, the store's own
/// too.
class filesystem_store final : public key_value_store {
 public:
  /// Touches nothing. A relative path is taken from the directory that is current now.
  explicit filesystem_store(std::string_view path);

  /// Returns the store's directory as an absolute path.
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::string name() const override { return path_; }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;

 private:
  std::string path_;
};

}  // namespace tessera
