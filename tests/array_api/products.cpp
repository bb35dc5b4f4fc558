// SPDX-License-Identifier: Apache-2.0
/// \file
/// Products of vectors and matrices: of stacks of them.
#include "tessera/array/products.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/windows.hpp"

#include "array_api/call.hpp"
#include "array_api/shapes.hpp"

#include <algorithm>

namespace tessera::array_api {
namespace {

/// Two arrays with the axes before the last `kept` of each broadcast.
std::pair<any_array, any_array> with_one_front(const any_array& a, const any_array& b,
                                               std::size_t kept) {
  const index_vector front = broadcast_shapes("matmul", front_of(a, kept), front_of(b, kept));
  const auto spread = [&](const any_array& x) {
    index_vector shape = front;
    for (std::size_t axis = x.rank() - kept; axis < x.rank(); ++axis) {
      shape.push_back(x.shape()[axis]);
    }
    return broadcast(x, shape);
  };
  return {spread(a), spread(b)};
}

/// matmul(a, b)
results matmul_of(const call& given) {
  any_array a = given.array(0);
  any_array b = given.array(1);
  if (a.rank() == 0 || b.rank() == 0) throw shape_error("matmul: an array has no axes");
  const bool is_row = a.rank() == 1;
  const bool is_column = b.rank() == 1;
  if (is_row) a = reshaped(a, {1, a.shape()[0]});
  if (is_column) b = reshaped(b, {b.shape()[0], 1});
  const auto [x, y] = with_one_front(a, b, 2);
  const any_array products = apply<3>(
      stacked(x, 2), stacked(y, 2),
      []<numeric_element T>(const array<T, 3>& m,
                            const array<T, 3>& n) requires standard_element<T> {
        return matmul(m, n);
      });
  index_vector shape = front_of(x, 2);
  if (!is_row) shape.push_back(a.shape()[a.rank() - 2]);
  if (!is_column) shape.push_back(b.shape()[b.rank() - 1]);
  return {reshaped(products, shape)};
}

/// tensordot(a, b, axes of a, axes of b)
results tensordot_of(const call& given) {
  const any_array& a = given.array(0);
  const any_array& b = given.array(1);
  index_vector shape;
  const auto matrix_of = [&](const any_array& x, const std::vector<std::size_t>& summed,
                             bool is_first) {
    std::vector<std::size_t> free;
    index_t num_free = 1;
    index_t num_summed = 1;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
      if (std::find(summed.begin(), summed.end(), axis) != summed.end()) continue;
      free.push_back(axis);
      shape.push_back(x.shape()[axis]);
      num_free *= x.shape()[axis];
    }
    for (const std::size_t axis : summed) num_summed *= x.shape()[axis];
    std::vector<std::size_t> order = is_first ? free : summed;
    const std::vector<std::size_t>& rest = is_first ? summed : free;
    order.insert(order.end(), rest.begin(), rest.end());
    return reshaped(permuted(x, order), is_first ? index_vector{num_free, num_summed}
                                                 : index_vector{num_summed, num_free});
  };
  const any_array m = matrix_of(a, given.axes(2, a.rank()), true);
  const any_array n = matrix_of(b, given.axes(3, b.rank()), false);
  const any_array products = apply<2>(
      m, n,
      []<numeric_element T>(const array<T, 2>& x,
                            const array<T, 2>& y) requires standard_element<T> {
        return tensordot(x, y, axis<1>, axis<0>);
      });
  return {reshaped(products, shape)};
}

/// vecdot(a, b, axis)
results vecdot_of(const call& given) {
  const any_array a =
      moved(given.array(0), given.axis(2, given.array(0).rank()), given.array(0).rank() - 1);
  const any_array b =
      moved(given.array(1), given.axis(2, given.array(1).rank()), given.array(1).rank() - 1);
  const auto [x, y] = with_one_front(a, b, 1);
  const any_array products = apply<2>(
      stacked(x, 1), stacked(y, 1),
      []<numeric_element T>(const array<T, 2>& m,
                            const array<T, 2>& n) requires standard_element<T> {
        return vecdot(m, n);
      });
  return {reshaped(products, front_of(x, 1))};
}

/// outer(a, b), of vectors
results outer_of(const call& given) {
  return {apply<1>(
      given.array(0), given.array(1),
      []<numeric_element T>(const array<T, 1>& a,
                            const array<T, 1>& b) requires standard_element<T> {
        return outer(a, b);
      })};
}

/// cross(a, b, axis)
results cross_of(const call& given) {
  const index_vector shape =
      broadcast_shapes("cross", given.array(0).shape(), given.array(1).shape());
  const std::size_t axis = given.axis(2, shape.size());
  const any_array a = broadcast(given.array(0), shape);
  const any_array b = broadcast(given.array(1), shape);
  const any_array products = apply<2>(
      lines_of(a, axis), lines_of(b, axis),
      []<numeric_element T>(const array<T, 2>& m,
                            const array<T, 2>& n) requires standard_element<T> {
        return cross(m, n);
      });
  return {from_lines(products, a, axis)};
}

/// trace(x, offset)
results trace_of(const call& given) {
  const any_array& x = given.array(0);
  const any_array traces = apply<3>(
      stacked(x, 2), [&]<numeric_element T>(const array<T, 3>& m) requires standard_element<T> {
        return trace(m, given.integer(1), axis<1, 2>);
      });
  return {reshaped(traces, front_of(x, 2))};
}

}  // namespace

void add_products(functions& table) {
  table["matmul"] = matmul_of;
  table["tensordot"] = tensordot_of;
  table["vecdot"] = vecdot_of;
  table["outer"] = outer_of;
  table["cross"] = cross_of;
  table["trace"] = trace_of;
  table["matrix_transpose"] = [](const call& given) {
    const any_array& x = given.array(0);
    static_cast<void>(front_of(x, 2));
    return results{moved(x, x.rank() - 1, x.rank() - 2)};
  };
  table["diagonal"] = [](const call& given) {
    const any_array& x = given.array(0);
    static_cast<void>(front_of(x, 2));
    return results{view_of("diagonal", x,
                           map_diagonal(x.shape(), x.rank() - 2, x.rank() - 1, given.integer(1)))};
  };
}

}  // namespace tessera::array_api
