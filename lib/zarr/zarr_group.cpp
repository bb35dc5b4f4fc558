// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_group.hpp"

#include "tessera/core/error.hpp"

#include "zarr/hierarchy.hpp"
#include "zarr/json_document.hpp"

#include <fmt/format.h>

namespace tessera {

namespace {

void require_group(const key_value_store& store, const std::string& path) {
  const std::string key = detail::node_key(path, ".zgroup");
  const std::optional<std::string> text = detail::read_text(store, key);
  if (!text) {
    const bool is_array = store.exists(detail::node_key(path, ".zarray"));
    throw zarr_error(fmt::format("{}/{} is no Zarr v2 group: {}", store.name(), path,
                                 is_array ? "it is an array" : "it has no .zgroup"));
  }
  const std::string place = fmt::format("{}/{}", store.name(), key);
  const auto object = detail::parse_json(*text, place).value;
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

}  // namespace

zarr_group::zarr_group(std::shared_ptr<key_value_store> store, std::string path,
                       tessera::attributes attributes)
    : store_(std::move(store)), path_(std::move(path)), attributes_(std::move(attributes)) {}

zarr_group zarr_group::open(std::shared_ptr<key_value_store> store, std::string_view path) {
  std::string place = detail::normalised_path(path);
  require_group(*store, place);
  tessera::attributes values = detail::read_attributes(*store, place);
  return zarr_group(std::move(store), std::move(place), std::move(values));
}

zarr_group zarr_group::open(const std::string& path) {
  const auto [store, inner] = detail::split_directory(path);
  return open(store, inner);
}

zarr_group zarr_group::create(std::shared_ptr<key_value_store> store, std::string_view path,
                              const tessera::attributes& attributes) {
  const std::string place = detail::normalised_path(path);
  const std::string values = attributes.to_json();
  if (store->exists(detail::node_key(place, ".zarray"))) {
    throw zarr_error(
        fmt::format("cannot create a group at {}/{}: an array is there, remove it or "
                    "choose another path",
                    store->name(), place));
  }
  detail::make_room(*store, place);
  if (!attributes.empty()) {
    detail::write_text(*store, detail::node_key(place, ".zattrs"), values);
  }
  detail::write_group(*store, place);
  return open(std::move(store), place);
}

zarr_group zarr_group::create(const std::string& path, const tessera::attributes& attributes) {
  const auto [store, inner] = detail::split_directory(path);
  return create(store, inner, attributes);
}

std::vector<std::string> zarr_group::arrays() const { return children(*store_, path_, ".zarray"); }

std::vector<std::string> zarr_group::groups() const { return children(*store_, path_, ".zgroup"); }

zarr_array zarr_group::array(std::string_view name) const {
  return zarr_array::open(store_, detail::node_key(path_, name));
}

zarr_group zarr_group::group(std::string_view name) const {
  return open(store_, detail::node_key(path_, name));
}

}  // namespace tessera
