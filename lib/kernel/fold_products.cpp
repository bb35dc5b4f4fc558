// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/fold_complex.hpp"
#include "tessera/kernel/detail/fold_sum.hpp"

namespace tessera::detail {

void take_each_product_of_floats(std::byte* const* planes, const fold_strip& strip) {
  double* __restrict const sum = typed<double>(planes[0]);
  const float* __restrict const x = typed<float>(strip.inputs[0]);
  const float* __restrict const y = typed<float>(strip.inputs[1]);
  for (index_t i = 0; i < strip.size; ++i) plain_sum<float>::add(sum[i], x[i] * y[i]);
}

void take_each_product_of_doubles(std::byte* const* planes, const fold_strip& strip) {
  double* __restrict const sum = typed<double>(planes[0]);
  double* __restrict const error = typed<double>(planes[1]);
  const double* __restrict const x = typed<double>(strip.inputs[0]);
  const double* __restrict const y = typed<double>(strip.inputs[1]);
  for (index_t i = 0; i < strip.size; ++i) add_exactly(sum[i], error[i], x[i] * y[i]);
}

}  // namespace tessera::detail
