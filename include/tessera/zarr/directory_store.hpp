// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores in directories as values that can be written down.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tessera::detail {

/// What makes a store in a directory.
struct directory_store {
  std::string path;  // absolute
  bool fsync = false;
  bool refuse_outward_links = false;

  [[nodiscard]] bool operator==(const directory_store&) const = default;
};

/// Returns what makes `store`, whose consolidated metadata do not count; nothing for a store that
/// is no directory.
[[nodiscard]] std::optional<directory_store> as_directory(
    const std::shared_ptr<key_value_store>& store);

/// Returns the store that `directory` describes.
[[nodiscard]] std::shared_ptr<key_value_store> make_store(const directory_store& directory);

}  // namespace tessera::detail
