// SPDX-License-Identifier: Apache-2.0
#include "store/http/request.hpp"

#include <algorithm>
#include <limits>

namespace tessera::http {

wanted_bytes wanted_part(const byte_range& range, std::size_t room) {
  using shape = wanted_bytes::shape;
  // Signed 64 bits, as servers have them.
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (range.count == 0 || room == 0) return {shape::range, 0, 1};
  if (range.from_end) return {shape::suffix, 0, std::min(range.count, most)};
  const std::uint64_t first = std::min(range.first, most - 1);
  return {shape::range, first, std::min<std::uint64_t>({range.count, room, most - first})};
}

std::string_view answer::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace tessera::http
