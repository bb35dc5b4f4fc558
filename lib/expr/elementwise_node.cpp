// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/elementwise_node.hpp"

#include <fmt/format.h>

namespace tessera::detail {

void throw_does_not_fit(std::string_view function, const std::string& value, dtype type) {
  throw value_error(
      fmt::format("{}: the scalar {} does not fit into {}, the dtype that it takes beside the "
                  "array; convert the array with astype or change the scalar",
                  function, value, name_of(type)));
}

}  // namespace tessera::detail
