// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whole chunks of Zarr version 3 in memory.

#include "tessera/core/strided_copy.hpp"

#include "unit/codec/hex.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/v3/array_document.hpp"

namespace tessera::testing {

/// Returns the strides of a dense chunk, the last axis the fastest.
inline index_vector row_major(const index_vector& shape) {
  index_vector strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  return strides;
}

/// Returns the strides of a chunk's bytes along the array's axes.
inline index_vector stored_strides(const detail::v3::array_document& document) {
  const index_vector& order = document.codecs.order;
  return detail::v3::unpermuted(row_major(detail::v3::permuted(document.grid_chunks, order)),
                                order);
}

/// Returns the elements of a whole chunk in row-major order and this machine's byte order.
inline buffer decode_chunk(const detail::v3::array_document& document, const buffer& value) {
  const std::size_t itemsize = document.dtype.itemsize();
  buffer stored(itemsize * static_cast<std::size_t>(num_elements(document.grid_chunks)));
  if (const auto codec = document.make_codec()) {
    codec->decode(value, stored);
  } else {
    stored = value;
  }
  detail::make_native(stored, document.dtype);
  buffer result(stored.size());
  detail::strided_copy(result.data(), row_major(document.grid_chunks), stored.data(),
                       stored_strides(document), document.grid_chunks, itemsize);
  return result;
}

/// Returns the stored bytes of a chunk.
inline buffer encode_chunk(const detail::v3::array_document& document, const buffer& elements,
                           bool skips_fill) {
  buffer stored(elements.size());
  detail::strided_copy(stored.data(), stored_strides(document), elements.data(),
                       row_major(document.grid_chunks), document.grid_chunks,
                       document.dtype.itemsize());
  detail::make_stored(stored, document.dtype);
  const auto codec = document.make_codec(skips_fill);
  return codec == nullptr ? stored : encoded(*codec, stored);
}

}  // namespace tessera::testing
