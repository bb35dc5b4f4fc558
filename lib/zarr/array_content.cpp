// SPDX-License-Identifier: Apache-2.0
/// \file
/// The states of stored arrays, by which a run that was stopped finds its sources unchanged.

#include "tessera/storage/chunk_buffers.hpp"

#include "core/api/fingerprint.hpp"
#include "core/api/overwriting.hpp"
#include "store/api/partial_state.hpp"
#include "zarr/api/array_files.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/overwriting_note.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

namespace {

/// Tells whether a chunk or shard counts for the state of its array, by its position.
using counted_chunk = std::function<bool(const index_vector&)>;

/// Tells whether a chunk has elements of an array.
bool is_inside(const zarr_array& array, const index_vector& chunk) {
  return std::ranges::equal(chunk, array.shard_grid().num_chunks(), std::less<>{});
}

/// Returns the state of the values of an array and of the chunks for which `counts`, or nullopt if
/// the store knows only states of all chunks.
std::optional<std::string> partial_state(const zarr_array& array, const counted_chunk& counts) {
  const key_value_store& store = *underlying(array.store());
  const std::string& path = array.path();
  const auto counts_key = [&](std::string_view key) {
    const auto chunk = parse_chunk_name(key, array.metadata());
    return !chunk || counts(*chunk);
  };
  if (const auto directory = directory_of(store)) {
    return state_of_files(path.empty() ? *directory : node_key(*directory, path), counts_key);
  }
  const auto* const states = dynamic_cast<const partial_states*>(&store);
  return states == nullptr ? std::nullopt : std::optional(states->state_of(path, counts_key));
}

/// Returns the state of the documents of an array.
std::string state_of_documents(const key_value_store& store, const std::string& path) {
  fingerprint documents;
  const std::vector<std::string_view> names = names_of_array_documents();
  const document_reader reader(store, path, names);
  for (const node_format* format : formats()) {
    for (const std::string_view name : format->array_keys) {
      const auto text = read_text(reader, node_key(path, name));
      if (text) documents.add(fmt::format("{} {}\n{}", name, text->size(), *text));
    }
  }
  return documents.digits();
}

/// Returns a hash of the elements of `box`, chunk by chunk.
///
/// Memory: two decoded chunks and an encoded one.
std::string hash_of_elements(const zarr_array& array, const region& box) {
  fingerprint hash;
  chunk_buffers buffers(array);
  std::vector<std::byte> elements;
  const region chunks = array.grid().chunks_touching(box);
  index_vector position(array.rank());
  do {
    index_vector chunk = position;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] += chunks.start[axis];
    const region part = intersect(array.grid().chunk_region(chunk), box);
    elements.resize(static_cast<std::size_t>(part.num_elements()) * array.itemsize());
    array.read_region(part, elements, buffers.decoded(), buffers.encoded());
    hash.add(elements);
  } while (next_position(position, chunks.shape()));
  return hash.digits();
}

}  // namespace

std::string state_of_array(const zarr_array& array) {
  const key_value_store& store = *underlying(array.store());
  if (!store.traits().has_lists) return state_of_documents(store, array.path());
  const auto state =
      partial_state(array, [&](const index_vector& chunk) { return is_inside(array, chunk); });
  return state ? *state : store.state(array.path());
}

// The state of a chunk changes when it is written again with the elements that it had. So the
// border of an append counts by its elements.
std::optional<std::string> zarr_destination_port::state_of_kept_elements(
    const array_source& source) const {
  if (intermediate_ || !to_.within || !to_.within->elements || overwritten_location()) return {};
  const auto* const read = dynamic_cast<const overwritable_source*>(&source);
  const zarr_array* const array = zarr_array_of(source);
  if (read == nullptr || array == nullptr || read->location() != location_text(node())) return {};
  if (read_note(*underlying(array->store()), array->path())) return {};
  const region border = intersect(region::whole(array->shape()), to_.within->box);
  if (border.empty()) return {};
  const auto chunks = partial_state(*array, [&](const index_vector& chunk) {
    return is_inside(*array, chunk) &&
           intersect(array->shard_grid().chunk_region(chunk), border).empty();
  });
  if (!chunks) return {};
  return fmt::format("{} {}", *chunks, hash_of_elements(*array, border));
}

}  // namespace tessera::detail
