// SPDX-License-Identifier: Apache-2.0
/// \file
/// The folds of `compiled_folds.hpp`.
#include "tessera/function/detail/compiled_folds.hpp"

namespace tessera::detail {

template const fold_kernel& known_fold<sum_fold<op::sum, float, sum_of<float>>>();
template const fold_kernel& known_fold<sum_fold<op::mean, float, sum_for_mean<float>>>();
template const fold_kernel& known_fold<simple_fold<op::min, float>>();
template const fold_kernel& known_fold<simple_fold<op::max, float>>();
template const fold_kernel& known_fold<sum_fold<op::sum, double, sum_of<double>>>();
template const fold_kernel& known_fold<sum_fold<op::mean, double, sum_for_mean<double>>>();
template const fold_kernel& known_fold<simple_fold<op::min, double>>();
template const fold_kernel& known_fold<simple_fold<op::max, double>>();
template const fold_kernel& known_fold<sum_fold<op::sum, std::int32_t, sum_of<std::int32_t>>>();
template const fold_kernel&
known_fold<sum_fold<op::mean, std::int32_t, sum_for_mean<std::int32_t>>>();
template const fold_kernel& known_fold<simple_fold<op::min, std::int32_t>>();
template const fold_kernel& known_fold<simple_fold<op::max, std::int32_t>>();
template const fold_kernel& known_fold<sum_fold<op::sum, std::int64_t, sum_of<std::int64_t>>>();
template const fold_kernel&
known_fold<sum_fold<op::mean, std::int64_t, sum_for_mean<std::int64_t>>>();
template const fold_kernel& known_fold<simple_fold<op::min, std::int64_t>>();
template const fold_kernel& known_fold<simple_fold<op::max, std::int64_t>>();
template const fold_kernel& known_fold<moments_fold<op::var, float>>();
template const fold_kernel& known_fold<moments_fold<op::stddev, float>>();
template const fold_kernel& known_fold<moments_fold<op::var, double>>();
template const fold_kernel& known_fold<moments_fold<op::stddev, double>>();

}  // namespace tessera::detail
