// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_metadata.hpp"

#include "tessera/core/error.hpp"

#include "codec/api/codec_chain.hpp"
#include "codec/api/v3_filters.hpp"
#include "codec/api/v3_names.hpp"
#include "json/document.hpp"
#include "json/values.hpp"
#include "zarr/attribute_json.hpp"
#include "zarr/v2/data_type_json.hpp"
#include "zarr/v2/element_json.hpp"
#include "zarr/v2/format.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace tessera::detail::v2 {

namespace {

using json = nlohmann::json;
using detail::shown;

const json& required(const json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end()) throw zarr_error(fmt::format("\"{}\" is missing", name));
  return *member;
}

/// Returns a list of extents, each at least `least`.
index_vector parse_extents(const json& object, const char* name, index_t least) {
  const json& list = required(object, name);
  if (!list.is_array() || list.size() > max_rank) {
    throw zarr_error(fmt::format("\"{}\" must be a list of at most {} integers, found {}", name,
                                 max_rank, shown(list)));
  }
  index_vector extents;
  for (std::size_t axis = 0; axis < list.size(); ++axis) {
    const json& extent = list[axis];
    const std::optional<index_t> number = fields::integer_if(extent);
    if (!number || *number < least) {
      throw zarr_error(fmt::format("\"{}[{}]\" must be an integer in [{}, 2^63), found {}", name,
                                   axis, least, shown(extent)));
    }
    extents.push_back(*number);
  }
  return extents;
}

/// Returns the name of the first filter, which encodes the objects.
std::string object_codec(const json& object) {
  const auto filters = object.find("filters");
  if (filters == object.end() || !filters->is_array() || filters->empty()) return "no filter";
  const json& filter = filters->front();
  return filter.is_object() && filter.contains("id") ? "the filter " + shown(filter["id"])
                                                     : shown(filter);
}

data_type parse_dtype(const json& object) {
  const json& value = required(object, "dtype");
  if (value == "|O") {
    throw zarr_error(fmt::format(
        "\"dtype\" is \"|O\", objects of Python that {} encodes, which are not supported: must be "
        "of fixed size, such as U or S",
        object_codec(object)));
  }
  return detail::parse_data_type(value, "dtype");
}

codec::configuration parse_compressor(const json& object) {
  const json& value = required(object, "compressor");
  try {
    return codec::configuration::from_json(value.dump(-1, ' ', true));
  } catch (const codec_error& failure) {
    throw zarr_error(fmt::format("\"compressor\": {}", failure.what()));
  }
}

std::vector<codec::configuration> parse_filters(const json& object) {
  // The specification asks for null; an empty list means the same and is common.
  const auto filters = object.find("filters");
  if (filters == object.end() || filters->is_null()) return {};
  if (!filters->is_array()) {
    throw zarr_error(fmt::format("\"filters\" must be null or a list, found {}", shown(*filters)));
  }
  std::vector<codec::configuration> result;
  for (const json& filter : *filters) {
    const std::string path = fmt::format("filters[{}]", result.size());
    if (!filter.is_object()) {
      throw zarr_error(fmt::format("\"{}\" must be an object, found {}", path, shown(filter)));
    }
    try {
      result.push_back(codec::configuration::from_json(filter.dump(-1, ' ', true)));
    } catch (const codec_error& failure) {
      throw zarr_error(fmt::format("\"{}\": {}", path, failure.what()));
    }
  }
  return result;
}

void require_of_version_2(const codec::configuration& filter) {
  const std::string id = id_of(filter);
  if (!is_of_version_3(id)) return;
  throw zarr_error(fmt::format(
      "the filter \"{}\" is of Zarr v3; ask for .format = 3, or for other filters", id));
}

std::string format_filters(const std::vector<codec::configuration>& filters) {
  std::string text;
  for (const codec::configuration& filter : filters) {
    text += (text.empty() ? "[" : ", ") + filter.to_json();
  }
  return text.empty() ? "null" : text + "]";
}

constexpr std::array<std::string_view, 9> known_members{
    "chunks", "compressor", "dimension_separator", "dtype", "fill_value", "filters",
    "order",  "shape",      "zarr_format"};

bool is_known(std::string_view member) {
  return std::find(known_members.begin(), known_members.end(), member) != known_members.end();
}

/// Returns the leading members of an object: each with a comma and a new line behind it.
std::string format_others(const attributes& members) {
  std::string text;
  for (const auto& [name, value] : members) {
    text += fmt::format("    {}: {},\n", detail::quoted(name), detail::format_attribute(value));
  }
  return text;
}

