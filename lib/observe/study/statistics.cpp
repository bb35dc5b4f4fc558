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

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

namespace tessera {

namespace {

constexpr int num_rounds = 5;
constexpr std::size_t least_of_two = 2;
constexpr std::size_t least_of_usl = 6;

/// The fit of a linear law.
struct linear_fit {
  Eigen::VectorXd values;
  Eigen::MatrixXd covariance;
};

/// Fits `y` by `basis`, a row for each point, with the least squares of relative errors.
linear_fit fit_relative(const Eigen::MatrixXd& basis, const Eigen::VectorXd& y) {
  Eigen::VectorXd fitted = y;
  Eigen::VectorXd values;
  Eigen::MatrixXd weighted;
  for (int round = 0; round < num_rounds; ++round) {
    weighted = fitted.cwiseInverse().asDiagonal() * basis;
    values = weighted.colPivHouseholderQr().solve(y.cwiseQuotient(fitted));
    fitted = basis * values;
  }
  weighted = fitted.cwiseInverse().asDiagonal() * basis;
  const auto freedom = static_cast<double>(std::max<Eigen::Index>(1, y.size() - values.size()));
  const double variance = (y.cwiseQuotient(fitted).array() - 1).square().sum() / freedom;
  return {values, variance * (weighted.transpose() * weighted).inverse()};
}

/// Returns the sum of the squares of relative errors.
double error_of(const Eigen::MatrixXd& basis, const Eigen::VectorXd& y,
                const Eigen::VectorXd& values) {
  return (y.cwiseQuotient(basis * values).array() - 1).square().sum();
}

/// As `fit_relative`, with values that are not negative: the best fit of a part of the basis if the
/// fit of all has a negative value. Errors are those of the fit of all.
linear_fit fit_nonnegative(const Eigen::MatrixXd& basis, const Eigen::VectorXd& y) {
  linear_fit fit = fit_relative(basis, y);
  if (fit.values.minCoeff() >= 0) return fit;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned chosen = 1; chosen + 1 < 1U << basis.cols(); ++chosen) {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index i = 0; i < basis.cols(); ++i) {
      if ((chosen >> i & 1U) != 0) columns.push_back(i);
    }
    Eigen::VectorXd values = Eigen::VectorXd::Zero(basis.cols());
    Eigen::MatrixXd part(basis.rows(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      part.col(static_cast<Eigen::Index>(i)) = basis.col(columns[i]);
    }
    values(columns) = fit_relative(part, y).values;
    const double error = error_of(basis, y, values);
    if (values.minCoeff() < 0 || !(error < least)) continue;
    least = error;
    fit.values = values;
  }
  return fit;
}

using basis_function = std::function<std::vector<double>(double workers)>;

linear_fit fit_times(const std::vector<scaling_point>& points, std::size_t num_parameters,
                     const basis_function& basis, bool is_of_rates) {
  const auto rows = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd matrix(rows, static_cast<Eigen::Index>(num_parameters));
  Eigen::VectorXd y(rows);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const scaling_point& point = points[static_cast<std::size_t>(row)];
    const std::vector<double> values = basis(point.workers);
    for (std::size_t i = 0; i < num_parameters; ++i) {
      matrix(row, static_cast<Eigen::Index>(i)) = values[i];
    }
    y(row) = is_of_rates ? 1 / point.seconds : point.seconds;
  }
  return fit_nonnegative(matrix, y);
}

/// Returns a parameter that is a function of the linear ones, with the gradient there.
fitted_parameter parameter_of(std::string name, double value, const Eigen::VectorXd& gradient,
                              const linear_fit& fit) {
  return {std::move(name), value, std::sqrt(gradient.dot(fit.covariance * gradient))};
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
  const double t = fit.values.sum();
  const double serial = fit.values(0) / t;
  const Eigen::Vector2d of_sum(1, 1);
  const Eigen::Vector2d of_serial((1 - serial) / t, -serial / t);
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
  const double rate = fit.values.sum();
  const double serial = fit.values(1) / rate;
  const Eigen::Vector2d of_time(-1 / (rate * rate), -1 / (rate * rate));
  const Eigen::Vector2d of_serial(-serial / rate, (1 - serial) / rate);
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
  const double t = fit.values(0);
  // Without time on one worker the parameters of the law do not exist.
  if (!(t > 0)) return std::nullopt;
  const double contention = fit.values(1) / t;
  const double coherency = fit.values(2) / t;
  const Eigen::Vector3d of_contention(-contention / t, 1 / t, 0);
  const Eigen::Vector3d of_coherency(-coherency / t, 0, 1 / t);
  return with_residual({"universal scalability",
                        {},
                        {parameter_of("seconds on one worker", t, Eigen::Vector3d(1, 0, 0), fit),
                         parameter_of("contention", contention, of_contention, fit),
                         parameter_of("coherency", coherency, of_coherency, fit)}},
                       points);
}

}  // namespace tessera
