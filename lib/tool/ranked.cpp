// SPDX-License-Identifier: Apache-2.0
#include "tool/ranked.hpp"

#include "tessera/array/creation.hpp"
#include "tessera/array/run_time_elementwise.hpp"
#include "tessera/core/error.hpp"

#include <array>
#include <fmt/format.h>

namespace tessera::tool {

any_array with_common_rank(const any_array& x) {
  if (x.rank() >= common_rank) {
    throw value_error(
        fmt::format("an array of rank {} is above the ranks up to {} that this "
                    "command takes",
                    x.rank(), common_rank - 1));
  }
  std::array<index_t, common_rank> ones_of_extents;
  ones_of_extents.fill(1);
  const array<bool, common_rank> always = ones<bool>(ones_of_extents);
  // Broadcasting puts the axes in front; every element is that of `x`.
  return elementwise("where", {any_array(always), x, x});
}

}  // namespace tessera::tool
