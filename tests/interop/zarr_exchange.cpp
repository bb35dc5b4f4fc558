// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes Zarr arrays for a test that is written in another language:
//
//   zarr_exchange read <list>         each line "<array> <raw>": all elements go to <raw>,
//   row-major zarr_exchange write <list>        each line "<array> <raw> <.zarray> [<.zattrs>]":
//   creates the
//                                     array as described with the elements in <raw>, without each
//                                     fifth chunk
//   zarr_exchange consolidate <list>  each line "<group>": its metadata are consolidated
//   zarr_exchange first <list>        each line "<array> <result> <group>": stores the elements of
//                                     the first position along the last axis, with coordinates of
//                                     the group
//
// Paths are separated by tabs. A line that fails is answered by one line "<array>: <error>".
#include "tessera/core/error.hpp"
#include "tessera/tessera.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

using buffer = std::vector<std::byte>;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void read_array(const std::string& path, const std::string& raw) {
  const auto array = ts::zarr_array::open(path).with({.missing = ts::missing_chunks::fill});
  const auto count = static_cast<std::size_t>(ts::num_elements(array.shape()));
  buffer into(count * array.itemsize());
  buffer decoded(array.decoded_bytes());
  buffer encoded(array.encoded_bound());
  array.read_region(ts::region::whole(array.shape()), into, decoded, encoded);
  std::ofstream(raw, std::ios::binary)
      .write(reinterpret_cast<const char*>(into.data()), static_cast<std::streamsize>(into.size()));
}

/// Returns one whole chunk of an array with the elements `raw`; the overhang is the fill value.
buffer chunk_of(const ts::zarr_array& array, const std::string& raw,
                const ts::index_vector& chunk) {
  const std::size_t itemsize = array.itemsize();
  const ts::index_vector strides = ts::row_major_strides(array.shape());
  buffer data;
  ts::index_vector inside(chunk.size());
  do {
    ts::index_t offset = 0;
    bool is_overhang = false;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
      const ts::index_t index = chunk[axis] * array.chunks()[axis] + inside[axis];
      is_overhang = is_overhang || index >= array.shape()[axis];
      offset += index * strides[axis];
    }
    const auto* element = is_overhang ? array.fill().data()
                                      : reinterpret_cast<const std::byte*>(raw.data()) +
                                            offset * static_cast<ts::index_t>(itemsize);
    data.insert(data.end(), element, element + itemsize);
  } while (ts::next_position(inside, array.chunks()));
  return data;
}

/// The attributes of an array, with a name for each dimension made of its extent and number.
ts::attributes plain_attributes(const ts::zarr_metadata& metadata) {
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < metadata.shape.size(); ++axis) {
    names.push_back("n" + std::to_string(metadata.shape[axis]) + "_" + std::to_string(axis));
  }
  return {{"_ARRAY_DIMENSIONS", std::move(names)}};
}

void write_array(const std::vector<std::string>& paths) {
  const auto metadata = ts::zarr_metadata::parse(text_of(paths[2]));
  const auto array = ts::zarr_array::create(
      paths[0], metadata,
      paths.size() > 3 ? ts::attributes::parse(text_of(paths[3])) : plain_attributes(metadata));
  const std::string raw = text_of(paths[1]);
  buffer encoded(array.encoded_bound());
  buffer scratch(array.write_scratch_bytes());
  for (ts::index_t i = 0; i < array.grid().size(); ++i) {
    if (i % 5 == 4) continue;
    const ts::index_vector chunk = array.grid().chunk_at(i);
    array.write_chunk(chunk, chunk_of(array, raw, chunk).data(), encoded, scratch);
  }
}

void store_first(const std::string& path, const std::string& result, const std::string& group) {
  const auto x = ts::open<std::int16_t, 3>(path);
  static_cast<void>(ts::store(x(ts::ellipsis, 0), result, {.coordinates = group}));
}

void run(const std::string& mode, const std::vector<std::string>& paths) {
  if (mode == "read" && paths.size() == 2) return read_array(paths[0], paths[1]);
  if (mode == "write" && (paths.size() == 3 || paths.size() == 4)) return write_array(paths);
  if (mode == "consolidate" && paths.size() == 1) {
    return ts::consolidate(ts::zarr_group::open(paths[0]));
  }
  if (mode == "first" && paths.size() == 3) return store_first(paths[0], paths[1], paths[2]);
  throw ts::value_error("usage: zarr_exchange read|write|consolidate|first <list>");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream list(argv[2]);
  int num_failures = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    std::vector<std::string> paths;
    for (std::string path; std::getline(fields, path, '\t');) paths.push_back(path);
    try {
      run(argv[1], paths);
    } catch (const std::exception& failure) {
      std::cout << paths.front() << ": " << failure.what() << '\n';
      ++num_failures;
    }
  }
  return num_failures == 0 ? 0 : 1;
}
