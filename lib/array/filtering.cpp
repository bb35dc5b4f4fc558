// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/filtering.hpp"

#include "tessera/core/error.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tessera::detail {

void require_weights(const char* function, index_t num_weights, index_t extent, overlap mode) {
  if (num_weights < 1) {
    throw shape_error(
        fmt::format("{}: {} weights are given; at least one is required", function, num_weights));
  }
  if (mode != overlap::full && num_weights > extent) {
    throw shape_error(fmt::format(
        "{}: {} weights are more than the axis has elements, {}; overlap::full takes them",
        function, num_weights, extent));
  }
}

std::vector<double> gaussian_weights(double sigma, double truncate) {
  if (!(sigma >= 0) || !(truncate > 0) || !std::isfinite(sigma * truncate)) {
    throw value_error(
        fmt::format("gaussian_filter: sigma is {} and truncate {}; sigma is to be at least 0, "
                    "truncate positive",
                    sigma, truncate));
  }
  const auto radius = static_cast<index_t>(truncate * sigma + 0.5);
  std::vector<double> weights;
  double sum = 0;
  for (index_t i = -radius; i <= radius; ++i) {
    const auto distance = static_cast<double>(i) / sigma;
    weights.push_back(std::exp(-0.5 * distance * distance));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace tessera::detail
