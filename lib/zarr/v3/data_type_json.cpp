// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/data_type_json.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/v3/extension.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace tessera::detail::v3 {

namespace {

using json = nlohmann::json;

constexpr std::array numbers{dtype::boolean,   dtype::int8,      dtype::int16,   dtype::int32,
                             dtype::int64,     dtype::uint8,     dtype::uint16,  dtype::uint32,
                             dtype::uint64,    dtype::float16,   dtype::float32, dtype::float64,
                             dtype::complex64, dtype::complex128};

constexpr std::array<std::string_view, 3> varying_types{"string", "bytes", "variable_length_bytes"};

std::size_t parse_length(const extension& type, std::size_t unit) {
  type.require_members({"length_bytes"});
  const std::string path = type.path_of("length_bytes");
  const index_t length = parse_integer(type.find("length_bytes"), path, 1,
                                       static_cast<index_t>(data_type::max_itemsize));
  if (static_cast<std::size_t>(length) % unit != 0) {
    refuse(path, fmt::format("a multiple of {}", unit), type.find("length_bytes"));
  }
  return static_cast<std::size_t>(length) / unit;
}

data_type parse_time(const extension& type) {
  type.require_members({"unit", "scale_factor"});
  const json& unit = type.find("unit");
  if (!unit.is_string()) refuse(type.path_of("unit"), "a unit of time", unit);
  const json& factor = type.find("scale_factor");
  const index_t multiple = parse_integer(factor, type.path_of("scale_factor"), 1,
                                         std::numeric_limits<std::int32_t>::max());
  std::string text = unit.get<std::string>();
  // The registry has the Greek letter and the micro sign as aliases.
  if (text == "\u03bcs" || text == "\u00b5s") text = "us";
  return type.name == "numpy.datetime64" ? data_type::datetime64(text, multiple)
                                         : data_type::timedelta64(text, multiple);
}

/// Returns the raw type of "r24", or nullopt if `name` is no such name.
std::optional<data_type> raw_type_of(const std::string& name) {
  if (name.size() < 2 || name[0] != 'r' || name[1] == '0') return std::nullopt;
  std::size_t bits = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, failure] = std::from_chars(name.data() + 1, end, bits);
  if (failure != std::errc{} || stop != end || bits % 8 != 0) return std::nullopt;
  return data_type::raw(bits / 8);
}

data_type parse_field_type(const json& value, const std::string& path) {
  named_type type = parse_data_type(value, path);
  if (type.name != bfloat16_name) return std::move(type.type);
  throw zarr_error(fmt::format("\"{}\": bfloat16 is not supported in records", path));
}

/// Returns a field of a "struct", an object, or of a "structured", a pair.
data_field parse_field(const json& value, const std::string& path) {
  if (value.is_array() && value.size() == 2 && value[0].is_string()) {
    return {value[0].get<std::string>(), parse_field_type(value[1], path + "[1]")};
  }
  const bool is_field = value.is_object() && value.size() == 2 && value.contains("name") &&
                        value["name"].is_string() && value.contains("data_type");
  if (!is_field) refuse(path, "an object of name and data_type", value);
  return {value["name"].get<std::string>(),
          parse_field_type(value["data_type"], path + ".data_type")};
}

data_type parse_record(const extension& type) {
  type.require_members({"fields"});
  const std::string path = type.path_of("fields");
  const json& list = type.find("fields");
  if (!list.is_array() || list.empty()) refuse(path, "a list of fields", list);
  std::vector<data_field> fields;
  for (std::size_t i = 0; i < list.size(); ++i) {
    fields.push_back(parse_field(list[i], fmt::format("{}[{}]", path, i)));
    if (fields.back().name.empty()) {
      refuse(fmt::format("{}[{}]", path, i), "a field with a name", list[i]);
    }
  }
  return data_type::structured(std::move(fields));
}

std::optional<data_type> type_of(const extension& type) {
  for (const dtype number : numbers) {
    if (type.name != name_of(number)) continue;
    type.require_members({});
    return number;
  }
  if (type.name == bfloat16_name) {
    type.require_members({});
    return dtype::float32;
  }
  if (type.name == "numpy.datetime64" || type.name == "numpy.timedelta64") return parse_time(type);
  if (type.name == "fixed_length_utf32") {
    return data_type::fixed_text(parse_length(type, sizeof(char32_t)));
  }
  if (type.name == "null_terminated_bytes") return data_type::fixed_bytes(parse_length(type, 1));
  if (type.name == "raw_bytes") return data_type::raw(parse_length(type, 1));
  if (type.name == "struct" || type.name == "structured") return parse_record(type);
  const std::optional<data_type> raw = raw_type_of(type.name);
  if (raw) type.require_members({});
  return raw;
}

