// SPDX-License-Identifier: Apache-2.0
#include "kernel/matrices/find_singular_parts.hpp"

namespace tessera::matrices {

template std::optional<singular_parts<complex64>> decompose<complex64>::singular(
    matrix_map<complex64>& a, bool has_vectors);
template std::optional<singular_parts<complex128>> decompose<complex128>::singular(
    matrix_map<complex128>& a, bool has_vectors);

}  // namespace tessera::matrices
