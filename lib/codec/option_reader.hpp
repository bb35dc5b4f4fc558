// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads the options of a codec from its JSON object.

#include "codec/number_type.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::detail {

/// The options of a codec. Every error names the codec, the option, its value and the valid values.
class option_reader {
 public:
  /// Reads any codec's "id".
  ///
  /// Throws: codec_error <- `text` is not a JSON object with a string "id".
  explicit option_reader(std::string_view text);

  /// Throws: codec_error <- as above, or an option is not in `known`: decoding without it might
  /// give wrong data.
  option_reader(std::string_view text, std::initializer_list<std::string_view> known);

  [[nodiscard]] const std::string& id() const { return id_; }

  /// Returns the option `name`, or `otherwise` if it is absent.
  ///
  /// Throws: codec_error <- the option is not an integer in [least, greatest].
  [[nodiscard]] std::int64_t integer(const char* name, std::int64_t otherwise, std::int64_t least,
                                     std::int64_t greatest) const;

  /// Returns the option `name`, or `otherwise` if it is absent.
  ///
  /// Throws: codec_error <- the option is neither true nor false.
  [[nodiscard]] bool boolean(const char* name, bool otherwise) const;

  /// Returns the option `name`, or `otherwise` if it is absent.
  ///
  /// Throws: codec_error <- the option is not a string.
  [[nodiscard]] std::string string(const char* name, std::string_view otherwise) const;

  /// Returns the option `name`, or `otherwise` if it is absent or null.
  ///
  /// Throws: codec_error <- the option is not a number type.
  [[nodiscard]] number_type number(const char* name,
                                   std::optional<number_type> otherwise = {}) const;

  /// Returns the option `name`, or null if it is absent.
  [[nodiscard]] const nlohmann::json& raw(const char* name) const;

  /// Throws codec_error: the option `name` must be `expected`.
  [[noreturn]] void refuse(const char* name, std::string_view expected) const;

 private:
  nlohmann::json object_;
  std::string id_;
};

}  // namespace tessera::detail
