// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Statistics of measured times, and the laws of scaling fitted to them.
///
/// Source: T. Hoefler and R. Belli, "Scientific Benchmarking of Parallel Computing Systems", SC15:
/// medians with intervals that assume no distribution; all repetitions are kept.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The median of times, with an interval that holds the true median.
struct median_interval {
  double median = 0;
  double low = 0;
  double high = 0;
  /// The probability that the interval holds the true median, whatever the distribution of the
  /// times: at least 0.95 from six times on. Of fewer, the interval reaches from the least to the
  /// greatest.
  double coverage = 0;
};

/// Throws: value_error <- there is no time.
[[nodiscard]] median_interval median_of(std::vector<double> times);

/// One measurement: the workers, and the seconds.
struct scaling_point {
  double workers = 1;
  double seconds = 0;
};

/// A parameter of a law, with its standard error.
struct fitted_parameter {
  std::string name;
  double value = 0;
  double error = 0;
};

/// A law fitted to measurements by least squares of relative errors.
struct scaling_fit {
  /// "Amdahl", "Gustafson" or "universal scalability".
  std::string law;
  /// The name of the engine that was measured; may be empty.
  std::string subject = {};
  /// The seconds on one worker first.
  std::vector<fitted_parameter> parameters;
  /// The root of the mean of the squares of relative errors.
  double residual = 0;
  /// The greatest number of workers that was measured: no law is drawn beyond four times that.
  double greatest_workers = 1;

  /// Returns the seconds on `workers` workers.
  [[nodiscard]] double seconds(double workers) const;
};

/// Fits T(n) = t (s + (1 - s) / n), with the serial part s, to a problem of one size.
///
/// Returns nullopt if fewer than two numbers of workers were measured.
[[nodiscard]] std::optional<scaling_fit> fit_amdahl(const std::vector<scaling_point>& points);

/// Fits T(n) = t n / (n - a (n - 1)), with the serial part a, to a problem that grows with the
/// workers.
///
/// Returns nullopt if fewer than two numbers of workers were measured.
[[nodiscard]] std::optional<scaling_fit> fit_gustafson(const std::vector<scaling_point>& points);

/// Fits T(n) = t / n (1 + a (n - 1) + b n (n - 1)), with contention a and coherency b, to a problem
/// of one size.
///
/// Source: N. J. Gunther, "Guerrilla Capacity Planning", 2007.
/// Returns nullopt if fewer than six numbers of workers were measured.
[[nodiscard]] std::optional<scaling_fit> fit_usl(const std::vector<scaling_point>& points);

}  // namespace tessera
