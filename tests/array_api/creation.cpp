// SPDX-License-Identifier: Apache-2.0
/// \file
/// Creation.
#include "tessera/array/creation.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/grids.hpp"

#include "array_api/call.hpp"
#include "array_api/shapes.hpp"

#include <string>

namespace tessera::array_api {
namespace {

creation_options in_two_chunks(index_t extent, const call& given, std::size_t like) {
  return {.chunks = {std::max<index_t>(1, (extent + 1) / 2)}, .spec = *given.array(like).spec()};
}

/// Returns a number of the type `T` that an argument is as an array of rank 0.
template <class T>
T value_of(const any_array& x) {
  return astype(x, dtype_of<T>).template as<T, 0>().compute().data()[0];
}

/// full(value, shape): of the dtype of the value.
results full_of(const call& given) {
  const index_vector shape = given.extents(1);
  const index_t size = product(shape);
  const any_array line =
      apply<0>(given.array(0), [&]<standard_element T>(const array<T, 0>& value) {
        return full({size}, value.compute().data()[0], in_two_chunks(size, given, 0));
      });
  return {reshaped(line, shape)};
}

template <class Make>
results made_of(const call& given, Make make) {
  const index_vector shape = given.extents(1);
  const index_t size = product(shape);
  const any_array line = apply<0>(given.array(0), [&]<standard_element T>(const array<T, 0>&) {
    return make.template operator()<T>(size, in_two_chunks(size, given, 0));
  });
  return {reshaped(line, shape)};
}

/// arange(start, stop, step): of their dtype.
results arange_of(const call& given) {
  return {apply<0>(
      given.array(0), [&]<real_element T>(const array<T, 0>&) requires standard_element<T> {
        return arange<T>(value_of<T>(given.array(0)), value_of<T>(given.array(1)),
                         value_of<T>(given.array(2)), {.spec = *given.array(0).spec()});
      })};
}

/// linspace(start, stop, num, endpoint): of their dtype.
results linspace_of(const call& given) {
  return {apply<0>(given.array(0), [&]<std::floating_point T>(const array<T, 0>&) {
    return linspace<T>(value_of<T>(given.array(0)), value_of<T>(given.array(1)), given.integer(2),
                       {.endpoint = given.flag(3)});
  })};
}

/// eye(of the dtype, rows, columns, k).
results eye_of(const call& given) {
  return {apply<0>(given.array(0), [&]<standard_element T>(const array<T, 0>&) {
    return eye<T>(given.integer(1), given.integer(2), given.integer(3),
                  {.spec = *given.array(0).spec()});
  })};
}

template <class Cut>
function triangle(Cut cut) {
  return [cut](const call& given) {
    const any_array& x = given.array(0);
    const any_array matrices = apply<3>(
        stacked(x, 2),
        [&]<standard_element T>(const array<T, 3>& m) { return cut(m, given.integer(1)); });
    return results{unstacked(matrices, front_of(x, 2))};
  };
}

}  // namespace

void add_creation(functions& table) {
  table["full"] = full_of;
  table["zeros"] = [](const call& given) {
    return made_of(given, []<class T>(index_t n, const creation_options& options) {
      return zeros<T>({n}, options);
    });
  };
  table["ones"] = [](const call& given) {
    return made_of(given, []<class T>(index_t n, const creation_options& options) {
      return ones<T>({n}, options);
    });
  };
  table["empty"] = [](const call& given) {
    return made_of(given, []<class T>(index_t n, const creation_options& options) {
      return empty<T>({n}, options);
    });
  };
  table["arange"] = arange_of;
  table["linspace"] = linspace_of;
  table["eye"] = eye_of;
  table["tril"] = triangle([](const auto& x, index_t k) { return tril(x, k); });
  table["triu"] = triangle([](const auto& x, index_t k) { return triu(x, k); });
}

}  // namespace tessera::array_api
