// SPDX-License-Identifier: Apache-2.0
#include "kernel/matrices/find_singular_parts.hpp"

namespace tessera::matrices {

template singular_parts<complex64> parts_of(const matrix<complex64>& a, bool has_vectors);
template singular_parts<complex128> parts_of(const matrix<complex128>& a, bool has_vectors);

}  // namespace tessera::matrices
