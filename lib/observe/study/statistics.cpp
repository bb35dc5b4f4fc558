// SPDX-License-Identifier: Apache-2.0
/// \file
/// All three laws are linear in other parameters than their own, none of which is negative:
///   Amdahl      T = c0 + c1 / n                              s = c0 / (c0 + c1)
///   Gustafson   1 / T = c0 + c1 / n                          a = c1 / (c0 + c1)
///   USL         T = c0 / n + c1 (n - 1) / n + c2 (n - 1)     a = c1 / c0, b = c2 / c0
/// Relative errors have the weights 1 / T^2 of fitted times, so that the fit is repeated with the
/// times of the fit before. Errors of the laws' own parameters follow to first order.
#include "tessera/observe/statistics.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace tessera {

namespace {

constexpr int num_rounds = 5;
constexpr std::size_t least_of_two = 2;
constexpr std::size_t least_of_usl = 6;

/// A basis of a linear law: a column for each parameter, with a value for each point.
using basis_columns = std::vector<std::vector<double>>;

/// The fit of a linear law. The covariance of its values is `variance` / (R^T R).
struct linear_fit {
  std::vector<double> values;
  basis_columns triangle;  ///< R, whose element of row i and column j is triangle[j][i]
  double variance = 0;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Subtracts from `column` its part in the direction of the unit vector `q`. Returns the length of
/// the part.
double subtract_part(std::vector<double>& column, const std::vector<double>& q) {
  const double length = dot(q, column);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] -= length * q[i];
  return length;
}

/// Returns x of least |basis x - y|, and R of the basis. Modified Gram-Schmidt on [basis y] is as
/// stable as Householder's reflections: Bjorck, BIT Numerical Mathematics 7, 1967.
linear_fit fit_least_squares(basis_columns basis, std::vector<double> y) {
  const std::size_t size = basis.size();
  linear_fit fit{std::vector<double>(size), basis_columns(size, std::vector<double>(size))};
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<double>& q = basis[i];
    const double length = std::sqrt(dot(q, q));
    for (double& element : q) element /= length;
    fit.triangle[i][i] = length;
    for (std::size_t j = i + 1; j < size; ++j) fit.triangle[j][i] = subtract_part(basis[j], q);
    fit.values[i] = subtract_part(y, q);
  }
  for (std::size_t j = size; j-- > 0;) {
    fit.values[j] /= fit.triangle[j][j];
    for (std::size_t i = 0; i < j; ++i) fit.values[i] -= fit.triangle[j][i] * fit.values[j];
  }
  return fit;
}

/// Returns basis x.
std::vector<double> product(const basis_columns& basis, const std::vector<double>& values) {
  std::vector<double> sums(basis.front().size());
  for (std::size_t j = 0; j < basis.size(); ++j) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += basis[j][i] * values[j];
  }
  return sums;
}

std::vector<double> quotient(std::vector<double> y, const std::vector<double>& divisors) {
  std::ranges::transform(y, divisors, y.begin(), std::divides());
  return y;
}

/// Returns the sum of the squares of relative errors.
double error_of(const std::vector<double>& y, const std::vector<double>& fitted) {
  double sum = 0;
  for (const double ratio : quotient(y, fitted)) sum += (ratio - 1) * (ratio - 1);
  return sum;
}

/// Fits `y` by `basis` with the least squares of relative errors.
linear_fit fit_relative(const basis_columns& basis, const std::vector<double>& y) {
  std::vector<double> fitted = y;
  const auto fit_weighted = [&] {
    basis_columns weighted = basis;
    for (std::vector<double>& column : weighted) column = quotient(std::move(column), fitted);
    return fit_least_squares(std::move(weighted), quotient(y, fitted));
  };
  std::vector<double> values;
  for (int round = 0; round < num_rounds; ++round) {
    values = fit_weighted().values;
    fitted = product(basis, values);
  }
  linear_fit fit = fit_weighted();
  fit.values = values;
  const std::size_t freedom = y.size() > basis.size() ? y.size() - basis.size() : 1;
  fit.variance = error_of(y, fitted) / static_cast<double>(freedom);
  return fit;
}

/// As `fit_relative`, with values that are not negative: the best fit of a part of the basis if the
/// fit of all has a negative value. Errors are those of the fit of all.
linear_fit fit_nonnegative(const basis_columns& basis, const std::vector<double>& y) {
  linear_fit fit = fit_relative(basis, y);
  const auto is_allowed = [](double value) { return value >= 0; };
  if (std::ranges::all_of(fit.values, is_allowed)) return fit;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned chosen = 1; chosen + 1 < 1U << basis.size(); ++chosen) {
    basis_columns part;
    for (std::size_t i = 0; i < basis.size(); ++i) {
      if ((chosen >> i & 1U) != 0) part.push_back(basis[i]);
    }
    const std::vector<double> of_part = fit_relative(part, y).values;
    const double error = error_of(y, product(part, of_part));
    if (!std::ranges::all_of(of_part, is_allowed) || !(error < least)) continue;
    least = error;
    auto next = of_part.begin();
    for (std::size_t i = 0; i < basis.size(); ++i) {
      fit.values[i] = (chosen >> i & 1U) != 0 ? *next++ : 0;
    }
  }
  return fit;
}

using basis_function = std::function<std::vector<double>(double workers)>;

linear_fit fit_times(const std::vector<scaling_point>& points, std::size_t num_parameters,
                     const basis_function& basis, bool is_of_rates) {
  basis_columns matrix(num_parameters);
  std::vector<double> y;
  for (const scaling_point& point : points) {
    const std::vector<double> values = basis(point.workers);
    for (std::size_t i = 0; i < num_parameters; ++i) matrix[i].push_back(values[i]);
    y.push_back(is_of_rates ? 1 / point.seconds : point.seconds);
  }
  return fit_nonnegative(matrix, y);
}

