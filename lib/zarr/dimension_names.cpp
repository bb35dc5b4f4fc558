// SPDX-License-Identifier: Apache-2.0
#include "zarr/api/dimension_names.hpp"

#include "tessera/core/error.hpp"

#include "json/values.hpp"

namespace tessera::detail {

namespace {

/// Returns the value of `name`, or nullptr if the attribute is missing or faulty.
const attribute_value* find_valid(const attributes& values, std::string_view name) {
  try {
    return values.find(name);
  } catch (const zarr_error&) {
    return nullptr;
  }
}

/// Returns the last names of the paths in "dimrefs" of the attribute `name`: "x" of "/grid/x".
std::vector<std::string> netcdf_names(const attributes& values, std::string_view name) {
  const attribute_value* attribute = find_valid(values, name);
  const auto* object = attribute == nullptr ? nullptr : std::get_if<json_text>(attribute);
  if (object == nullptr) return {};
  const auto value = fields::parse_or_discard(object->text);
  if (!value.is_object() || !value.contains("dimrefs") || !value["dimrefs"].is_array()) return {};
  std::vector<std::string> names;
  for (const nlohmann::json& reference : value["dimrefs"]) {
    if (!reference.is_string()) return {};
    const auto& path = reference.get_ref<const std::string&>();
    names.push_back(path.substr(path.rfind('/') + 1));
  }
  return names;
}

}  // namespace

std::vector<std::string> names_of_dimensions(const attributes& values,
                                             const attributes& other_members, std::size_t rank) {
  const attribute_value* attribute = find_valid(values, "_ARRAY_DIMENSIONS");
  const auto* names =
      attribute == nullptr ? nullptr : std::get_if<std::vector<std::string>>(attribute);
  if (names != nullptr && names->size() == rank) return *names;
  for (const attributes* members : {&values, &other_members}) {
    for (const char* name : {"_nczarr_array", "_NCZARR_ARRAY"}) {
      std::vector<std::string> paths = netcdf_names(*members, name);
      if (!paths.empty() && paths.size() == rank) return paths;
    }
  }
  return {};
}

}  // namespace tessera::detail
