// SPDX-License-Identifier: Apache-2.0
/// \file
/// Factors, inverses and norms of matrices: of stacks of them.
#include "tessera/array/compute.hpp"
#include "tessera/array/factors.hpp"
#include "tessera/array/matrix_power.hpp"
#include "tessera/array/solving.hpp"
#include "tessera/function/norms.hpp"

#include "array_api/call.hpp"
#include "array_api/shapes.hpp"

#include <tuple>

namespace tessera::array_api {
namespace {

/// Returns a lazy result as one of the list that goes back, with the axes in front that stacks had.
template <class E>
any_array with_front(const E& made, const index_vector& front) {
  return unstacked(tessera::array(made), front);
}

/// name(x, more...): what `f` makes of stacks of matrices, one result or several.
template <class F>
function of_matrices(F f) {
  return [f](const call& given) {
    const any_array& x = given.array(0);
    const index_vector front = front_of(x, 2);
    return visit_dtype(x.dtype(), [&]<class T>(type_tag<T>) -> results {
      if constexpr (detail::standard_number<T>) {
        auto made = f(stacked(x, 2).template as<T, 3>(), given);
        if constexpr (array_expression<decltype(made)>) {
          return {with_front(made, front)};
        } else {
          return std::apply(
              [&](const auto&... each) { return results{with_front(each, front)...}; }, made);
        }
      } else {
        throw dtype_error("requires floating-point numbers");
      }
    });
  };
}

/// solve(a, b)
results solve_of(const call& given) {
  const any_array& a = given.array(0);
  const bool is_vector = given.array(1).rank() == 1;
  const any_array b =
      is_vector ? reshaped(given.array(1), {given.array(1).shape()[0], 1}) : given.array(1);
  const index_vector front = broadcast_shapes("solve", front_of(a, 2), front_of(b, 2));
  const auto spread = [&](const any_array& x) {
    index_vector shape = front;
    for (std::size_t axis = x.rank() - 2; axis < x.rank(); ++axis) shape.push_back(x.shape()[axis]);
    return stacked(broadcast(x, shape), 2);
  };
  const any_array made =
      unstacked(apply<3>(spread(a), spread(b),
                         []<detail::standard_number T>(const array<T, 3>& m, const array<T, 3>& n) {
                           return solve(m, n);
                         }),
                front);
  return {is_vector ? reshaped(made, front_of(made, 1)) : made};
}

template <class T>
auto norm_of_matrices(const array<T, 3>& m, const std::string& order) {
  using result = array<real_t<T>, 1>;
  if (order == "fro") return result(matrix_norm(m));
  if (order == "nuc") return result(matrix_norm(m, order_nuclear));
  if (order == "inf") return result(matrix_norm(m, order_infinity));
  if (order == "-inf") return result(matrix_norm(m, order_minus_infinity));
  const int p = std::stoi(order);
  if (p == 1) return result(matrix_norm(m, tessera::order<1>));
  if (p == -1) return result(matrix_norm(m, tessera::order<-1>));
  if (p == 2) return result(matrix_norm(m, tessera::order<2>));
  if (p == -2) return result(matrix_norm(m, tessera::order<-2>));
  throw value_error("matrix_norm: no order is " + order);
}

}  // namespace

void add_matrices(functions& all) {
  all["cholesky"] = of_matrices([](const auto& m, const call&) { return cholesky(m); });
  all["det"] = of_matrices([](const auto& m, const call&) { return det(m); });
  all["inv"] = of_matrices([](const auto& m, const call&) { return inv(m); });
  all["eigh"] = of_matrices([](const auto& m, const call&) { return eigh(m); });
  all["eigvalsh"] = of_matrices([](const auto& m, const call&) { return eigvalsh(m); });
  all["slogdet"] = of_matrices([](const auto& m, const call&) {
    const auto found = slogdet(m);
    return std::tuple(std::get<0>(found), std::get<1>(found));
  });
  all["qr"] = of_matrices([](const auto& m, const call& given) {
    return given.flag(1) ? qr(m, full_matrices) : qr(m);
  });
  all["svd"] = of_matrices([](const auto& m, const call& given) {
    return given.flag(1) ? svd(m, full_matrices) : svd(m);
  });
  all["svdvals"] = of_matrices([](const auto& m, const call&) { return svdvals(m); });
  all["pinv"] = of_matrices([](const auto& m, const call& given) {
    return given.is_none(1) ? array(pinv(m)) : array(pinv(m, rtol(given.number(1))));
  });
  all["matrix_rank"] = of_matrices([](const auto& m, const call& given) {
    return given.is_none(1) ? array(matrix_rank(m)) : array(matrix_rank(m, rtol(given.number(1))));
  });
  all["matrix_power"] = of_matrices([](const auto& m, const call& given) {
    return array(matrix_power(m, static_cast<int>(given.integer(1))));
  });
  all["matrix_norm"] = of_matrices(
      [](const auto& m, const call& given) { return norm_of_matrices(m, given.text(1)); });
  all["solve"] = solve_of;
}

}  // namespace tessera::array_api
