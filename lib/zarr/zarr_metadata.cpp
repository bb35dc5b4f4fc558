// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_metadata.hpp"

#include "tessera/codec/codec_chain.hpp"
#include "tessera/core/error.hpp"

#include "zarr/attribute_json.hpp"
#include "zarr/data_type_json.hpp"
#include "zarr/element_json.hpp"
#include "zarr/json_document.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace tessera {

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
    constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max());
    const bool fits = extent.is_number_unsigned() && extent.get<std::uint64_t>() <= greatest &&
                      extent.get<index_t>() >= least;
    if (!fits) {
      throw zarr_error(fmt::format("\"{}[{}]\" must be an integer in [{}, 2^63), found {}", name,
                                   axis, least, shown(extent)));
    }
    extents.push_back(extent.get<index_t>());
  }
  return extents;
}

/// Returns the id of the first filter, which is what tells how objects are encoded.
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

/// Returns the members of an object that others follow: each with a comma and a new line behind it.
std::string format_others(const attributes& members) {
  std::string text;
  for (const auto& [name, value] : members) {
    text += fmt::format("    {}: {},\n", detail::quoted(name), detail::format_attribute(value));
  }
  return text;
}

/// Returns a member that is one of two characters, in a string.
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

/// Throws zarr_error unless an array of `extents` has at most 2^63 - 1 elements and bytes.
void require_count(const char* what, const index_vector& extents, std::size_t itemsize) {
  index_t count = 1;
  index_t size = static_cast<index_t>(itemsize);
  const bool is_empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  for (const index_t extent : is_empty ? index_vector{} : extents) {
    if (__builtin_mul_overflow(count, extent, &count)) {
      throw zarr_error(
          fmt::format("\"{}\" {} has more than 2^63 - 1 elements; take smaller extents", what,
                      format_shape(extents)));
    }
  }
  if (__builtin_mul_overflow(count, size, &size)) {
    throw zarr_error(
        fmt::format("\"{}\" {} of {} B elements has more than 2^63 - 1 B; take smaller extents",
                    what, format_shape(extents), itemsize));
  }
}

std::string format_extents(const index_vector& extents) {
  return fmt::format("[{}]", fmt::join(extents.begin(), extents.end(), ", "));
}

}  // namespace

zarr_metadata zarr_metadata::parse(std::string_view text) {
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
    // Both are missing in files of some writers; the second is younger than the format.
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

std::string zarr_metadata::to_json() const {
  validate();
  zarr_metadata complete;
  complete.dtype = dtype;
  complete.filters = filters;
  complete.compressor = compressor;
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
      format_others(other_members), format_extents(chunks), complete.compressor.to_json(),
      dimension_separator, dtype.to_json(),
      fill_value ? detail::format_element(*fill_value, dtype) : "null",
      format_filters(complete.filters), order, format_extents(shape));
}

bool element_bytes::operator==(const element_bytes& other) const {
  const std::size_t common = std::min(size(), other.size());
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  const auto end = static_cast<std::ptrdiff_t>(common);
  return std::equal(bytes_.begin(), bytes_.begin() + end, other.bytes_.begin()) &&
         std::all_of(bytes_.begin() + end, bytes_.end(), is_zero) &&
         std::all_of(other.bytes_.begin() + end, other.bytes_.end(), is_zero);
}

std::shared_ptr<const byte_codec> zarr_metadata::make_codec() const {
  return make_codec_chain(filters, compressor, dtype.stored_elements());
}

void zarr_metadata::complete_filters() {
  complete_codec_chain(filters, compressor, dtype.stored_elements());
}

void zarr_metadata::validate() const {
  for (const auto& [name, value] : other_members) {
    if (is_known(name)) {
      throw zarr_error(fmt::format("\"{}\" must not be among the other members", name));
    }
  }
  if (shape.size() != chunks.size()) {
    throw zarr_error(
        fmt::format("\"chunks\" must have one length per axis of \"shape\", found {} "
                    "for {}",
                    format_shape(chunks), format_shape(shape)));
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 0 || chunks[axis] < 1) {
      throw zarr_error(
          fmt::format("extents must be at least 0 and chunk lengths at least 1, found "
                      "shape {} and chunks {}",
                      format_shape(shape), format_shape(chunks)));
    }
  }
  if ((order != 'C' && order != 'F') ||
      (dimension_separator != '.' && dimension_separator != '/')) {
    throw zarr_error(
        fmt::format("\"order\" must be C or F and \"dimension_separator\" . or /, "
                    "found {:?} and {:?}",
                    order, dimension_separator));
  }
  require_count("shape", shape, dtype.itemsize());
  require_count("chunks", chunks, dtype.itemsize());
}

}  // namespace tessera
