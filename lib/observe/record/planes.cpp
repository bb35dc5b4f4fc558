// SPDX-License-Identifier: Apache-2.0
#include "observe/record/planes.hpp"

#include <numeric>

namespace tessera {

std::string planes_of(std::vector<std::uint64_t> numbers) {
  std::string column;
  while (!numbers.empty()) {
    std::size_t num_left = 0;
    for (const std::uint64_t number : numbers) {
      const bool has_more = number >= 0x80;
      column.push_back(static_cast<char>(has_more ? number | 0x80 : number));
      if (has_more) numbers[num_left++] = number >> 7;
    }
    numbers.resize(num_left);
  }
  return column;
}

std::optional<std::vector<std::uint64_t>> take_planes(std::string_view& bytes, std::size_t count) {
  constexpr int last_shift = 63;
  if (count > bytes.size()) return std::nullopt;
  std::vector<std::uint64_t> numbers(count);
  std::vector<std::size_t> open(count);
  std::iota(open.begin(), open.end(), std::size_t{0});
  for (int shift = 0; !open.empty(); shift += 7) {
    const std::size_t plane_size = open.size();
    if (shift > last_shift || plane_size > bytes.size()) return std::nullopt;
    std::size_t num_left = 0;
    for (std::size_t i = 0; i < plane_size; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      const std::uint64_t digits = byte & 0x7F;
      if (shift == last_shift && digits > 1) return std::nullopt;
      numbers[open[i]] |= digits << shift;
      if (byte >= 0x80) open[num_left++] = open[i];
    }
    bytes.remove_prefix(plane_size);
    open.resize(num_left);
  }
  return numbers;
}

}  // namespace tessera
