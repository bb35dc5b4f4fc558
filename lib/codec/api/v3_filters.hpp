// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Codecs of elements that Zarr version 3 has and version 2 has not.

#include "tessera/codec/byte_codec.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the codec "cast_value" of a JSON object: numbers as numbers of another type.
///
/// Throws: codec_error <- an option is malformed, or `elements` are no numbers.
[[nodiscard]] std::shared_ptr<const byte_codec> make_cast_value_codec(
    std::string_view configuration, codec_elements elements);

/// Returns the codec "scale_offset" of a JSON object: (x - offset) * scale in the type of the
/// elements, without a change of type.
///
/// Throws: as `make_cast_value_codec`.
[[nodiscard]] std::shared_ptr<const byte_codec> make_scale_offset_codec(
    std::string_view configuration, codec_elements elements);

/// Tells whether a filter of the registry is one of these two, which version 2 cannot state.
[[nodiscard]] bool is_of_version_3(std::string_view id);

/// The position of the byte that states how many bits of the last byte are padding.
enum class padding_byte : std::uint8_t { none, first, last };

/// Returns the codec "packbits" of version 3: booleans, eight in a byte, the first in the least
/// significant bit. The filter "packbits" of numcodecs has the opposite order.
///
/// Source: zarr-extensions, `codecs/packbits`; the order of bits is the one of zarrs.
[[nodiscard]] std::shared_ptr<const byte_codec> make_bit_packing(padding_byte padding);

/// Returns the codec of float32 numbers as bfloat16 numbers of a byte order, rounded half to even.
/// Its input has the same byte order.
[[nodiscard]] std::shared_ptr<const byte_codec> make_bfloat16_codec(std::endian order);

/// Returns the float32 number of the bits of a bfloat16.
[[nodiscard]] float from_bfloat16(std::uint16_t bits);
/// Returns the bits of the bfloat16 nearest to a number, the even one of two.
[[nodiscard]] std::uint16_t to_bfloat16(float number);

}  // namespace tessera::detail
