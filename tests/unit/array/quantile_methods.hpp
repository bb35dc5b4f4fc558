// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The methods of quantiles, by NumPy's names.

#include "tessera/function/quantiles.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tessera::testing {

inline const std::vector<std::pair<std::string, quantile_method>> quantile_methods{
    {"linear", quantile_method::linear},
    {"lower", quantile_method::lower},
    {"higher", quantile_method::higher},
    {"midpoint", quantile_method::midpoint},
    {"nearest", quantile_method::nearest},
    {"inverted_cdf", quantile_method::inverted_cdf},
    {"averaged_inverted_cdf", quantile_method::averaged_inverted_cdf},
    {"closest_observation", quantile_method::closest_observation},
    {"interpolated_inverted_cdf", quantile_method::interpolated_inverted_cdf},
    {"hazen", quantile_method::hazen},
    {"weibull", quantile_method::weibull},
    {"median_unbiased", quantile_method::median_unbiased},
    {"normal_unbiased", quantile_method::normal_unbiased}};

}  // namespace tessera::testing
