// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>
#include <vector>

namespace ts = tessera;

namespace {

/// An array of which some chunks are missing, laid out in a store element by element.
struct example {
  ts::zarr_metadata metadata;
  std::shared_ptr<ts::memory_store> store = std::make_shared<ts::memory_store>();
  std::map<std::vector<ts::index_t>, bool> is_stored;
  std::size_t itemsize = 1;
};

/// Returns the bytes of the element at `position`, in the machine's order: all of them differ.
std::vector<std::byte> element_at(const example& data, const ts::index_vector& position) {
  std::array<std::uint64_t, 2> values{};
  std::uint64_t& value = values[0];
  value = 0x9E3779B97F4A7C15ULL;
  for (const ts::index_t index : position) {
    value = (value ^ static_cast<std::uint64_t>(index)) * 0xBF58476D1CE4E5B9ULL;
  }
  value ^= value >> 29;
  if (data.metadata.dtype == ts::dtype::boolean) value &= 1;
  std::vector<std::byte> bytes(data.itemsize);
  values[1] = ~value;
  std::memcpy(bytes.data(), values.data(), data.itemsize);
  return bytes;
}

/// Reverses the bytes of an element, of each part of a complex number on its own.
void reverse_parts(std::vector<std::byte>& element, ts::dtype type) {
  const auto middle = element.begin() + static_cast<std::ptrdiff_t>(element.size() / 2);
  if (!ts::is_complex(type)) return std::reverse(element.begin(), element.end());
  std::reverse(element.begin(), middle);
  std::reverse(middle, element.end());
}

std::string key_of(const example& data, const ts::index_vector& chunk) {
  std::string key = "p/q/";
  if (chunk.empty()) key += "0";
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    if (axis > 0) key += data.metadata.dimension_separator;
    key += std::to_string(chunk[axis]);
  }
  return key;
}

/// Stores one chunk; its overhang holds bytes that must never be seen.
void store_chunk(const example& data, const ts::index_vector& chunk) {
  const ts::index_vector& extents = data.metadata.chunks;
  const auto count = static_cast<std::size_t>(ts::num_elements(extents));
  std::vector<std::byte> bytes(count * data.itemsize, std::byte{0xCC});
  ts::index_vector inside(extents.size());
  do {
    ts::index_vector position(extents.size());
    ts::index_t offset = 0;
    bool is_overhang = false;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const std::size_t axis = data.metadata.order == 'C' ? i : extents.size() - 1 - i;
      offset = offset * extents[axis] + inside[axis];
      position[axis] = chunk[axis] * extents[axis] + inside[axis];
      is_overhang = is_overhang || position[axis] >= data.metadata.shape[axis];
    }
    if (is_overhang) continue;
    std::vector<std::byte> element = element_at(data, position);
    if (data.metadata.dtype.byte_order() == std::endian::big) {
      reverse_parts(element, *data.metadata.dtype.element());
    }
    std::copy(element.begin(), element.end(),
              bytes.begin() + offset * static_cast<std::ptrdiff_t>(data.itemsize));
  } while (ts::next_position(inside, extents));
  if (const auto codec = data.metadata.compressor.make(data.itemsize)) {
    std::vector<std::byte> encoded(codec->max_encoded_size(bytes.size()));
    encoded.resize(codec->encode(bytes, encoded));
    bytes = encoded;
  }
  data.store->write(key_of(data, chunk), bytes);
}

example random_example() {
  example data;
  const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    data.metadata.shape.push_back(*rc::gen::inRange<ts::index_t>(0, rank < 3 ? 40 : 8));
    data.metadata.chunks.push_back(*rc::gen::inRange<ts::index_t>(1, rank < 3 ? 20 : 7));
  }
  const auto type = static_cast<ts::dtype>(*rc::gen::inRange(0, 14));
  data.metadata.dtype = {type, *rc::gen::element(std::endian::little, std::endian::big)};
  data.itemsize = ts::size_of(type);
  data.metadata.order = *rc::gen::element('C', 'F');
  data.metadata.dimension_separator = *rc::gen::element('.', '/');
  data.metadata.compressor = *rc::gen::element<ts::codec::configuration>(
      ts::codec::none{}, ts::codec::blosc{}, ts::codec::zlib{});
  data.metadata.fill_value = ts::visit_dtype(
      type, []<class T>(ts::type_tag<T>) { return ts::element_bytes(static_cast<T>(101.0F)); });
  const ts::chunk_grid grid(data.metadata.shape, data.metadata.chunks);
  for (ts::index_t i = 0; i < grid.size(); ++i) {
    const ts::index_vector chunk = grid.chunk_at(i);
    const bool is_stored = *rc::gen::inRange(0, 4) > 0;
    data.is_stored[{chunk.begin(), chunk.end()}] = is_stored;
    if (is_stored) store_chunk(data, chunk);
  }
  const std::string description = data.metadata.to_json();
  data.store->write("p/q/.zarray", std::as_bytes(std::span(description)));
  return data;
}

std::vector<std::byte> expected_element(const example& data, const ts::index_vector& position) {
  std::vector<ts::index_t> chunk;
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    chunk.push_back(position[axis] / data.metadata.chunks[axis]);
  }
  if (data.is_stored.at(chunk)) return element_at(data, position);
  const std::byte* fill = data.metadata.fill_value->data();
  return {fill, fill + data.itemsize};
}

