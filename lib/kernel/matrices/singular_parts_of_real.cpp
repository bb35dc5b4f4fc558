// SPDX-License-Identifier: Apache-2.0
#include "kernel/matrices/find_singular_parts.hpp"

namespace tessera::matrices {

template singular_parts<float> parts_of(const matrix<float>& a, bool has_vectors);
template singular_parts<double> parts_of(const matrix<double>& a, bool has_vectors);

}  // namespace tessera::matrices
