// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions along lines: sorting, scans, differences; of the rows of a matrix.
#include "tessera/array/compute.hpp"
#include "tessera/array/differences.hpp"
#include "tessera/function/cumulative.hpp"
#include "tessera/function/sorting.hpp"

#include "array_api/call.hpp"
#include "array_api/shapes.hpp"

namespace tessera::array_api {
namespace {

/// name(x, axis, more...)
template <class Along>
function along(Along f) {
  return [f](const call& given) {
    const any_array& x = given.array(0);
    const std::size_t axis = given.axis(1, x.rank());
    const any_array lines = apply<2>(
        lines_of(x, axis), [&]<standard_element T>(
                               const array<T, 2>& m) requires requires { f(m, given); } {
          return f(m, given);
        });
    return results{from_lines(lines, x, axis)};
  };
}

}  // namespace

void add_lines(functions& table) {
  table["sort"] = along([]<real_element T>(const array<T, 2>& m, const call& given) {
    return given.flag(2) ? array(sort(m, axis<1>, descending)) : array(sort(m, axis<1>));
  });
  table["argsort"] = along([]<real_element T>(const array<T, 2>& m, const call& given) {
    return given.flag(2) ? array(argsort(m, axis<1>, descending)) : array(argsort(m, axis<1>));
  });
  table["cumulative_sum"] = along([]<numeric_element T>(const array<T, 2>& m, const call& given) {
    return cumulative_sum(m, axis<1>, {.include_initial = given.flag(2)});
  });
  table["cumulative_prod"] = along([]<numeric_element T>(const array<T, 2>& m, const call& given) {
    return cumulative_prod(m, axis<1>, {.include_initial = given.flag(2)});
  });
  table["diff"] = along([]<numeric_element T>(const array<T, 2>& m, const call& given) {
    return diff(m, given.integer(2), axis<1>);
  });
}

}  // namespace tessera::array_api
