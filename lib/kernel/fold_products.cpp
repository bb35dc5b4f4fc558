// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/fold_complex.hpp"
#include "tessera/kernel/detail/fold_sum.hpp"

// Compiled for several processors, of which the program's is chosen when it starts: kernels in
// headers use what a program's flags allow, and these can not know them. Each element goes into a
// state of its own, so that bits are the same.
#if defined(__x86_64__) && defined(__gnu_linux__) && __has_attribute(target_clones)
#define TESSERA_FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define TESSERA_FOR_EACH_PROCESSOR
#endif

namespace tessera::detail {

TESSERA_FOR_EACH_PROCESSOR
void take_each_product_of_floats(std::byte* const* planes, const fold_strip& strip) {
  double* __restrict const sum = typed<double>(planes[0]);
  const float* __restrict const x = typed<float>(strip.inputs[0]);
  const float* __restrict const y = typed<float>(strip.inputs[1]);
  for (index_t i = 0; i < strip.size; ++i) plain_sum<float>::add(sum[i], x[i] * y[i]);
}

TESSERA_FOR_EACH_PROCESSOR
void take_each_product_of_doubles(std::byte* const* planes, const fold_strip& strip) {
  double* __restrict const sum = typed<double>(planes[0]);
  double* __restrict const error = typed<double>(planes[1]);
  const double* __restrict const x = typed<double>(strip.inputs[0]);
  const double* __restrict const y = typed<double>(strip.inputs[1]);
  for (index_t i = 0; i < strip.size; ++i) add_exactly(sum[i], error[i], x[i] * y[i]);
}

}  // namespace tessera::detail

#undef TESSERA_FOR_EACH_PROCESSOR
