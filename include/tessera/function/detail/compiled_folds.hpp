// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folds that the library holds compiled, so that programs need not compile them.
///
/// A program that is compiled for wider vectors than the library has folds of its own.

#include "tessera/function/extremes.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/sums.hpp"

#include <cstdint>

#ifndef __AVX__

namespace tessera::detail {

extern template const fold_kernel& known_fold<sum_fold<op::sum, float, sum_of<float>>>();
extern template const fold_kernel& known_fold<sum_fold<op::mean, float, sum_for_mean<float>>>();
extern template const fold_kernel& known_fold<simple_fold<op::min, float>>();
extern template const fold_kernel& known_fold<simple_fold<op::max, float>>();
extern template const fold_kernel& known_fold<sum_fold<op::sum, double, sum_of<double>>>();
extern template const fold_kernel& known_fold<sum_fold<op::mean, double, sum_for_mean<double>>>();
extern template const fold_kernel& known_fold<simple_fold<op::min, double>>();
extern template const fold_kernel& known_fold<simple_fold<op::max, double>>();
extern template const fold_kernel&
known_fold<sum_fold<op::sum, std::int32_t, sum_of<std::int32_t>>>();
extern template const fold_kernel&
known_fold<sum_fold<op::mean, std::int32_t, sum_for_mean<std::int32_t>>>();
extern template const fold_kernel& known_fold<simple_fold<op::min, std::int32_t>>();
extern template const fold_kernel& known_fold<simple_fold<op::max, std::int32_t>>();
extern template const fold_kernel&
known_fold<sum_fold<op::sum, std::int64_t, sum_of<std::int64_t>>>();
extern template const fold_kernel&
known_fold<sum_fold<op::mean, std::int64_t, sum_for_mean<std::int64_t>>>();
extern template const fold_kernel& known_fold<simple_fold<op::min, std::int64_t>>();
extern template const fold_kernel& known_fold<simple_fold<op::max, std::int64_t>>();
extern template const fold_kernel& known_fold<moments_fold<op::var, float>>();
extern template const fold_kernel& known_fold<moments_fold<op::stddev, float>>();
extern template const fold_kernel& known_fold<moments_fold<op::var, double>>();
extern template const fold_kernel& known_fold<moments_fold<op::stddev, double>>();

}  // namespace tessera::detail

#endif
