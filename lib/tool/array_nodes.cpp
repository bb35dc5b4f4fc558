// SPDX-License-Identifier: Apache-2.0
#include "tool/array_nodes.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "tool/array_files.hpp"
#include "tool/listing_store.hpp"
#include "zarr/api/hierarchy.hpp"

#include <fmt/format.h>
#include <utility>

namespace tessera::tool {

opened_nodes open_nodes(const std::string& path) {
  std::shared_ptr<key_value_store> store = with_lists(open_store(path), "");
  node_tree tree = find_nodes(*store, "");
  if (!tree.bad.empty()) {
    const bad_node& bad = tree.bad.front();
    throw zarr_error(
        fmt::format("{}/{}: {}", store->name(), detail::node_key(bad.path, bad.file), bad.reason));
  }
  // Throws an error that describes the file or the folder at the path.
  if (tree.nodes.empty()) static_cast<void>(zarr_group::open(store, ""));
  return {std::move(store), std::move(tree)};
}

any_array open_array(const opened_nodes& nodes, const std::string& path, std::string_view missing) {
  const array_description array = describe_array(*nodes.store, path);
  if (missing == "error" || (missing.empty() && !array.states_fill_value)) {
    try {
      require_chunks(array, detail::files_of_array(*nodes.store, path, array.names()), missing);
    } catch (const zarr_error& failure) {
      throw zarr_error(fmt::format("{}: {}", array.name, failure.what()));
    }
  }
  open_options options;
  if (missing == "fill") options.missing = missing_chunks::fill;
  return open_any(nodes.store, path, options);
}

attributes attributes_of(const opened_nodes& nodes, const std::string& path) {
  return zarr_group::open(nodes.store, path, consolidated::ignore).attributes();
}

}  // namespace tessera::tool
