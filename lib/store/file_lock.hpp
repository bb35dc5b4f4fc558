// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The lock of a key of a store in a directory, as a file.

#include "tessera/store/key_value_store.hpp"
#include "tessera/store/posix_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A locked file that holds what its holders are about to do, each behind the one before and a NUL
/// behind each. It goes with the last of that; a holder that dies leaves it behind, unlocked.
class file_lock final : public store_lock {
 public:
  /// Waits for the lock. `is_supported()` tells whether there is such a thing here.
  ///
  /// Throws: store_error <- the file cannot be made, read or written.
  file_lock(const path_buffer& path, std::string_view key, std::string_view intent, bool fsync);

  [[nodiscard]] bool is_supported() const { return file_.get() >= 0; }
  [[nodiscard]] const std::vector<std::string>& unfinished() const override { return unfinished_; }
  void finish() override;

 private:
  std::string path_;
  file_descriptor file_;
  std::vector<std::string> unfinished_;
};

}  // namespace tessera::detail
