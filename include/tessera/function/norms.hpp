// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Norms of vectors and matrices that are reductions of magnitudes.
///
/// Each takes an array and, in any order, the order of the norm and the options of a reduction:
/// `vector_norm(u, axis<0>, order<1>)`.
///
/// Dtype:  the real floating dtype of the elements' precision; float64 for integers. Powers of
///         magnitudes are float64.
/// Source: the Python Array API standard.

#include "tessera/core/error.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/powers.hpp"
#include "tessera/function/sign.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/meta/promotion.hpp"

#include <cmath>
#include <concepts>
#include <cstddef>

namespace tessera {

/// The order `P` of a norm: the root `P` of the sum of magnitudes to the power of `P`.
template <int P>
struct norm_order {
  static constexpr double value() { return P; }
};
template <int P>
inline constexpr norm_order<P> order{};

/// The order of a norm that is the greatest magnitude, or the least.
template <bool IsGreatest>
struct extreme_order {};
inline constexpr extreme_order<true> order_infinity{};
inline constexpr extreme_order<false> order_minus_infinity{};

/// The order of the norm of matrices that is the sum of their singular values.
struct nuclear_order {};
inline constexpr nuclear_order order_nuclear{};

/// The order of a norm that is known when the program runs, or no integer: `order_at(2.5)`.
struct run_time_order {
  double p;
  [[nodiscard]] double value() const { return p; }
};

/// Throws: value_error <- `p` is 0 or not finite.
[[nodiscard]] inline run_time_order order_at(double p) {
  if (p == 0 || !std::isfinite(p)) {
    throw value_error(
        "order_at(p): p is to be finite and not 0; order<0>, order_infinity and "
        "order_minus_infinity are the others");
  }
  return {p};
}

namespace detail {

template <class Option>
inline constexpr bool is_norm_order = std::same_as<Option, run_time_order>;
template <int P>
inline constexpr bool is_norm_order<norm_order<P>> = true;
template <bool IsGreatest>
inline constexpr bool is_norm_order<extreme_order<IsGreatest>> = true;

/// Tells whether `Option` is the order of a norm of vectors or matrices.
template <class Option>
inline constexpr bool is_order = is_norm_order<Option> || std::same_as<Option, nuclear_order>;

/// Returns the order among options; `otherwise` by default.
template <class Otherwise>
constexpr auto order_of(const Otherwise& otherwise) {
  return otherwise;
}
template <class Otherwise, class Option, class... Options>
constexpr auto order_of(const Otherwise& otherwise, const Option& option,
                        const Options&... options) {
  if constexpr (is_order<Option>) {
    return option;
  } else {
    return order_of(otherwise, options...);
  }
}

/// The options of a norm that a reduction has as well.
template <class Option>
using without_order = std::conditional_t<is_norm_order<Option>, keepdims_t, Option>;

template <class X, class... Options>
inline constexpr bool are_norm_options = are_right_options<X, without_order<Options>...>;

/// Returns the magnitudes of elements.
template <class X>
auto magnitudes(const X& x) {
  return abs(converted<floating_t<typename X::value_type>>(x));
}

/// Returns the norm of magnitudes.
template <bool IsGreatest, class X, class... Options>
auto norm_of(extreme_order<IsGreatest>, const X& x, const Options&... options) {
  if constexpr (IsGreatest) {
    return reduce(op::max{}, x, options...);
  } else {
    return reduce(op::min{}, x, options...);
  }
}
template <class X, class... Options>
auto norm_of(norm_order<0>, const X& x, const Options&... options) {
  using real = typename X::value_type;
  return reduce(op::sum{}, converted<real>(not_equal(x, real(0))), options...);
}
template <class X, class... Options>
auto norm_of(norm_order<1>, const X& x, const Options&... options) {
  return reduce(op::sum{}, x, options...);
}
// A power of a small float may be out of the range that the norm is in.
template <class X, class... Options>
auto norm_of(norm_order<2>, const X& x, const Options&... options) {
  const auto squares = square(converted<double>(x));
  return converted<typename X::value_type>(sqrt(reduce(op::sum{}, squares, options...)));
}
template <class Order, class X, class... Options>
auto norm_of(const Order& order, const X& x, const Options&... options) {
  const double p = order.value();
  const auto powers = pow(converted<double>(x), p);
  return converted<typename X::value_type>(pow(reduce(op::sum{}, powers, options...), 1 / p));
}

/// Tells whether a norm of matrices is one of their singular values.
template <class Order>
inline constexpr bool is_of_values = std::same_as<Order, nuclear_order>;
template <int P>
inline constexpr bool is_of_values<norm_order<P>> = P == 2 || P == -2;

/// Returns the norm of matrices with the singular values `s`.
template <class S>
auto norm_of_values(nuclear_order, const S& s) {
  return reduce(op::sum{}, s, axis<-1>);
}
template <int P, class S>
auto norm_of_values(norm_order<P>, const S& s) {
  return norm_of(extreme_order<(P > 0)>{}, s, axis<-1>);
}

/// Tells whether a norm of matrices is one of sums along an axis.
template <class Order>
inline constexpr bool sums_lines = false;
template <bool IsGreatest>
inline constexpr bool sums_lines<extreme_order<IsGreatest>> = true;
template <int P>
inline constexpr bool sums_lines<norm_order<P>> = P == 1 || P == -1;

/// Stands for the order of the Frobenius norm.
struct frobenius {};

}  // namespace detail

/// Returns the norm of the vectors along some axes, of order 2 unless another is given. Order 0
/// counts the elements that are not 0.
///
/// Requires: elements that are numbers.
template <array_argument X, class... Options>
[[nodiscard]] auto vector_norm(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::vector_norm(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_norm_options<X, Options...>,
                "tessera::vector_norm(x, options...): requires each option to be axis<k>, of axes "
                "of x that differ, keepdims, where(valid), order<p>, order_infinity, "
                "order_minus_infinity or order_at(p)");
  static_assert(numeric_element<typename X::value_type>,
                "tessera::vector_norm(x): requires elements that are numbers, not bool");
  if constexpr (detail::are_norm_options<X, Options...> && dims_fit<X, Options...> &&
                numeric_element<typename X::value_type>) {
    return detail::norm_of(detail::order_of(order<2>, options...), detail::magnitudes(x),
                           options...);
  } else {
    return x;
  }
}

/// Returns the norm of the matrices in the last two axes, that of Frobenius unless an order is
/// given: the greatest sum of magnitudes of a column (`order<1>`) or a row (`order_infinity`), or
/// the least (`order<-1>`, `order_minus_infinity`); the greatest singular value (`order<2>`), the
/// least (`order<-2>`) or the sum of all (`order_nuclear`), see `svdvals`.
///
/// Requires: a rank of at least 2; elements that are numbers.
template <unnamed_argument X, class... Options>
[[nodiscard]] auto matrix_norm(const X& x, Options... options) {
  using chosen = decltype(detail::order_of(detail::frobenius{}, options...));
  constexpr bool is_frobenius = std::same_as<chosen, detail::frobenius>;
  constexpr bool are_right =
      ((detail::is_order<Options> || std::same_as<Options, keepdims_t>)&&...) &&
      (is_frobenius || detail::sums_lines<chosen> || detail::is_of_values<chosen>);
  static_assert(are_right,
                "tessera::matrix_norm(x, options...): requires each option to be keepdims, "
                "order<1>, order<-1>, order<2>, order<-2>, order_infinity, order_minus_infinity "
                "or order_nuclear");
  constexpr bool are_matrices =
      rank_at_least<X::rank, 2> && numeric_element<typename X::value_type>;
  static_assert(are_matrices,
                "tessera::matrix_norm(x): requires an array of rank 2 or more, of numbers");
  if constexpr (!are_right || !are_matrices) {
    return x;
  } else if constexpr (is_frobenius) {
    return detail::norm_of(order<2>, detail::magnitudes(x), axis<-2, -1>, options...);
  } else if constexpr (detail::is_of_values<chosen>) {
    const auto norm_value = detail::norm_of_values(chosen{}, svdvals(x));
    if constexpr ((std::same_as<Options, keepdims_t> || ...)) {
      return add_axes<X::rank>("matrix_norm", norm_value, axis_mask{3} << (X::rank - 2));
    } else {
      return norm_value;
    }
  } else {
    constexpr bool is_of_columns =
        std::same_as<chosen, norm_order<1>> || std::same_as<chosen, norm_order<-1>>;
    constexpr bool is_greatest =
        std::same_as<chosen, norm_order<1>> || std::same_as<chosen, extreme_order<true>>;
    constexpr bool is_kept = (std::same_as<Options, keepdims_t> || ...);
    const auto sums = detail::reduce(op::sum{}, detail::magnitudes(x),
                                     axis < is_of_columns ? -2 : -1 >, options...);
    return detail::norm_of(extreme_order<is_greatest>{}, sums,
                           axis < is_kept && !is_of_columns ? -2 : -1 >, options...);
  }
}

/// Returns the norm of vectors, as `vector_norm`; of a matrix with an order and no axis that of the
/// matrix, as `matrix_norm`.
///
/// Source: numpy.linalg.norm.
template <unnamed_argument X, class... Options>
[[nodiscard]] auto norm(const X& x, Options... options) {
  constexpr bool has_order = (detail::is_order<Options> || ...);
  constexpr bool has_axes = (detail::is_axes<Options> || ...);
  static_assert(!has_order || has_axes || X::rank <= 2,
                "tessera::norm(x, order): requires a vector, a matrix, or axis<k>");
  if constexpr (has_order && !has_axes && X::rank == 2) {
    return matrix_norm(x, options...);
  } else {
    return vector_norm(x, options...);
  }
}

}  // namespace tessera
