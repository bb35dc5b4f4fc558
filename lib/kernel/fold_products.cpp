// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sums of products x y along an axis with a stride: `sum(x * y, axis<0>)` of dense rows.
///
/// Each element of a strip adds its product to a state of its own, so that the loop over a strip is
/// a vector loop without a reduction. Four layers, strips of four neighbouring indices of the
/// summed axis, are added at once: a state is loaded and stored once for four products. The layers
/// are added in the order of their indices, as single layers are.
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/monoid_sums.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

// Compiled for several processors; the loader chooses among the clones when the program starts.
// Kernels in headers use the instructions that the program's flags allow; the library cannot know
// these flags. Each element goes into its own state, so that all clones give the same bits.
// The choice among clones runs before a thread sanitizer has started, and would call it.
#if defined(__x86_64__) && defined(__gnu_linux__) && __has_attribute(target_clones) && \
    !defined(__SANITIZE_THREAD__)
#define TESSERA_FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define TESSERA_FOR_EACH_PROCESSOR
#endif

// States and elements do not overlap. Compilers cannot prove that, and GCC 12 ignores `__restrict`
// of local pointers.
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
void take_each_product_of_floats(std::byte* const* state_fields, const fold_strip& strip) {
  double* const sum = typed<double>(state_fields[0]);
  const float* const x = typed<float>(strip.inputs[0]);
  const float* const y = typed<float>(strip.inputs[1]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) sum[i] = plain_sum<float>::take(sum[i], x[i] * y[i]);
}

TESSERA_FOR_EACH_PROCESSOR
void take_each_product_of_doubles(std::byte* const* state_fields, const fold_strip& strip) {
  double* const error = typed<double>(state_fields[1]);
  const double* const x = typed<double>(strip.inputs[0]);
  const double* const y = typed<double>(strip.inputs[1]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) error[i] += x[i] * y[i];
  if (!ends_group(strip)) return;
  double* const sum = typed<double>(state_fields[0]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) add_group(sum[i], error[i]);
}

TESSERA_FOR_EACH_PROCESSOR
void take_layers_of_products_of_floats(std::byte* const* state_fields, const fold_strip& strip) {
  const pairs<float> of(strip);
  double* const sum = typed<double>(state_fields[0]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) {
    double total = sum[i];
    for (const float product : of.products(i)) total = plain_sum<float>::take(total, product);
    sum[i] = total;
  }
}

TESSERA_FOR_EACH_PROCESSOR
void take_layers_of_products_of_doubles(std::byte* const* state_fields, const fold_strip& strip) {
  const pairs<double> of(strip);
  double* const error = typed<double>(state_fields[1]);
  if (!ends_group(strip, layers_at_once)) {
    TESSERA_LIE_APART
    for (index_t i = 0; i < strip.size; ++i) {
      double group = error[i];
      for (const double product : of.products(i)) group += product;
      error[i] = group;
    }
    return;
  }
  double* const sum = typed<double>(state_fields[0]);
  TESSERA_LIE_APART
  for (index_t i = 0; i < strip.size; ++i) {
    double group = error[i];
    for (const double product : of.products(i)) group += product;
    double total = sum[i];
    add_group(total, group);
    sum[i] = total;
    error[i] = group;
  }
}

std::vector<fused_take> takes_of_kernels(const fused_take& takes, std::string_view product,
                                         std::string_view square) {
  return {{product, {0, 1}, takes.take_each, takes.take_layers},
          {square, {0, 0}, takes.take_each, takes.take_layers}};
}

}  // namespace tessera::detail

#undef TESSERA_FOR_EACH_PROCESSOR
#undef TESSERA_LIE_APART
