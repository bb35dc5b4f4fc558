// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/element_bytes.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace tessera {

element_bytes::element_bytes(std::span<const std::byte> bytes)
    : bytes_(bytes.begin(), bytes.end()) {
  reserve(least_size);
}

void element_bytes::reserve(std::size_t size) { bytes_.resize(std::max(bytes_.size(), size)); }

bool element_bytes::operator==(const element_bytes& rhs) const {
  const std::size_t common = std::min(size(), rhs.size());
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  const auto end = static_cast<std::ptrdiff_t>(common);
  return std::equal(bytes_.begin(), bytes_.begin() + end, rhs.bytes_.begin()) &&
         std::all_of(bytes_.begin() + end, bytes_.end(), is_zero) &&
         std::all_of(rhs.bytes_.begin() + end, rhs.bytes_.end(), is_zero);
}

}  // namespace tessera