std::string length_of(const data_type& type) {
  return fmt::format("{{\"length_bytes\": {}}}", type.itemsize());
}

std::string format_record(const data_type& type, std::string_view name) {
  const bool has_pairs = name == "structured";
  std::string text;
  for (const data_field& field : type.fields()) {
    if (field.is_padding() || !field.shape.empty()) {
      throw zarr_error(
          fmt::format("Zarr version 3 has records of single values with names, found {}: select "
                      "fields, or store the array in version 2",
                      shortened(type.to_json())));
    }
    text += text.empty() ? "" : ", ";
    const std::string inner = format_data_type(field.type, name);
    text += has_pairs ? fmt::format("[{}, {}]", detail::quoted(field.name), inner)
                      : fmt::format("{{\"name\": {}, \"data_type\": {}}}",
                                    detail::quoted(field.name), inner);
  }
  return format_extension(has_pairs ? "structured" : "struct",
                          fmt::format("{{\"fields\": [{}]}}", text));
}

}  // namespace

named_type parse_data_type(const json& value, const std::string& path) {
  const extension type = parse_extension(value, path);
  if (std::ranges::find(varying_types, type.name) != varying_types.end()) {
    throw zarr_error(
        fmt::format("\"{}\" is {}, elements of varying length, which are not supported: must be of "
                    "fixed size, such as fixed_length_utf32",
                    path, detail::quoted(type.name)));
  }
  std::optional<data_type> result;
  try {
    result = type_of(type);
  } catch (const zarr_error& failure) {
    if (std::string_view(failure.what()).starts_with('"')) throw;
    throw zarr_error(fmt::format("\"{}\" is {}: {}", path, shown(value), failure.what()));
  }
  if (!result) {
    throw zarr_error(
        fmt::format("\"{}\": the data type {} is not supported: must be bool, int8 to int64, uint8 "
                    "to uint64, bfloat16, float16, float32, float64, complex64, complex128, "
                    "numpy.datetime64, numpy.timedelta64, fixed_length_utf32, "
                    "null_terminated_bytes, raw_bytes, r and a number of bits, or struct",
                    path, detail::quoted(shortened(type.name))));
  }
  const bool has_spellings =
      result->kind() == data_kind::raw || !result->fields().empty() || type.name == bfloat16_name;
  return {*std::move(result), has_spellings ? type.name : std::string()};
}

std::string format_data_type(const data_type& type, std::string_view name) {
  const auto time = [&](std::string_view kind) {
    return format_extension(kind, fmt::format("{{\"unit\": {}, \"scale_factor\": {}}}",
                                              detail::quoted(type.unit()), type.multiple()));
  };
  switch (type.kind()) {
    case data_kind::numeric:
      if (name == bfloat16_name && type.element() == dtype::float32) return detail::quoted(name);
      return detail::quoted(name_of(*type.element()));
    case data_kind::datetime:
      return time("numpy.datetime64");
    case data_kind::timedelta:
      return time("numpy.timedelta64");
    case data_kind::bytes:
      return format_extension("null_terminated_bytes", length_of(type));
    case data_kind::text:
      return format_extension("fixed_length_utf32", length_of(type));
    case data_kind::structured:
      return format_record(type, name);
    default:
      break;
  }
  if (name == fmt::format("r{}", 8 * type.itemsize())) return detail::quoted(name);
  return format_extension("raw_bytes", length_of(type));
}

data_type with_byte_order(const data_type& type, std::endian order) {
  switch (type.kind()) {
    case data_kind::numeric:
      return {*type.element(), order};
    case data_kind::datetime:
      return data_type::datetime64(type.unit(), type.multiple(), order);
    case data_kind::timedelta:
      return data_type::timedelta64(type.unit(), type.multiple(), order);
    case data_kind::text:
      return data_type::fixed_text(type.itemsize() / sizeof(char32_t), order);
    case data_kind::structured: {
      std::vector<data_field> fields = type.fields();
      for (data_field& field : fields) field.type = with_byte_order(field.type, order);
      return data_type::structured(std::move(fields));
    }
    default:
      return type;
  }
}

bool has_byte_order(const data_type& type) {
  if (type.kind() == data_kind::bytes || type.kind() == data_kind::raw) return false;
  if (type.kind() != data_kind::structured) return type.itemsize() > 1;
  return std::ranges::any_of(type.fields(),
                             [](const data_field& field) { return has_byte_order(field.type); });
}

}  // namespace tessera::detail::v3
