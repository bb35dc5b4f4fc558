// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/chunk_grid_json.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/v3/extension.hpp"

#include <fmt/format.h>
#include <limits>

namespace tessera::detail::v3 {

namespace {

using json = nlohmann::json;

constexpr index_t greatest = std::numeric_limits<index_t>::max();

void require_rank(const json& list, const std::string& path, const index_vector& shape) {
  if (list.is_array() && list.size() == shape.size()) return;
  refuse(path, fmt::format("a list with one entry for each axis of shape {}", format_shape(shape)),
         list);
}

/// Returns the length of a chunk along an axis. zarr-python 3.0 to 3.3 wrote `true` for 1, and 0
/// for axes without elements.
index_t parse_chunk_length(const json& value, const std::string& path, index_t extent) {
  if (value == true || (extent == 0 && value == 0)) return 1;
  return parse_integer(value, path, 1, greatest);
}

index_vector parse_regular(const extension& grid, const index_vector& shape) {
  grid.require_members({"chunk_shape"});
  const std::string path = grid.path_of("chunk_shape");
  const json& list = grid.find("chunk_shape");
  require_rank(list, path, shape);
  index_vector chunks;
  for (std::size_t axis = 0; axis < list.size(); ++axis) {
    chunks.push_back(
        parse_chunk_length(list[axis], fmt::format("{}[{}]", path, axis), shape[axis]));
  }
  return chunks;
}

/// The edges of an axis: all equal, or not.
struct edges {
  index_t length = 0;
  index_t sum = 0;
  bool are_equal = true;

  void add(index_t edge, index_t count, const std::string& path, const json& value) {
    if (length == 0) length = edge;
    are_equal = are_equal && edge == length;
    index_t size = 0;
    if (__builtin_mul_overflow(edge, count, &size) || __builtin_add_overflow(sum, size, &sum)) {
      refuse(path, "edges whose sum is below 2^63", value);
    }
  }
};

index_t parse_edges(const json& list, const std::string& path, index_t extent) {
  if (list.is_number()) return parse_integer(list, path, 1, greatest);
  if (!list.is_array()) refuse(path, "a length, or a list of edges", list);
  edges axis;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string edge_path = fmt::format("{}[{}]", path, i);
    const json& edge = list[i];
    if (!edge.is_array()) {
      axis.add(parse_integer(edge, edge_path, 1, greatest), 1, edge_path, edge);
      continue;
    }
    if (edge.size() != 2) refuse(edge_path, "an edge, or a pair of edge and count", edge);
    axis.add(parse_integer(edge[0], edge_path + "[0]", 1, greatest),
             parse_integer(edge[1], edge_path + "[1]", 1, greatest), edge_path, edge);
  }
  if (axis.sum < extent) refuse(path, fmt::format("edges that cover {} elements", extent), list);
  if (axis.are_equal) return axis.length == 0 ? 1 : axis.length;
  throw zarr_error(
      fmt::format("\"{}\": chunks of several lengths along an axis are not supported, found {}: "
                  "make its chunks "
                  "regular",
                  path, shown(list)));
}

index_vector parse_rectilinear(const extension& grid, const index_vector& shape) {
  grid.require_members({"kind", "chunk_shapes"});
  if (grid.find("kind") != "inline") refuse(grid.path_of("kind"), "\"inline\"", grid.find("kind"));
  const std::string path = grid.path_of("chunk_shapes");
  const json& lists = grid.find("chunk_shapes");
  require_rank(lists, path, shape);
  index_vector chunks;
  for (std::size_t axis = 0; axis < lists.size(); ++axis) {
    chunks.push_back(parse_edges(lists[axis], fmt::format("{}[{}]", path, axis), shape[axis]));
  }
  return chunks;
}

}  // namespace

std::string chunk_key(const key_encoding& encoding, const index_vector& chunk) {
  std::string key = encoding.has_prefix ? "c" : "";
  for (const index_t index : chunk) {
    if (!key.empty()) key += encoding.separator;
    key += std::to_string(index);
  }
  return key.empty() ? "0" : key;
}

key_encoding parse_key_encoding(const json& value, const std::string& path) {
  const extension encoding = parse_extension(value, path);
  if (encoding.name != "default" && encoding.name != "v2") {
    refuse(path, "\"default\" or \"v2\"", value);
  }
  encoding.require_members({"separator"});
  const bool has_prefix = encoding.name == "default";
  const json& separator = encoding.find("separator");
  if (separator.is_null()) return {has_prefix, has_prefix ? '/' : '.'};
  if (separator == "/") return {has_prefix, '/'};
  if (separator == ".") return {has_prefix, '.'};
  refuse(encoding.path_of("separator"), "\"/\" or \".\"", separator);
}

std::string format_key_encoding(const key_encoding& encoding) {
  return format_extension(encoding.has_prefix ? "default" : "v2",
                          fmt::format("{{\"separator\": \"{}\"}}", encoding.separator));
}

index_vector parse_chunk_grid(const json& value, const std::string& path,
                              const index_vector& shape) {
  const extension grid = parse_extension(value, path);
  if (grid.name == "regular") return parse_regular(grid, shape);
  if (grid.name == "rectilinear") return parse_rectilinear(grid, shape);
  throw zarr_error(fmt::format("\"{}\": the chunk grid {} is not supported: must be regular", path,
                               detail::quoted(shortened(grid.name))));
}

std::string format_chunk_grid(const index_vector& chunks) {
  return format_extension("regular",
                          fmt::format("{{\"chunk_shape\": {}}}", format_extents(chunks)));
}

}  // namespace tessera::detail::v3
