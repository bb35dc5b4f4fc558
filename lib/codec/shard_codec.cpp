// SPDX-License-Identifier: Apache-2.0
#include "codec/api/shard_codec.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"

#include "codec/buffer_checks.hpp"
#include "codec/error_context.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tessera::detail {

namespace {

constexpr std::string_view codec_id = "sharding_indexed";

/// Returns the bytes of a box. Throws codec_error beyond 2^63 - 1.
std::size_t bytes_of(const index_vector& shape, std::size_t itemsize) {
  auto size = static_cast<index_t>(itemsize);
  for (const index_t extent : shape) {
    if (!__builtin_mul_overflow(size, extent, &size)) continue;
    throw codec_error(fmt::format("codec {}: a shard {} of {} B elements has more than 2^63 - 1 B",
                                  codec_id, format_shape(shape), itemsize));
  }
  return static_cast<std::size_t>(size);
}

/// Returns the row-major strides of a box, in elements.
index_vector strides_in(const index_vector& shape) {
  index_vector strides(shape.size());
  index_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

class shard_codec final : public byte_codec {
 public:
  /// More than a host has; sums of a few such sizes do not overflow.
  static constexpr std::size_t greatest_bound = std::size_t{1} << 56;
  /// Small parts are joined to pieces of this size, and large ones are passed on as they are.
  static constexpr std::size_t usual_piece = std::size_t{1} << 20;
  static constexpr std::size_t least_direct = std::size_t{1} << 18;

  shard_codec(shard_layout layout, std::shared_ptr<const byte_codec> inner)
      : layout_(std::move(layout)),
        inner_(std::move(inner)),
        parts_(parts_of_shard(layout_.shape, layout_.part_shape)),
        num_parts_(num_parts(parts_)),
        shard_bytes_(bytes_of(layout_.shape, layout_.itemsize)),
        part_bytes_(bytes_of(layout_.part_shape, layout_.itemsize)),
        part_bound_(inner_ == nullptr ? part_bytes_ : inner_->max_encoded_size(part_bytes_)),
        index_bytes_(index_size(layout_.index, parts_)),
        shard_strides_(strides_in(layout_.shape)),
        part_strides_(permuted_strides()) {
    layout_.fill.resize(layout_.itemsize);
    std::size_t bound = 0;
    if (__builtin_mul_overflow(num_parts_, part_bound_, &bound) ||
        __builtin_add_overflow(bound, index_bytes_, &bound) || bound > greatest_bound) {
      throw codec_error(fmt::format("codec {}: {} parts of up to {} B are too many for a shard",
                                    codec_id, num_parts_, part_bound_));
    }
  }

  [[nodiscard]] std::string_view id() const override { return codec_id; }

  [[nodiscard]] std::string to_json() const override {
    return fmt::format(
        "{{\"id\":\"{}\",\"chunk_shape\":[{}],\"codec\":{},\"index_location\":\"{}\"}}", codec_id,
        fmt::join(layout_.part_shape.begin(), layout_.part_shape.end(), ","),
        inner_ == nullptr ? "null" : inner_->to_json(),
        layout_.index.is_at_start ? "start" : "end");
  }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    const std::size_t count = decoded_size / part_bytes_ + (decoded_size % part_bytes_ != 0);
    std::size_t bound = 0;
    if (__builtin_mul_overflow(count, part_bound_, &bound) ||
        __builtin_add_overflow(bound, index_bytes_, &bound)) {
      throw codec_error(
          fmt::format("codec {}: {} B are too many for a shard", codec_id, decoded_size));
    }
    return bound;
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t) const override {
    constexpr std::size_t allocator = 8192;  // rounding by the allocator, and extents
    const std::size_t inner = inner_ == nullptr ? 0 : inner_->workspace_size(part_bytes_);
    return part_bytes_ + inner + allocator;
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_shard(in.size());
    require_encode_room(codec_id, in.size(), max_encoded_size(in.size()), out.size());
    const auto scratch = std::make_unique_for_overwrite<std::byte[]>(part_bytes_);
    const std::span<std::byte> part(scratch.get(), part_bytes_);
    // An index at the end is built behind all parts, and moved to its place.
    const std::size_t index_begin = layout_.index.is_at_start ? 0 : out.size() - index_bytes_;
    shard_index_writer index(layout_.index, parts_, out.subspan(index_begin, index_bytes_));
    std::size_t end = layout_.index.is_at_start ? index_bytes_ : 0;
    for_each_part([&](std::size_t number, index_t first) {
      const auto size = encode_part(in, first, part, out.subspan(end, part_bound_));
      if (!size) return;
      index.set(number, {end, *size});
      end += *size;
    });
    index.finish();
    if (layout_.index.is_at_start) return end;
    std::memmove(out.data() + end, out.data() + index_begin, index_bytes_);
    return end + index_bytes_;
  }

  [[nodiscard]] bool has_pieces() const { return !layout_.index.is_at_start; }

  /// The index is built at the end of `room`, and pieces of several parts in front of it.
  void encode_in_pieces(std::span<const std::byte> in, std::span<std::byte> room,
                        const piece_sink& append) const {
    require_shard(in.size());
    require_encode_room(codec_id, in.size(), max_encoded_size(in.size()), room.size());
    shard_index_writer index(layout_.index, parts_, room.last(index_bytes_));
    const std::size_t longest = std::max(part_bound_, usual_piece);
    const bool is_dense = has_dense_parts() && part_bytes_ >= least_direct;
    const auto scratch = std::make_unique_for_overwrite<std::byte[]>(part_bytes_);
    std::size_t end = 0;
    std::size_t filled = 0;
    const auto flush = [&] { append(room.first(std::exchange(filled, 0))); };
    for_each_part([&](std::size_t number, index_t first) {
      std::optional<std::size_t> size = part_bytes_;
      if (is_dense) {
        append(in.subspan(byte_offset(first), part_bytes_));
      } else {
        if (filled + part_bound_ > longest) flush();
        size =
            encode_part(in, first, {scratch.get(), part_bytes_}, room.subspan(filled, part_bound_));
        if (!size) return;
        filled += *size;
      }
      index.set(number, {end, *size});
      end += *size;
    });
    if (filled > 0) flush();
    index.finish();
    append(room.last(index_bytes_));
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    require_decode_room(codec_id, shard_bytes_, out.size());
    const shard_index index = shard_index::of_value(layout_.index, parts_, in);
    const auto scratch = std::make_unique_for_overwrite<std::byte[]>(part_bytes_);
    const std::span<std::byte> part(scratch.get(), part_bytes_);
    for_each_part([&](std::size_t number, index_t first) {
      std::byte* const begin = out.data() + byte_offset(first);
      const bool is_fixed = inner_ == nullptr || layout_.is_fixed_size;
      const auto stored = index.part(number, in.size(), part_bound_, is_fixed);
      if (!stored) {
        strided_fill(begin, shard_strides_, layout_.part_shape, layout_.fill.data(),
                     layout_.itemsize);
        return;
      }
      const auto encoded = in.subspan(stored->offset, stored->size);
      decode_part(number, encoded, part);
      strided_copy(begin, shard_strides_, inner_ == nullptr ? encoded.data() : part.data(),
                   part_strides_, layout_.part_shape, layout_.itemsize);
    });
    return shard_bytes_;
  }

 private:
  void require_shard(std::size_t size) const {
    if (size == shard_bytes_) return;
    throw codec_error(fmt::format("codec {}: a shard {} must have {} B, found {} B", codec_id,
                                  format_shape(layout_.shape), shard_bytes_, size));
  }

  [[nodiscard]] std::size_t byte_offset(index_t element) const {
    return static_cast<std::size_t>(element) * layout_.itemsize;
  }

  /// Returns the strides of a part's bytes along the axes of the shard.
  [[nodiscard]] index_vector permuted_strides() const {
    if (layout_.order.empty()) return strides_in(layout_.part_shape);
    index_vector extents(layout_.order.size());
    for (std::size_t i = 0; i < extents.size(); ++i) {
      extents[i] = layout_.part_shape[static_cast<std::size_t>(layout_.order[i])];
    }
    const index_vector inner = strides_in(extents);
    index_vector strides(extents.size());
    for (std::size_t i = 0; i < extents.size(); ++i) {
      strides[static_cast<std::size_t>(layout_.order[i])] = inner[i];
    }
    return strides;
  }

  /// Calls `f` with the number of each part, row by row, and with its first element in the shard.
  template <class F>
  void for_each_part(F f) const {
    index_vector part(parts_.size());
    for (std::size_t number = 0; number < num_parts_; ++number) {
      index_t first = 0;
      for (std::size_t axis = 0; axis < parts_.size(); ++axis) {
        first += part[axis] * layout_.part_shape[axis] * shard_strides_[axis];
      }
      f(number, first);
      for (std::size_t axis = parts_.size(); axis-- > 0;) {
        if (++part[axis] < parts_[axis]) break;
        part[axis] = 0;
      }
    }
  }

  [[nodiscard]] bool is_fill(std::span<const std::byte> part) const {
    const std::size_t size = layout_.itemsize;
    return std::memcmp(part.data(), layout_.fill.data(), size) == 0 &&
           std::memcmp(part.data(), part.data() + size, part.size() - size) == 0;
  }

  /// Encodes the part that begins at element `first`. Returns its size, or nullopt if it is left
  /// out. `scratch` holds a decoded part.
  [[nodiscard]] std::optional<std::size_t> encode_part(std::span<const std::byte> in, index_t first,
                                                       std::span<std::byte> scratch,
                                                       std::span<std::byte> out) const {
    const std::span<std::byte> part = inner_ == nullptr ? out.first(part_bytes_) : scratch;
    strided_copy(part.data(), part_strides_, in.data() + byte_offset(first), shard_strides_,
                 layout_.part_shape, layout_.itemsize);
    if (layout_.skips_fill && is_fill(part)) return std::nullopt;
    return inner_ == nullptr ? part_bytes_ : inner_->encode(part, out);
  }

  /// Tells whether the bytes of a part are stored as they lie in the shard.
  [[nodiscard]] bool has_dense_parts() const {
    if (inner_ != nullptr || layout_.skips_fill) return false;
    for (std::size_t axis = 0; axis < part_strides_.size(); ++axis) {
      const bool is_alike = part_strides_[axis] == shard_strides_[axis];
      if (layout_.part_shape[axis] > 1 && !is_alike) return false;
    }
    return true;
  }

  /// Decodes a part, unless its bytes are stored as they are.
  void decode_part(std::size_t number, std::span<const std::byte> encoded,
                   std::span<std::byte> part) const {
    if (inner_ == nullptr) return;
    with_error_context(
        [&] { inner_->decode(encoded, part); },
        [&] { return fmt::format("codec {}: part {} of {}", codec_id, number, num_parts_); });
  }

  shard_layout layout_;
  std::shared_ptr<const byte_codec> inner_;
  index_vector parts_;
  std::size_t num_parts_;
  std::size_t shard_bytes_;
  std::size_t part_bytes_;
  std::size_t part_bound_;
  std::size_t index_bytes_;
  index_vector shard_strides_;
  index_vector part_strides_;
};

}  // namespace

std::shared_ptr<const byte_codec> make_shard_codec(shard_layout layout,
                                                   std::shared_ptr<const byte_codec> inner) {
  return std::make_shared<shard_codec>(std::move(layout), std::move(inner));
}

bool encode_in_pieces(const byte_codec& shard, std::span<const std::byte> in,
                      std::span<std::byte> room, const piece_sink& append) {
  const auto* const codec = dynamic_cast<const shard_codec*>(&shard);
  if (codec == nullptr || !codec->has_pieces()) return false;
  codec->encode_in_pieces(in, room, append);
  return true;
}

index_vector parts_of_shard(const index_vector& shape, const index_vector& part_shape) {
  bool divides = shape.size() == part_shape.size();
  index_vector parts(shape.size());
  for (std::size_t axis = 0; divides && axis < shape.size(); ++axis) {
    divides = part_shape[axis] >= 1 && shape[axis] % part_shape[axis] == 0;
    if (divides) parts[axis] = shape[axis] / part_shape[axis];
  }
  if (divides) return parts;
  throw codec_error(fmt::format("codec {}: the part's shape {} must divide the shard's, {}",
                                codec_id, format_shape(part_shape), format_shape(shape)));
}

}  // namespace tessera::detail
