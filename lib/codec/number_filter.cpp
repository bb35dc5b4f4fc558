// SPDX-License-Identifier: Apache-2.0
#include "codec/number_filter.hpp"

#include "codec/buffer_checks.hpp"

namespace tessera::detail {

number_filter::number_filter(std::string_view id, number_type decoded, number_type encoded)
    : decoded_(decoded), encoded_(encoded), id_(id) {}

std::size_t number_filter::max_encoded_size(std::size_t decoded_size) const {
  const std::size_t count = (decoded_size + decoded_.size - 1) / decoded_.size;
  return count * encoded_.size;
}

std::size_t number_filter::workspace_size(std::size_t) const {
  return std::size_t{48} << 10;  // the strips on the stack
}

std::size_t number_filter::encode(std::span<const std::byte> in, std::span<std::byte> out) const {
  require_encode_room(id_, in.size(), max_encoded_size(in.size()), out.size());
  require_whole_elements(id_, in.size(), decoded_.size);
  const std::size_t count = in.size() / decoded_.size;
  encode_numbers(in.data(), count, out.data());
  return count * encoded_.size;
}

std::size_t number_filter::decode_at_most(std::span<const std::byte> in,
                                          std::span<std::byte> out) const {
  require_whole_elements(id_, in.size(), encoded_.size);
  const std::size_t count = in.size() / encoded_.size;
  if (count > out.size() / decoded_.size) {
    require_decode_room(id_, count * decoded_.size, out.size());
  }
  decode_numbers(in.data(), count, out.data());
  return count * decoded_.size;
}

}  // namespace tessera::detail