/// Returns a parameter that is a function of the linear ones, with the gradient there. The variance
/// of the parameter is that of the fit times |z|^2, R^T z = gradient.
fitted_parameter parameter_of(std::string name, double value, std::vector<double> gradient,
                              const linear_fit& fit) {
  std::vector<double>& z = gradient;
  for (std::size_t j = 0; j < z.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) z[j] -= fit.triangle[j][i] * z[i];
    z[j] /= fit.triangle[j][j];
  }
  return {std::move(name), value, std::sqrt(fit.variance * dot(z, z))};
}

bool has_enough(const std::vector<scaling_point>& points, std::size_t least) {
  std::set<double> workers;
  for (const scaling_point& point : points) {
    if (!(point.workers >= 1) || !(point.seconds > 0)) {
      throw value_error("fit of a law of scaling: workers must be at least 1, and times positive");
    }
    workers.insert(point.workers);
  }
  return workers.size() >= least;
}

scaling_fit with_residual(scaling_fit fit, const std::vector<scaling_point>& points) {
  double sum = 0;
  for (const scaling_point& point : points) {
    const double relative = point.seconds / fit.seconds(point.workers) - 1;
    sum += relative * relative;
    fit.greatest_workers = std::max(fit.greatest_workers, point.workers);
  }
  fit.residual = std::sqrt(sum / static_cast<double>(points.size()));
  return fit;
}

/// Returns the probability that at most `k` of `n` throws of a coin are heads.
double at_most(std::size_t k, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const double log_choose = std::lgamma(static_cast<double>(n) + 1) -
                              std::lgamma(static_cast<double>(i) + 1) -
                              std::lgamma(static_cast<double>(n - i) + 1);
    sum += std::exp(log_choose - static_cast<double>(n) * std::log(2.0));
  }
  return sum;
}

}  // namespace

median_interval median_of(std::vector<double> times) {
  if (times.empty()) throw value_error("median: there is no time");
  std::ranges::sort(times);
  const std::size_t n = times.size();
  median_interval interval;
  interval.median = n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
  // The true median lies between the times of ranks k + 1 and n - k but for 2 P(heads <= k).
  std::size_t k = 0;
  while (k + 1 < n - 1 - (k + 1) && 2 * at_most(k + 1, n) <= 0.05) ++k;
  interval.low = times[k];
  interval.high = times[n - 1 - k];
  interval.coverage = std::max(0.0, 1 - 2 * at_most(k, n));
  return interval;
}

double scaling_fit::seconds(double workers) const {
  const double t = parameters.at(0).value;
  const double a = parameters.at(1).value;
  if (law == "Amdahl") return t * (a + (1 - a) / workers);
  if (law == "Gustafson") return t * workers / (workers - a * (workers - 1));
  const double b = parameters.at(2).value;
  return t / workers * (1 + a * (workers - 1) + b * workers * (workers - 1));
}

std::optional<scaling_fit> fit_amdahl(const std::vector<scaling_point>& points) {
  if (!has_enough(points, least_of_two)) return std::nullopt;
  const auto basis = [](double n) { return std::vector<double>{1, 1 / n}; };
  const linear_fit fit = fit_times(points, 2, basis, false);
  const double t = fit.values[0] + fit.values[1];
  const double serial = fit.values[0] / t;
  const std::vector<double> of_sum = {1, 1};
  const std::vector<double> of_serial = {(1 - serial) / t, -serial / t};
  return with_residual({"Amdahl",
                        {},
                        {parameter_of("seconds on one worker", t, of_sum, fit),
                         parameter_of("serial part", serial, of_serial, fit)}},
                       points);
}

std::optional<scaling_fit> fit_gustafson(const std::vector<scaling_point>& points) {
  if (!has_enough(points, least_of_two)) return std::nullopt;
  const auto basis = [](double n) { return std::vector<double>{1, 1 / n}; };
  const linear_fit fit = fit_times(points, 2, basis, true);
  const double rate = fit.values[0] + fit.values[1];
  const double serial = fit.values[1] / rate;
  const std::vector<double> of_time = {-1 / (rate * rate), -1 / (rate * rate)};
  const std::vector<double> of_serial = {-serial / rate, (1 - serial) / rate};
  return with_residual({"Gustafson",
                        {},
                        {parameter_of("seconds on one worker", 1 / rate, of_time, fit),
                         parameter_of("serial part", serial, of_serial, fit)}},
                       points);
}

std::optional<scaling_fit> fit_usl(const std::vector<scaling_point>& points) {
  if (!has_enough(points, least_of_usl)) return std::nullopt;
  const auto basis = [](double n) { return std::vector<double>{1 / n, (n - 1) / n, n - 1}; };
  const linear_fit fit = fit_times(points, 3, basis, false);
  const double t = fit.values[0];
  // Without time on one worker the parameters of the law do not exist.
  if (!(t > 0)) return std::nullopt;
  const double contention = fit.values[1] / t;
  const double coherency = fit.values[2] / t;
  const std::vector<double> of_contention = {-contention / t, 1 / t, 0};
  const std::vector<double> of_coherency = {-coherency / t, 0, 1 / t};
  return with_residual({"universal scalability",
                        {},
                        {parameter_of("seconds on one worker", t, {1, 0, 0}, fit),
                         parameter_of("contention", contention, of_contention, fit),
                         parameter_of("coherency", coherency, of_coherency, fit)}},
                       points);
}

}  // namespace tessera
