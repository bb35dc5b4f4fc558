// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folders that a claim creates for its file, and removes at its end.

#include <string>
#include <system_error>
#include <vector>

namespace tessera::detail {

/// Tells whether the creation of a folder fails with this error if another claim removes folders
/// meanwhile. A folder may vanish before its subfolder is created, or after it was seen to exist.
[[nodiscard]] bool is_of_removed_folder(std::error_code failure);

/// The folders that a claim has created.
class claim_folders {
 public:
  /// Creates the folder of the file `path`, and the missing folders above it. Returns the error, if
  /// any.
  [[nodiscard]] std::error_code create_for(const std::string& path);

  /// Removes the created folders that are empty.
  void remove_empty() noexcept;

 private:
  /// The outermost first.
  std::vector<std::string> created_;
};

}  // namespace tessera::detail
