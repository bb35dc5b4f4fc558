// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folds: sum, prod, min, max, mean, variance, stddev, any and all of each dtype that has them.
///
/// States are folded strip by strip and merged in any grouping. Sums and means of float64 are
/// pairwise within a strip and compensated (Knuth's TwoSum) beyond, those of float32 are kept in
/// float64; variances are merged as Chan, Golub and LeVeque do, in float64. So results do not lose
/// precision with the number of elements.
/// Each accessor returns a constant object with static storage duration.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/fold_moments.hpp"
#include "tessera/kernel/detail/fold_simple.hpp"
#include "tessera/kernel/detail/fold_sum.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/registry.hpp"

namespace tessera::fold {

/// Returns the fold that sums. Of nothing: 0.
///
/// Dtype: floats keep theirs; signed integers and bool give int64, unsigned ones uint64, and wrap.
template <element T>
[[nodiscard]] const fold_kernel& sum() {
  return detail::known_fold<detail::sum_fold<T>>();
}

/// Returns the fold that multiplies. Of nothing: 1.
///
/// Dtype: as `sum`.
template <element T>
[[nodiscard]] const fold_kernel& prod() {
  return detail::known_fold<detail::simple_fold<detail::prod_rule<T>>>();
}

/// Returns the fold that finds the least element; NaN if any is. Of nothing: the greatest value.
///
/// Dtype: that of the elements.
template <element T>
[[nodiscard]] const fold_kernel& min() {
  return detail::known_fold<detail::simple_fold<detail::min_rule<T>>>();
}

/// Returns the fold that finds the greatest element; NaN if any is. Of nothing: the least value.
///
/// Dtype: that of the elements.
template <element T>
[[nodiscard]] const fold_kernel& max() {
  return detail::known_fold<detail::simple_fold<detail::max_rule<T>>>();
}

/// Returns the fold that finds the arithmetic mean. Of nothing: NaN.
///
/// Dtype: floats keep theirs; integers and bool give float64.
template <element T>
[[nodiscard]] const fold_kernel& mean() {
  return detail::known_fold<detail::mean_fold<T>>();
}

/// Returns the fold that finds the variance `sum((x - mean)^2) / (n - correction)`.
///
/// Its parameters are those of `correction`; without them the correction is 0. As in NumPy, a
/// divisor that is not positive counts as zero. Of nothing: NaN.
/// Dtype: floats keep theirs; integers and bool give float64.
/// Source: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
/// sample variances", 1979.
template <element T>
[[nodiscard]] const fold_kernel& variance() {
  return detail::known_fold<detail::moments_fold<T, detail::as_variance>>();
}

/// Returns the fold that finds the standard deviation, the square root of `variance`.
template <element T>
[[nodiscard]] const fold_kernel& stddev() {
  return detail::known_fold<detail::moments_fold<T, detail::as_stddev>>();
}

/// Returns the fold that tells whether any element is not zero; NaN is not. Of nothing: false.
template <element T>
[[nodiscard]] const fold_kernel& any() {
  return detail::known_fold<detail::simple_fold<detail::any_rule<T>>>();
}

/// Returns the fold that tells whether no element is zero. Of nothing: true.
template <element T>
[[nodiscard]] const fold_kernel& all() {
  return detail::known_fold<detail::simple_fold<detail::all_rule<T>>>();
}

/// Returns the parameters of `variance` and `stddev`: what is taken from the number of elements.
[[nodiscard]] inline kernel_parameters correction(double value) {
  return {value, detail::bytes_of(value)};
}

}  // namespace tessera::fold
