// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/index_list.hpp"

#include "tessera/core/index.hpp"

#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

index_list::index_list(std::vector<index_t> values, std::optional<index_t> mask_length)
    : values_(std::make_shared<const std::vector<index_t>>(std::move(values))),
      mask_length_(mask_length) {}

index_list index(std::initializer_list<index_t> indices) {
  return index_list(std::vector<index_t>(indices));
}

}  // namespace tessera
