// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The filters and the compressor of an array as one codec.

#include "tessera/codec/byte_codec.hpp"
#include "tessera/codec/configuration.hpp"

#include <memory>
#include <span>
#include <vector>

namespace tessera {

/// Returns one codec that encodes with each of `filters` in order and then with `compressor`, and
/// decodes in the opposite order; a null pointer if there is neither.
///
/// A single codec is returned as it is, so that it costs nothing to ask for a chain.
///
/// Memory: `workspace_size` counts the buffers between the codecs, of which two live at a time.
/// Throws: codec_error <- a codec does not fit the elements that it is given; the message names it
/// by its place in Zarr metadata, as "filters[1]".
[[nodiscard]] std::shared_ptr<const byte_codec> make_codec_chain(
    std::span<const codec::configuration> filters, const codec::configuration& compressor,
    codec_elements elements);

/// Returns one codec that encodes with each of `codecs` in order, a null pointer if there are none.
///
/// Memory: as `make_codec_chain`.
[[nodiscard]] std::shared_ptr<const byte_codec> join_codecs(
    std::vector<std::shared_ptr<const byte_codec>> codecs);

/// Completes `filters` and `compressor`: an option of a dtype that is not set gets the dtype of the
/// codec's elements. `elements` are those of the first one.
///
/// Throws: as `make_codec_chain`.
void complete_codec_chain(std::span<codec::configuration> filters, codec::configuration& compressor,
                          codec_elements elements);

}  // namespace tessera
