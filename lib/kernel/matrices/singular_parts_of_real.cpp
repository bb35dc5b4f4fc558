// SPDX-License-Identifier: Apache-2.0
#include "kernel/matrices/find_singular_parts.hpp"

namespace tessera::matrices {

template std::optional<singular_parts<float>> decompose<float>::singular(matrix_map<float>& a,
                                                                         bool has_vectors);
template std::optional<singular_parts<double>> decompose<double>::singular(matrix_map<double>& a,
                                                                           bool has_vectors);

}  // namespace tessera::matrices