/// Returns the elements of `box`, every `steps`-th, one by one.
std::vector<std::byte> naive(const example& data, const ts::region& box,
                             const ts::index_vector& steps) {
  ts::index_vector extents(box.rank());
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    for (ts::index_t i = box.start[axis]; i < box.stop[axis]; i += steps[axis]) ++extents[axis];
  }
  std::vector<std::byte> result;
  if (ts::num_elements(extents) == 0) return result;
  ts::index_vector inside(extents.size());
  do {
    ts::index_vector position(extents.size());
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      position[axis] = box.start[axis] + inside[axis] * steps[axis];
    }
    const std::vector<std::byte> element = expected_element(data, position);
    result.insert(result.end(), element.begin(), element.end());
  } while (ts::next_position(inside, extents));
  return result;
}

struct selection {
  ts::region box;
  ts::index_vector steps;
};

selection random_selection(const ts::index_vector& shape, bool has_steps) {
  selection chosen;
  for (const ts::index_t extent : shape) {
    const bool is_whole = *rc::gen::arbitrary<bool>();
    const auto start = is_whole ? 0 : *rc::gen::inRange<ts::index_t>(0, extent + 1);
    const auto stop = is_whole ? extent : *rc::gen::inRange<ts::index_t>(start, extent + 1);
    chosen.box.start.push_back(start);
    chosen.box.stop.push_back(stop);
    chosen.steps.push_back(has_steps ? *rc::gen::inRange<ts::index_t>(1, 12) : 1);
  }
  return chosen;
}

void reads_as_a_loop_does(bool has_steps) {
  const example data = random_example();
  const auto array = ts::zarr_array::open(data.store, "p/q");
  const auto [box, steps] = random_selection(data.metadata.shape, has_steps);
  const std::vector<std::byte> expected = naive(data, box, steps);
  std::vector<std::byte> into(expected.size(), std::byte{0xEE});
  std::vector<std::byte> decoded(array.decoded_bytes());
  std::vector<std::byte> encoded(array.encoded_bound());
  if (has_steps) {
    array.read_region(box, into, decoded, encoded, steps);
  } else {
    array.read_region(box, into, decoded, encoded);
  }
  RC_ASSERT(into == expected);
}

TEST(ReadRegion, GivesWhatALoopOverElementsGives) {
  EXPECT_TRUE(rc::check("boxes", [] { reads_as_a_loop_does(false); }));
}

TEST(ReadRegion, GivesWhatALoopOverElementsGivesByStep) {
  EXPECT_TRUE(rc::check("boxes by step", [] { reads_as_a_loop_does(true); }));
}

/// Reads the box of each chunk: a whole chunk, unless the array ends in it.
void reads_chunks_as_a_loop_does() {
  const example data = random_example();
  const auto array = ts::zarr_array::open(data.store, "p/q");
  std::vector<std::byte> decoded(array.decoded_bytes());
  std::vector<std::byte> encoded(array.encoded_bound());
  const ts::index_vector ones(data.metadata.shape.size(), 1);
  for (const auto& [position, is_stored] : data.is_stored) {
    const ts::index_vector chunk(position.begin(), position.end());
    const ts::region box = array.grid().chunk_region(chunk);
    const std::vector<std::byte> expected = naive(data, box, ones);
    const ts::index_vector strides = ts::row_major_strides(box.shape());
    for (const bool has_strides : {false, true}) {
      std::vector<std::byte> into(expected.size(), std::byte{0xEE});
      RC_ASSERT(array.read_region(box, into, decoded, encoded, ones,
                                  has_strides ? strides : ts::index_vector()) == is_stored);
      RC_ASSERT(into == expected);
    }
  }
}

TEST(ReadRegion, GivesTheElementsOfChunks) {
  EXPECT_TRUE(rc::check("chunks", reads_chunks_as_a_loop_does));
}

TEST(ReadRegion, GivesBackWhatWriteChunkStored) {
  EXPECT_TRUE(rc::check("written chunks", [] {
    example data = random_example();
    data.metadata.dtype = *data.metadata.dtype.element();
    const auto store = std::make_shared<ts::memory_store>();
    const auto array = ts::zarr_array::create(store, "", data.metadata);
    std::vector<std::byte> decoded(array.decoded_bytes());
    std::vector<std::byte> encoded(array.encoded_bound());
    std::vector<std::byte> scratch(array.write_scratch_bytes());
    for (auto& [chunk, is_stored] : data.is_stored) {
      is_stored = true;
      ts::index_vector inside(chunk.size());
      std::vector<std::byte> elements;
      do {
        ts::index_vector position(chunk.begin(), chunk.end());
        for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
          position[axis] = position[axis] * data.metadata.chunks[axis] + inside[axis];
        }
        const std::vector<std::byte> element = element_at(data, position);
        elements.insert(elements.end(), element.begin(), element.end());
      } while (ts::next_position(inside, data.metadata.chunks));
      array.write_chunk(chunk, elements.data(), encoded, scratch);
    }
    const ts::region box = ts::region::whole(data.metadata.shape);
    const std::vector<std::byte> expected = naive(data, box, ts::index_vector(box.rank(), 1));
    std::vector<std::byte> into(expected.size());
    array.read_region(box, into, decoded, encoded);
    RC_ASSERT(into == expected);
  }));
}

}  // namespace
