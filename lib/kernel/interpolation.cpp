// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/detail/interpolation.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace tessera::detail {

struct interpolation::points {
  std::vector<double> x;
  std::vector<double> y;
};

interpolation::interpolation(std::vector<double> x, std::vector<double> y) {
  if (x.empty() || x.size() != y.size()) {
    throw value_error(fmt::format(
        "interp: {} coordinates and {} values; each coordinate takes a value, and there "
        "must be at least one",
        x.size(), y.size()));
  }
  // So that a NaN does not ascend.
  const auto does_not_ascend = [](double a, double b) { return !(a <= b); };
  if (x.front() != x.front() ||
      std::adjacent_find(x.begin(), x.end(), does_not_ascend) != x.end()) {
    throw value_error(
        "interp: the coordinates must ascend, without NaN; argsort gives their order");
  }
  points_ = std::make_shared<const points>(points{std::move(x), std::move(y)});
}

std::string interpolation::save() const {
  const auto bytes_of = [](const std::vector<double>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()),
                       values.size() * sizeof(double));
  };
  return bytes_of(points_->x) + bytes_of(points_->y);
}

interpolation interpolation::load(std::string_view saved) {
  const std::size_t half = saved.size() / 2;
  if (half % sizeof(double) != 0 || saved.size() != 2 * half || half == 0) {
    throw value_error("interp: the saved parameters are no list of points");
  }
  std::vector<double> x(half / sizeof(double));
  std::vector<double> y(x.size());
  std::memcpy(x.data(), saved.data(), half);
  std::memcpy(y.data(), saved.data() + half, half);
  return {std::move(x), std::move(y)};
}

// One end may give NaN, as of infinite values; then the result is computed from the other end, as
// by numpy.interp.
double interpolation::at(double x) const {
  const std::vector<double>& abscissas = points_->x;
  const std::vector<double>& values = points_->y;
  if (x != x) return x;
  if (x <= abscissas.front()) {
    // Of several points with equal x the last one counts, unless it is the last point.
    if (x < abscissas.front() || abscissas.size() == 1) return values.front();
  }
  if (x >= abscissas.back()) return values.back();
  const auto behind = std::upper_bound(abscissas.begin(), abscissas.end(), x);
  const auto i = static_cast<std::size_t>(behind - abscissas.begin()) - 1;
  if (abscissas[i] == x) return values[i];
  const double slope = (values[i + 1] - values[i]) / (abscissas[i + 1] - abscissas[i]);
  const double from_left = slope * (x - abscissas[i]) + values[i];
  if (from_left == from_left) return from_left;
  const double from_right = slope * (x - abscissas[i + 1]) + values[i + 1];
  if (from_right != from_right && values[i] == values[i + 1]) return values[i];
  return from_right;
}

}  // namespace tessera::detail
