// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/codec_list.hpp"

#include "tessera/core/error.hpp"

#include "codec/api/shard_codec.hpp"
#include "codec/api/v3_names.hpp"
#include "json/document.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/v3/data_type_json.hpp"
#include "zarr/v3/extension.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tessera::detail::v3 {

namespace {

using json = nlohmann::json;

std::endian parse_endian(const extension& codec, bool is_needed) {
  codec.require_members({"endian"});
  const json& endian = codec.find("endian");
  if (endian == "little" || (endian.is_null() && !is_needed)) return std::endian::little;
  if (endian == "big") return std::endian::big;
  refuse(codec.path_of("endian"), "\"little\" or \"big\" for elements of more than one byte",
         endian);
}

/// Returns the byte order of the innermost "bytes" of a list; `parse_codec_list` refuses the rest.
std::endian find_byte_order(const json& list) {
  if (!list.is_array()) return std::endian::little;
  for (const json& codec : list) {
    if (!codec.is_object()) continue;
    const auto name = codec.find("name");
    const auto members = codec.find("configuration");
    if (name == codec.end() || members == codec.end() || !members->is_object()) continue;
    if (*name == "bytes") {
      const auto endian = members->find("endian");
      if (endian != members->end() && *endian == "big") return std::endian::big;
    }
    if (*name == "sharding_indexed") {
      const auto inner = members->find("codecs");
      return inner == members->end() ? std::endian::little : find_byte_order(*inner);
    }
  }
  return std::endian::little;
}

/// Tells whether the byte order of elements matters.
bool has_order(const codec_elements& elements, const data_type& type, bool is_filtered) {
  if (!is_filtered) return has_byte_order(type);
  return elements.itemsize > 1 &&
         std::string_view("iufcmMU").find(elements.kind) != std::string::npos;
}

shard_index_format parse_index_codecs(const json& list, const std::string& path, std::size_t rank) {
  if (!list.is_array() || list.empty()) refuse(path, "a list of codecs with \"bytes\"", list);
  shard_index_format format{.num_checks = 0};
  bool has_bytes = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string codec_path = fmt::format("{}[{}]", path, i);
    const extension codec = parse_extension(list[i], codec_path);
    if (codec.name == "transpose" && !has_bytes) {
      codec.require_members({"order"});
      const index_vector order =
          parse_permutation(codec.find("order"), codec.path_of("order"), rank + 1);
      format.order = permuted(format.order.empty() ? order : format.order,
                              format.order.empty() ? index_vector{} : order);
    } else if (codec.name == "bytes" && !has_bytes) {
      format.byte_order = parse_endian(codec, true);
      has_bytes = true;
    } else if (codec.name == "crc32c" && has_bytes) {
      codec.require_members({});
      ++format.num_checks;
    } else {
      refuse(codec_path, "transpose before bytes, or crc32c behind: an index has a fixed size",
             list[i]);
    }
  }
  if (!has_bytes) refuse(path, "a list of codecs with \"bytes\"", list);
  return format;
}

/// Reads a list of codecs one by one.
class list_parser {
 public:
  list_parser(const data_type& type, index_vector shape, std::endian order, bool is_bfloat16)
      : type_(with_byte_order(type, order)),
        shape_(std::move(shape)),
        elements_(is_bfloat16 ? make_bfloat16_codec(order)->encoded_elements()
                              : type_.stored_elements()) {
    result_.byte_order = order;
    result_.is_bfloat16 = is_bfloat16;
    order_.assign(shape_.size());
  }

  void take(const extension& codec) {
    if (codec.name == "transpose") {
      take_transpose(codec);
    } else if (codec.name == "bytes") {
      require_array(codec);
      static_cast<void>(parse_endian(
          codec, type_.fields().empty() && has_order(elements_, type_, is_filtered())));
      are_bytes_ = true;
    } else if (codec.name == "packbits") {
      require_array(codec);
      take_packing(codec);
    } else if (codec.name == "sharding_indexed") {
      require_array(codec);
      take_shards(codec);
      are_bytes_ = true;
    } else {
      take_codec(codec);
    }
  }

  codec_list finish(const json& list, const std::string& path) && {
    if (!are_bytes_) refuse(path, "a list with one of bytes, sharding_indexed", list);
    if (!order_.is_identity()) result_.order = order_.axes;
    return std::move(result_);
  }

 private:
  struct permutation {
    index_vector axes;

    void assign(std::size_t rank) {
      for (std::size_t axis = 0; axis < rank; ++axis) axes.push_back(static_cast<index_t>(axis));
    }
    [[nodiscard]] bool is_identity() const { return std::is_sorted(axes.begin(), axes.end()); }
  };

  [[nodiscard]] bool is_filtered() const { return !result_.filters.empty(); }

  /// Throws zarr_error unless elements come to `codec`, which is no codec of bytes.
  void require_array(const extension& codec) const {
    if (!are_bytes_) return;
    throw zarr_error(fmt::format("\"{}\": {} must be in front of the codec that makes bytes",
                                 codec.path, detail::quoted(codec.name)));
  }

