// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/fold_complex.hpp"
#include "tessera/kernel/detail/fold_sum.hpp"

#include <array>
#include <cstddef>

// Compiled for several processors, of which the program's is chosen when it starts: kernels in
// headers use what a program's flags allow, and these can not know them. Each element goes into a
// state of its own, so that bits are the same.
#if defined(__x86_64__) && defined(__gnu_linux__) && __has_attribute(target_clones)
#define TESSERA_FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define TESSERA_FOR_EACH_PROCESSOR
#endif

// States and elements lie apart. Compilers do not find that out, and GCC 12 forgets what
// `__restrict` says of local pointers.
#if defined(__clang__)
#define TESSERA_LIE_APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TESSERA_LIE_APART _Pragma("GCC ivdep")
#else
#define TESSERA_LIE_APART
#endif

namespace tessera::detail {

namespace {

/// The pairs of strips whose products are taken at once.
template <class T>
struct pairs {
  explicit pairs(const fold_strip& strip) {
    for (std::size_t i = 0; i < 2 * layers_at_once; ++i) in[i] = typed<T>(strip.inputs[i]);
  }
  [[nodiscard]] std::array<T, layers_at_once> products(index_t i) const {
    static_assert(layers_at_once == 4);
    return {in[0][i] * in[1][i], in[2][i] * in[3][i], in[4][i] * in[5][i], in[6][i] * in[7][i]};
  }
  std::array<const T*, 2 * layers_at_once> in;
};

}  // namespace

TESSERA_FOR_EACH_PROCESSOR
void take_each_product_of_floats(std::byte* const* planes, const fold_strip& strip) {
  double* const sum = typed<double>(planes[0]);
  const float* const x = typed<float>(strip.inputs[0]);
  const float* const y = typed<float>(strip.inputs[1]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) plain_sum<float>::add(sum[i], x[i] * y[i]);
}

TESSERA_FOR_EACH_PROCESSOR
void take_each_product_of_doubles(std::byte* const* planes, const fold_strip& strip) {
  double* const sum = typed<double>(planes[0]);
  double* const error = typed<double>(planes[1]);
  const double* const x = typed<double>(strip.inputs[0]);
  const double* const y = typed<double>(strip.inputs[1]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) add_exactly(sum[i], error[i], x[i] * y[i]);
}

TESSERA_FOR_EACH_PROCESSOR
void take_layers_of_products_of_floats(std::byte* const* planes, const fold_strip& strip) {
  const pairs<float> of(strip);
  double* const sum = typed<double>(planes[0]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) {
    double all = sum[i];
    for (const float product : of.products(i)) plain_sum<float>::add(all, product);
    sum[i] = all;
  }
}

TESSERA_FOR_EACH_PROCESSOR
void take_layers_of_products_of_doubles(std::byte* const* planes, const fold_strip& strip) {
  const pairs<double> of(strip);
  double* const sum = typed<double>(planes[0]);
  double* const error = typed<double>(planes[1]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) {
    double all = sum[i];
    double all_errors = error[i];
    for (const double product : of.products(i)) add_exactly(all, all_errors, product);
    sum[i] = all;
    error[i] = all_errors;
  }
}

}  // namespace tessera::detail

#undef TESSERA_FOR_EACH_PROCESSOR
#undef TESSERA_LIE_APART
