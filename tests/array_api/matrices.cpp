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
any_array with_front(const E& matrices, const index_vector& front) {
  return unstacked(tessera::array(matrices), front);
}

/// name(x, more...): `f` of stacks of matrices, one result or several.
template <class F>
function of_matrices(F f) {
  return [f](const call& given) {
    const any_array& x = given.array(0);
    const index_vector front = front_of(x, 2);
    return visit_dtype(x.dtype(), [&]<class T>(type_tag<T>) -> results {
      if constexpr (detail::standard_number<T>) {
        auto factors = f(stacked(x, 2).template as<T, 3>(), given);
        if constexpr (array_expression<decltype(factors)>) {
          return {with_front(factors, front)};
        } else {
          return std::apply(
              [&](const auto&... factor) { return results{with_front(factor, front)...}; },
              factors);
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
  const any_array solutions =
      unstacked(apply<3>(spread(a), spread(b),
                         []<detail::standard_number T>(const array<T, 3>& m, const array<T, 3>& n) {
                           return solve(m, n);
                         }),
                front);
  return {is_vector ? reshaped(solutions, front_of(solutions, 1)) : solutions};
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

void add_matrices(functions& table) {
  table["cholesky"] = of_matrices([](const auto& m, const call&) { return cholesky(m); });
  table["det"] = of_matrices([](const auto& m, const call&) { return det(m); });
  table["inv"] = of_matrices([](const auto& m, const call&) { return inv(m); });
  table["eigh"] = of_matrices([](const auto& m, const call&) { return eigh(m); });
  table["eigvalsh"] = of_matrices([](const auto& m, const call&) { return eigvalsh(m); });
  table["slogdet"] = of_matrices([](const auto& m, const call&) {
    const auto sign_and_logarithm = slogdet(m);
    return std::tuple(std::get<0>(sign_and_logarithm), std::get<1>(sign_and_logarithm));
  });
  table["qr"] = of_matrices([](const auto& m, const call& given) {
    return given.flag(1) ? qr(m, full_matrices) : qr(m);
  });
  table["svd"] = of_matrices([](const auto& m, const call& given) {
    return given.flag(1) ? svd(m, full_matrices) : svd(m);
  });
  table["svdvals"] = of_matrices([](const auto& m, const call&) { return svdvals(m); });
  table["pinv"] = of_matrices([](const auto& m, const call& given) {
    return given.is_none(1) ? array(pinv(m)) : array(pinv(m, rtol(given.number(1))));
  });
  table["matrix_rank"] = of_matrices([](const auto& m, const call& given) {
    return given.is_none(1) ? array(matrix_rank(m)) : array(matrix_rank(m, rtol(given.number(1))));
  });
  table["matrix_power"] = of_matrices([](const auto& m, const call& given) {
    return array(matrix_power(m, static_cast<int>(given.integer(1))));
  });
  table["matrix_norm"] = of_matrices(
      [](const auto& m, const call& given) { return norm_of_matrices(m, given.text(1)); });
  table["solve"] = solve_of;
}

}  // namespace tessera::array_api
