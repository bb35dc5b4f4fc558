// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions that move elements without computing: by the maps, gathers and assemblies of any rank,
/// of which the functions of typed arrays are made.
#include "tessera/array/joining.hpp"
#include "tessera/expr/assemble.hpp"
#include "tessera/expr/gather_maps.hpp"

#include "array_api/call.hpp"
#include "array_api/shapes.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace tessera::array_api {
namespace {

axis_mask mask_of(const std::vector<std::size_t>& axes) {
  axis_mask mask = 0;
  for (const std::size_t axis : axes) mask |= axis_mask{1} << axis;
  return mask;
}

/// Returns the assembly of arrays by `assemble`, in the dtype that they have in common.
template <class Assemble>
any_array joined(const char* name, const std::vector<any_array>& arrays, Assemble assemble) {
  std::vector<dtype> types;
  for (const any_array& x : arrays) types.push_back(x.dtype());
  const dtype type = result_type(types);
  std::vector<detail::shown_array> shown;
  for (const any_array& x : arrays) shown.push_back(astype(x, type).shown());
  std::vector<array_view> views;
  std::vector<const array_layout*> layouts;
  for (const detail::shown_array& array : shown) {
    views.push_back(array.view);
    layouts.push_back(&array.layout);
  }
  const assembly joint = assemble(layouts);
  return {detail::assembled(name, views, joint), joint.layout};
}

/// concat(axis, arrays...)
results concat_of(const call& given) {
  const std::vector<any_array> arrays = given.arrays(1);
  const std::size_t axis = given.axis(0, arrays.front().rank());
  return {joined("concat", arrays,
                 [&](const auto& layouts) { return assemble_joined(layouts, axis); })};
}

/// stack(axis, arrays...)
results stack_of(const call& given) {
  const std::vector<any_array> arrays = given.arrays(1);
  const std::size_t axis = given.axis(0, arrays.front().rank() + 1);
  return {joined("stack", arrays,
                 [&](const auto& layouts) { return assemble_stacked(layouts, axis); })};
}

/// roll(x, shifts, axes or none)
results roll_of(const call& given) {
  const any_array& x = given.array(0);
  const bool is_flat = given.is_none(2);
  const any_array rolled = is_flat ? reshaped(x, {product(x.shape())}) : x;
  const std::vector<std::size_t> axes = given.axes(2, rolled.rank());
  const std::vector<index_t>& shifts = given.integers(1);
  const any_array joined_lines = joined("roll", {rolled}, [&](const auto& layouts) {
    return assemble_rolled(*layouts.front(), axes, shifts);
  });
  return {is_flat ? reshaped(joined_lines, x.shape()) : joined_lines};
}

/// Returns an index of `x[...]`: "i3", "s1:7:2" with any part left out, "n", "e".
any_index index_of(const std::string& text) {
  if (text == "n") return newaxis;
  if (text == "e") return ellipsis;
  if (text[0] == 'i') return static_cast<index_t>(std::stoll(text.substr(1)));
  std::istringstream parts(text.substr(1));
  std::string part[3];
  for (std::string& field : part) std::getline(parts, field, ':');
  const auto bound = [](const std::string& given) -> slice_bound {
    if (given.empty()) return none;
    return static_cast<index_t>(std::stoll(given));
  };
  return slice(bound(part[0]), bound(part[1]), part[2].empty() ? 1 : std::stoll(part[2]));
}

/// getitem(x, indices separated by commas)
results getitem_of(const call& given) {
  std::vector<any_index> indices;
  std::istringstream parts(given.text(1));
  for (std::string part; std::getline(parts, part, ',');) indices.push_back(index_of(part));
  return {view_of("getitem", given.array(0), map_indexed(given.array(0).shape(), indices))};
}

/// tile(x, counts)
results tile_of(const call& given) {
  any_array x = given.array(0);
  std::vector<index_t> counts = given.integers(1);
  if (counts.size() > x.rank()) {
    const std::size_t num_added = counts.size() - x.rank();
    x = view_of(
        "tile", x,
        map_added_axes(x.shape(), static_cast<axis_mask>((std::uint64_t{1} << num_added) - 1),
                       counts.size()));
  } else {
    counts.insert(counts.begin(), x.rank() - counts.size(), 1);
  }
  return {view_of("tile", x, map_tiled(x.shape(), index_vector(counts.begin(), counts.end())))};
}

/// repeat(x, counts, axis or none)
results repeat_of(const call& given) {
  const any_array& x = given.array(0);
  const std::vector<index_t>& counts = given.integers(1);
  if (counts.size() == 1 && given.flag(3)) {
    const auto axis = given.is_none(2) ? std::nullopt : std::optional(given.axis(2, x.rank()));
    return {view_of("repeat", x, map_repeated(x.shape(), axis, counts[0]))};
  }
  const any_array line = given.is_none(2) ? reshaped(x, {product(x.shape())}) : x;
  const std::size_t axis = given.is_none(2) ? 0 : given.axis(2, x.rank());
  return {view_of("repeat", line, map_repeated(line.shape(), axis, counts))};
}

results broadcast_arrays_of(const call& given) {
  index_vector shape;
  const std::vector<any_array> arrays = given.arrays(0);
  for (const any_array& x : arrays) shape = broadcast_shapes("broadcast_arrays", shape, x.shape());
  results views;
  for (const any_array& x : arrays) views.push_back(broadcast(x, shape));
  return views;
}

}  // namespace

void add_manipulation(functions& table) {
  table["concat"] = concat_of;
  table["stack"] = stack_of;
  table["roll"] = roll_of;
  table["getitem"] = getitem_of;
  table["tile"] = tile_of;
  table["repeat"] = repeat_of;
  table["broadcast_arrays"] = broadcast_arrays_of;
  table["broadcast_to"] = [](const call& given) {
    return results{broadcast(given.array(0), given.extents(1))};
  };
  table["reshape"] = [](const call& given) {
    const index_vector& shape = given.array(0).shape();
    return results{reshaped(given.array(0), resolved_shape("reshape", shape, given.extents(1)))};
  };
  table["permute_dims"] = [](const call& given) {
    return results{permuted(given.array(0), given.axes(1, given.array(0).rank()))};
  };
  table["expand_dims"] = [](const call& given) {
    const std::size_t rank = given.array(0).rank() + 1;
    return results{
        view_of("expand_dims", given.array(0),
                map_added_axes(given.array(0).shape(), mask_of({given.axis(1, rank)}), rank))};
  };
  table["squeeze"] = [](const call& given) {
    const any_array& x = given.array(0);
    return results{
        view_of("squeeze", x, map_squeezed(x.shape(), mask_of(given.axes(1, x.rank()))))};
  };
  table["flip"] = [](const call& given) {
    const any_array& x = given.array(0);
    return results{view_of("flip", x, map_flipped(x.shape(), mask_of(given.axes(1, x.rank()))))};
  };
}

}  // namespace tessera::array_api
