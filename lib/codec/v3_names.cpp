// SPDX-License-Identifier: Apache-2.0
#include "codec/api/v3_names.hpp"

#include "tessera/codec/registry.hpp"
#include "tessera/core/error.hpp"

#include "codec/api/v3_filters.hpp"
#include "codec/number_type.hpp"
#include "json/scanner.hpp"
#include "json/values.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace tessera::detail {

namespace {

using json = nlohmann::json;

constexpr std::string_view prefix = "numcodecs.";

/// The filters, and whether each converts elements one by one.
constexpr std::array<std::pair<std::string_view, bool>, 8> filters{{{"astype", true},
                                                                    {"bitround", true},
                                                                    {"cast_value", true},
                                                                    {"delta", false},
                                                                    {"fixedscaleoffset", true},
                                                                    {"packbits", false},
                                                                    {"quantize", true},
                                                                    {"scale_offset", true}}};

constexpr std::array<std::pair<std::string_view, int>, 3> shuffles{
    {{"noshuffle", codec::no_shuffle},
     {"shuffle", codec::byte_shuffle},
     {"bitshuffle", codec::bit_shuffle}}};

std::string shown(const json& value) {
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= 80 ? text : text.substr(0, 80) + "...";
}

[[noreturn]] void refuse(std::string_view name, std::string_view member, std::string_view expected,
                         const json& value) {
  throw codec_error(
      fmt::format("codec {}: \"{}\" must be {}, found {}", name, member, expected, shown(value)));
}

void require_member(std::string_view name, const char* member, const json& configuration) {
  if (configuration.contains(member)) return;
  throw codec_error(fmt::format("codec {}: \"{}\" is missing", name, member));
}

/// Takes "typesize" out of a configuration of blosc, and replaces the name of a shuffle.
std::size_t convert_blosc(json& configuration) {
  const json shuffle = configuration.value("shuffle", json("noshuffle"));
  const auto mode = std::ranges::find_if(
      shuffles, [&](const auto& entry) { return shuffle == std::string(entry.first); });
  if (mode == shuffles.end()) {
    refuse("blosc", "shuffle", "noshuffle, shuffle or bitshuffle", shuffle);
  }
  configuration["shuffle"] = mode->second;
  const json typesize = configuration.value("typesize", json());
  configuration.erase("typesize");
  // Without a shuffle the size of elements has no effect.
  if (typesize.is_null() && mode->second == codec::no_shuffle) return 1;
  constexpr std::int64_t greatest = std::numeric_limits<std::int32_t>::max();
  const std::int64_t size = fields::integer_if(typesize).value_or(0);
  if (size < 1 || size > greatest) {
    refuse("blosc", "typesize", "an integer in [1, 2^31) unless shuffle is noshuffle", typesize);
  }
  return static_cast<std::size_t>(size);
}

/// Returns the number type of "<f4", "f4" or "float32" in the byte order `order`. Version 3 has
/// numbers of this machine's order in front of "bytes".
std::string with_byte_order(const std::string& text, std::endian order) {
  std::optional<number_type> type = number_type::parse(text);
  if (!type) type = number_type::parse("<" + text);
  if (!type) type = number_type::parse("|" + text);
  if (!type) return text;  // the codec refuses it
  type->byte_order = order;
  return type->to_text();
}

constexpr std::array<const char*, 4> type_members{"dtype", "astype", "encode_dtype",
                                                  "decode_dtype"};

void convert_types(json& configuration, std::endian order) {
  for (const char* const member : type_members) {
    const auto value = configuration.find(member);
    if (value == configuration.end() || !value->is_string()) continue;
    *value = with_byte_order(value->get<std::string>(), order);
  }
}

/// Refuses big-endian types: numcodecs would take the bytes of this machine's numbers for them.
void require_no_order(const json& configuration, const std::string& name) {
  for (const char* const member : type_members) {
    const json value = configuration.value(member, json());
    if (value.is_string() && value.get<std::string>().starts_with('>')) {
      refuse(name, member, "of no byte order, which the codec bytes has", value);
    }
  }
}

/// Returns the configuration of a codec. The arrays of a group have few codecs: the last
/// configuration is cached.
const codec::configuration& configuration_of(const std::shared_ptr<const byte_codec>& codec) {
  thread_local std::shared_ptr<const byte_codec> last;
  thread_local codec::configuration configuration{codec::none{}};
  if (codec == last) return configuration;
  last = nullptr;
  configuration = codec::configuration::from_json(codec->to_json());
  last = codec;
  return configuration;
}

v3_codec make(json configuration, const std::string& id, codec_elements elements) {
  v3_codec result;
  result.kind = kind_of_codec(id);
  if (result.kind == codec_kind::array_to_array) {
    require_no_order(configuration, id);
    convert_types(configuration, elements.byte_order);
  }
  configuration["id"] = id;
  // With the elements, options that are absent get their types.
  const std::string text = configuration.dump(-1, ' ', true, json::error_handler_t::replace);
  result.codec = configuration_of(make_codec(text, elements));
  return result;
}

/// Returns the id of a codec of numcodecs, or "" if the name has no prefix.
std::string numcodecs_id(const std::string& name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string();
}

[[noreturn]] void throw_unsupported(const std::string& name) {
  throw codec_error(fmt::format(
      "unsupported codec name \"{:.80}\": must be transpose, scale_offset, cast_value, bitround, "
      "bytes, packbits, sharding_indexed, blosc, gzip, zstd, crc32c, or a codec of numcodecs such "
      "as numcodecs.lz4",
      name));
}

void require_level(const json& configuration, const std::string& name, std::int64_t least,
                   std::int64_t greatest) {
  require_member(name, "level", configuration);
  const json& level = configuration["level"];
  const std::optional<std::int64_t> number = fields::integer_if(level);
  if (!number || *number < least || *number > greatest)
    refuse(name, "level", fmt::format("an integer in [{}, {}]", least, greatest), level);
}

}  // namespace

