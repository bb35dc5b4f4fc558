// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/extension.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "json/values.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tessera::detail::v3 {

using nlohmann::json;

std::string extension::path_of(std::string_view member) const {
  return fmt::format("{}.configuration.{}", path, member);
}

const json& extension::find(std::string_view member) const {
  static const json null;
  const auto match = configuration.find(member);
  return match == configuration.end() ? null : *match;
}

void extension::require_members(std::initializer_list<std::string_view> known) const {
  for (const auto& [member, value] : configuration.items()) {
    if (std::ranges::find(known, member) != known.end()) continue;
    throw zarr_error(
        fmt::format("\"{}.configuration\": {} has no member {}, found {}; known are: {}", path,
                    detail::quoted(shortened(name)), detail::quoted(shortened(member)),
                    shown(value), fmt::join(known, ", ")));
  }
}

void refuse(std::string_view path, std::string_view expected, const json& value) {
  throw zarr_error(fmt::format("\"{}\" must be {}, found {}", path, expected, shown(value)));
}

extension parse_extension(const json& value, const std::string& path) {
  constexpr std::string_view expected = "a name, or an object of name and configuration";
  extension result{{}, json::object(), path};
  if (value.is_string()) {
    result.name = value.get<std::string>();
  } else if (value.is_object()) {
    for (const auto& [member, content] : value.items()) {
      if (member == "name" && content.is_string()) {
        result.name = content.get<std::string>();
      } else if (member == "configuration" && (content.is_object() || content.is_null())) {
        if (content.is_object()) result.configuration = content;
      } else if (member != "must_understand" || !content.is_boolean()) {
        refuse(path + "." + shortened(member),
               member == "name"              ? "a string"
               : member == "configuration"   ? "an object"
               : member == "must_understand" ? "true or false"
                                             : "absent: an extension has no such member",
               content);
      }
    }
  }
  if (result.name.empty()) refuse(path, expected, value);
  return result;
}

std::string format_extension(std::string_view name, std::string_view configuration) {
  if (configuration.empty() || configuration == "{}") {
    return fmt::format("{{\"name\": {}}}", detail::quoted(name));
  }
  return fmt::format("{{\"name\": {}, \"configuration\": {}}}", detail::quoted(name),
                     configuration);
}

index_t parse_integer(const json& value, const std::string& path, index_t least, index_t greatest) {
  const std::optional<index_t> number = fields::integer_if(value);
  if (number && *number >= least && *number <= greatest) return *number;
  const std::string bound =
      greatest == std::numeric_limits<index_t>::max() ? "2^63)" : fmt::format("{}]", greatest);
  refuse(path, fmt::format("an integer in [{}, {}", least, bound), value);
}

index_vector parse_extents(const json& value, const std::string& path, index_t least) {
  if (!value.is_array() || value.size() > max_rank) {
    refuse(path, fmt::format("a list of at most {} integers", max_rank), value);
  }
  index_vector extents;
  for (std::size_t axis = 0; axis < value.size(); ++axis) {
    extents.push_back(parse_integer(value[axis], fmt::format("{}[{}]", path, axis), least,
                                    std::numeric_limits<index_t>::max()));
  }
  return extents;
}

index_vector parse_permutation(const json& value, const std::string& path, std::size_t rank) {
  const std::string expected = fmt::format("a permutation of the {} axes", rank);
  if (!value.is_array() || value.size() != rank) refuse(path, expected, value);
  const index_vector order = parse_extents(value, path, 0);
  index_vector sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (sorted[axis] != static_cast<index_t>(axis)) refuse(path, expected, value);
  }
  return order;
}

std::string format_extents(const index_vector& extents) {
  return fmt::format("[{}]", fmt::join(extents.begin(), extents.end(), ", "));
}

void require_count(std::string_view path, const index_vector& extents, std::size_t itemsize) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
  auto size = static_cast<index_t>(itemsize);
  for (const index_t extent : extents) {
    if (!__builtin_mul_overflow(size, extent, &size)) continue;
    throw zarr_error(
        fmt::format("\"{}\" {} of {} B elements has more than 2^63 - 1 B; take smaller extents",
                    path, format_shape(extents), itemsize));
  }
}

}  // namespace tessera::detail::v3
