// SPDX-License-Identifier: Apache-2.0
#include "codec/api/shard_index.hpp"

#include "tessera/core/error.hpp"

#include "codec/checksum.hpp"

#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace tessera::detail {

namespace {

constexpr std::size_t word_size = 8;
constexpr std::size_t index_check_size = 4;
constexpr std::uint64_t missing = std::numeric_limits<std::uint64_t>::max();

/// Returns the position of byte `i` of a word, counted from the least significant one.
std::size_t byte_at(std::size_t i, std::endian order) {
  return order == std::endian::little ? i : word_size - 1 - i;
}

/// Returns the strides in words of the axes of the index [parts..., 2] in its encoding, whose axis
/// i is the index's axis order[i].
index_vector strides_of(const index_vector& order, const index_vector& parts) {
  index_vector strides(order.size());
  index_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    strides[axis] = stride;
    stride *= axis < parts.size() ? parts[axis] : 2;
  }
  return strides;
}

/// Returns the position of a word: row-major unless there are strides.
std::size_t position_of(std::size_t number, std::size_t member, const index_vector& parts,
                        const index_vector& strides) {
  if (strides.empty()) return 2 * number + member;
  index_t position = static_cast<index_t>(member) * strides.back();
  auto rest = static_cast<index_t>(number);
  for (std::size_t axis = parts.size(); axis-- > 0;) {
    position += rest % parts[axis] * strides[axis];
    rest /= parts[axis];
  }
  return static_cast<std::size_t>(position);
}

std::uint32_t read_check(std::span<const std::byte> bytes) {
  std::uint32_t check = 0;
  for (std::size_t i = 0; i < index_check_size; ++i) {
    check |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  }
  return check;
}

}  // namespace

std::size_t num_parts(const index_vector& parts) {
  constexpr index_t greatest = index_t{1} << 59;
  index_t count = 1;
  for (const index_t extent : parts) {
    if (extent > 0 && !__builtin_mul_overflow(count, extent, &count) && count <= greatest) continue;
    throw codec_error(
        fmt::format("codec sharding_indexed: a shard may have at most 2^59 parts, found {}: choose "
                    "larger parts",
                    format_shape(parts)));
  }
  return static_cast<std::size_t>(count);
}

std::size_t index_size(const shard_index_format& format, const index_vector& parts) {
  return num_parts(parts) * 2 * word_size + format.num_checks * index_check_size;
}

std::size_t part_number(const index_vector& part, const index_vector& parts) {
  index_t number = 0;
  for (std::size_t axis = 0; axis < parts.size(); ++axis)
    number = number * parts[axis] + part[axis];
  return static_cast<std::size_t>(number);
}

shard_index::shard_index(const shard_index_format& format, const index_vector& parts,
                         std::span<const std::byte> encoded)
    : words_(encoded), num_parts_(num_parts(parts)), byte_order_(format.byte_order) {
  if (encoded.size() != index_size(format, parts)) {
    throw codec_error(
        fmt::format("codec sharding_indexed: the index of {} parts must have {} B, found {} B",
                    num_parts_, index_size(format, parts), encoded.size()));
  }
  for (std::size_t i = 0; i < format.num_checks; ++i) {
    const auto payload = words_.first(words_.size() - index_check_size);
    const std::uint32_t stored = read_check(words_.last(index_check_size));
    const std::uint32_t computed = crc32c_of(payload);
    if (stored != computed) {
      throw codec_error(fmt::format(
          "codec sharding_indexed: the index is damaged: its check must be {:08x}, found {:08x}",
          stored, computed));
    }
    words_ = payload;
  }
  if (format.order.empty()) return;
  parts_ = parts;
  strides_ = strides_of(format.order, parts);
}

shard_index shard_index::of_value(const shard_index_format& format, const index_vector& parts,
                                  std::span<const std::byte> value) {
  const std::size_t size = index_size(format, parts);
  if (size > value.size()) {
    throw codec_error(
        fmt::format("codec sharding_indexed: a shard of {} parts begins or ends with an index of "
                    "{} B, but has {} B",
                    num_parts(parts), size, value.size()));
  }
  return {format, parts, format.is_at_start ? value.first(size) : value.last(size)};
}

std::uint64_t shard_index::word(std::size_t number, std::size_t member) const {
  const std::size_t begin = word_size * position_of(number, member, parts_, strides_);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < word_size; ++i) {
    value |= std::to_integer<std::uint64_t>(words_[begin + byte_at(i, byte_order_)]) << (8 * i);
  }
  return value;
}

std::optional<shard_part> shard_index::part(std::size_t number, std::uint64_t value_size,
                                            std::uint64_t bound, bool is_fixed) const {
  if (number >= num_parts_) {
    throw codec_error(
        fmt::format("codec sharding_indexed: there is no part {} of {}", number, num_parts_));
  }
  const shard_part part{word(number, 0), word(number, 1)};
  if (part.offset == missing && part.size == missing) return std::nullopt;
  const auto refuse = [&](std::string_view reason) {
    throw codec_error(fmt::format("codec sharding_indexed: part {} at byte {} of {} B {}", number,
                                  part.offset, part.size, reason));
  };
  if (part.offset == missing || part.size == missing) {
    refuse("has one of the two marks of a missing part");
  }
  if (part.offset > value_size || part.size > value_size - part.offset) {
    refuse(fmt::format("leaves the shard of {} B", value_size));
  }
  if (part.size > bound) refuse(fmt::format("must have at most {} B", bound));
  if (is_fixed && part.size != bound) refuse(fmt::format("must have {} B", bound));
  return part;
}

shard_index_writer::shard_index_writer(const shard_index_format& format, const index_vector& parts,
                                       std::span<std::byte> encoded)
    : encoded_(encoded.first(index_size(format, parts))),
      num_parts_(num_parts(parts)),
      num_checks_(format.num_checks),
      byte_order_(format.byte_order) {
  if (!format.order.empty()) {
    parts_ = parts;
    strides_ = strides_of(format.order, parts);
  }
  for (std::byte& byte : encoded_) byte = std::byte{0xFF};
}

void shard_index_writer::set(std::size_t number, const shard_part& part) {
  set_word(number, 0, part.offset);
  set_word(number, 1, part.size);
}

void shard_index_writer::set_word(std::size_t number, std::size_t member, std::uint64_t value) {
  const std::size_t begin = word_size * position_of(number, member, parts_, strides_);
  for (std::size_t i = 0; i < word_size; ++i) {
    encoded_[begin + byte_at(i, byte_order_)] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
  }
}

void shard_index_writer::finish() {
  std::size_t size = num_parts_ * 2 * word_size;
  for (std::size_t i = 0; i < num_checks_; ++i) {
    const std::uint32_t check = crc32c_of(encoded_.first(size));
    for (std::size_t k = 0; k < index_check_size; ++k) {
      encoded_[size + k] = static_cast<std::byte>(check >> (8 * k) & 0xFF);
    }
    size += index_check_size;
  }
}

}  // namespace tessera::detail
