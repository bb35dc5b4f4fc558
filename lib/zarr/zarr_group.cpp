// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_group.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "zarr/consolidated_store.hpp"
#include "zarr/json_document.hpp"
#include "zarr/missing_node.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace {

void require_group(const std::shared_ptr<key_value_store>& store, const std::string& path) {
  const std::string key = detail::node_key(path, ".zgroup");
  const std::optional<std::string> text = detail::read_text(*store, key);
  if (!text) detail::throw_no_node(store, path, "group");
  const std::string place = detail::name_of_node(*store, key);
  const auto object = detail::parse_json(*text, place);
  if (!object.is_object() || !object.contains("zarr_format") || object["zarr_format"] != 2) {
    throw zarr_error(fmt::format("{}: must be a JSON object whose \"zarr_format\" is 2, found {}",
                                 place, detail::shown(object)));
  }
}

/// Returns the names of the folders of `path` that hold the file `mark`.
std::vector<std::string> children(const key_value_store& store, const std::string& path,
                                  std::string_view mark) {
  std::vector<std::string> names;
  for (std::string& entry : store.list_folder(path)) {
    if (entry.back() != '/') continue;
    entry.pop_back();
    if (store.exists(detail::node_key(detail::node_key(path, entry), mark))) {
      names.push_back(std::move(entry));
    }
  }
  return names;
}

/// Claims the arrays below the node at `path`, which runs may be writing.
std::vector<std::unique_ptr<detail::write_claim>> claim_arrays_below(
    const std::shared_ptr<key_value_store>& store, const std::string& path) {
  std::vector<std::unique_ptr<detail::write_claim>> claims;
  if (!store->exists(detail::node_key(path, ".zgroup"))) return claims;
  detail::for_each_node_below(*store, path, [&](const std::string& inner, bool is_array) {
    if (!is_array) return;
    claims.push_back(std::make_unique<detail::write_claim>(store, detail::node_key(path, inner),
                                                           detail::claimed_part{}, ""));
  });
  return claims;
}

/// Returns a store that knows the metadata of the group at `path` and of what is below it from its
/// `.zmetadata`, or `store` itself if there is none or it knows already.
std::shared_ptr<key_value_store> with_consolidated(std::shared_ptr<key_value_store> store,
                                                   const std::string& path) {
  if (detail::underlying(store) != store) return store;
  const std::string key = detail::node_key(path, ".zmetadata");
  const std::optional<std::string> text = detail::read_text(*store, key);
  if (!text) return store;
  detail::metadata_files files =
      detail::parse_consolidated(*text, detail::name_of_node(*store, key));
  return std::make_shared<detail::consolidated_store>(std::move(store), path, std::move(files));
}

}  // namespace

zarr_group::zarr_group(std::shared_ptr<key_value_store> store, std::string path,
                       tessera::attributes attributes)
    : store_(std::move(store)), path_(std::move(path)), attributes_(std::move(attributes)) {}

zarr_group zarr_group::open(std::shared_ptr<key_value_store> store, std::string_view path,
                            consolidated use) {
  std::string place = detail::normalised_path(path);
  store = use == consolidated::use ? with_consolidated(std::move(store), place)
                                   : detail::underlying(store);
  require_group(store, place);
  tessera::attributes values = detail::read_attributes(*store, place);
  return zarr_group(std::move(store), std::move(place), std::move(values));
}

zarr_group zarr_group::open(const std::string& path, consolidated use) {
  const auto [store, inner] = locate(path);
  return open(store, inner, use);
}

zarr_group zarr_group::create(std::shared_ptr<key_value_store> store, std::string_view path,
                              const tessera::attributes& attributes) {
  const std::string place = detail::normalised_path(path);
  const std::string values = attributes.to_json();
  const auto truth = detail::underlying(store);
  const auto write = [&] {
    detail::change_metadata(*store, place, detail::old_node::stays, [&] {
      if (truth->exists(detail::node_key(place, ".zarray"))) {
        throw zarr_error(
            fmt::format("cannot create a group at {}: an array is there, remove it or "
                        "choose another path",
                        detail::name_of_node(*store, place)));
      }
      detail::require_no_array_above(truth, place);
      detail::make_room(*store, place);
      if (!attributes.empty()) {
        detail::write_text(*store, detail::node_key(place, ".zattrs"), values);
      }
      detail::write_group(*store, place);
    });
  };
  // A group that is there already is not written, so that one that may only be read is opened.
  if (attributes.empty() && truth->exists(detail::node_key(place, ".zgroup"))) {
    write();
  } else {
    detail::change_alone(*truth, place, "create a group at", write);
  }
  return open(std::move(store), place);
}

zarr_group zarr_group::create(const std::string& path, const tessera::attributes& attributes) {
  const auto [store, inner] = locate(path);
  return create(store, inner, attributes);
}

std::vector<std::string> zarr_group::arrays() const { return children(*store_, path_, ".zarray"); }

std::vector<std::string> zarr_group::groups() const { return children(*store_, path_, ".zgroup"); }

std::vector<zarr_member> zarr_group::members() const {
  std::vector<zarr_member> found;
  detail::for_each_node_below(*store_, path_, [&](const std::string& path, bool is_array) {
    found.push_back({path, is_array});
  });
  std::sort(found.begin(), found.end(),
            [](const zarr_member& a, const zarr_member& b) { return a.path < b.path; });
  return found;
}

bool zarr_group::is_consolidated() const { return detail::underlying(store_) != store_; }

void zarr_group::erase(std::string_view name) const {
  const std::string path = detail::node_key(path_, detail::normalised_path(name));
  const auto is_there = [&](const char* mark) {
    return store_->exists(detail::node_key(path, mark));
  };
  if (path == path_ || (!is_there(".zarray") && !is_there(".zgroup"))) {
    throw zarr_error(fmt::format("cannot remove {}: neither an array nor a group is there",
                                 detail::name_of_node(*store_, path)));
  }
  const std::shared_ptr<key_value_store> truth = detail::underlying(store_);
  const auto claims = claim_arrays_below(truth, path);
  detail::change_alone(*truth, path, "remove", [&] {
    detail::change_metadata(*store_, path, detail::old_node::goes,
                            [&] { store_->erase_all(path); });
  });
}

void consolidate(const zarr_group& group) {
  const auto store = detail::underlying(group.store());
  require_group(store, group.path());
  detail::write_consolidated(*store, group.path());
}

zarr_array zarr_group::array(std::string_view name) const {
  return zarr_array::open(store_, detail::node_key(path_, name));
}

zarr_group zarr_group::group(std::string_view name) const {
  return open(store_, detail::node_key(path_, name));
}

}  // namespace tessera
