// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Files by POSIX calls: opened, read, written and closed without allocating.

#include "tessera/core/error.hpp"
#include "tessera/store/stored_value.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::detail {

/// Throws store_error: "cannot <action> key "..." (path): <the system's text>".
[[noreturn]] void throw_failure(std::string_view action, std::string_view key,
                                std::string_view path, int code);

/// Returns the kind of the failure of a system call, given its error number. Errors of a busy
/// machine or of a network are `passing`.
[[nodiscard]] store_failure failure_of(int code);

/// Tells whether an error says that nothing has this name.
[[nodiscard]] bool is_missing(int code);

/// A file's path, on the stack: the way to a chunk allocates nothing.
class path_buffer {
 public:
  /// Throws: store_error <- the path is longer than the system takes.
  path_buffer(std::string_view directory, std::string_view key, std::string_view suffix = {});

  [[nodiscard]] const char* c_str() const { return text_; }
  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  std::size_t size_ = 0;
  char text_[4096];
};

class file_descriptor {
 public:
  explicit file_descriptor(int value) : value_(value) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor();
  [[nodiscard]] int get() const { return value_; }
  /// Closes the file and returns 0 or the error: some file systems tell of a failed write only
  /// here.
  [[nodiscard]] int close();

 private:
  int value_;
};

/// Opens a file as `open` does, again when a signal came between.
[[nodiscard]] int open_file(const char* path, int flags);

/// Reads from byte `first` on until `into` is full or the file ends; returns the bytes read.
std::size_t read_fully(int descriptor, std::span<std::byte> into, std::string_view key,
                       std::string_view path, std::size_t first = 0);

/// Writes all of `value`; returns 0 or the error.
[[nodiscard]] int write_fully(int descriptor, std::span<const std::byte> value);

/// Brings a folder's entries to the disk; returns 0 or the error.
[[nodiscard]] int sync_folder(const char* path);

/// Resolves `path` in the directory `root`. Returns 0 or the error: EXDEV if a symbolic link leads
/// out of `root`, ENOENT if no file has this name.
[[nodiscard]] int resolve_inside(const char* root, const char* path);

/// A file that is open for reading. Its size is that of the value that was there when it was
/// opened: a writer puts another file in its place.
class value_file {
 public:
  /// Throws: store_error <- it cannot be opened, is no regular file, or is larger than `limit`.
  value_file(const path_buffer& path, std::string_view key, std::size_t limit);

  /// Opens a file whose version is known. Throws: store_error <- as above, without a limit.
  value_file(const path_buffer& path, std::string_view key);

  [[nodiscard]] int descriptor() const { return file_.get(); }
  /// Returns the size of the value, nothing if it is missing.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }
  /// Returns the version: the number and the time of the file.
  [[nodiscard]] const value_version& version() const { return version_; }

 private:
  file_descriptor file_;
  value_version version_;
  std::optional<std::size_t> size_;
};

/// Returns the size of the file at `path`, nothing if it is missing or a folder, which is no value.
[[nodiscard]] std::optional<std::size_t> size_of_value(const path_buffer& path,
                                                       std::string_view key);

}  // namespace tessera::detail
