// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels that make something of whole lines of elements: blocks whose last axes are lines.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

/// The interpolation of a quantile between elements; names are those of NumPy.
enum class quantile_method : std::uint8_t {
  linear,
  lower,
  higher,
  midpoint,
  nearest,
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  median_unbiased,
  normal_unbiased,
};

namespace line {

/// Return the kernels that sort lines of elements of type `type`, which have an order, and that
/// give the places, as int64, from which elements come. NaN stands behind all else, elements that
/// are equal stay in their order.
[[nodiscard]] const block_kernel& sort(dtype type);
[[nodiscard]] const block_kernel& argsort(dtype type);
/// Returns their parameters.
[[nodiscard]] kernel_parameters sort_parameters(bool descending);

/// Returns the kernel of quantiles of lines of elements of type `type`, as floats of its type or
/// float64. Lines may have several axes; their elements are then those of all.
[[nodiscard]] const block_kernel& quantile(dtype type);

/// The parameters of quantiles of a line.
struct quantile_query {
  /// From 0 to 1.
  std::vector<double> q;
  /// Whether they are along an axis of their own; else it is one.
  bool has_axis = false;
  quantile_method method = quantile_method::linear;
  /// Whether it is the median: the mean of the two elements in the middle.
  bool is_median = false;
  /// Whether NaN counts for nothing; else a line with one gives NaN.
  bool skips_nan = false;
};
/// Throws: value_error <- a number sought is not in [0, 1].
[[nodiscard]] kernel_parameters quantile_parameters(const quantile_query& query);

/// Returns the kernel of the most frequent element of a line, the least of several. NaN counts if
/// there is nothing else.
[[nodiscard]] const block_kernel& mode(dtype type);

/// Return the kernels of discrete Fourier transforms of lines: of complex elements, which become as
/// many; of real ones, which become the coefficients that are not conjugate to others; and of such
/// coefficients back to real elements.
[[nodiscard]] const block_kernel& fft(dtype type);
[[nodiscard]] const block_kernel& rfft(dtype type);
[[nodiscard]] const block_kernel& irfft(dtype type);

/// The parameters of a Fourier transform of lines.
struct fourier_spec {
  /// The number of transformed points. Further elements of a line are left out; missing elements
  /// count as zeros.
  index_t points = 1;
  bool is_inverse = false;
  /// The factor of all results.
  double scale = 1;
};
/// The most points that one transform takes.
inline constexpr index_t most_points = index_t{1} << 28;
/// Throws: value_error <- there are no points.
[[nodiscard]] kernel_parameters transform_parameters(const fourier_spec& transform);

/// Returns the kernel of transforms of every n2th element of n, from the j-th on; j is the index of
/// a line along the axis before. Coefficient k is multiplied by exp(-2 pi i j k / n), so that
/// transforms along j then are those of all n. Of real elements, and of complex ones.
[[nodiscard]] const block_kernel& four_step_fft(dtype type);

/// The parameters of a transform of `points`, a part of one of `whole` points.
struct four_step_spec {
  index_t points = 1;
  index_t whole = 1;
  bool is_inverse = false;
};
/// Throws: value_error <- there are no points, or more than 2^28, or they do not divide the whole.
[[nodiscard]] kernel_parameters four_step_parameters(const four_step_spec& transform);

}  // namespace line
}  // namespace tessera
