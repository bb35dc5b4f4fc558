// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_metadata.hpp"

#include "tessera/core/error.hpp"

#include "codec/api/codec_chain.hpp"
#include "json/scanner.hpp"
#include "zarr/v2/format.hpp"
#include "zarr/v3/array_metadata.hpp"
#include "zarr/v3/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace {

/// Throws zarr_error unless an array of `extents` has at most 2^63 - 1 elements and bytes.
void require_count(const char* name, const index_vector& extents, std::size_t itemsize) {
  index_t count = 1;
  index_t size = static_cast<index_t>(itemsize);
  const bool is_empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  for (const index_t extent : is_empty ? index_vector{} : extents) {
    if (__builtin_mul_overflow(count, extent, &count)) {
      throw zarr_error(
          fmt::format("\"{}\" {} has more than 2^63 - 1 elements; take smaller extents", name,
                      format_shape(extents)));
    }
  }
  if (__builtin_mul_overflow(count, size, &size)) {
    throw zarr_error(
        fmt::format("\"{}\" {} of {} B elements has more than 2^63 - 1 B; take smaller extents",
                    name, format_shape(extents), itemsize));
  }
}

/// Tells whether `text` is the document of an array of version 3.
bool is_of_version_3(std::string_view text) {
  try {
    for (const detail::json_member& member : detail::members_of(text, "")) {
      if (member.name == "zarr_format") return member.value_text == "3";
    }
  } catch (const zarr_error&) {
    // The parser of version 2 reports the fault.
  }
  return false;
}

}  // namespace

zarr_metadata zarr_metadata::parse(std::string_view json) {
  return is_of_version_3(json) ? detail::v3::parse_metadata(json)
                               : detail::v2::parse_metadata(json);
}

std::string zarr_metadata::to_json() const {
  return format == 3 ? detail::v3::format_metadata(*this) : detail::v2::format_metadata(*this);
}

std::shared_ptr<const byte_codec> zarr_metadata::make_codec() const {
  if (format == 3) return detail::v3::document_of(*this).make_chunk_codec();
  return make_codec_chain(filters, compressor, dtype.stored_elements());
}

void zarr_metadata::complete_filters() {
  complete_codec_chain(filters, compressor, dtype.stored_elements());
}

void zarr_metadata::validate() const {
  if (shape.size() != chunks.size()) {
    throw zarr_error(
        fmt::format("\"chunks\" must have one length per axis of \"shape\", found {} "
                    "for {}",
                    format_shape(chunks), format_shape(shape)));
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 0 || chunks[axis] < 1) {
      throw zarr_error(
          fmt::format("extents must be at least 0 and chunk lengths at least 1, found "
                      "shape {} and chunks {}",
                      format_shape(shape), format_shape(chunks)));
    }
  }
  if (format == 3) {
    detail::v3::validate(*this);
  } else {
    detail::v2::validate(*this);
  }
  require_count("shape", shape, dtype.itemsize());
  require_count("chunks", chunks, dtype.itemsize());
  if (!shards.empty()) require_count("shards", shards, dtype.itemsize());
}

}  // namespace tessera