  /// Throws zarr_error unless a filter may be at this place.
  void require_filter(const extension& codec) const {
    require_array(codec);
    if (!result_.is_bfloat16) return;
    throw zarr_error(fmt::format("\"{}\": {} of bfloat16 elements is not supported", codec.path,
                                 detail::quoted(codec.name)));
  }

  void require_axes(const extension& codec) const {
    if (blocker_.empty()) return;
    throw zarr_error(fmt::format(
        "\"{}\": {} behind {}, which depends on the order of elements, is not supported",
        codec.path, detail::quoted(codec.name), detail::quoted(blocker_)));
  }

  void take_transpose(const extension& codec) {
    require_array(codec);
    require_axes(codec);
    codec.require_members({"order"});
    const index_vector order =
        parse_permutation(codec.find("order"), codec.path_of("order"), shape_.size());
    shape_ = permuted(shape_, order);
    order_.axes = permuted(order_.axes, order);
  }

  void take_packing(const extension& codec) {
    codec.require_members({"padding_encoding", "first_bit", "last_bit"});
    if (type_.element() != dtype::boolean || is_filtered()) {
      throw zarr_error(
          fmt::format("\"{}\": packbits is supported for the data type bool alone", codec.path));
    }
    for (const char* const member : {"first_bit", "last_bit"}) {
      const json& bit = codec.find(member);
      if (!bit.is_null() && bit != 0) refuse(codec.path_of(member), "0, the bit of a bool", bit);
    }
    const json& padding = codec.find("padding_encoding");
    result_.packing = padding_byte::none;
    if (padding == "first_byte") result_.packing = padding_byte::first;
    if (padding == "last_byte") result_.packing = padding_byte::last;
    if (!padding.is_null() && padding != "none" && result_.packing == padding_byte::none) {
      refuse(codec.path_of("padding_encoding"), "\"none\", \"first_byte\" or \"last_byte\"",
             padding);
    }
    elements_ = {};
    are_bytes_ = true;
  }

  void take_shards(const extension& codec) {
    require_axes(codec);
    codec.require_members({"chunk_shape", "codecs", "index_codecs", "index_location"});
    sharding shards;
    const std::string path = codec.path_of("chunk_shape");
    shards.part_shape = parse_extents(codec.find("chunk_shape"), path, 1);
    try {
      const index_vector parts = parts_of_shard(shape_, shards.part_shape);
      shards.index = parse_index_codecs(codec.find("index_codecs"), codec.path_of("index_codecs"),
                                        shape_.size());
      static_cast<void>(index_size(shards.index, parts));
    } catch (const codec_error& failure) {
      throw zarr_error(fmt::format("\"{}\": {}", path, failure.what()));
    }
    const json& location = codec.find("index_location");
    shards.index.is_at_start = location == "start";
    if (!location.is_null() && location != "start" && location != "end") {
      refuse(codec.path_of("index_location"), "\"start\" or \"end\"", location);
    }
    if (is_filtered()) {
      throw zarr_error(
          fmt::format("\"{}\": a filter in front of sharding_indexed is not supported: "
                      "it may be in front of \"bytes\" in {}",
                      codec.path, codec.path_of("codecs")));
    }
    shards.codecs = parse_codec_list(codec.find("codecs"), codec.path_of("codecs"), type_,
                                     shards.part_shape, result_.is_bfloat16);
    result_.shards = std::make_shared<const sharding>(std::move(shards));
    elements_ = {};
  }

  void take_codec(const extension& codec) {
    v3_codec parsed;
    // Elements of one byte have no order, and a filter may make longer ones of them.
    elements_.byte_order = result_.byte_order;
    try {
      parsed = parse_v3_codec(codec.name, codec.configuration, elements_);
      if (parsed.kind == codec_kind::array_to_array) require_filter(codec);
      elements_ = parsed.codec.make(elements_)->encoded_elements();
    } catch (const codec_error& failure) {
      throw zarr_error(fmt::format("\"{}\": {}", codec.path, failure.what()));
    }
    if (parsed.kind == codec_kind::array_to_array) {
      if (!is_elementwise(id_of(parsed.codec))) blocker_ = codec.name;
      result_.filters.push_back(std::move(parsed.codec));
      return;
    }
    if (!are_bytes_) {
      throw zarr_error(fmt::format("\"{}\": {} must be behind the codec that makes bytes",
                                   codec.path, detail::quoted(codec.name)));
    }
    result_.compressors.push_back({std::move(parsed.codec), parsed.typesize});
  }

  data_type type_;
  index_vector shape_;
  codec_elements elements_;
  permutation order_;
  codec_list result_;
  bool are_bytes_ = false;
  /// The name of the filter that depends on the order of elements.
  std::string blocker_;
};

