// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The buffers that reading and writing the chunks of one array take.

#include <cstddef>
#include <memory>
#include <span>

namespace tessera {

class zarr_array;

/// The two buffers of a `zarr_array`, for callers that do not count them.
///
/// Memory: `array.decoded_bytes() + array.encoded_bound()`; only the bytes of a chunk are touched.
class chunk_buffers {
 public:
  /// Throws: memory_error <- there is not so much memory, as for chunks of a size that only a
  /// hostile file states.
  explicit chunk_buffers(const zarr_array& array);

  [[nodiscard]] std::span<std::byte> decoded() { return {memory_.get(), decoded_size_}; }
  [[nodiscard]] std::span<std::byte> encoded() {
    return {memory_.get() + decoded_size_, encoded_size_};
  }

 private:
  std::size_t decoded_size_;
  std::size_t encoded_size_;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace tessera
