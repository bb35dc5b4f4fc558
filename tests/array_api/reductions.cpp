// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reductions: of the rows of a matrix with the reduced elements along its last axis.
#include "tessera/array/compute.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/norms.hpp"
#include "tessera/function/positions.hpp"
#include "tessera/function/quantifiers.hpp"
#include "tessera/function/summaries.hpp"
#include "tessera/function/sums.hpp"

#include "array_api/call.hpp"
#include "array_api/shapes.hpp"

#include <algorithm>

namespace tessera::array_api {
namespace {

/// The matrix that is reduced along its rows, and the shape of the results.
struct rows {
  any_array matrix;
  index_vector shape;
};

rows rows_of(const any_array& x, const std::vector<std::size_t>& axes, bool keeps_axes) {
  std::vector<std::size_t> order;
  index_vector shape;
  index_t kept = 1;
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
      order.push_back(axis);
      shape.push_back(x.shape()[axis]);
      kept *= x.shape()[axis];
    } else if (keeps_axes) {
      shape.push_back(1);
    }
  }
  order.insert(order.end(), axes.begin(), axes.end());
  index_t reduced = 1;
  for (const std::size_t axis : axes) reduced *= x.shape()[axis];
  return {reshaped(permuted(x, order), {kept, reduced}), shape};
}

/// name(x, axes or none, keepdims, more...)
template <class Reduce>
function reduction_by(Reduce reduce) {
  return [reduce](const call& given) {
    const any_array& x = given.array(0);
    const rows lines = rows_of(x, given.axes(1, x.rank()), given.flag(2));
    const any_array values = apply<2>(
        lines.matrix, [&]<standard_element T>(
                          const array<T, 2>& m) requires requires { reduce(m, given); } {
          return reduce(m, given);
        });
    return results{reshaped(values, lines.shape)};
  };
}

/// The same of `x != 0`, as bools.
template <class Reduce>
function reduction_of_bools(Reduce reduce) {
  return [reduce](const call& given) {
    const any_array x = astype(given.array(0), dtype::boolean);
    const rows lines = rows_of(x, given.axes(1, x.rank()), given.flag(2));
    return results{reshaped(tessera::array(reduce(lines.matrix.as<bool, 2>())), lines.shape)};
  };
}

template <class T, std::size_t N>
auto norm_of_rows(const array<T, N>& m, const std::string& order) {
  using result = array<real_t<T>, N - 1>;
  if (order == "inf") return result(vector_norm(m, axis<-1>, order_infinity));
  if (order == "-inf") return result(vector_norm(m, axis<-1>, order_minus_infinity));
  const double p = std::stod(order);
  if (p == 0) return result(vector_norm(m, axis<-1>, tessera::order<0>));
  if (p == 1) return result(vector_norm(m, axis<-1>, tessera::order<1>));
  if (p == 2) return result(vector_norm(m, axis<-1>));
  return result(vector_norm(m, axis<-1>, order_at(p)));
}

}  // namespace

void add_reductions(functions& table) {
  table["sum"] = reduction_by(
      []<numeric_element T>(const array<T, 2>& m, const call&) { return sum(m, axis<1>); });
  table["prod"] = reduction_by(
      []<numeric_element T>(const array<T, 2>& m, const call&) { return prod(m, axis<1>); });
  table["max"] = reduction_by(
      []<real_element T>(const array<T, 2>& m, const call&) { return max(m, axis<1>); });
  table["min"] = reduction_by(
      []<real_element T>(const array<T, 2>& m, const call&) { return min(m, axis<1>); });
  table["argmax"] = reduction_by(
      []<real_element T>(const array<T, 2>& m, const call&) { return argmax(m, axis<1>); });
  table["argmin"] = reduction_by(
      []<real_element T>(const array<T, 2>& m, const call&) { return argmin(m, axis<1>); });
  table["mean"] = reduction_by([]<detail::standard_number T>(const array<T, 2>& m, const call&) {
    return mean(m, axis<1>);
  });
  table["var"] = reduction_by([]<std::floating_point T>(const array<T, 2>& m, const call& given) {
    return var(m, axis<1>, correction(given.number(3)));
  });
  table["std"] = reduction_by([]<std::floating_point T>(const array<T, 2>& m, const call& given) {
    return stddev(m, axis<1>, correction(given.number(3)));
  });
  table["vector_norm"] =
      reduction_by([]<detail::standard_number T>(const array<T, 2>& m, const call& given) {
        return norm_of_rows(m, given.text(3));
      });
  table["all"] =
      reduction_of_bools([](const array<bool, 2>& m) { return tessera::all(m, axis<1>); });
  table["any"] =
      reduction_of_bools([](const array<bool, 2>& m) { return tessera::any(m, axis<1>); });
  table["count_nonzero"] =
      reduction_of_bools([](const array<bool, 2>& m) { return count_nonzero(m, axis<1>); });
}

}  // namespace tessera::array_api