/// Returns the elements that come to the first filter.
codec_elements elements_in_front(const codec_list& codecs, const data_type& type) {
  if (codecs.is_bfloat16) return make_bfloat16_codec(codecs.byte_order)->encoded_elements();
  codec_elements elements = with_byte_order(type, codecs.byte_order).stored_elements();
  elements.byte_order = codecs.byte_order;
  return elements;
}

std::string format_index_codecs(const shard_index_format& format) {
  std::string text;
  if (!format.order.empty()) {
    text += format_extension("transpose",
                             fmt::format("{{\"order\": {}}}", format_extents(format.order))) +
            ", ";
  }
  text +=
      format_extension("bytes", format.byte_order == std::endian::big ? "{\"endian\": \"big\"}"
                                                                      : "{\"endian\": \"little\"}");
  for (std::size_t i = 0; i < format.num_checks; ++i) text += ", " + format_extension("crc32c", {});
  return text;
}

std::string format_packing(padding_byte padding) {
  const char* const name = padding == padding_byte::none    ? "none"
                           : padding == padding_byte::first ? "first_byte"
                                                            : "last_byte";
  return format_extension("packbits", fmt::format("{{\"padding_encoding\": \"{}\"}}", name));
}

std::string format_shards(const sharding& shards, const data_type& type) {
  return format_extension(
      "sharding_indexed",
      fmt::format("{{\"chunk_shape\": {}, \"codecs\": {}, \"index_codecs\": [{}], "
                  "\"index_location\": \"{}\"}}",
                  format_extents(shards.part_shape), format_codec_list(shards.codecs, type),
                  format_index_codecs(shards.index), shards.index.is_at_start ? "start" : "end"));
}

}  // namespace

bool codec_list::operator==(const codec_list& rhs) const {
  const bool has_same_shards =
      shards == rhs.shards ||
      (shards != nullptr && rhs.shards != nullptr && *shards == *rhs.shards);
  return order == rhs.order && byte_order == rhs.byte_order && is_bfloat16 == rhs.is_bfloat16 &&
         filters == rhs.filters && has_same_shards && packing == rhs.packing &&
         compressors == rhs.compressors;
}

bool has_fixed_size(const codec_list& codecs) {
  return codecs.shards == nullptr && codecs.filters.empty() &&
         std::ranges::all_of(codecs.compressors, [](const bytes_codec& entry) {
           const std::string id = id_of(entry.codec);
           return id == "crc32c" || id == "crc32" || id == "adler32" || id == "fletcher32";
         });
}

index_vector permuted(const index_vector& shape, const index_vector& order) {
  index_vector result = shape;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result[i] = shape[static_cast<std::size_t>(order[i])];
  }
  return result;
}

index_vector unpermuted(const index_vector& shape, const index_vector& order) {
  index_vector result = shape;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result[static_cast<std::size_t>(order[i])] = shape[i];
  }
  return result;
}

codec_list parse_codec_list(const json& value, const std::string& path, const data_type& type,
                            const index_vector& shape, bool is_bfloat16) {
  if (!value.is_array() || value.empty()) refuse(path, "a list of codecs", value);
  constexpr std::size_t most_codecs = 64;
  if (value.size() > most_codecs) {
    throw zarr_error(
        fmt::format("{}: must have at most {} codecs, found {}", path, most_codecs, value.size()));
  }
  list_parser parser(type, shape, find_byte_order(value), is_bfloat16);
  for (std::size_t i = 0; i < value.size(); ++i) {
    parser.take(parse_extension(value[i], fmt::format("{}[{}]", path, i)));
  }
  return std::move(parser).finish(value, path);
}

std::string format_codec_list(const codec_list& codecs, const data_type& type) {
  std::string text;
  const auto append = [&text](const std::string& codec) {
    text += (text.empty() ? "" : ", ") + codec;
  };
  if (!codecs.order.empty()) {
    append(format_extension("transpose",
                            fmt::format("{{\"order\": {}}}", format_extents(codecs.order))));
  }
  codec_elements elements = elements_in_front(codecs, type);
  for (const codec::configuration& filter : codecs.filters) {
    append(format_v3_codec(filter.completed(elements), 0));
    elements = filter.make(elements)->encoded_elements();
    elements.byte_order = codecs.byte_order;
  }
  if (codecs.shards != nullptr) {
    append(format_shards(*codecs.shards, type));
  } else if (codecs.packing) {
    append(format_packing(*codecs.packing));
    elements = {};
  } else if (!has_order(elements, type, !codecs.filters.empty())) {
    append(format_extension("bytes", {}));
  } else {
    append(format_extension("bytes", codecs.byte_order == std::endian::big
                                         ? "{\"endian\": \"big\"}"
                                         : "{\"endian\": \"little\"}"));
  }
  for (const bytes_codec& codec : codecs.compressors) {
    append(format_v3_codec(codec.codec, codec.typesize != 0 ? codec.typesize : elements.itemsize));
    elements = {};
  }
  return fmt::format("[{}]", text);
}

}  // namespace tessera::detail::v3
