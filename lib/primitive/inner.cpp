// SPDX-License-Identifier: Apache-2.0
#include "primitive/inner.hpp"

#include "tessera/core/error.hpp"

#include "json/fields.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace tessera::detail {

namespace {

using nlohmann::json;

/// The kinds that contain primitives. Each may contain the kinds before it and all unlisted kinds.
constexpr std::array<std::string_view, 2> outer_kinds{"prologue", "stages"};

}  // namespace

json inner_json(const primitive& inner) {
  return {{"kind", inner.kind()}, {"json", fields::parse(inner.to_json())}};
}

primitive_handle parse_inner(std::string_view outer, const json& value) {
  const std::string& kind = fields::text(value.at("kind"));
  const auto* const outer_kind = std::find(outer_kinds.begin(), outer_kinds.end(), outer);
  const auto* const inner_kind = std::find(outer_kinds.begin(), outer_kinds.end(), kind);
  if (inner_kind != outer_kinds.end() && inner_kind >= outer_kind) {
    throw value_error(
        fmt::format("an operation of kind '{}' may not contain one of kind '{}'", outer, kind));
  }
  return parse_primitive(kind, value.at("json").dump());
}

block_result restrict_result(block_result result, const region& whole, const region& box) {
  for (std::size_t axis = 0; axis < result.strides.size(); ++axis) {
    result.data += (box.start[axis] - whole.start[axis]) * result.strides[axis];
  }
  return result;
}

block_result dense_result(std::span<std::byte> memory, std::size_t itemsize, const region& whole,
                          const region& box) {
  block_result result{memory.data(), row_major_strides(whole.shape())};
  for (index_t& stride : result.strides) stride *= static_cast<index_t>(itemsize);
  return restrict_result(std::move(result), whole, box);
}

}  // namespace tessera::detail
