// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/detail/tree_text.hpp"

#include "tessera/core/dtype.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::detail {

void set_dtype(std::vector<dtype>& types, std::size_t i, dtype type) {
  types.resize(std::max(types.size(), i + 1));
  types[i] = type;
}

}  // namespace tessera::detail
