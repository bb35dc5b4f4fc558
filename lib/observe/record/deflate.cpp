// SPDX-License-Identifier: Apache-2.0
#include "observe/record/deflate.hpp"

#include <algorithm>
#include <new>
#include <zlib.h>

namespace tessera {

std::string deflated(std::string_view bytes, int level) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level);
  if (status != Z_OK) throw std::bad_alloc();
  packed.resize(size);
  return packed;
}

std::optional<std::string> inflated(std::string_view packed, std::size_t most) {
  // Deflate stores at most 1,032 bytes in one: a small text never asks for much memory.
  constexpr std::size_t most_per_byte = 1032;
  uLongf size = std::min(most, (packed.size() + 1) * most_per_byte);
  std::string bytes(size, '\0');
  uLong num_read = packed.size();
  const int status = uncompress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                 reinterpret_cast<const Bytef*>(packed.data()), &num_read);
  if (status != Z_OK || num_read != packed.size()) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace tessera
