// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads the options of a codec from its JSON object.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::detail {

/// The options of one codec; every error names the codec, the option, what is found and allowed.
class option_reader {
 public:
  /// Throws: codec_error <- `text` is not a JSON object with a string "id".
  explicit option_reader(std::string_view text);

  [[nodiscard]] const std::string& id() const { return id_; }

  /// Returns the option `name`, or `otherwise` if it is absent.
  ///
  /// Throws: codec_error <- it is not an integer in [least, greatest].
  [[nodiscard]] std::int64_t integer(const char* name, std::int64_t otherwise, std::int64_t least,
                                     std::int64_t greatest) const;

  /// Returns the option `name`, or `otherwise` if it is absent.
  ///
  /// Throws: codec_error <- it is neither true nor false.
  [[nodiscard]] bool boolean(const char* name, bool otherwise) const;

  /// Returns the option `name`, or `otherwise` if it is absent.
  ///
  /// Throws: codec_error <- it is not a string.
  [[nodiscard]] std::string string(const char* name, std::string_view otherwise) const;

 private:
  nlohmann::json object_;
  std::string id_;
};

}  // namespace tessera::detail
