// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The lock of a key of a store in a directory, as a file.

#include "tessera/store/key_value_store.hpp"

#include "store/api/posix_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A locked file with the intents of its holders, in order of time, each ended by a NUL. A holder
/// that finishes removes the file. A holder that dies leaves the file with its intent, unlocked.
class file_lock final : public store_lock {
 public:
  /// Waits for the lock. `is_supported()` tells whether the file system has locks.
  ///
  /// Throws: store_error <- the file cannot be created, read or written.
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
