// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// All functions of whole lines.

#include "tessera/function/fft.hpp"
#include "tessera/function/quantiles.hpp"
#include "tessera/function/sorting.hpp"

#include <boost/hana/fwd/tuple.hpp>

namespace tessera::function {

using line_families = boost::hana::tuple<sorting_lines, quantile_lines, fourier_lines>;

}  // namespace tessera::function
