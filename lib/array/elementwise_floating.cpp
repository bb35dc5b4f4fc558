// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of floating-point numbers for every dtype.
#include "tessera/function/angles.hpp"
#include "tessera/function/binary_exponential.hpp"
#include "tessera/function/exponential.hpp"
#include "tessera/function/float_parts.hpp"
#include "tessera/function/hyperbolic.hpp"
#include "tessera/function/powers.hpp"
#include "tessera/function/rounding.hpp"
#include "tessera/function/special.hpp"
#include "tessera/function/trigonometric.hpp"

#include "array/elementwise_table.hpp"

namespace tessera::detail {

std::vector<elementwise_entry> floating_entries() {
  return entries_of_families<function::angle_functions, function::binary_exponential_functions,
                             function::exponential_functions, function::float_part_functions,
                             function::hyperbolic_functions, function::power_functions,
                             function::rounding_functions, function::special_functions,
                             function::trigonometric_functions>();
}

}  // namespace tessera::detail
