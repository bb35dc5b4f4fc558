// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The filters and the compressor of an array as one codec.

#include "tessera/codec/byte_codec.hpp"
#include "tessera/codec/configuration.hpp"

#include <memory>
#include <span>

namespace tessera {

/// Returns one codec that encodes with each of `filters` in order and then with `compressor`, and
/// decodes the other way round; a null pointer where nothing is to be done.
///
/// A single codec is returned as it is, so that it costs nothing to ask for a chain.
///
/// Memory: `workspace_size` counts the buffers between the codecs, of which two live at a time.
/// Throws: codec_error <- a codec does not fit the elements that it is given; the message names it
/// by its place in Zarr metadata, as "filters[1]".
[[nodiscard]] std::shared_ptr<const byte_codec> make_codec_chain(
    std::span<const codec::configuration> filters, const codec::configuration& compressor,
    codec_elements elements);

/// Gives what is left open in `filters` and `compressor` the dtype of the elements that come to it,
/// where those that come to the first are `elements`.
///
/// Throws: as `make_codec_chain`.
void complete_codec_chain(std::span<codec::configuration> filters, codec::configuration& compressor,
                          codec_elements elements);

}  // namespace tessera
