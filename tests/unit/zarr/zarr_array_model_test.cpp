// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>
#include <vector>

namespace ts = tessera;

namespace {

using position_t = std::vector<ts::index_t>;
using value_t = std::int16_t;
constexpr value_t fill = -7;

/// The model of an array: a value at each position that was written, the fill value elsewhere.
struct model {
  ts::index_vector shape;
  std::map<position_t, value_t> values;

  [[nodiscard]] value_t at(const ts::index_vector& position) const {
    const auto element = values.find({position.begin(), position.end()});
    return element == values.end() ? fill : element->second;
  }

  void resize(const ts::index_vector& to) {
    shape = to;
    std::erase_if(values, [&](const auto& item) {
      for (std::size_t axis = 0; axis < to.size(); ++axis) {
        if (item.first[axis] >= to[axis]) return true;
      }
      return false;
    });
  }

  void write(const ts::region& box, const std::vector<value_t>& from) {
    if (from.empty()) return;
    const ts::index_vector extents = box.shape();
    ts::index_vector inside(extents.size());
    std::size_t next = 0;
    do {
      position_t position(box.start.begin(), box.start.end());
      for (std::size_t axis = 0; axis < position.size(); ++axis) position[axis] += inside[axis];
      values[position] = from[next++];
    } while (ts::next_position(inside, extents));
  }
};

ts::region random_box(const ts::index_vector& shape) {
  ts::region box{shape, shape};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const ts::index_t a = *rc::gen::inRange<ts::index_t>(0, shape[axis] + 1);
    const ts::index_t b = *rc::gen::inRange<ts::index_t>(0, shape[axis] + 1);
    box.start[axis] = std::min(a, b);
    box.stop[axis] = std::max(a, b);
  }
  return box;
}

std::vector<value_t> random_values(ts::index_t count) {
  // Fill values among them, so that some chunks hold nothing else.
  const bool is_empty = *rc::gen::weightedElement<bool>({{4, false}, {1, true}});
  std::vector<value_t> values(static_cast<std::size_t>(count), fill);
  static value_t next = 0;
  for (value_t& value : values) {
    if (!is_empty) value = next = static_cast<value_t>((next + 1) % 30000);
  }
  return values;
}

ts::zarr_metadata random_metadata() {
  ts::zarr_metadata metadata{.dtype = ts::dtype::int16, .fill_value = ts::element_bytes(fill)};
  const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    metadata.shape.push_back(*rc::gen::inRange<ts::index_t>(0, 9));
    metadata.chunks.push_back(*rc::gen::inRange<ts::index_t>(1, 5));
  }
  metadata.order = *rc::gen::element('C', 'F');
  metadata.dimension_separator = *rc::gen::element('.', '/');
  metadata.dtype = {ts::dtype::int16, *rc::gen::element(std::endian::little, std::endian::big)};
  metadata.compressor = *rc::gen::element<ts::codec::configuration>(
      ts::codec::none{}, ts::codec::zlib{},
      ts::codec::blosc{.shuffle = ts::codec::no_shuffle, .blocksize = 16});
  return metadata;
}

/// Compares all of an array, opened anew, with the model; also a box of it, by steps.
void compare(const std::shared_ptr<ts::memory_store>& store, const model& expected) {
  const auto array = ts::zarr_array::open(store, "a");
  RC_ASSERT(array.shape() == expected.shape);
  ts::chunk_buffers buffers(array);
  const ts::region box = random_box(array.shape());
  ts::index_vector steps(array.rank(), 1);
  for (ts::index_t& step : steps) step = *rc::gen::inRange<ts::index_t>(1, 4);
  ts::index_vector extents = box.shape();
  for (std::size_t i = 0; i < steps.size(); ++i) extents[i] = ts::ceil_divide(extents[i], steps[i]);
  std::vector<value_t> values(static_cast<std::size_t>(ts::num_elements(extents)));
  array.read_region(box, std::as_writable_bytes(std::span(values)), buffers.decoded(),
                    buffers.encoded(), steps);
  if (values.empty()) return;
  ts::index_vector inside(extents.size());
  std::size_t next = 0;
  do {
    ts::index_vector position = box.start;
    for (std::size_t i = 0; i < steps.size(); ++i) position[i] += inside[i] * steps[i];
    RC_ASSERT(values[next++] == expected.at(position));
  } while (ts::next_position(inside, extents));
}

/// Checks that an array that leaves out empty chunks has stored none.
void require_no_empty_chunk(const ts::zarr_array& array) {
  ts::chunk_buffers buffers(array);
  for (ts::index_t i = 0; i < array.grid().size(); ++i) {
    const ts::index_vector chunk = array.grid().chunk_at(i);
    if (!array.has_chunk(chunk)) continue;
    RC_ASSERT(array.read_chunk(chunk, buffers.decoded(), buffers.encoded()));
    const auto* values = reinterpret_cast<const value_t*>(buffers.decoded().data());
    const auto count = array.decoded_bytes() / sizeof(value_t);
    RC_ASSERT(std::any_of(values, values + count, [](value_t value) { return value != fill; }));
  }
}

/// Writes a random box of the array and of the model.
void write_box(const ts::zarr_array& array, model& expected) {
  ts::chunk_buffers buffers(array);
  const ts::region box = random_box(array.shape());
  const auto values = random_values(box.num_elements());
  array.write_region(box, std::as_bytes(std::span(values)), buffers.decoded(), buffers.encoded());
  expected.write(box, values);
}

ts::zarr_array resized(const ts::zarr_array& array, model& expected) {
  ts::index_vector shape = array.shape();
  for (ts::index_t& extent : shape) extent = *rc::gen::inRange<ts::index_t>(0, 10);
  expected.resize(shape);
  return array.resize(shape);
}

/// Appends random values along a random axis.
ts::zarr_array extended(const ts::zarr_array& array, model& expected) {
  ts::chunk_buffers buffers(array);
  const auto axis = *rc::gen::inRange<std::size_t>(0, array.rank());
  ts::index_vector appended = array.shape();
  appended[axis] = *rc::gen::inRange<ts::index_t>(0, 6);
  const auto values = random_values(ts::num_elements(appended));
  ts::region box = ts::region::whole(array.shape());
  box.start[axis] = box.stop[axis];
  // If a position has no bytes, none can be appended.
  if (!values.empty()) box.stop[axis] += appended[axis];
  expected.shape = box.stop;
  expected.write(box, values);
  return array.append(axis, std::as_bytes(std::span(values)), buffers.decoded(), buffers.encoded());
}

TEST(ZarrArrayModel, HoldsWhatWasWrittenWhateverCameBefore) {
  const auto holds = [] {
    const auto store = std::make_shared<ts::memory_store>();
    const ts::zarr_metadata metadata = random_metadata();
    const bool omits = *rc::gen::arbitrary<bool>();
    auto array = ts::zarr_array::create(store, "a", metadata)
                     .with({
                         .empty = omits ? ts::empty_chunks::omit : ts::empty_chunks::write,
                     });
    model expected{metadata.shape, {}};
    const int num_steps = *rc::gen::inRange(1, 12);
    for (int step = 0; step < num_steps; ++step) {
      const int kind = *rc::gen::inRange(0, 3);
      if (kind == 0) {
        write_box(array, expected);
      } else if (kind == 1) {
        array = resized(array, expected);
      } else if (array.rank() > 0) {
        array = extended(array, expected);
      }
      compare(store, expected);
      if (omits && step == num_steps - 1) require_no_empty_chunk(array);
    }
  };
  EXPECT_TRUE(rc::check(holds));
}

}  // namespace
