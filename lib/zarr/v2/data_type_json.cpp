// SPDX-License-Identifier: Apache-2.0
#include "zarr/v2/data_type_json.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/values.hpp"

#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

namespace tessera {

namespace {

using json = nlohmann::json;

constexpr std::pair<std::string_view, dtype> numbers[] = {
    {"b1", dtype::boolean},   {"i1", dtype::int8},        {"i2", dtype::int16},
    {"i4", dtype::int32},     {"i8", dtype::int64},       {"u1", dtype::uint8},
    {"u2", dtype::uint16},    {"u4", dtype::uint32},      {"u8", dtype::uint64},
    {"f2", dtype::float16},   {"f4", dtype::float32},     {"f8", dtype::float64},
    {"c8", dtype::complex64}, {"c16", dtype::complex128},
};

constexpr std::size_t greatest_number = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void throw_unknown(const std::string& path, const json& value) {
  throw zarr_error(fmt::format(
      "\"{}\" must be b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, c8, c16, M8[unit],"
      " m8[unit], S, U or V with a length, behind <, > or, without byte order, |, or a "
      "list of fields, found {}",
      path, detail::shown(value)));
}

/// Removes the digits at the front of `text` and returns their number, or nullopt if it begins with
/// 0 or exceeds 2^31 - 1.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || text[0] == '0' || number > greatest_number) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Returns the time type of `code`, a code without the byte order: "M8[10ns]".
std::optional<data_type> time_of(std::string_view code, std::endian order) {
  const bool is_date = code.starts_with("M8");
  if (!is_date && !code.starts_with("m8")) return std::nullopt;
  std::string_view unit = code.substr(2);
  std::size_t multiple = 1;
  if (unit.empty()) {
    unit = "generic";
  } else {
    if (unit.size() < 3 || unit.front() != '[' || unit.back() != ']') return std::nullopt;
    unit = unit.substr(1, unit.size() - 2);
    if (unit[0] >= '0' && unit[0] <= '9') {
      const auto number = take_number(unit);
      if (!number) return std::nullopt;
      multiple = *number;
    }
    // Unicode has two letters mu: the Greek letter and the micro sign.
    if (unit == "\u03bcs" || unit == "\u00b5s") unit = "us";
  }
  const auto count = static_cast<index_t>(multiple);
  return is_date ? data_type::datetime64(unit, count, order)
                 : data_type::timedelta64(unit, count, order);
}

/// Returns the type of strings or raw bytes of a code, "S12", from its letter and its digits.
std::optional<data_type> sequence_of(char kind, std::string_view digits, std::endian order) {
  const std::optional<std::size_t> length = take_number(digits);
  if (!length || !digits.empty()) return std::nullopt;
  switch (kind) {
    case 'S':
      return data_type::fixed_bytes(*length);
    case 'U':
      return data_type::fixed_text(*length, order);
    case 'V':
      return data_type::raw(*length);
    default:
      return std::nullopt;
  }
}

std::optional<data_type> type_of_code(std::string_view text) {
  const char marker = text.empty() ? '\0' : text[0];
  if ((marker != '<' && marker != '>' && marker != '|') || text.size() < 3) return std::nullopt;
  const std::string_view code = text.substr(1);
  const std::endian order = marker == '>' ? std::endian::big : std::endian::little;
  for (const auto& [known, type] : numbers) {
    if (code != known) continue;
    // "|" means no byte order, which is valid for elements of one byte only.
    if (marker == '|' && size_of(type) > 1) return std::nullopt;
    return data_type(type, order);
  }
  if (marker == '|' && code[0] != 'S' && code[0] != 'V') return std::nullopt;
  if (auto time = time_of(code, order)) return time;
  return sequence_of(code[0], code.substr(1), order);
}

data_type parse_text(const json& value, const std::string& path) {
  const std::string& text = value.get_ref<const std::string&>();
  if (text.ends_with("f16") || text.ends_with("c32")) {
    throw zarr_error(
        fmt::format("\"{}\" is {}, a long double, whose bytes differ from machine to machine: "
                    "must be f8 or c16 at most",
                    path, detail::shown(value)));
  }
  std::optional<data_type> type;
  try {
    type = type_of_code(text);
  } catch (const zarr_error& failure) {
    throw zarr_error(fmt::format("\"{}\" is {}: {}", path, detail::shown(value), failure.what()));
  }
  if (!type) throw_unknown(path, value);
  return *std::move(type);
}

index_vector parse_shape(const json& value, const std::string& path) {
  if (!value.is_array() || value.size() > max_rank) {
    throw zarr_error(fmt::format("\"{}\" must be a list of at most {} integers, found {}", path,
                                 max_rank, detail::shown(value)));
  }
  index_vector shape;
  for (const json& extent : value) {
    const index_t number = fields::integer_if(extent).value_or(0);
    if (number < 1 || number > static_cast<index_t>(greatest_number)) {
      throw zarr_error(fmt::format("\"{}[{}]\" must be an integer in [1, 2^31), found {}", path,
                                   shape.size(), detail::shown(extent)));
    }
    shape.push_back(number);
  }
  return shape;
}

data_field parse_field(const json& value, const std::string& path) {
  if (!value.is_array() || value.size() < 2 || value.size() > 3 || !value[0].is_string()) {
    throw zarr_error(
        fmt::format("\"{}\" must be a list of a name, a dtype and, for an array, its shape, "
                    "found {}",
                    path, detail::shown(value)));
  }
  data_field field{value[0].get<std::string>(), detail::parse_data_type(value[1], path + "[1]")};
  if (value.size() == 3) field.shape = parse_shape(value[2], path + "[2]");
  return field;
}

std::string to_text(const data_type& type) {
  const char marker = type.byte_order() == std::endian::big ? '>' : '<';
  const auto time = [&](const char* code) {
    const std::string factor = type.multiple() == 1 ? "" : std::to_string(type.multiple());
    return type.unit() == "generic" && factor.empty()
               ? fmt::format("{}{}", marker, code)
               : fmt::format("{}{}[{}{}]", marker, code, factor, type.unit());
  };
  switch (type.kind()) {
    case data_kind::numeric:
      return fmt::format("{}{}", type.itemsize() == 1 ? '|' : marker,
                         detail::code_of(*type.element()));
    case data_kind::datetime:
      return time("M8");
    case data_kind::timedelta:
      return time("m8");
    case data_kind::bytes:
      return fmt::format("|S{}", type.itemsize());
    case data_kind::text:
      return fmt::format("{}U{}", marker, type.itemsize() / sizeof(char32_t));
    default:
      return fmt::format("|V{}", type.itemsize());
  }
}

}  // namespace

data_type detail::parse_data_type(const json& value, const std::string& path) {
  if (value.is_string()) return parse_text(value, path);
  if (!value.is_array()) throw_unknown(path, value);
  std::vector<data_field> fields;
  for (std::size_t i = 0; i < value.size(); ++i) {
    fields.push_back(parse_field(value[i], fmt::format("{}[{}]", path, i)));
  }
  try {
    return data_type::structured(std::move(fields));
  } catch (const zarr_error& failure) {
    throw zarr_error(fmt::format("\"{}\" is {}: {}", path, detail::shown(value), failure.what()));
  }
}

std::string_view detail::code_of(dtype type) {
  for (const auto& [code, known] : numbers) {
    if (known == type) return code;
  }
  throw dtype_error(fmt::format("{} cannot be stored", name_of(type)));
}

data_type data_type::parse(std::string_view text) {
  return detail::parse_data_type(detail::parse_json(text, "dtype"), "dtype");
}

std::string data_type::to_json() const {
  if (kind_ != data_kind::structured) return fmt::format("\"{}\"", to_text(*this));
  std::string text = "[";
  for (const data_field& field : fields_) {
    if (text.size() > 1) text += ", ";
    text += fmt::format("[{}, {}", detail::quoted(field.name), field.type.to_json());
    if (!field.shape.empty()) {
      text += fmt::format(", [{}]", fmt::join(field.shape.begin(), field.shape.end(), ", "));
    }
    text += ']';
  }
  return text + ']';
}

}  // namespace tessera
