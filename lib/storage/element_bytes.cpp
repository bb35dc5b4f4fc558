// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/element_bytes.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera {

bool element_bytes::operator==(const element_bytes& rhs) const {
  const std::size_t common = std::min(size(), rhs.size());
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  const auto end = static_cast<std::ptrdiff_t>(common);
  return std::equal(bytes_.begin(), bytes_.begin() + end, rhs.bytes_.begin()) &&
         std::all_of(bytes_.begin() + end, bytes_.end(), is_zero) &&
         std::all_of(rhs.bytes_.begin() + end, rhs.bytes_.end(), is_zero);
}

}  // namespace tessera
