// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The buffers that reading and writing the chunks of one array take.

#include "tessera/core/array_source.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tessera {

/// The two buffers of an open array, for callers that do not count them.
///
/// Memory: a decoded chunk and an encoded one; only the bytes of a chunk are touched.
class chunk_buffers {
 public:
  /// Throws: memory_error <- there is not so much memory, as for chunks of a size that only a
  /// hostile file states.
  explicit chunk_buffers(const array_source& array)
      : chunk_buffers(array.read_cost().decoded, array.read_cost().encoded, array.name()) {}
  /// The buffers of a handle on an array, such as `zarr_array`.
  template <class Handle>
  requires requires(const Handle& array) {
    array.decoded_bytes();
    array.encoded_bound();
  }
  explicit chunk_buffers(const Handle& array)
      : chunk_buffers(array.decoded_bytes(), array.encoded_bound(), array.name()) {}

  [[nodiscard]] std::span<std::byte> decoded() { return {memory_.get(), decoded_size_}; }
  [[nodiscard]] std::span<std::byte> encoded() {
    return {memory_.get() + decoded_size_, encoded_size_};
  }

 private:
  chunk_buffers(std::size_t decoded_size, std::size_t encoded_size, const std::string& array);

  std::size_t decoded_size_;
  std::size_t encoded_size_;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace tessera
