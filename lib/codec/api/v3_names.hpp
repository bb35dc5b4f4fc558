// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Codecs under their names in Zarr version 3.

#include "tessera/codec/codec_elements.hpp"
#include "tessera/codec/configuration.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::detail {

/// The input and output of a codec in version 3.
enum class codec_kind : std::uint8_t { array_to_array, bytes_to_bytes };

/// A codec that version 3 names.
struct v3_codec {
  codec::configuration codec = codec::none{};
  codec_kind kind = codec_kind::bytes_to_bytes;
  /// The member "typesize" of blosc; 0 for other codecs.
  std::size_t typesize = 0;
};

/// Returns the codec of a name in version 3 and its configuration, a JSON object, for `elements`.
/// Filters have the byte order of `elements`.
///
/// Throws: codec_error <- the name, a member or its value is not supported.
/// Source: zarr-specs, `docs/v3/codecs`; zarr-extensions, `codecs`; numcodecs, `zarr3.py`.
[[nodiscard]] v3_codec parse_v3_codec(const std::string& name, const nlohmann::json& configuration,
                                      codec_elements elements);

/// Returns the JSON of a codec for version 3. `typesize` is the member of blosc.
[[nodiscard]] std::string format_v3_codec(const codec::configuration& codec, std::size_t typesize);

/// Returns the kind of a codec of the registry.
[[nodiscard]] codec_kind kind_of_codec(std::string_view id);

/// Returns the identifier of a codec in the registry; it is empty for no codec.
[[nodiscard]] std::string id_of(const codec::configuration& codec);

/// Tells whether a filter converts elements one by one, so that it commutes with a transpose.
[[nodiscard]] bool is_elementwise(std::string_view id);

}  // namespace tessera::detail
