// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A text file that is compressed as it is written.

#include <memory>
#include <string>
#include <string_view>

namespace tessera {

/// A file in gzip's format.
class gzip_file {
 public:
  /// Throws: store_error <- the file cannot be created.
  explicit gzip_file(std::string path);

  void write(std::string_view text);
  /// Ends the file.
  ///
  /// Throws: store_error <- not all could be written.
  void close();

 private:
  struct closer {
    void operator()(void* file) const;
  };
  [[noreturn]] void fail(std::string_view reason) const;

  std::string path_;
  std::unique_ptr<void, closer> file_;
};

}  // namespace tessera
