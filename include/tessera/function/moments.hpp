// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Variances along axes, in float64.
///
/// Source: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
/// sample variances", 1979. The mean is kept in two float64 numbers, so that no digits are lost if
/// it is far above the spread. As in NumPy, a divisor that is not positive counts as zero.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/fold_complex_moments.hpp"
#include "tessera/kernel/detail/fold_counted.hpp"
#include "tessera/kernel/detail/fold_moments.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/meta/promotion.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <concepts>
#include <string_view>

namespace tessera {

/// The number that `var` and `stddev` subtract from the divisor: 1 for a sample.
struct correction {
  constexpr explicit correction(double given) : value(given) {}
  double value;
};

/// Tells whether each of `Options` is one of a variance: as of a reduction, or a `correction`.
template <class... Options>
inline constexpr bool are_variance_options = ((are_reduction_options<Options> ||
                                               std::same_as<Options, correction>)&&...);

namespace detail {

template <class Option>
void note_correction(double&, const Option&) {}
inline void note_correction(double& value, const correction& given) { value = given.value; }

template <class... Options>
double correction_of(const Options&... options) {
  double value = 0;
  (note_correction(value, options), ...);
  return value;
}

template <class Op, class T>
const fold_kernel& moments_kernel() {
  if constexpr (complex_element<T>) {
    return known_fold<complex_moments_fold<Op, T, false>>();
  } else {
    return known_fold<moments_fold<Op, T>>();
  }
}
template <class Op, class T, counting How>
const fold_kernel& counted_moments_kernel() {
  if constexpr (complex_element<T>) {
    return known_fold<complex_moments_fold<Op, T, true, How>>();
  } else {
    return known_fold<counted_moments_fold<Op, T, How>>();
  }
}

}  // namespace detail

namespace op {

struct var {
  static constexpr std::string_view name = "var";
  static constexpr fold_rule rule = fold_rule::any;
  template <element T>
  using result = real_t<floating_t<T>>;

  /// The number to subtract from the divisor.
  double correction = 0;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::moments_kernel<var, T>();
  }
  template <element T, detail::counting How>
  static const fold_kernel& counted_kernel() {
    return detail::counted_moments_kernel<var, T, How>();
  }
  [[nodiscard]] kernel_parameters parameters() const {
    return detail::correction_parameters(correction);
  }
  static double finish(double variance) { return variance; }
};

}  // namespace op

/// Returns the variance of the elements along some axes.
///
/// Dtype:    as `mean`; of complex numbers that of their parts, as distances from the mean are
///           magnitudes. Of nothing: NaN.
///
/// Divides by the number of elements, less the `correction` (0 unless given).
template <array_argument X, class... Options>
[[nodiscard]] auto var(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::var(x, dim<...>): requires a dimension that x has");
  static_assert(are_variance_options<Options...>,
                "tessera::var(x, options...): requires each option to be axis<k>, keepdims, "
                "where(valid) or correction(n): "
                "var(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::var(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::var(x, axis<...>): requires axes that differ from each other");
  return detail::reduce(op::var{detail::correction_of(options...)}, x, options...);
}

namespace op {

struct stddev {
  static constexpr std::string_view name = "stddev";
  static constexpr fold_rule rule = fold_rule::any;
  template <element T>
  using result = real_t<floating_t<T>>;

  /// The number to subtract from the divisor.
  double correction = 0;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::moments_kernel<stddev, T>();
  }
  template <element T, detail::counting How>
  static const fold_kernel& counted_kernel() {
    return detail::counted_moments_kernel<stddev, T, How>();
  }
  [[nodiscard]] kernel_parameters parameters() const {
    return detail::correction_parameters(correction);
  }
  static double finish(double variance) { return std::sqrt(variance); }
};

}  // namespace op

/// Returns the standard deviation of the elements along some axes.
///
/// Dtype:    as `mean`; of complex numbers that of their parts, as distances from the mean are
///           magnitudes. Of nothing: NaN.
///
/// Divides by the number of elements, less the `correction` (0 unless given).
template <array_argument X, class... Options>
[[nodiscard]] auto stddev(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::stddev(x, dim<...>): requires a dimension that x has");
  static_assert(are_variance_options<Options...>,
                "tessera::stddev(x, options...): requires each option to be axis<k>, keepdims, "
                "where(valid) or "
                "correction(n): "
                "stddev(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::stddev(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::stddev(x, axis<...>): requires axes that differ from each other");
  return detail::reduce(op::stddev{detail::correction_of(options...)}, x, options...);
}

namespace function {

/// The folds of this family.
using moment_folds = boost::hana::tuple<op::var, op::stddev>;

}  // namespace function
}  // namespace tessera