/// Returns the character of a string that must be `first` or `second`.
char parse_choice(const json& value, const char* name, char first, char second) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (text.size() == 1 && (text[0] == first || text[0] == second)) return text[0];
  }
  throw zarr_error(
      fmt::format("\"{}\" must be \"{}\" or \"{}\", found {}", name, first, second, shown(value)));
}

void refuse_other_formats(const json& object) {
  const json& format = required(object, "zarr_format");
  if (!format.is_number_integer() || format != 2) {
    throw zarr_error(fmt::format("\"zarr_format\" must be 2, found {}", shown(format)));
  }
}

/// Throws zarr_error if the metadata state something that version 2 cannot state.
void refuse_later_versions(const zarr_metadata& metadata) {
  if (metadata.format != 2) {
    throw zarr_error(fmt::format("\"zarr_format\" must be 2, found {}", metadata.format));
  }
  if (!metadata.shards.empty()) {
    throw zarr_error(fmt::format("Zarr v2 has no shards, found shards of {}; take none",
                                 format_shape(metadata.shards)));
  }
  if (!metadata.dimension_names.empty()) {
    throw zarr_error(
        "Zarr v2 has no names of dimensions beside the attributes; put them into the attribute "
        "\"_ARRAY_DIMENSIONS\"");
  }
  if (metadata.key_style != chunk_key_style::plain) {
    throw zarr_error("Zarr v2 has no prefix in the keys of chunks; take plain keys");
  }
}

std::string format_extents(const index_vector& extents) {
  return fmt::format("[{}]", fmt::join(extents.begin(), extents.end(), ", "));
}

}  // namespace

zarr_metadata parse_metadata(std::string_view text) {
  const json object = detail::parse_json(text, ".zarray");
  if (!object.is_object()) {
    throw zarr_error(fmt::format(".zarray: must be a JSON object, found {}", shown(object)));
  }
  zarr_metadata result;
  try {
    refuse_other_formats(object);
    result.shape = parse_extents(object, "shape", 0);
    result.chunks = parse_extents(object, "chunks", 1);
    result.dtype = parse_dtype(object);
    result.compressor = parse_compressor(object);
    result.filters = parse_filters(object);
    // Some writers omit "fill_value" and "dimension_separator", which is younger than the format.
    const auto fill = object.find("fill_value");
    result.fill_value.reset();
    if (fill != object.end() && !fill->is_null()) {
      result.fill_value = detail::parse_element(*fill, result.dtype);
    }
    result.order = parse_choice(required(object, "order"), "order", 'C', 'F');
    const auto separator = object.find("dimension_separator");
    if (separator != object.end() && !separator->is_null()) {
      result.dimension_separator = parse_choice(*separator, "dimension_separator", '.', '/');
    }
    result.other_members = detail::parse_attributes(text, ".zarray", known_members);
    result.validate();
  } catch (const zarr_error& failure) {
    throw zarr_error(fmt::format(".zarray: {}", failure.what()));
  }
  return result;
}

std::string format_metadata(const zarr_metadata& metadata) {
  metadata.validate();
  zarr_metadata complete;
  complete.dtype = metadata.dtype;
  complete.filters = metadata.filters;
  complete.compressor = metadata.compressor;
  complete.complete_filters();
  return fmt::format(
      "{{\n{}"
      "    \"chunks\": {},\n"
      "    \"compressor\": {},\n"
      "    \"dimension_separator\": \"{}\",\n"
      "    \"dtype\": {},\n"
      "    \"fill_value\": {},\n"
      "    \"filters\": {},\n"
      "    \"order\": \"{}\",\n"
      "    \"shape\": {},\n"
      "    \"zarr_format\": 2\n"
      "}}",
      format_others(metadata.other_members), format_extents(metadata.chunks),
      complete.compressor.to_json(), metadata.dimension_separator, metadata.dtype.to_json(),
      metadata.fill_value ? detail::format_element(*metadata.fill_value, metadata.dtype) : "null",
      format_filters(complete.filters), metadata.order.name(), format_extents(metadata.shape));
}

void validate(const zarr_metadata& metadata) {
  for (const codec::configuration& filter : metadata.filters) require_of_version_2(filter);
  for (const auto& [name, value] : metadata.other_members) {
    if (is_known(name)) {
      throw zarr_error(fmt::format("\"{}\" must not be among the other members", name));
    }
  }
  if ((metadata.order != 'C' && metadata.order != 'F') ||
      (metadata.dimension_separator != '.' && metadata.dimension_separator != '/')) {
    throw zarr_error(
        fmt::format("\"order\" must be C or F and \"dimension_separator\" . or /, "
                    "found {:?} and {:?}",
                    metadata.order.name(), metadata.dimension_separator));
  }
  refuse_later_versions(metadata);
}

}  // namespace tessera::detail::v2
