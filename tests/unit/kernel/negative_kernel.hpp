// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A strip kernel for tests, and float64 strips as they are.

#include "tessera/kernel/kernel.hpp"

#include <cstddef>

namespace tessera::testing {

inline double* doubles(std::byte* bytes) { return static_cast<double*>(static_cast<void*>(bytes)); }
inline const double* doubles(const std::byte* bytes) {
  return static_cast<const double*>(static_cast<const void*>(bytes));
}

/// Changes the sign of each element.
inline const strip_kernel& negative() {
  static const strip_kernel kernel{.name = "negative",
                                   .label = "-{0}",
                                   .inputs = {dtype::float64},
                                   .outputs = {dtype::float64},
                                   .run = [](const strip& s) {
                                     for (index_t i = 0; i < s.size; ++i)
                                       doubles(s.outputs[0])[i] = -doubles(s.inputs[0])[i];
                                   }};
  return kernel;
}

}  // namespace tessera::testing
