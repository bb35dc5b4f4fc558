// SPDX-License-Identifier: Apache-2.0
/// \file
/// The state of the values of an array, by which a run knows whether its inputs have changed.

#include "core/api/fingerprint.hpp"
#include "store/api/partial_state.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/listed_chunks.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

namespace {

/// Tells whether a chunk has elements of an array.
bool is_inside(const zarr_array& array, const index_vector& chunk) {
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    if (chunk[axis] >= array.shard_grid().num_chunks()[axis]) return false;
  }
  return true;
}

/// Returns the state of the values of an array in `store`, without chunks behind its end.
std::string state_of_values(const zarr_array& array, const key_value_store& store) {
  const auto counts = [&array](std::string_view key) {
    const auto chunk = chunk_named(key, array.metadata());
    return !chunk || is_inside(array, *chunk);
  };
  const std::string& path = array.path();
  if (const auto directory = directory_of(store)) {
    return state_of_files(path.empty() ? *directory : node_key(*directory, path), counts);
  }
  if (const auto* const states = dynamic_cast<const partial_states*>(&store)) {
    return states->state_of(path, counts);
  }
  return store.state(path);
}

}  // namespace

std::string state_of_array(const zarr_array& array) {
  const key_value_store& store = *underlying(array.store());
  const std::string& path = array.path();
  if (store.traits().has_lists) return state_of_values(array, store);
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

}  // namespace tessera::detail
