// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A value while it is written: a file that readers do not see under the key.

#include "store/api/posix_file.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tessera::detail {

/// The file of a value before it gets its key as name: a file without a name (O_TMPFILE), or with
/// the name of an unfinished write.
///
/// An unnamed file costs one change of the folder instead of two, and all writers of a folder wait
/// for its changes. It vanishes with its process. NFS, for one, has no unnamed files.
class unfinished_file {
 public:
  /// `target` is the path of the value, and outlives this. Touches no file.
  unfinished_file(const path_buffer& target, bool is_named)
      : target_(target), is_named_(is_named) {}
  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  /// Removes the file, unless it has got its name.
  ~unfinished_file();

  /// Creates the file in the folder of `target`. Returns 0 or the error, as the
  /// other functions do.
  [[nodiscard]] int open();
  /// Appends `piece`.
  [[nodiscard]] int append(std::span<const std::byte> piece);
  /// Replaces the first bytes, which were appended before, by `front`.
  [[nodiscard]] int write_front(std::span<const std::byte> front);
  /// Ends the content of the file, and with `sync` brings it to the disk.
  [[nodiscard]] int close(bool sync);
  /// Moves the closed file to `target`, and replaces a file there.
  [[nodiscard]] int replace_target();
  /// Gives the closed file the name `target`. Returns EEXIST if a file has this name.
  [[nodiscard]] int create_target();

 private:
  [[nodiscard]] int make(const path_buffer& path, int flags);
  [[nodiscard]] int link(const path_buffer& to) const;

  const path_buffer& target_;
  bool is_named_;
  std::optional<file_descriptor> file_;
  /// The name of the unfinished write; not set for an unnamed file.
  std::optional<path_buffer> name_;
};

}  // namespace tessera::detail
