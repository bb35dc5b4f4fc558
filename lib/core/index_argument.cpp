// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index_argument.hpp"

#include "tessera/core/error.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace tessera::detail {

void refuse_index(std::uint64_t value) {
  throw value_error(fmt::format("index {}: an index or extent is at most 2^63 - 1", value));
}

}  // namespace tessera::detail
