// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/detail/fold_moments.hpp"

#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/parameters.hpp"

namespace tessera::detail {

kernel_parameters correction_parameters(double correction) {
  return {correction, bytes_of(correction)};
}

}  // namespace tessera::detail
