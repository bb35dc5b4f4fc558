// SPDX-License-Identifier: Apache-2.0
#include "zarr/consolidated_metadata.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/key_value_store.hpp"

#include "zarr/json_document.hpp"

#include <fmt/format.h>

namespace tessera::detail {

namespace {

void require_object(const nlohmann::json& value, std::string_view what, const std::string& path) {
  if (value.is_object()) return;
  throw zarr_error(
      fmt::format("{}: \"{}\" must be a JSON object, found {}", what, path, shown(value)));
}

void validate(const nlohmann::json& document, std::string_view what) {
  if (!document.is_object() || !document.contains("zarr_consolidated_format") ||
      document["zarr_consolidated_format"] != 1 || !document.contains("metadata")) {
    throw zarr_error(fmt::format(
        "{}: must be a JSON object with \"metadata\", whose \"zarr_consolidated_format\" "
        "is 1, found {}",
        what, shown(document)));
  }
  require_object(document["metadata"], what, "metadata");
  for (const auto& [key, value] : document["metadata"].items()) {
    const std::string path = fmt::format("metadata.{}", key);
    try {
      validate_key(key);
    } catch (const store_error& failure) {
      throw zarr_error(fmt::format("{}: \"{}\": {}", what, shown(path), failure.what()));
    }
    if (is_metadata_key(key)) require_object(value, what, path);
  }
}

std::string_view text_of(const json_document& object, std::string_view member) {
  for (const auto& [name, text] : members_in_order(object)) {
    if (name == member) return text;
  }
  return "{}";
}

}  // namespace

bool is_metadata_key(std::string_view key) {
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return name == ".zarray" || name == ".zattrs" || name == ".zgroup";
}

metadata_files parse_consolidated(std::string_view text, std::string_view what) {
  const json_document document = parse_json(text, what);
  validate(document.value, what);
  const json_document metadata{std::string(text_of(document, "metadata")), {}};
  metadata_files files;
  for (auto& [key, value] : members_in_order(metadata)) {
    if (is_metadata_key(key)) files.emplace(std::move(key), value);
  }
  return files;
}

std::string format_consolidated(const metadata_files& files) {
  std::string text;
  for (const auto& [key, value] : files) {
    const json_document document = parse_json(value, key);
    require_object(document.value, key, "");
    text += fmt::format("{}\n        {}: {}", text.empty() ? "" : ",", detail::quoted(key),
                        document.text);
  }
  return fmt::format("{{\n    \"metadata\": {{{}\n    }},\n    \"zarr_consolidated_format\": 1\n}}",
                     text);
}

}  // namespace tessera::detail
