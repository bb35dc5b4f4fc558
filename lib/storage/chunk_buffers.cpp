// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/chunk_buffers.hpp"

#include "tessera/core/error.hpp"

#include <fmt/format.h>
#include <limits>
#include <new>

namespace tessera {

chunk_buffers::chunk_buffers(std::size_t decoded_size, std::size_t encoded_size,
                             const std::string& array)
    : decoded_size_(decoded_size), encoded_size_(encoded_size) {
  const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
  const bool fits = decoded_size_ <= most && encoded_size_ <= most - decoded_size_;
  if (fits) memory_.reset(new (std::nothrow) std::byte[decoded_size_ + encoded_size_]);
  if (memory_ == nullptr) {
    throw memory_error(fmt::format("{}: there is no memory for a chunk of {} B and its encoding",
                                   array, decoded_size_));
  }
}

}  // namespace tessera
