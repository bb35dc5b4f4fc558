// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_metadata.hpp"

#include "tessera/core/error.hpp"

#include "zarr/fill_value.hpp"
#include "zarr/json_document.hpp"

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

std::optional<dtype> dtype_of_code(std::string_view code) {
  constexpr std::pair<std::string_view, dtype> codes[] = {
      {"b1", dtype::boolean},   {"i1", dtype::int8},        {"i2", dtype::int16},
      {"i4", dtype::int32},     {"i8", dtype::int64},       {"u1", dtype::uint8},
      {"u2", dtype::uint16},    {"u4", dtype::uint32},      {"u8", dtype::uint64},
      {"f2", dtype::float16},   {"f4", dtype::float32},     {"f8", dtype::float64},
      {"c8", dtype::complex64}, {"c16", dtype::complex128},
  };
  for (const auto& [known, type] : codes) {
    if (code == known) return type;
  }
  return std::nullopt;
}

std::string_view code_of(dtype type) {
  constexpr std::string_view codes[] = {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2",
                                        "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"};
  return codes[static_cast<std::size_t>(type)];
}

std::pair<dtype, std::endian> parse_dtype(const json& object) {
  const json& value = required(object, "dtype");
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const char marker = text.empty() ? '\0' : text[0];
  const bool has_marker = marker == '<' || marker == '>' || marker == '|';
  const std::optional<dtype> type =
      has_marker ? dtype_of_code(std::string_view(text).substr(1)) : std::nullopt;
  // "|" says that there is no byte order, which only elements of one byte have.
  if (!type || (marker == '|' && size_of(*type) > 1)) {
    throw zarr_error(
        fmt::format("\"dtype\" must be one of |b1, |i1, |u1, and i2, i4, i8, u2, u4, "
                    "u8, f2, f4, f8, c8, c16 behind < or >, found {}",
                    shown(value)));
  }
  const bool is_big = marker == '>' && size_of(*type) > 1;
  return {*type, is_big ? std::endian::big : std::endian::little};
}

codec::configuration parse_compressor(const json& object) {
  const json& value = required(object, "compressor");
  try {
    return codec::configuration::from_json(value.dump(-1, ' ', true));
  } catch (const codec_error& failure) {
    throw zarr_error(fmt::format("\"compressor\": {}", failure.what()));
  }
}

void refuse_filters(const json& object) {
  // The specification asks for null; an empty list means the same and is common.
  const auto filters = object.find("filters");
  if (filters == object.end() || filters->is_null()) return;
  if (!filters->is_array()) {
    throw zarr_error(fmt::format("\"filters\" must be null or a list, found {}", shown(*filters)));
  }
  if (filters->empty()) return;
  const json& filter = filters->front();
  const bool has_id = filter.is_object() && filter.contains("id");
  throw zarr_error(fmt::format("\"filters[0].id\": filter {} is not supported: no filters are",
                               has_id ? shown(filter["id"]) : shown(filter)));
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

std::string format_extents(const index_vector& extents) {
  return fmt::format("[{}]", fmt::join(extents.begin(), extents.end(), ", "));
}

}  // namespace

zarr_metadata zarr_metadata::parse(std::string_view text) {
  const json object = detail::parse_json(text, ".zarray").value;
  if (!object.is_object()) {
    throw zarr_error(fmt::format(".zarray: must be a JSON object, found {}", shown(object)));
  }
  zarr_metadata result;
  try {
    refuse_other_formats(object);
    result.shape = parse_extents(object, "shape", 0);
    result.chunks = parse_extents(object, "chunks", 1);
    std::tie(result.dtype, result.byte_order) = parse_dtype(object);
    result.compressor = parse_compressor(object);
    refuse_filters(object);
    // Both are missing in files of some writers; the second is younger than the format.
    result.fill_value = detail::parse_fill_value(object.value("fill_value", json()), result.dtype);
    result.order = parse_choice(required(object, "order"), "order", 'C', 'F');
    result.dimension_separator = parse_choice(object.value("dimension_separator", json(".")),
                                              "dimension_separator", '.', '/');
    result.validate();
  } catch (const zarr_error& failure) {
    throw zarr_error(fmt::format(".zarray: {}", failure.what()));
  }
  return result;
}

std::string zarr_metadata::to_json() const {
  validate();
  std::string code(code_of(dtype));
  if (byte_order == std::endian::big && code[0] == '<') code[0] = '>';
  return fmt::format(
      "{{\n"
      "    \"chunks\": {},\n"
      "    \"compressor\": {},\n"
      "    \"dimension_separator\": \"{}\",\n"
      "    \"dtype\": \"{}\",\n"
      "    \"fill_value\": {},\n"
      "    \"filters\": null,\n"
      "    \"order\": \"{}\",\n"
      "    \"shape\": {},\n"
      "    \"zarr_format\": 2\n"
      "}}",
      format_extents(chunks), compressor.to_json(), dimension_separator, code,
      detail::format_fill_value(fill_value, dtype), order, format_extents(shape));
}

void zarr_metadata::validate() const {
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
  const auto itemsize = static_cast<index_t>(size_of(dtype));
  for (const index_vector& extents : {shape, chunks}) {
    try {
      static_cast<void>(checked_multiply(num_elements(extents), itemsize));
    } catch (const shape_error&) {
      throw zarr_error(
          fmt::format("shape {} or chunks {} of {} B elements: arrays and chunks must "
                      "have less than 2^63 B",
                      format_shape(shape), format_shape(chunks), itemsize));
    }
  }
}

}  // namespace tessera
