// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/detail/matrix_calls.hpp"
#include "tessera/core/error.hpp"

#include <fmt/format.h>

namespace tessera::detail {

void require_square(std::string_view function, const array_layout& of) {
  const index_t rows = of.shape[of.shape.size() - 2];
  const index_t columns = of.shape.back();
  if (rows == columns) return;
  throw shape_error(fmt::format("{}: matrices of {} x {} are not square", function, rows, columns));
}

}  // namespace tessera::detail
