// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The codecs of the chunks of an array, as a user chooses them.

#include "tessera/codec/byte_codec.hpp"
#include "tessera/codec/options.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::codec {

/// The choice of one codec with its options, as a value: a struct of options.hpp, or an object of
/// metadata. Filters and compressors are chosen alike.
///
/// Implicit from each option struct, so that `.compressor = ts::codec::zlib{.level = 6}` works.
/// The default is the one of zarr-python: Blosc, lz4, level 5, byte shuffle.
class configuration {
 public:
  configuration();
  configuration(none);
  /// Throws: codec_error <- an option is out of range, or `cname` is not in this build of Blosc.
  template <class Options>
  requires requires { Options::known; }
  configuration(const Options& options) : configuration(options.chosen()) {}

  /// Returns the choice that `text` states: the member "compressor" of Zarr metadata, or one of
  /// its "filters". An option of the name `open`, a dtype, may be null.
  ///
  /// Throws: codec_error <- `text` is not JSON, or `make_codec` refuses it.
  [[nodiscard]] static configuration from_json(std::string_view text, const char* open = nullptr);

  /// Returns the JSON of Zarr metadata: an object with its "id", or `null`. A dtype that is not set
  /// is null, and appears only once the choice is `completed`.
  [[nodiscard]] const std::string& to_json() const { return text_; }

  [[nodiscard]] bool is_none() const { return text_ == "null"; }

  /// Returns the choice for `elements`: with their dtype if the options set none.
  ///
  /// Throws: codec_error <- the codec takes no such elements.
  [[nodiscard]] configuration completed(codec_elements elements) const;

  /// Returns the codec for `elements`; a null pointer if `is_none()`.
  [[nodiscard]] std::shared_ptr<const byte_codec> make(codec_elements elements) const;

  [[nodiscard]] bool operator==(const configuration&) const = default;

 private:
  std::string text_;
};

}  // namespace tessera::codec
