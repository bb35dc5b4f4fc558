// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/lines.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Tells whether lines that become `length` elements are a small chunk, whatever elements they are.
bool is_small_chunk(const array_layout& of, index_t length) {
  const spec limits = of.spec ? *of.spec : default_spec();
  const double most = std::min(static_cast<double>(automatic_chunk_bytes),
                               static_cast<double>(limits.allowed_memory.count()) / 10);
  return static_cast<double>(length) * sizeof(complex128) <= most;
}

}  // namespace

array_layout lines_layout(std::string_view function, const array_layout& of, axis_mask lined,
                          const line_made& made) {
  if (!made.length) return reduced_layout(function, of, lined);
  const std::array own{*made.length};
  const auto place = static_cast<std::size_t>(std::countr_zero(lined));
  if (!made.is_first) {
    array_layout result = reduced_layout(function, of, lined, own);
    if (!is_small_chunk(of, own[0])) {
      result.chunks[place] = std::min(own[0], of.chunks[place]);
    }
    if (own[0] != of.shape[place] || !std::has_single_bit(lined)) return result;
    std::vector<std::string> names = result.names.list(result.shape.size());
    names[place] = of.names[place];
    result.names = axis_names(std::move(names));
    result.chunks[place] = of.chunks[place];
    return result;
  }
  const array_layout kept = reduced_layout(function, of, lined);
  array_layout result{{own[0]}, {std::max<index_t>(1, own[0])}, kept.spec, kept.is_automatic};
  std::vector<std::string> names(1);
  for (std::size_t axis = 0; axis < kept.shape.size(); ++axis) {
    result.shape.push_back(kept.shape[axis]);
    result.chunks.push_back(kept.chunks[axis]);
    names.push_back(kept.names[axis]);
  }
  result.names = axis_names(std::move(names));
  require_countable(function, result.shape);
  return result;
}

void require_points(std::string_view function, index_t extent, index_t points) {
  if (extent >= 1 && points >= 1) return;
  throw shape_error(fmt::format(
      "{}: {} elements and {} points: a transform takes at least one of each; points(n) says how "
      "many it has",
      function, extent, points));
}

}  // namespace tessera
