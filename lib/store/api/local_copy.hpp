// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies of values in files of this host.

#include <cstddef>
#include <span>
#include <string>

namespace tessera::detail {

/// A file in the folder for temporary files, until this object goes.
class local_copy {
 public:
  /// Throws: store_error <- the file cannot be created.
  local_copy();
  local_copy(const local_copy&) = delete;
  local_copy& operator=(const local_copy&) = delete;
  ~local_copy();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string read() const;
  /// Throws: store_error <- the file cannot be written.
  void write(std::span<const std::byte> contents) const;

 private:
  std::string name_;
};

}  // namespace tessera::detail
