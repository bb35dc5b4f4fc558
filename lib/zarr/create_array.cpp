// SPDX-License-Identifier: Apache-2.0
#include "zarr/create_array.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

#include "zarr/array_state.hpp"
#include "zarr/consolidated_store.hpp"

#include <fmt/format.h>
#include <string_view>

namespace tessera::detail {

namespace {

void complete_filters_of(zarr_metadata& metadata, const std::string& place) {
  try {
    metadata.complete_filters();
  } catch (const codec_error& failure) {
    throw zarr_error(fmt::format("{}: {}", place, failure.what()));
  }
}

/// Removes the array at `path`: its metadata last, so that an interrupted call can be repeated.
void erase_array(key_value_store& store, const std::string& path) {
  for (const std::string& entry : store.list_folder(path)) {
    if (entry == ".zarray") continue;
    const std::string key = node_key(path, entry);
    if (key.back() == '/') {
      store.erase_all(std::string_view(key).substr(0, key.size() - 1));
    } else {
      store.erase(key);
    }
  }
  store.erase(node_key(path, ".zarray"));
}

/// Makes sure that nothing is at `path`.
void clear_place(key_value_store& store, const std::string& path, existing policy) {
  // What a handle remembers may be older than what the store has.
  const key_value_store& truth = truth_of(store);
  require_replaceable(truth, path, policy);
  if (truth.exists(node_key(path, ".zarray"))) erase_array(store, path);
}

}  // namespace

std::shared_ptr<const zarr_array_state> create_array(const std::shared_ptr<key_value_store>& store,
                                                     const std::string& path,
                                                     const zarr_metadata& metadata,
                                                     const attributes& values, existing policy) {
  // Everything that can be refused is refused before the first byte is written.
  zarr_metadata complete = metadata;
  complete_filters_of(complete, name_of_node(*store, path));
  const std::string description = complete.to_json();
  const std::string attribute_text = values.to_json();
  auto state = make_state(store, path, complete, values);
  require_room(underlying(store), path);
  const auto old = policy == existing::replace ? old_node::goes : old_node::stays;
  change_metadata(*store, path, old, [&] {
    clear_place(*store, path, policy);
    make_room(*store, path);
    if (!values.empty()) write_text(*store, node_key(path, ".zattrs"), attribute_text);
    write_text(*store, node_key(path, ".zarray"), description);
  });
  return state;
}

}  // namespace tessera::detail
