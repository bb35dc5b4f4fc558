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

/// The kinds that have others within them: each those before it, and all that are not here.
constexpr std::array<std::string_view, 4> outer_kinds{"prologue", "held", "epilogue", "cascade"};

}  // namespace

json inner_json(const primitive& what) {
  return {{"kind", what.kind()}, {"json", json::parse(what.to_json())}};
}

primitive_handle parse_inner(std::string_view outer, const json& value) {
  const std::string& kind = fields::text(value.at("kind"));
  const auto* const around = std::find(outer_kinds.begin(), outer_kinds.end(), outer);
  const auto* const found = std::find(outer_kinds.begin(), outer_kinds.end(), kind);
  if (found != outer_kinds.end() && found >= around) {
    throw value_error(
        fmt::format("found an operation of kind '{}' within one of kind '{}'", kind, outer));
  }
  return parse_primitive(kind, value.at("json").dump());
}

block_result part_of(block_result at, const region& whole, const region& box) {
  for (std::size_t axis = 0; axis < at.strides.size(); ++axis) {
    at.data += (box.start[axis] - whole.start[axis]) * at.strides[axis];
  }
  return at;
}

block_result dense_result(std::span<std::byte> memory, std::size_t itemsize, const region& whole,
                          const region& box) {
  block_result at{memory.data(), row_major_strides(whole.shape())};
  for (index_t& stride : at.strides) stride *= static_cast<index_t>(itemsize);
  return part_of(std::move(at), whole, box);
}

}  // namespace tessera::detail
