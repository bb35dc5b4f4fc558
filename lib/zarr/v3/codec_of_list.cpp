// SPDX-License-Identifier: Apache-2.0
/// \file
/// The codec of chunks with a list of codecs.
#include "tessera/core/error.hpp"

#include "codec/api/codec_chain.hpp"
#include "codec/api/shard_codec.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/v3/codec_list.hpp"
#include "zarr/v3/data_type_json.hpp"

#include <algorithm>
#include <utility>

namespace tessera::detail::v3 {

namespace {

/// Returns the bytes of an element as they are stored.
std::vector<std::byte> stored_bytes(const element_bytes& element, const data_type& stored) {
  element_bytes whole(element);
  whole.reserve(stored.itemsize());
  std::vector<std::byte> bytes(whole.data(), whole.data() + stored.itemsize());
  make_stored(bytes, stored);
  return bytes;
}

/// Throws codec_error unless each "cast_value" among `filters` decodes the fill value to itself.
void require_fill_kept(const std::vector<std::shared_ptr<const byte_codec>>& filters,
                       std::vector<std::byte> element) {
  const bool has_casts =
      std::ranges::any_of(filters, [](const auto& filter) { return filter->id() == "cast_value"; });
  if (!has_casts) return;
  for (const auto& filter : filters) {
    std::vector<std::byte> encoded(filter->max_encoded_size(element.size()));
    encoded.resize(filter->encode(element, encoded));
    if (filter->id() == "cast_value") {
      std::vector<std::byte> decoded(element.size());
      filter->decode(encoded, decoded);
      if (decoded != element) {
        throw codec_error(
            "codec cast_value: the fill value is another one once it is cast and cast back: choose "
            "a fill value that the data type of the codec has, or a \"scalar_map\"");
      }
    }
    element = std::move(encoded);
  }
}

}  // namespace

std::shared_ptr<const byte_codec> make_codec(const codec_list& codecs, const data_type& type,
                                             const index_vector& shape, const element_bytes& fill,
                                             bool skips_fill) {
  std::vector<std::shared_ptr<const byte_codec>> chain;
  const data_type stored = with_byte_order(type, codecs.byte_order);
  codec_elements elements = stored.stored_elements();
  elements.byte_order = codecs.byte_order;
  const auto add = [&](std::shared_ptr<const byte_codec> codec) {
    if (codec == nullptr) return;
    elements = codec->encoded_elements();
    // Elements of one byte have no order, and a filter may make longer ones of them.
    elements.byte_order = codecs.byte_order;
    chain.push_back(std::move(codec));
  };
  if (codecs.is_bfloat16 && codecs.shards == nullptr) add(make_bfloat16_codec(codecs.byte_order));
  for (const codec::configuration& filter : codecs.filters) add(filter.make(elements));
  require_fill_kept(chain, stored_bytes(fill, stored));
  if (codecs.packing) add(make_bit_packing(*codecs.packing));
  if (codecs.shards != nullptr) {
    const sharding& shards = *codecs.shards;
    shard_layout layout{permuted(shape, codecs.order),
                        shards.part_shape,
                        shards.codecs.order,
                        type.itemsize(),
                        shards.index,
                        stored_bytes(fill, stored),
                        skips_fill,
                        has_fixed_size(shards.codecs)};
    add(make_shard_codec(std::move(layout),
                         make_codec(shards.codecs, type, shards.part_shape, fill, skips_fill)));
  }
  for (const bytes_codec& entry : codecs.compressors) {
    if (entry.typesize != 0) elements.itemsize = entry.typesize;
    add(entry.codec.make(elements));
  }
  return join_codecs(std::move(chain));
}

}  // namespace tessera::detail::v3
