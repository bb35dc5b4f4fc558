// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/block_kernel.hpp"

namespace tessera::detail {

double elements_in(const block_shapes& of) {
  double elements = 0;
  for (const auto* const blocks : {&of.inputs, &of.outputs}) {
    for (const index_vector& extents : *blocks) {
      elements += static_cast<double>(num_elements(extents));
    }
  }
  return elements;
}

double work_of_unknown(const block_shapes& of) { return 12 * elements_in(of); }

}  // namespace tessera::detail
