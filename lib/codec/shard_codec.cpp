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
    for_each_part(region::whole(parts_), shard_strides_, [&](std::size_t number, index_t first) {
      const std::byte* const elements = in.data() + byte_offset(first);
      const auto size =
          encode_part({elements, shard_strides_}, part, out.subspan(end, part_bound_));
      if (!size) return;
      index.set(number, {end, *size});
      end += *size;
    });
    index.finish();
    if (layout_.index.is_at_start) return end;
    std::memmove(out.data() + end, out.data() + index_begin, index_bytes_);
    return end + index_bytes_;
  }

  [[nodiscard]] bool is_index_first() const { return layout_.index.is_at_start; }

  [[nodiscard]] const index_vector& shape() const { return layout_.shape; }

  [[nodiscard]] shard_index_writer index_in(std::span<std::byte> encoded) const {
    return {layout_.index, parts_, encoded};
  }

  [[nodiscard]] piece_memory memory_for_pieces() const {
    const std::size_t longest = std::max(part_bound_, usual_piece);
    return {std::min(longest, num_parts_ * part_bound_), index_bytes_};
  }

  /// Encodes the parts of `box`, a box of the shard with elements of `strides`, and passes on
  /// pieces of several parts in `room`. `end` is the end of the earlier parts in the shard.
  void encode_parts(const region& box, std::span<const std::byte> in, const index_vector& strides,
                    std::span<std::byte> room, shard_index_writer& index, std::uint64_t& end,
                    const piece_sink& append) const {
    const region parts = parts_in(box);
    const std::size_t longest = memory_for_pieces().encoded;
    require_elements(box.shape(), in.size());
    require_encode_room(codec_id, in.size(), longest, room.size());
    const bool is_dense = has_dense_parts(strides) && part_bytes_ >= least_direct;
    const auto scratch = std::make_unique_for_overwrite<std::byte[]>(part_bytes_);
    std::size_t filled = 0;
    const auto flush = [&] { append(room.first(std::exchange(filled, 0))); };
    for_each_part(parts, strides, [&](std::size_t number, index_t first) {
      std::optional<std::size_t> size = part_bytes_;
      if (is_dense) {
        append(in.subspan(byte_offset(first), part_bytes_));
      } else {
        if (filled + part_bound_ > longest) flush();
        size = encode_part({in.data() + byte_offset(first), strides}, {scratch.get(), part_bytes_},
                           room.subspan(filled, part_bound_));
        if (!size) return;
        filled += *size;
      }
      index.set(number, {end, *size});
      end += *size;
    });
    if (filled > 0) flush();
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    require_decode_room(codec_id, shard_bytes_, out.size());
    const shard_index index = shard_index::of_value(layout_.index, parts_, in);
    const auto scratch = std::make_unique_for_overwrite<std::byte[]>(part_bytes_);
    const std::span<std::byte> part(scratch.get(), part_bytes_);
    for_each_part(region::whole(parts_), shard_strides_, [&](std::size_t number, index_t first) {
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

  /// Throws codec_error unless `size` bytes are the elements of a box of `extents`.
  void require_elements(const index_vector& extents, std::size_t size) const {
    const auto count = static_cast<std::size_t>(num_elements(extents));
    if (size == count * layout_.itemsize) return;
    throw codec_error(fmt::format("codec {}: elements of {} must have {} B, found {} B", codec_id,
                                  format_shape(extents), count * layout_.itemsize, size));
  }

  /// Returns the parts of `box`, a box of the shard that is made of whole parts.
  [[nodiscard]] region parts_in(const region& box) const {
    region parts = box;
    bool is_made_of_parts = region::whole(layout_.shape).contains(box);
    for (std::size_t axis = 0; is_made_of_parts && axis < parts.rank(); ++axis) {
      const index_t extent = layout_.part_shape[axis];
      is_made_of_parts = box.start[axis] % extent == 0 && box.stop[axis] % extent == 0;
      parts.start[axis] /= extent;
      parts.stop[axis] /= extent;
    }
    if (is_made_of_parts) return parts;
    throw codec_error(fmt::format("codec {}: found {}, which is no box of parts {} of a shard {}",
                                  codec_id, format_region(box), format_shape(layout_.part_shape),
                                  format_shape(layout_.shape)));
  }

  /// Calls `f` with the number of each of `parts`, row by row, and with its first element, counted
  /// in `strides` from that of the first part.
  template <class F>
  void for_each_part(const region& parts, const index_vector& strides, F f) const {
    const index_vector extents = parts.shape();
    index_vector position(extents.size());
    do {
      index_vector part = parts.start;
      index_t first = 0;
      for (std::size_t axis = 0; axis < part.size(); ++axis) {
        part[axis] += position[axis];
        first += position[axis] * layout_.part_shape[axis] * strides[axis];
      }
      f(part_number(part, parts_), first);
    } while (next_position(position, extents));
  }

  [[nodiscard]] bool is_fill(std::span<const std::byte> part) const {
    const std::size_t size = layout_.itemsize;
    return std::memcmp(part.data(), layout_.fill.data(), size) == 0 &&
           std::memcmp(part.data(), part.data() + size, part.size() - size) == 0;
  }

  /// Elements in memory, with their strides.
  struct part_elements {
    const std::byte* first;
    const index_vector& strides;
  };

  /// Encodes a part. Returns its size, or nullopt if it is left out. `scratch` holds a decoded
  /// part.
  [[nodiscard]] std::optional<std::size_t> encode_part(const part_elements& from,
                                                       std::span<std::byte> scratch,
                                                       std::span<std::byte> out) const {
    const std::span<std::byte> part = inner_ == nullptr ? out.first(part_bytes_) : scratch;
    strided_copy(part.data(), part_strides_, from.first, from.strides, layout_.part_shape,
                 layout_.itemsize);
    if (layout_.skips_fill && is_fill(part)) return std::nullopt;
    return inner_ == nullptr ? part_bytes_ : inner_->encode(part, out);
  }

  /// Tells whether the bytes of a part are stored as they lie in elements of `strides`.
  [[nodiscard]] bool has_dense_parts(const index_vector& strides) const {
    if (inner_ != nullptr || layout_.skips_fill) return false;
    for (std::size_t axis = 0; axis < part_strides_.size(); ++axis) {
      const bool is_alike = part_strides_[axis] == strides[axis];
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

/// The parts of a shard that leave as they come. In front of the first part, an index that comes
/// first leaves as well, to keep room for the complete one.
class part_encoder final : public shard_encoder {
 public:
  part_encoder(const shard_codec& codec, std::span<std::byte> index, shard_sink sink)
      : codec_(codec),
        encoded_index_(index.first(codec.memory_for_pieces().index)),
        index_(codec.index_in(encoded_index_)),
        sink_(std::move(sink)),
        begin_(codec.is_index_first() ? encoded_index_.size() : 0),
        end_(begin_) {
    if (!codec.is_index_first() || sink_.write_front) return;
    throw codec_error(
        fmt::format("codec {}: the index comes first, and pieces can be appended only", codec_id));
  }

  void add(const region& box, std::span<const std::byte> elements, const index_vector& strides,
           std::span<std::byte> room) override {
    codec_.encode_parts(box, elements, strides, room, index_, end_, [this](const auto& piece) {
      if (codec_.is_index_first() && !std::exchange(has_room_, true)) sink_.append(encoded_index_);
      sink_.append(piece);
    });
  }
  [[nodiscard]] bool is_empty() const override { return end_ == begin_; }
  void finish() override {
    index_.finish();
    (has_room_ ? sink_.write_front : sink_.append)(encoded_index_);
  }

 private:
  const shard_codec& codec_;
  std::span<std::byte> encoded_index_;
  shard_index_writer index_;
  shard_sink sink_;
  std::uint64_t begin_;
  std::uint64_t end_;
  /// Whether room for the index has been appended.
  bool has_room_ = false;
};

}  // namespace

std::shared_ptr<const byte_codec> make_shard_codec(shard_layout layout,
                                                   std::shared_ptr<const byte_codec> inner) {
  return std::make_shared<shard_codec>(std::move(layout), std::move(inner));
}

std::optional<piece_memory> memory_for_pieces(const byte_codec& shard) {
  const auto* const codec = dynamic_cast<const shard_codec*>(&shard);
  return codec == nullptr ? std::nullopt : std::optional(codec->memory_for_pieces());
}

std::unique_ptr<shard_encoder> make_shard_encoder(const byte_codec& shard,
                                                  std::span<std::byte> index, shard_sink sink) {
  const auto* const codec = dynamic_cast<const shard_codec*>(&shard);
  if (codec == nullptr) {
    throw codec_error(fmt::format("codec {}: encodes no shards in pieces", shard.id()));
  }
  const std::size_t index_bytes = codec->memory_for_pieces().index;
  require_encode_room(codec_id, index_bytes, index_bytes, index.size());
  return std::make_unique<part_encoder>(*codec, index, std::move(sink));
}

bool encode_in_pieces(const byte_codec& shard, std::span<const std::byte> in,
                      std::span<std::byte> room, const shard_sink& sink) {
  const auto* const codec = dynamic_cast<const shard_codec*>(&shard);
  if (codec == nullptr) return false;
  const auto [encoded, index] = codec->memory_for_pieces();
  require_encode_room(codec_id, in.size(), encoded + index, room.size());
  part_encoder encoder(*codec, room.subspan(encoded, index), sink);
  encoder.add(region::whole(codec->shape()), in, strides_in(codec->shape()), room.first(encoded));
  encoder.finish();
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
