// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A value while it is written: a file that nobody takes for the value.

#include "tessera/store/posix_file.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tessera::detail {

/// The file of a value until it gets its name: it has none (O_TMPFILE), or one of an unfinished
/// write.
///
/// Without a name it costs its folder one change in the place of two, which all that write there
/// wait for, and is gone with the process. Not all file systems have such: NFS does not.
class unfinished_file {
 public:
  /// The value's place is `place`, which outlives this. Touches nothing.
  unfinished_file(const path_buffer& place, bool is_named) : place_(place), is_named_(is_named) {}
  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  /// Removes the file, unless it has got its name.
  ~unfinished_file();

  /// Makes the file, in the folder of its place. Returns 0 or the error, as the others do.
  [[nodiscard]] int open();
  /// Writes all of `value`, and with `sync` brings it to the disk.
  [[nodiscard]] int write(std::span<const std::byte> value, bool sync);
  /// Puts the file, once all is written, in its place, where another may be.
  [[nodiscard]] int finish();

 private:
  [[nodiscard]] int make(const path_buffer& path, int flags);
  [[nodiscard]] int link(const path_buffer& to) const;

  const path_buffer& place_;
  bool is_named_;
  std::optional<file_descriptor> file_;
  /// That of an unfinished write, where there is one.
  std::optional<path_buffer> name_;
};

}  // namespace tessera::detail
