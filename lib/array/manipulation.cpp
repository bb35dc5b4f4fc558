// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/manipulation.hpp"

#include "tessera/array/assignment.hpp"
#include "tessera/array/differences.hpp"
#include "tessera/array/editing.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/matrix_power.hpp"
#include "tessera/core/error.hpp"
#include "tessera/lower/nodes.hpp"

#include <fmt/format.h>

namespace tessera::detail {

void require_arrays(std::string_view function, std::size_t count) {
  if (count > 0) return;
  throw value_error(fmt::format("{}: no arrays are given; at least one is required", function));
}

array_view assembled(std::string_view name, const std::vector<array_view>& views,
                     const assembly& assembled_parts) {
  strip_sources sources;
  for (const array_view& view : views) sources.add(strip_source(view));
  return whole_of(make_assembly(name, assembled_parts.layout.shape, assembled_parts.layout.chunks,
                                assembled_parts.pieces, sources));
}

std::vector<slice> sections_of(std::string_view function, const index_vector& shape,
                               std::size_t axis, index_t sections, bool must_divide) {
  if (sections < 1) {
    throw value_error(
        fmt::format("{}: {} sections are asked for; at least 1 is required", function, sections));
  }
  const index_t extent = shape[axis];
  if (must_divide && extent % sections != 0) {
    throw shape_error(
        fmt::format("{}: {} sections do not divide axis {} of an array of shape {}, whose extent "
                    "is {}; array_split makes parts that are not equal",
                    function, sections, axis, format_shape(shape), extent));
  }
  std::vector<slice> parts;
  index_t start = 0;
  for (index_t i = 0; i < sections; ++i) {
    const index_t stop = start + extent / sections + (i < extent % sections ? 1 : 0);
    parts.emplace_back(start, stop);
    start = stop;
  }
  return parts;
}

std::vector<slice> sections_between(const std::vector<index_t>& indices) {
  std::vector<slice> parts;
  slice_bound start = none;
  for (const index_t index : indices) {
    parts.emplace_back(start, index);
    start = index;
  }
  parts.emplace_back(start, none);
  return parts;
}

region selected_region(std::string_view function, const index_vector& shape,
                       std::span<const any_index> indices) {
  region selected = region::whole(shape);
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    std::vector<any_index> along(axis, whole);
    along.push_back(indices[axis]);
    const mapped_shape mapped = map_indexed(shape, along);
    const bool is_number = std::holds_alternative<index_t>(indices[axis]);
    const index_t count = is_number ? 1 : mapped.shape[axis];
    index_vector at(mapped.shape.size());
    selected.start[axis] = count == 0 ? 0 : mapped.map(at)[axis];
    selected.stop[axis] = selected.start[axis] + count;
    const auto* part = std::get_if<slice>(&indices[axis]);
    if (part != nullptr && part->step.value_or(1) != 1) {
      throw value_error(
          fmt::format("{}: the slice of axis {} has step {}; parts are replaced or left out in "
                      "steps of 1; where(mask, a, b) chooses single elements",
                      function, axis, *part->step));
    }
  }
  return selected;
}

array_view replaced(const array_view& x, const array_layout& layout, const array_view& y,
                    const region& box) {
  const std::size_t rank = layout.shape.size();
  assembly assembled_parts{{}, layout};
  const auto keep = [&](const region& part) {
    if (!part.empty()) assembled_parts.pieces.push_back({part, 0, index_map::identity(rank)});
  };
  // Before and behind the replaced part along each axis, within it along the axes before that.
  region rest = region::whole(layout.shape);
  std::vector<axis_map> moved;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    region side = rest;
    side.stop[axis] = box.start[axis];
    keep(side);
    side = rest;
    side.start[axis] = box.stop[axis];
    keep(side);
    rest.start[axis] = box.start[axis];
    rest.stop[axis] = box.stop[axis];
    moved.emplace_back(axis, -box.start[axis], 1);
  }
  if (!box.empty()) assembled_parts.pieces.push_back({box, 1, {rank, std::move(moved)}});
  return assembled("with", {x, y}, assembled_parts);
}

index_t insertion_index(const index_vector& shape, std::size_t axis, index_t index) {
  const index_t extent = shape[axis];
  if (index >= -extent && index <= extent) return index < 0 ? index + extent : index;
  throw shape_error(fmt::format(
      "insert: index {} is out of range for axis {} of an array of shape {}; it must be "
      "in [{}, {}]",
      index, axis, format_shape(shape), -extent, extent));
}

void check_triple(const index_vector& shape, std::size_t axis) {
  if (shape[axis] == 3) return;
  throw shape_error(
      fmt::format("cross: axis {} of an array of shape {} has extent {}; vector products are of 3 "
                  "elements",
                  axis, format_shape(shape), shape[axis]));
}

void check_power(const index_vector& shape, int n, bool are_integers) {
  const index_t rows = shape[shape.size() - 2];
  if (rows != shape.back()) {
    throw shape_error(
        fmt::format("matrix_power: matrices of {} x {}, in an array of shape {}, are "
                    "not square, so they have no powers",
                    rows, shape.back(), format_shape(shape)));
  }
  if (n >= 0 || !are_integers) return;
  throw value_error(
      fmt::format("matrix_power: the exponent {} is negative, and inverses of integers are none; "
                  "astype<double>(x) converts them",
                  n));
}

index_t checked_length(std::string_view function, index_t n) {
  if (n > 0) return n;
  throw value_error(
      fmt::format("{}: the length {} is given; a transform has at least 1 value", function, n));
}

index_t extent_around(index_t n, index_t k) {
  index_t extent = 0;
  const bool is_beyond =
      k < 0 ? __builtin_sub_overflow(n, k, &extent) : __builtin_add_overflow(n, k, &extent);
  if (!is_beyond) return extent;
  throw shape_error(fmt::format(
      "diag: a matrix with {} elements on its diagonal {} has more than 2^63 - 1 rows", n, k));
}

void check_order(index_t order) {
  if (order >= 0) return;
  throw value_error(fmt::format("diff: order {} is given; it must be at least 0", order));
}

void check_gradient_extent(const index_vector& shape, std::size_t axis, index_t least) {
  if (shape[axis] >= least) return;
  throw shape_error(fmt::format(
      "gradient: axis {} of an array of shape {} has extent {}; differences at its ends "
      "take {}",
      axis, format_shape(shape), shape[axis], least));
}

void check_coordinates(const index_vector& shape, std::size_t axis, index_t coordinates) {
  if (shape[axis] == coordinates) return;
  throw shape_error(
      fmt::format("gradient: {} coordinates are given for axis {} of an array of shape {}; one for "
                  "each element is required",
                  coordinates, axis, format_shape(shape)));
}

void check_same_shape(std::string_view assignment, const array_layout& x,
                      const array_layout& result) {
  if (x.shape == result.shape) return;
  throw shape_error(
      fmt::format("{}: x of shape {} would become an array of shape {}; write "
                  "x = ... for that",
                  assignment, format_shape(x.shape), format_shape(result.shape)));
}

}  // namespace tessera::detail
