// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements by indices, by masks and by their values; of arrays as one axis.
#include "tessera/array/compute.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/put_along_axis.hpp"
#include "tessera/array/selection.hpp"
#include "tessera/array/sets.hpp"
#include "tessera/expr/gather_maps.hpp"

#include "array_api/call.hpp"
#include "array_api/shapes.hpp"

namespace tessera::array_api {
namespace {

any_array flat(const any_array& x) { return reshaped(x, {product(x.shape())}); }

/// Returns the elements of an array of integers.
std::vector<index_t> list_of(const any_array& x) {
  const auto values = astype(flat(x), dtype::int64).as<std::int64_t, 1>().compute();
  return {values.begin(), values.end()};
}

/// take(x, indices, axis)
results take_of(const call& given) {
  const any_array& x = given.array(0);
  return {view_of("take", x,
                  map_taken("take", x.shape(), given.axis(2, x.rank()), list_of(given.array(1)),
                            given.array(1).shape()))};
}

/// take_along_axis(x, indices, axis)
results take_along_axis_of(const call& given) {
  const any_array& x = given.array(0);
  return {view_of("take_along_axis", x,
                  map_taken_along(x.shape(), given.axis(2, x.rank()), list_of(given.array(1)),
                                  given.array(1).shape()))};
}

/// at(x, indices along each axis...), all of one shape.
results at_of(const call& given) {
  const any_array& x = given.array(0);
  std::vector<std::vector<index_t>> lists;
  for (const any_array& indices : given.arrays(1)) lists.push_back(list_of(indices));
  return {view_of("at", x, map_points("at", x.shape(), lists, given.array(1).shape()))};
}

/// extract(mask, x)
results extract_of(const call& given) {
  const array<bool, 1> mask = flat(given.array(0)).as<bool, 1>();
  return {apply<1>(flat(given.array(1)),
                   [&]<standard_element T>(const array<T, 1>& x) { return extract(mask, x); })};
}

/// put(x, numbers of elements, their values): x[...] = values.
results put_of(const call& given) {
  const any_array& x = given.array(0);
  const auto numbers = flat(given.array(1)).as<std::int64_t, 1>().compute();
  const any_array values = flat(given.array(2));
  const any_array line_of_values =
      apply<1>(flat(x), [&]<standard_element T>(const array<T, 1>& line) {
        return put_along_axis(line, numbers, values.as<T, 1>(), axis<0>);
      });
  return {reshaped(line_of_values, x.shape())};
}

results nonzero_of(const call& given) {
  const any_array x = astype(given.array(0), dtype::boolean);
  results indices_of_axes;
  const auto add = [&](const auto& typed) {
    for (const auto& indices : nonzero(typed)) indices_of_axes.push_back(asarray(indices));
  };
  if (x.rank() == 1) add(x.as<bool, 1>());
  if (x.rank() == 2) add(x.as<bool, 2>());
  if (x.rank() == 3) add(x.as<bool, 3>());
  if (x.rank() == 4) add(x.as<bool, 4>());
  if (indices_of_axes.empty()) throw shape_error("nonzero: ranks 1 to 4 are compiled here");
  return indices_of_axes;
}

/// Calls `f` with an array as one axis.
template <class F>
results of_flat(const any_array& x, F f) {
  return visit_dtype(x.dtype(), [&]<class T>(type_tag<T>) -> results {
    if constexpr (standard_element<T>) {
      return f(flat(x).as<T, 1>());
    } else {
      throw dtype_error("float16");
    }
  });
}

/// searchsorted(sorted, x, whether to the right)
results searchsorted_of(const call& given) {
  const any_array& x = given.array(1);
  const any_array positions = apply<1>(
      given.array(0), flat(x),
      [&]<real_element T>(const array<T, 1>& sorted,
                          const array<T, 1>& values) requires standard_element<T> {
        return given.flag(2) ? array(searchsorted(sorted, values, right))
                             : array(searchsorted(sorted, values));
      });
  return {reshaped(positions, x.shape())};
}

}  // namespace

void add_selections(functions& table) {
  table["take"] = take_of;
  table["take_along_axis"] = take_along_axis_of;
  table["at"] = at_of;
  table["extract"] = extract_of;
  table["put"] = put_of;
  table["nonzero"] = nonzero_of;
  table["searchsorted"] = searchsorted_of;
  table["unique_values"] = [](const call& given) {
    return of_flat(given.array(0),
                   [](const auto& x) { return results{asarray(unique_values(x))}; });
  };
  table["unique_counts"] = [](const call& given) {
    return of_flat(given.array(0), [](const auto& x) {
      const auto unique = unique_counts(x);
      return results{asarray(unique.values), asarray(unique.counts)};
    });
  };
  table["unique_inverse"] = [](const call& given) {
    const any_array& x = given.array(0);
    return of_flat(x, [&](const auto& line) {
      const auto unique = unique_inverse(line);
      return results{asarray(unique.values), reshaped(array(unique.inverse_indices), x.shape())};
    });
  };
  table["unique_all"] = [](const call& given) {
    const any_array& x = given.array(0);
    return of_flat(x, [&](const auto& line) {
      const auto unique = unique_all(line);
      return results{asarray(unique.values), asarray(unique.indices),
                     reshaped(array(unique.inverse_indices), x.shape()), asarray(unique.counts)};
    });
  };
}

}  // namespace tessera::array_api
