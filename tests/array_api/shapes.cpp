// SPDX-License-Identifier: Apache-2.0
#include "array_api/shapes.hpp"

#include "tessera/expr/gather_maps.hpp"
#include "tessera/lower/nodes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tessera::array_api {

any_array view_of(const char* name, const any_array& x, const mapped_shape& mapped) {
  const auto [view, layout] = x.shown();
  if (mapped.map.gather() == nullptr) {
    return {seen_through(view, mapped.map), view_layout(layout, mapped.map, mapped.shape)};
  }
  const array_layout gathered = gathered_layout(layout, mapped.map, mapped.shape);
  return {whole_of(make_gathered(name, mapped.shape, gathered.chunks, gathered.chunks, mapped.map,
                                 {view, layout.shape, layout.chunks})),
          gathered};
}

any_array reshaped(const any_array& x, const index_vector& shape) {
  return view_of("reshape", x, map_reshaped(x.shape(), shape));
}

any_array permuted(const any_array& x, const std::vector<std::size_t>& order) {
  return view_of("permute_dims", x, map_permuted(x.shape(), order));
}

any_array broadcast(const any_array& x, const index_vector& shape) {
  return view_of("broadcast_to", x, map_broadcast(x.shape(), shape));
}

any_array moved(const any_array& x, std::size_t from, std::size_t to) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    if (axis != from) order.push_back(axis);
  }
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
  return permuted(x, order);
}

index_t product(const index_vector& extents) {
  return std::accumulate(extents.begin(), extents.end(), index_t{1}, std::multiplies<>());
}

index_vector front_of(const any_array& x, std::size_t kept) {
  if (x.rank() < kept) throw shape_error("requires more axes");
  const index_vector& shape = x.shape();
  return index_vector(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(kept));
}

any_array stacked(const any_array& x, std::size_t kept) {
  index_vector shape{product(front_of(x, kept))};
  for (std::size_t axis = x.rank() - kept; axis < x.rank(); ++axis)
    shape.push_back(x.shape()[axis]);
  return reshaped(x, shape);
}

any_array unstacked(const any_array& x, const index_vector& front) {
  index_vector shape = front;
  for (std::size_t axis = 1; axis < x.rank(); ++axis) shape.push_back(x.shape()[axis]);
  return reshaped(x, shape);
}

any_array lines_of(const any_array& x, std::size_t axis) {
  return stacked(moved(x, axis, x.rank() - 1), 1);
}

any_array from_lines(const any_array& rows, const any_array& x, std::size_t axis) {
  const any_array with_axes = unstacked(rows, front_of(moved(x, axis, x.rank() - 1), 1));
  return moved(with_axes, x.rank() - 1, axis);
}

}  // namespace tessera::array_api
