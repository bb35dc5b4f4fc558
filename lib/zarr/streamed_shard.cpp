// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shards that are written piece by piece, as they are encoded.
///
/// A value grows in a file, in a store in memory, or as parts of an upload to a server; no reader
/// sees it before it is whole. Offsets in the index count from the begin of the value, so that
/// chunks may lie in the order in which tasks compute them. The index is known last. If it comes
/// first, its size is known, and it is written into room in front of the chunks. The parts of an
/// upload cannot be changed: shards with the index in front are encoded at once there.

#include "tessera/core/error.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/store/memory_store.hpp"

#include "codec/api/shard_codec.hpp"
#include "core/api/added_time.hpp"
#include "store/api/front_writer.hpp"
#include "store/api/memory_folder.hpp"
#include "store/api/writer_memory.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/array_state.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/kept_index.hpp"
#include "zarr/native_bytes.hpp"

#include <chrono>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace tessera::detail {

namespace {

/// A shard that grows as its chunks are encoded.
class growing_shard final : public shard_stream {
 public:
  growing_shard(const zarr_array_state& array, std::span<const index_t> shard,
                std::span<std::byte> index)
      : array_(array),
        key_(array, shard),
        encoder_(make_shard_encoder(
            *array.unit().codec, index,
            {[this](std::span<const std::byte> piece) { put(piece); },
             [this](std::span<const std::byte> front) { put_in_front(front); }})) {}

  void append(const region& box, std::span<std::byte> elements,
              std::span<std::byte> encoded) override {
    make_stored(elements, array_.metadata.dtype);
    const stored_shards& shards = *array_.shards;
    append_stored({in_index(shards, box.start), in_index(shards, box.stop)}, elements,
                  in_index(shards, row_major_strides(box.shape())), encoded);
  }
  /// Appends the chunks of `box`. The axes of `box` and `strides` are the axes of the index, and
  /// `elements` are in the stored byte order.
  void append_stored(const region& box, std::span<const std::byte> elements,
                     const index_vector& strides, std::span<std::byte> encoded) {
    release_large_index();
    traffic_of_thread().written += bytes{elements.size()};
    encode([&] { encoder_->add(box, elements, strides, encoded); });
  }
  void finish() override {
    ++traffic_of_thread().requests;
    if (encoder_->is_empty() && array_.policy.empty == empty_chunks::omit) {
      return array_.store->erase(key_.view());
    }
    encode([&] { encoder_->finish(); });
    const added_time timed(traffic_of_thread().storage_time);
    value_->finish();
  }

 private:
  /// Calls `f`, which encodes; its pieces are written meanwhile.
  template <class F>
  void encode(F f) {
    traffic& moved = traffic_of_thread();
    const std::chrono::nanoseconds stored_before = moved.storage_time;
    try {
      const added_time timed(moved.codec_time);
      f();
    } catch (const codec_error& failure) {
      throw codec_error(
          fmt::format("{}: chunk \"{}\": {}", array_.store->name(), key_.view(), failure.what()));
    }
    moved.codec_time -= moved.storage_time - stored_before;
  }

  void put(std::span<const std::byte> piece) {
    const added_time timed(traffic_of_thread().storage_time);
    if (value_ == nullptr) value_ = array_.store->writer(key_.view());
    if (value_ == nullptr) refuse("in pieces");
    value_->append(piece);
    traffic_of_thread().encoded_written += bytes{piece.size()};
  }
  /// Writes the index into the room that the first piece keeps for it.
  void put_in_front(std::span<const std::byte> front) {
    const added_time timed(traffic_of_thread().storage_time);
    auto* const value = dynamic_cast<front_writer*>(value_.get());
    if (value == nullptr) refuse("with the index in front");
    value->write_front(front);
  }
  [[noreturn]] void refuse(std::string_view manner) const {
    throw store_error(
        fmt::format("{}: cannot write key \"{}\" {}", array_.store->name(), key_.view(), manner),
        store_failure::unsupported);
  }

  const zarr_array_state& array_;
  chunk_key_buffer key_;
  std::unique_ptr<value_writer> value_;
  std::unique_ptr<shard_encoder> encoder_;
};

/// The writers of a store.
struct writer_traits {
  /// The most memory that a task needs for the writer of a value.
  std::size_t memory = 0;
  /// Whether they are of `front_writer`.
  bool is_front_writer = true;
};

/// Returns the traits of writers of a store, or nullopt if they are not known. The values of a
/// store in memory are no memory of a task.
std::optional<writer_traits> writers_of(const key_value_store& store) {
  if (directory_of(store)) return writer_traits{};
  if (const auto* const decorator = dynamic_cast<const consolidated_store*>(&store)) {
    return writers_of(*decorator->underlying());
  }
  if (const auto* const remote = dynamic_cast<const sends_pieces*>(&store)) {
    return writer_traits{remote->writer_memory(), false};
  }
  const bool is_in_memory = dynamic_cast<const memory_store*>(&store) != nullptr ||
                            dynamic_cast<const memory_folder*>(&store) != nullptr;
  return is_in_memory ? std::optional(writer_traits{}) : std::nullopt;
}

}  // namespace

std::optional<piece_memory> pieces_of(const stored_shards& shards, const key_value_store& store) {
  return directory_of(store) ? memory_for_pieces(*shards.codec) : std::nullopt;
}

streamed_shards streams_of(const zarr_metadata& metadata, const stored_shards& shards,
                           const key_value_store& store) {
  const auto pieces = memory_for_pieces(*shards.codec);
  const auto writer = writers_of(store);
  if (!pieces || !writer) return {};
  if (shards.index.is_at_start && !writer->is_front_writer) return {.is_index_first = true};
  return {metadata.chunks, pieces->encoded, pieces->index, writer->memory};
}

std::unique_ptr<shard_stream> zarr_array_state::stream(std::span<const index_t> shard,
                                                       std::span<std::byte> index) const {
  return std::make_unique<growing_shard>(*this, shard, index);
}

bool zarr_array_state::save_in_pieces(std::span<const index_t> shard,
                                      std::span<const std::byte> decoded,
                                      std::span<std::byte> encoded) const {
  if (shards == nullptr) return false;
  const auto pieces = pieces_of(*shards, *store);
  if (!pieces) return false;
  require_buffer(*this, "encoded", encoded.size(), pieces->encoded + pieces->index);
  growing_shard value(*this, shard, encoded.subspan(pieces->encoded, pieces->index));
  const index_vector extents = in_index(*shards, metadata.shards);
  value.append_stored(region::whole(extents), decoded, row_major_strides(extents),
                      encoded.first(pieces->encoded));
  value.finish();
  return true;
}

}  // namespace tessera::detail
