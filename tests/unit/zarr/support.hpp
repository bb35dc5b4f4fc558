// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Helpers of the tests of stored arrays: small arrays of int32 and their values.

#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing::zarr {

using buffer = std::vector<std::byte>;

inline std::shared_ptr<memory_store> in_memory() { return std::make_shared<memory_store>(); }

inline void put(key_value_store& store, const std::string& key, std::string_view text) {
  store.write(key, std::as_bytes(std::span(text)));
}

/// The message of the Tessera error of type `E` that `f` throws.
template <class E, class F>
std::string refusal_of(F f) {
  try {
    f();
  } catch (const E& failure) {
    return failure.what();
  }
  ADD_FAILURE() << "the error expected was not thrown";
  return {};
}

inline zarr_metadata plain_int32(index_vector shape, index_vector chunks) {
  return {.shape = shape,
          .chunks = chunks,
          .dtype = dtype::int32,
          .compressor = codec::none{},
          .fill_value = element_bytes(std::int32_t{-1})};
}

inline std::vector<std::int32_t> read_all(const zarr_array& array) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(num_elements(array.shape())));
  buffer decoded(array.decoded_bytes());
  buffer encoded(array.encoded_bound());
  array.read_region(region::whole(array.shape()), std::as_writable_bytes(std::span(values)),
                    decoded, encoded);
  return values;
}

inline void write_iota(const zarr_array& array, const index_vector& chunk, std::int32_t first) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(num_elements(array.chunks())));
  std::iota(values.begin(), values.end(), first);
  buffer encoded(array.encoded_bound());
  buffer scratch(array.write_scratch_bytes());
  array.write_chunk(chunk, reinterpret_cast<const std::byte*>(values.data()), encoded, scratch);
}

}  // namespace tessera::testing::zarr