v3_codec parse_v3_codec(const std::string& name, const json& configuration,
                        codec_elements elements) {
  if (configuration.contains("id")) refuse(name, "id", "absent", configuration["id"]);
  if (name == "blosc") {
    json options = configuration;
    const std::size_t typesize = convert_blosc(options);
    v3_codec result = make(std::move(options), name, {typesize});
    result.typesize = typesize;
    return result;
  }
  if (name == "gzip") {
    require_level(configuration, name, 0, 9);
    return make(configuration, name, elements);
  }
  if (name == "zstd") {
    require_level(configuration, name, -131072, 22);
    return make(configuration, name, elements);
  }
  if (name == "crc32c") {
    if (!configuration.empty()) refuse(name, "configuration", "absent", configuration);
    return make(json::object(), name, elements);
  }
  if (name == "bitround" || is_of_version_3(name)) return make(configuration, name, elements);
  const std::string id = numcodecs_id(name);
  if (id.empty() || is_of_version_3(id)) throw_unsupported(name);
  v3_codec result = make(configuration, id, elements);
  // numcodecs gives its Blosc bytes, not elements.
  if (id == "blosc") result.typesize = 1;
  return result;
}

std::string format_v3_codec(const codec::configuration& codec, std::size_t typesize) {
  json configuration = fields::parse(codec.to_json());
  const std::string id = fields::text(configuration["id"]);
  configuration.erase("id");
  std::string name = std::string(prefix) + id;
  if (id == "blosc") {
    name = id;
    typesize = std::max<std::size_t>(typesize, 1);
    int mode = static_cast<int>(fields::integer(configuration["shuffle"]));
    if (mode == codec::auto_shuffle) {
      mode = typesize == 1 ? codec::bit_shuffle : codec::byte_shuffle;
    }
    configuration["shuffle"] = shuffles[static_cast<std::size_t>(mode)].first;
    configuration["typesize"] = typesize;
  } else if (id == "zstd") {
    name = id;
    configuration["checksum"] = configuration.value("checksum", false);
  } else if (id == "gzip" && fields::integer(configuration["level"]) >= 0) {
    name = id;
  } else if (id == "crc32c" && configuration.empty()) {
    name = id;
  } else if (is_of_version_3(id)) {
    name = id;
  } else if (kind_of_codec(id) == codec_kind::array_to_array) {
    convert_types(configuration, std::endian::little);
  }
  // zarr-python takes no name alone of a codec of numcodecs.
  if (configuration.empty() && name == id) return fmt::format("{{\"name\": \"{}\"}}", name);
  return fmt::format("{{\"name\": \"{}\", \"configuration\": {}}}", name, configuration.dump());
}

codec_kind kind_of_codec(std::string_view id) {
  const bool is_filter =
      std::ranges::any_of(filters, [&](const auto& entry) { return entry.first == id; });
  return is_filter ? codec_kind::array_to_array : codec_kind::bytes_to_bytes;
}

std::string id_of(const codec::configuration& codec) {
  if (codec.is_none()) return {};
  const std::string text = codec.to_json();
  for (const json_member& member : members_of(text, "codec")) {
    if (member.name == "id") return fields::text(fields::parse(member.value_text));
  }
  throw codec_error(fmt::format("codec {}: has no id", text));
}

bool is_elementwise(std::string_view id) {
  return std::ranges::any_of(filters,
                             [&](const auto& entry) { return entry.first == id && entry.second; });
}

}  // namespace tessera::detail
