// SPDX-License-Identifier: Apache-2.0
#include "plan/stored_json.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/directory_store.hpp"

#include "plan/json_fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tessera {

namespace {

using nlohmann::json;

json store_json(const std::shared_ptr<key_value_store>& store) {
  const detail::directory_store directory = detail::as_directory(store).value();
  return {{"directory", directory.path},
          {"fsync", directory.fsync},
          {"refuse_outward_links", directory.refuse_outward_links}};
}

std::shared_ptr<key_value_store> parse_store(const json& value) {
  return detail::make_store({fields::text(value.at("directory")), fields::flag(value.at("fsync")),
                             fields::flag(value.at("refuse_outward_links"))});
}

/// The names of `missing_chunks`, in its order.
constexpr std::array<std::string_view, 3> missing_names{"automatic", "fill", "error"};

missing_chunks missing_of(const std::string& name) {
  const auto found = std::find(missing_names.begin(), missing_names.end(), name);
  if (found == missing_names.end()) {
    throw value_error(fmt::format(
        "missing chunks are \"automatic\", \"fill\" or \"error\" in a plan, found \"{:.40}\"",
        name));
  }
  return static_cast<missing_chunks>(found - missing_names.begin());
}

}  // namespace

void check_store(const std::string& array, const std::shared_ptr<key_value_store>& store) {
  if (detail::as_directory(store)) return;
  throw value_error(fmt::format(
      "the array '{}' is in the store '{}', which other processes cannot open; keep it in a "
      "directory, or run it on an executor in this process: serial, threads",
      array, store->name()));
}

json stored_json(const zarr_array& array) {
  const chunk_policy& policy = array.policy();
  return {{"store", store_json(array.store())},
          {"path", array.path()},
          {"fields", array.field_path()},
          {"metadata", array.metadata().to_json()},
          {"missing_chunks", missing_names.at(static_cast<std::size_t>(policy.missing))},
          {"separator", policy.separator ? json(std::string(1, *policy.separator)) : json()}};
}

zarr_array parse_stored(const json& value) {
  chunk_policy policy;
  policy.missing = missing_of(fields::text(value.at("missing_chunks")));
  if (const json& separator = value.at("separator"); !separator.is_null()) {
    const std::string& text = fields::text(separator);
    policy.separator = text.size() == 1 ? text.front() : '\0';
  }
  zarr_array array =
      zarr_array::open(parse_store(value.at("store")), fields::text(value.at("path"))).with(policy);
  for (const json& name : value.at("fields").get_ref<const json::array_t&>()) {
    array = array.field(fields::text(name));
  }
  if (array.metadata().to_json() != fields::text(value.at("metadata"))) {
    throw value_error(fmt::format(
        "the array {} has changed since the plan was made: its metadata are others now; make the "
        "plan anew",
        array.name()));
  }
  return array;
}

json destination_json(const zarr_destination& to) {
  return {{"store", store_json(to.store)},
          {"path", to.path},
          {"metadata", to.metadata.to_json()},
          {"attributes", to.attributes.to_json()},
          {"omits_empty_chunks", to.empty == empty_chunks::omit},
          {"replaces", to.existing == existing::replace}};
}

zarr_destination parse_destination(const json& value) {
  return {.store = parse_store(value.at("store")),
          .path = fields::text(value.at("path")),
          .metadata = zarr_metadata::parse(fields::text(value.at("metadata"))),
          .attributes = attributes::parse(fields::text(value.at("attributes"))),
          .empty = fields::flag(value.at("omits_empty_chunks")) ? empty_chunks::omit
                                                                : empty_chunks::write,
          .existing = fields::flag(value.at("replaces")) ? existing::replace : existing::keep};
}

std::string stored_text(const zarr_array& array) { return stored_json(array).dump(); }

zarr_array parse_stored_text(std::string_view text) {
  return parse_stored(nlohmann::json::parse(text));
}

std::string destination_text(const zarr_destination& to) { return destination_json(to).dump(); }

zarr_destination parse_destination_text(std::string_view text) {
  return parse_destination(nlohmann::json::parse(text));
}

}  // namespace tessera
